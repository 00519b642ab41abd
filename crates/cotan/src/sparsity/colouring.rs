//! Colours for the columns or the rows of a pattern: those of one colour share no row or column, so that
//! one directional derivative or one pull-back gives all of them.
//!
//! Greedy, those with most entries first, as Gebremedhin, Manne and Pothen (What Color Is Your Jacobian?,
//! SIAM Review 47, 2005, algorithm 3.2) do it for partial colourings of distance 2. Of both sides, the one
//! with fewer colours is taken.

use super::Sparsity;

/// Which lines of a Jacobian have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Columns: a colour is a direction of the arguments.
    Columns,
    /// Rows: a colour is a cotangent of the result.
    Rows,
}

/// Colours of the columns or the rows of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colouring {
    /// What has colours.
    pub side: Side,
    /// The colour of each of them, from 0.
    pub colours: Vec<u32>,
    /// How many colours there are.
    pub n_colours: usize,
}

/// Steps after which no better colouring is looked for: a line that is full makes many.
pub(super) const MOST_STEPS: usize = 1 << 30;

impl Sparsity {
    /// Colours for its columns, or for its rows if that takes fewer.
    pub fn colouring(&self) -> Colouring {
        let rows = Lines { starts: self.starts.to_vec(), places: self.columns.to_vec() };
        let columns = rows.turned(self.n_columns());
        // As many colours as a line across has entries are needed in any case.
        let (least_of_columns, least_of_rows) = (rows.longest(), columns.longest());
        let by_columns = || coloured(Side::Columns, &columns, &rows);
        let by_rows = || coloured(Side::Rows, &rows, &columns);
        let (first, least, second): (_, _, &dyn Fn() -> Colouring) =
            match least_of_columns <= least_of_rows {
                true => (by_columns(), least_of_rows, &by_rows),
                false => (by_rows(), least_of_columns, &by_columns),
            };
        if first.n_colours <= least {
            return first;
        }
        let second = second();
        if second.n_colours < first.n_colours { second } else { first }
    }
}

/// Lines of a pattern, each with the places of its entries.
struct Lines {
    starts: Vec<usize>,
    places: Vec<u32>,
}

impl Lines {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, at: usize) -> &[u32] {
        &self.places[self.starts[at]..self.starts[at + 1]]
    }

    fn longest(&self) -> usize {
        (0..self.len()).map(|at| self.of(at).len()).max().unwrap_or(0)
    }

    /// The lines across, of which there are so many.
    fn turned(&self, n: usize) -> Lines {
        let mut starts = vec![0; n + 1];
        self.places.iter().for_each(|it| starts[*it as usize + 1] += 1);
        (0..n).for_each(|at| starts[at + 1] += starts[at]);
        let (mut next, mut places) = (starts.clone(), vec![0; self.places.len()]);
        for at in 0..self.len() {
            for it in self.of(at) {
                places[next[*it as usize]] = at as u32;
                next[*it as usize] += 1;
            }
        }
        Lines { starts, places }
    }
}

/// Colours for lines that share no line across with others of their colour.
fn coloured(side: Side, lines: &Lines, across: &Lines) -> Colouring {
    let n = lines.len();
    let each_its_own = || Colouring { side, colours: (0..n as u32).collect(), n_colours: n };
    let steps = (0..across.len()).map(|at| across.of(at).len().saturating_pow(2));
    if steps.fold(0usize, usize::saturating_add) > MOST_STEPS {
        return each_its_own();
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|at| std::cmp::Reverse(lines.of(*at).len()));
    const NONE: u32 = u32::MAX;
    let mut colours = vec![NONE; n];
    // Of each colour, the last line that could not have it.
    let mut refused: Vec<usize> = Vec::new();
    for at in order {
        for other in lines.of(at).iter().flat_map(|it| across.of(*it as usize)) {
            let colour = colours[*other as usize];
            if colour != NONE {
                refused[colour as usize] = at + 1;
            }
        }
        let free = refused.iter().position(|it| *it != at + 1).unwrap_or(refused.len());
        if free == refused.len() {
            refused.push(0);
        }
        colours[at] = free as u32;
    }
    Colouring { side, colours, n_colours: refused.len() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn pattern(n: usize, rows: &[&[u32]]) -> Sparsity {
        let mut starts = vec![0];
        let columns: Vec<u32> = rows.iter().flat_map(|it| it.iter().copied()).collect();
        rows.iter().for_each(|it| starts.push(starts[starts.len() - 1] + it.len()));
        Sparsity::new(vec![("x".to_owned(), n)], starts, columns)
    }

    /// No line across has two entries of one colour.
    fn check(pattern: &Sparsity, side: Side, n_colours: usize) {
        let found = pattern.colouring();
        assert_eq!((found.side, found.n_colours), (side, n_colours));
        let mut seen = std::collections::BTreeSet::new();
        for row in 0..pattern.n_rows() {
            for column in pattern.row(row) {
                let (own, other) = match side {
                    Side::Columns => (*column as usize, row),
                    Side::Rows => (row, *column as usize),
                };
                assert!(seen.insert((other, found.colours[own])), "{found:?}");
            }
        }
    }

    #[test]
    fn a_diagonal_needs_one_colour() {
        check(&pattern(3, &[&[0], &[1], &[2]]), Side::Columns, 1);
    }

    #[test]
    fn a_band_needs_as_many_as_it_is_wide() {
        let rows: Vec<Vec<u32>> = (1..9).map(|at| vec![at - 1, at, at + 1]).collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        check(&pattern(10, &rows), Side::Columns, 3);
    }

    /// An arrow that points down: its last row is full, so that columns would need a colour each.
    #[test]
    fn the_better_side_is_taken() {
        check(&pattern(4, &[&[0], &[1], &[2], &[0, 1, 2, 3]]), Side::Rows, 2);
    }

    #[test]
    fn nothing_needs_nothing() {
        check(&pattern(0, &[]), Side::Columns, 0);
        check(&pattern(3, &[&[], &[]]), Side::Columns, 1);
        check(&pattern(0, &[&[], &[]]), Side::Columns, 0);
    }
}
