//! Arrays that are the same, or the opposite, when their first two axes change places: what is computed for
//! all pairs of the elements of one array, such as differences and distances.

use ir::{ArrayOp, Atom, Op, Prim, Type, Var};

use super::Facts;

/// What an array is with its first two axes exchanged: this value, or that with the other sign.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::simplify) struct Mirror {
    value: Atom,
    is_negated: bool,
}

/// How an array looks in the mirror if that shows the array itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simplify) enum Symmetry {
    /// `a[i, j] = a[j, i]`
    Same,
    /// `a[i, j] = -a[j, i]`, up to the sign of zero.
    Opposite,
}

impl Facts<'_> {
    /// Whether an array is its own mirror image.
    pub(in crate::simplify) fn symmetry(&self, array: &Atom) -> Option<Symmetry> {
        let Atom::Var(var) = array else { return None };
        let mirror = self.mirrors.get(*var).filter(|it| it.value == *array)?;
        Some(if mirror.is_negated { Symmetry::Opposite } else { Symmetry::Same })
    }

    /// An operation gives a variable: what its mirror image is, and which one it is of.
    pub(super) fn note_mirror(&mut self, var: Var, op: &Op) {
        let is_negated = false;
        if let Op::Array(ArrayOp::Transpose { array, permutation }) = op
            && **permutation == [1, 0]
        {
            if let Atom::Var(array) = array
                && !self.mirrors.contains(*array)
            {
                self.mirrors.insert(*array, Mirror { value: Atom::Var(var), is_negated });
            }
            self.mirrors.insert(var, Mirror { value: array.clone(), is_negated });
        } else if let Some(is_negated) = self.mirrored(op) {
            self.mirrors.insert(var, Mirror { value: Atom::Var(var), is_negated });
        }
    }

    /// The sign of the mirror image of what an operation gives, if it is the same otherwise.
    fn mirrored(&self, op: &Op) -> Option<bool> {
        if let Op::Array(ArrayOp::Replicate { size, value }) = op {
            let Op::Array(ArrayOp::Replicate { size: inner, .. }) = self.op_of(value)? else {
                return None;
            };
            return (inner == size).then_some(false);
        }
        let Op::Prim(prim, args) = op else { return None };
        let mirrors = args.iter().map(|it| self.mirror_of(it));
        let mirrors: Vec<Mirror> = mirrors.collect::<Option<_>>()?;
        let ty = args.last().and_then(|it| self.type_of(it));
        let is_int = ty.is_some_and(|it| *it.split_arrays().1 == Type::Int);
        let is_zero: Vec<bool> = args.iter().map(|it| self.is_zero(it)).collect();
        sign(*prim, args, &mirrors, &is_zero).filter(|it| !is_int || !it && !any_negated(&mirrors))
    }

    fn mirror_of(&self, atom: &Atom) -> Option<Mirror> {
        match atom {
            Atom::Var(var) if self.is_array(atom) => self.mirrors.get(*var).cloned(),
            Atom::Var(_) | Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {
                Some(Mirror { value: atom.clone(), is_negated: false })
            }
        }
    }
}

fn any_negated(mirrors: &[Mirror]) -> bool {
    mirrors.iter().any(|it| it.is_negated)
}

/// Whether a primitive of the mirror images has the other sign; none if it is something else.
fn sign(prim: Prim, args: &[Atom], mirrors: &[Mirror], is_zero: &[bool]) -> Option<bool> {
    let shows = |mirror: usize, arg: usize| mirrors[mirror].value == args[arg];
    let negated = |at: usize| mirrors[at].is_negated;
    let straight = (0..args.len()).all(|it| shows(it, it));
    let crossed = args.len() == 2 && shows(0, 1) && shows(1, 0);
    let xor = || negated(0) != negated(1);
    if prim == Prim::Select {
        let is_whole = straight && !negated(0);
        let of_both = || (negated(1) == negated(2) || is_zero[2]).then(|| negated(1));
        return of_both().or_else(|| is_zero[1].then(|| negated(2))).filter(|_| is_whole);
    }
    if prim == Prim::Neg {
        return straight.then(|| negated(0));
    }
    if [Prim::Mul, Prim::Scale].contains(&prim) {
        return (straight || crossed).then(xor);
    }
    if prim == Prim::Div {
        return straight.then(xor);
    }
    if prim == Prim::Add && !xor() {
        return (straight || crossed).then(|| negated(0));
    }
    if prim == Prim::Sub && !xor() {
        return straight.then(|| negated(0)).or_else(|| crossed.then(|| !negated(0)));
    }
    let commutes = [Prim::Eq, Prim::Ne, Prim::And, Prim::Or].contains(&prim);
    let shows_itself = straight || crossed && commutes;
    (shows_itself && !any_negated(mirrors)).then_some(false)
}
