//! Finds what sizes are from the lengths of actual arrays: `n` from an array of type
//! `[n + 1]Real` that has four elements is 3.

use std::collections::BTreeMap;

use check::{ShowSize, Size, SizeAtom};

/// The most elements that an array may have.
const MOST: i64 = array::MOST_ELEMENTS as i64;

/// An array somewhere that has a length.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// What its type says.
    pub(crate) size: Size,
    /// What it is.
    pub(crate) actual: i64,
    /// Where it is, as the user would write it: `x[1].w`.
    pub(crate) place: String,
}

/// What sizes are known to be, and from where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    known: BTreeMap<SizeAtom, (i64, String)>,
}

/// Two lengths that cannot both be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    /// Where the second one is.
    pub(crate) place: String,
    /// Its length.
    pub(crate) actual: i64,
    /// What the type says, `n + 1`.
    pub(crate) size: String,
    /// What it should be, if the first ones decide it.
    pub(crate) wanted: Option<i64>,
    /// What the first ones say: since n is 3 in `x`, one for each unknown.
    pub(crate) because: Vec<String>,
    /// Whether no array can have what the type says, or the length.
    pub(crate) too_large: bool,
    /// Whether the type has more unknowns than the lengths decide.
    pub(crate) undecided: bool,
}

impl Sizes {
    /// Learns from the facts until nothing new follows; fails at the first contradiction.
    pub(crate) fn learn(&mut self, facts: &[Fact]) -> Result<(), Clash> {
        let mut open: Vec<&Fact> = facts.iter().collect();
        loop {
            let before = open.len();
            let mut later = Vec::new();
            for fact in open {
                if !self.settle(fact)? {
                    later.push(fact);
                }
            }
            if later.is_empty() || later.len() == before {
                return Ok(());
            }
            open = later;
        }
    }

    /// Fails if a length was of no use: what is unknown yet counts as zero, which may be wrong.
    pub(crate) fn explain(&self, facts: &[Fact]) -> Result<(), Clash> {
        let value = |it: &Fact| {
            it.size.checked(&mut |atom| self.known.get(atom).map_or(0, |known| known.0))
        };
        match facts.iter().find(|it| value(it) != Some(it.actual)) {
            Some(fact) => Err(Clash { undecided: true, ..self.clash(fact) }),
            None => Ok(()),
        }
    }

    /// The value of a size, if everything in it is known.
    pub(crate) fn value(&self, size: &Size) -> Option<i64> {
        // Most sizes are unknowns by themselves; no polynomial has to be made for them.
        match size.as_var() {
            Some(atom) => self.known.get(atom).map(|it| it.0),
            None if size.vars().iter().all(|it| self.known.contains_key(it)) => {
                size.checked(&mut |it| self.known.get(it).map_or(0, |it| it.0))
            }
            None => None,
        }
    }

    /// The size with everything known put in.
    pub(crate) fn reduce(&self, size: &Size) -> Size {
        size.substitute(&mut |atom| match self.known.get(atom) {
            Some((value, _)) => Size::constant(*value),
            None => Size::var(atom.clone()),
        })
    }

    /// Whether the fact is used up: checked, or turned into the value of its one unknown.
    fn settle(&mut self, fact: &Fact) -> Result<bool, Clash> {
        if let Some(atom) = fact.size.as_var()
            && let Some((value, _)) = self.known.get(atom)
        {
            return if *value == fact.actual { Ok(true) } else { Err(self.clash(fact)) };
        }
        let rest = self.reduce(&fact.size);
        let unknowns = rest.vars();
        match unknowns.as_slice() {
            // The value may be none where the constant, which wraps, is one.
            [] if self.value(&fact.size) == Some(fact.actual) => Ok(true),
            [] => Err(self.clash(fact)),
            [unknown] => {
                let Some((factor, constant)) = linear(&rest) else {
                    let value = root(&rest, fact.actual).ok_or_else(|| self.clash(fact))?;
                    self.known.insert(unknown.clone(), (value, fact.place.clone()));
                    return Ok(true);
                };
                let difference = fact.actual.wrapping_sub(constant);
                if difference.wrapping_rem(factor) != 0 || difference.wrapping_div(factor) < 0 {
                    return Err(self.clash(fact));
                }
                let value = difference.wrapping_div(factor);
                self.known.insert(unknown.clone(), (value, fact.place.clone()));
                // Something may have wrapped on the way.
                if self.value(&fact.size) == Some(fact.actual) && value <= MOST {
                    return Ok(true);
                }
                self.known.remove(unknown);
                Err(self.clash(fact))
            }
            [..] => Ok(false),
        }
    }

    fn clash(&self, fact: &Fact) -> Clash {
        let because = fact.size.vars().into_iter().filter_map(|atom| {
            let (value, place) = self.known.get(&atom)?;
            let name = ShowSize(&Size::var(atom)).to_string();
            Some(format!("since {name} is {value} in `{place}`"))
        });
        let known = fact.size.vars().iter().all(|it| self.known.contains_key(it));
        let too_large = fact.actual > MOST || known && self.value(&fact.size).is_none();
        Clash {
            too_large,
            place: fact.place.clone(),
            actual: fact.actual,
            size: ShowSize(&fact.size).to_string(),
            wanted: self.value(&fact.size),
            because: because.collect(),
            undecided: false,
        }
    }
}

/// The number for which a size of one unknown is this long: 3 for `n * n` and 9. Sizes grow with what
/// they are made of.
fn root(size: &Size, actual: i64) -> Option<i64> {
    let at = |value: i64| size.checked(&mut |_| value);
    let is_short = |value: i64| at(value).is_some_and(|it| it < actual);
    let (mut low, mut high) = (0, actual.clamp(0, MOST));
    while low < high {
        let middle = low + (high - low) / 2;
        if is_short(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (at(low) == Some(actual)).then_some(low)
}

/// Factor and constant of `factor * unknown + constant`; the factor is not zero.
fn linear(size: &Size) -> Option<(i64, i64)> {
    let (mut factor, mut constant) = (0, 0);
    for (monomial, coefficient) in size.terms() {
        match monomial.len() {
            0 => constant = coefficient,
            1 => factor = coefficient,
            _ => return None,
        }
    }
    (factor != 0).then_some((factor, constant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Name;
    use check::Rigid;

    fn unknown(id: u32, name: &str) -> Size {
        Size::var(SizeAtom::Rigid(Rigid { id, name: Name::new(name) }))
    }

    fn fact(size: Size, actual: i64, place: &str) -> Fact {
        Fact { size, actual, place: place.to_string() }
    }

    #[test]
    fn sizes_follow_in_any_order() {
        let (n, m) = (unknown(0, "n"), unknown(1, "m"));
        let mut sizes = Sizes::default();
        let facts = [fact(n.mul(&m), 6, "a"), fact(n.add(&Size::constant(1)), 3, "b")];
        assert_eq!(sizes.learn(&facts), Ok(()));
        assert_eq!((sizes.value(&n), sizes.value(&m)), (Some(2), Some(3)));
    }

    #[test]
    fn powers_have_roots_or_do_not_fit() {
        let n = unknown(0, "n");
        let size = n.mul(&n).mul(&n).add(&n);
        let mut sizes = Sizes::default();
        assert_eq!(sizes.learn(&[fact(size.clone(), 30, "a")]), Ok(()));
        assert_eq!(sizes.value(&n), Some(3));
        let clash = Sizes::default().learn(&[fact(size, 31, "a")]).unwrap_err();
        assert_eq!((clash.actual, clash.undecided), (31, false));
    }

    #[test]
    fn what_no_length_decides_is_not_taken_for_zero() {
        let facts = [fact(unknown(0, "n").mul(&unknown(1, "m")), 6, "a")];
        let mut sizes = Sizes::default();
        assert_eq!(sizes.learn(&facts), Ok(()));
        assert!(sizes.explain(&facts).unwrap_err().undecided);
        let empty = [fact(unknown(0, "n").mul(&unknown(1, "m")), 0, "a")];
        assert_eq!(sizes.explain(&empty), Ok(()));
    }

    #[test]
    fn contradictions_name_both_places() {
        let n = unknown(0, "n");
        let mut sizes = Sizes::default();
        let clash = sizes.learn(&[fact(n.clone(), 3, "a"), fact(n.clone(), 2, "b")]).unwrap_err();
        assert_eq!(clash.place, "b");
        assert_eq!(clash.because, ["since n is 3 in `a`"]);
        let odd = Sizes::default().learn(&[fact(n.scale(2), 3, "a")]);
        assert!(odd.is_err(), "3 is no multiple of 2");
        let negative = Sizes::default().learn(&[fact(n.add(&Size::constant(1)), 0, "a")]);
        assert!(negative.is_err(), "no array has -1 elements");
    }

    #[test]
    fn sizes_that_wrap_agree_with_nothing() {
        let (n, m) = (unknown(0, "n"), unknown(1, "m"));
        let known = [fact(n.clone(), 274_177, "n"), fact(m.clone(), 67_280_421_310_721, "m")];
        let mut sizes = Sizes::default();
        assert_eq!(sizes.learn(&known), Ok(()));
        let clash = sizes.learn(&[fact(n.mul(&m), 1, "c")]).unwrap_err();
        assert_eq!((clash.place.as_str(), clash.wanted), ("c", None), "the product is 2^64 + 1");
        assert!(Sizes::default().learn(&[fact(n, i64::MAX, "n")]).is_err(), "no array has so many");
    }

    #[test]
    fn what_does_not_follow_stays_unknown() {
        let (n, m) = (unknown(0, "n"), unknown(1, "m"));
        let mut sizes = Sizes::default();
        assert_eq!(sizes.learn(&[fact(n.add(&m), 3, "a")]), Ok(()));
        assert_eq!(sizes.value(&n), None);
    }
}
