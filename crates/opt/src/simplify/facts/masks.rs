//! Indices that are known to be in bounds where a mask holds: `i - 1` where `i` is not 0; and those that are
//! the position itself: `0` where `i` is 0.
//!
//! A mask of comparisons of positions bounds the positions where it holds.

use ir::{Atom, Op, Prim, Size};

use super::{Affine, Facts};

/// Along an axis, the least and the greatest position where a mask holds.
type Range = (Size, Size);

impl Facts<'_> {
    /// Whether an index is known to be a position of an axis of this size where a mask holds.
    pub(super) fn in_bounds_where(
        &self,
        index: &Affine,
        size: &Size,
        mask: &Atom,
        depth: usize,
    ) -> bool {
        let one = Size::constant(1);
        let full = index.sizes.iter().map(|it| (Size::constant(0), it.sub(&one)));
        let mut ranges: Vec<Range> = full.collect();
        if !self.narrow(mask, true, &mut ranges) {
            return false;
        }
        let (mut least, mut greatest) = (index.offset.clone(), index.offset.clone());
        for (coefficient, (low, high)) in index.coefficients.iter().zip(&ranges) {
            let (low, high) = match coefficient.as_constant() {
                Some(0) => continue,
                Some(it) if it > 0 => (low, high),
                Some(_) => (high, low),
                None => return false,
            };
            least = least.add(&coefficient.mul(low));
            greatest = greatest.add(&coefficient.mul(high));
        }
        let room = size.sub(&one).sub(&greatest);
        self.not_negative(&least, depth) && self.not_negative(&room, depth)
    }

    /// Whether an index is known to be the only position of an axis where a mask holds, if it does.
    pub(in crate::simplify) fn is_position_where(&self, index: &Affine, mask: &Atom) -> bool {
        let one = Size::constant(1);
        let full = index.sizes.iter().map(|it| (Size::constant(0), it.sub(&one)));
        let mut ranges: Vec<Range> = full.collect();
        let is_one = |(low, high): &Range| *low == index.offset && *high == index.offset;
        let is_known = self.narrow(mask, true, &mut ranges);
        is_known && !index.depends_on(0) && ranges.len() == 1 && ranges.iter().all(is_one)
    }

    /// Narrows ranges to where a condition holds, or does not. Says whether it could.
    fn narrow(&self, mask: &Atom, holds: bool, ranges: &mut [Range]) -> bool {
        let Some(Op::Prim(prim, args)) = self.op_of(mask) else { return false };
        match (prim, args.as_slice()) {
            (Prim::Not, [it]) => self.narrow(it, !holds, ranges),
            (Prim::And, [x, y]) if holds => {
                let first = self.narrow(x, holds, ranges);
                self.narrow(y, holds, ranges) || first
            }
            (Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne, [x, y]) => {
                self.narrow_by(*prim, holds, [x, y], ranges).is_some()
            }
            (_, _) => false,
        }
    }

    /// By a comparison of positions along one axis with something that is the same everywhere.
    fn narrow_by(
        &self,
        prim: Prim,
        holds: bool,
        [x, y]: [&Atom; 2],
        ranges: &mut [Range],
    ) -> Option<()> {
        let forms = self.forms(&[x.clone(), y.clone()], &self.sizes_of_either(x, y)?)?;
        let [x, y] = forms.as_slice() else { return None };
        let mut axes = (0..ranges.len()).filter(|it| x.depends_on(*it) || y.depends_on(*it));
        let (axis, None) = (axes.next()?, axes.next()) else { return None };
        let by = x.coefficients.get(axis)?.sub(y.coefficients.get(axis)?).as_constant()?;
        let rest = x.offset.sub(&y.offset);
        // `by * i + rest` is compared with 0: the position is compared with `at`.
        let (at, prim) = match by {
            1 => (rest.scale(-1), prim),
            -1 => (rest, other(&FLIPPED, prim)),
            _ => return None,
        };
        let (one, (low, high)) = (Size::constant(1), ranges.get_mut(axis)?);
        let prim = if holds { prim } else { other(&OPPOSITES, prim) };
        if prim == Prim::Ne && at == *low {
            *low = at.add(&one);
        } else if prim == Prim::Ne && at == *high {
            *high = at.sub(&one);
        } else if prim == Prim::Ne {
            return None;
        }
        if matches!(prim, Prim::Ge | Prim::Eq) {
            *low = at.clone();
        } else if prim == Prim::Gt {
            *low = at.add(&one);
        }
        if matches!(prim, Prim::Le | Prim::Eq) {
            *high = at;
        } else if prim == Prim::Lt {
            *high = at.sub(&one);
        }
        Some(())
    }

    fn sizes_of_either(&self, x: &Atom, y: &Atom) -> Option<Vec<Size>> {
        let (x, y) = (self.sizes_of(x)?, self.sizes_of(y)?);
        Some(if x.is_empty() { y } else { x })
    }
}

/// Comparisons, and the same the other way round.
const FLIPPED: [(Prim, Prim); 2] = [(Prim::Lt, Prim::Gt), (Prim::Le, Prim::Ge)];

/// Comparisons, and those that hold where they do not: of Ints, of which each is less, equal or greater.
const OPPOSITES: [(Prim, Prim); 3] =
    [(Prim::Lt, Prim::Ge), (Prim::Gt, Prim::Le), (Prim::Eq, Prim::Ne)];

/// The other one of a pair; itself if it is in none.
fn other(pairs: &[(Prim, Prim)], prim: Prim) -> Prim {
    let of = |(x, y): &(Prim, Prim)| {
        let back = (prim == *y).then_some(*x);
        if prim == *x { Some(*y) } else { back }
    };
    pairs.iter().find_map(of).unwrap_or(prim)
}
