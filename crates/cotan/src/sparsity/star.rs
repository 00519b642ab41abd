//! Colours for the columns of a symmetric pattern: each entry, or the one across the diagonal, can be read
//! off the product with the sum of the columns of one colour.
//!
//! A star colouring: neighbours differ, and no path of four has two colours only. Greedy, those with most
//! entries first (Gebremedhin, Manne and Pothen, What Color Is Your Jacobian?, SIAM Review 47, 2005,
//! algorithm 4.1). An arrow takes two colours, however long it is, where distance 2 would need one for each
//! column.

use super::Sparsity;
use super::colouring::{Colouring, MOST_STEPS, Side};

const NONE: u32 = u32::MAX;

/// Colours for a symmetric pattern, and whether entries are read across the diagonal.
pub(crate) struct Star {
    /// Colours for the columns.
    pub(crate) colouring: Colouring,
    /// For each entry of the pattern, in order: whether it is read in the place of its mirror image.
    pub(crate) mirrored: Vec<bool>,
}

impl Sparsity {
    /// The pattern with every entry across the diagonal as well; none if it is not square.
    pub(crate) fn symmetric(&self) -> Option<Sparsity> {
        let n = self.n_columns();
        if self.n_rows() != n {
            return None;
        }
        let mut rows: Vec<Vec<u32>> = (0..n).map(|at| self.row(at).to_vec()).collect();
        for at in 0..n {
            self.row(at).iter().for_each(|it| rows[*it as usize].push(at as u32));
        }
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(self.n_entries()));
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            columns.extend(row);
            starts.push(columns.len());
        }
        Some(Sparsity::new(self.parameters.clone(), starts, columns))
    }

    /// A star colouring of a symmetric pattern; none if looking for one takes too long.
    pub(crate) fn star(&self) -> Option<Star> {
        let n = self.n_columns();
        let degree = |at: usize| self.row(at).len();
        let steps = (0..n).map(|v| {
            let squares = self.row(v).iter().map(|w| degree(*w as usize));
            degree(v).saturating_mul(squares.fold(0, usize::saturating_add))
        });
        if steps.fold(0, usize::saturating_add) > MOST_STEPS {
            return None;
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|at| std::cmp::Reverse(degree(*at)));
        let mut colours = vec![NONE; n];
        // Of each colour, the last column that could not have it.
        let mut refused: Vec<usize> = Vec::new();
        for v in order {
            let mut refuse = |colour: u32| {
                if colour != NONE {
                    refused[colour as usize] = v + 1;
                }
            };
            for w in others(self, v) {
                refuse(colours[w]);
                for x in others(self, w).filter(|it| *it != v && colours[*it] != NONE) {
                    let is_closed = |y: usize| y != w && colours[y] == colours[w];
                    if colours[w] == NONE || others(self, x).any(is_closed) {
                        refuse(colours[x]);
                    }
                }
            }
            let free = refused.iter().position(|it| *it != v + 1).unwrap_or(refused.len());
            if free == refused.len() {
                refused.push(0);
            }
            colours[v] = free as u32;
        }
        let mirrored = self.mirrored(&colours, refused.len());
        let colouring = Colouring { side: Side::Columns, n_colours: refused.len(), colours };
        Some(Star { colouring, mirrored })
    }

    /// An entry stands alone in its row among those of its colour, or its mirror image does.
    fn mirrored(&self, colours: &[u32], n_colours: usize) -> Vec<bool> {
        let mut res = Vec::with_capacity(self.n_entries());
        let mut counts = vec![0u32; n_colours];
        for row in 0..self.n_rows() {
            self.row(row).iter().for_each(|it| counts[colours[*it as usize] as usize] += 1);
            res.extend(self.row(row).iter().map(|it| counts[colours[*it as usize] as usize] > 1));
            self.row(row).iter().for_each(|it| counts[colours[*it as usize] as usize] = 0);
        }
        res
    }
}

/// The neighbours of a column; it is none of its own.
fn others(of: &Sparsity, at: usize) -> impl Iterator<Item = usize> + '_ {
    of.row(at).iter().map(|it| *it as usize).filter(move |it| *it != at)
}

#[cfg(test)]
mod tests {
    use super::super::colouring::tests::pattern;
    use super::*;

    /// The definition, by hand: neighbours differ and every path of four has three colours.
    fn check(of: &Sparsity, n_colours: usize) {
        let star = of.star().expect("it is small");
        let colour = |at: usize| star.colouring.colours[at];
        assert_eq!(star.colouring.n_colours, n_colours);
        for a in 0..of.n_columns() {
            for b in others(of, a) {
                assert_ne!(colour(a), colour(b));
                for c in others(of, b).filter(|it| *it != a) {
                    for d in others(of, c).filter(|it| *it != b && *it != a) {
                        assert!(
                            colour(a) != colour(c) || colour(b) != colour(d),
                            "{a} {b} {c} {d}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn an_arrow_takes_two_colours() {
        let mut rows: Vec<Vec<u32>> = (0..9).map(|it| vec![it, 9]).collect();
        rows.push((0..10).collect());
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        check(&pattern(10, &rows), 2);
    }

    #[test]
    fn three_diagonals_take_three_colours() {
        let near = |at: u32| (at.saturating_sub(1)..(at + 2).min(12)).collect::<Vec<u32>>();
        let rows: Vec<Vec<u32>> = (0..12).map(near).collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        check(&pattern(12, &rows), 3);
    }

    #[test]
    fn random_ones_have_no_path_of_two_colours() {
        let mut state = 7u64;
        for _ in 0..200 {
            let mut rows = vec![Vec::new(); 12];
            for a in 0..12u32 {
                for b in a..12u32 {
                    state =
                        state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    if state >> 62 == 0 {
                        rows[a as usize].push(b);
                    }
                }
            }
            let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
            let of = pattern(12, &rows).symmetric().expect("it is square");
            let n_colours = of.star().expect("it is small").colouring.n_colours;
            check(&of, n_colours);
        }
    }

    #[test]
    fn what_is_not_square_is_not_symmetric() {
        assert_eq!(pattern(3, &[&[0]]).symmetric(), None);
        assert_eq!(pattern(2, &[&[1], &[]]).symmetric(), Some(pattern(2, &[&[1], &[0]])));
    }
}
