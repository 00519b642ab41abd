//! Unification of types and of sizes, with levels for generalisation.
//!
//! Types unify as in Hindley and Milner. Sizes are polynomials: an equation is solved when one
//! unknown stands alone in it (`_ + 1 = n` gives `_ = n - 1`); others wait until more is known.

mod guess;

use std::collections::{BTreeMap, BTreeSet};

use base::{Name, Span};
use ir::TOO_LARGE;

pub use self::guess::Guess;
use crate::types::{Rigid, Size, SizeAtom, SizeVar, Type, TypeVar};

/// Why two types are not the same.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// Different types; the innermost pair that disagrees.
    Types(Box<(Type, Type)>),
    /// Different sizes.
    Sizes(Size, Size),
    /// A type would contain itself.
    Infinite(Type),
    /// A type has more parts than anyone can mean.
    TooLarge,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    binding: Option<T>,
    level: u32,
}

/// More parts than any type has that somebody wrote; `\x => (x, x)` doubled thirty times has more.
const MAX_PARTS: usize = 20_000;

/// Deeper than any type that somebody wrote.
const MAX_NESTING: usize = 200;

/// The unknowns and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    types: Vec<Slot<Type>>,
    sizes: Vec<Slot<Size>>,
    n_rigids: u32,
    /// Nesting of generalisable bindings.
    pub level: u32,
    /// Where rigid sizes come from, for messages.
    pub origins: BTreeMap<u32, (Span, String)>,
    /// Those of them that only running the program can tell.
    pub(crate) opaque: BTreeSet<u32>,
    /// Unknown types that became `Int` because of a literal and nothing else, for messages.
    pub(crate) guesses: BTreeMap<TypeVar, Guess>,
    /// Size equations that could not be decided yet.
    pub waiting: Vec<(Size, Size)>,
}

impl Solver {
    /// A new unknown type.
    pub fn fresh_type(&mut self) -> Type {
        self.types.push(Slot { binding: None, level: self.level });
        Type::Var(TypeVar(self.types.len() as u32 - 1))
    }

    /// A new unknown size.
    pub fn fresh_size(&mut self) -> Size {
        self.sizes.push(Slot { binding: None, level: self.level });
        Size::var(SizeAtom::Var(SizeVar(self.sizes.len() as u32 - 1)))
    }

    /// A new size that stands for itself.
    pub fn fresh_rigid(&mut self, name: Name, span: Span, origin: impl Into<String>) -> Rigid {
        self.n_rigids += 1;
        self.origins.insert(self.n_rigids, (span, origin.into()));
        Rigid { id: self.n_rigids, name }
    }

    /// The number of sizes so far that stand for themselves, which is the last one's number.
    pub(crate) fn n_rigids(&self) -> u32 {
        self.n_rigids
    }

    /// A new size that only running the program can tell.
    pub(crate) fn fresh_opaque(&mut self, name: Name, span: Span) -> Rigid {
        let rigid = self.fresh_rigid(name, span, "only running this tells the size");
        self.opaque.insert(rigid.id);
        rigid
    }

    /// The type with unknowns in the place of sizes that only running the program can tell.
    pub(crate) fn forget_opaque(&mut self, ty: &Type) -> Type {
        let resolved = self.resolve(ty);
        self.forget(&resolved)
    }

    fn forget(&mut self, ty: &Type) -> Type {
        let sizes = std::cell::RefCell::new(self);
        ty.map(&mut |part| sizes.borrow_mut().forget(part), &mut |size| {
            let mut this = sizes.borrow_mut();
            let is_opaque = |it: &SizeAtom| matches!(it, SizeAtom::Rigid(rigid) if this.opaque.contains(&rigid.id));
            if size.vars().iter().any(is_opaque) { this.fresh_size() } else { size.clone() }
        })
    }

    /// What is known of the outermost form.
    pub fn head(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Var(var) = ty {
            match &self.types[var.0 as usize].binding {
                Some(bound) => ty = bound,
                None => break,
            }
        }
        ty.clone()
    }

    /// All that is known.
    pub fn resolve(&self, ty: &Type) -> Type {
        if let Type::Var(var) = ty {
            return match &self.types[var.0 as usize].binding {
                Some(bound) => self.resolve(bound),
                None => ty.clone(),
            };
        }
        ty.map(&mut |part| self.resolve(part), &mut |size| self.resolve_size(size))
    }

    /// All that is known of a size.
    pub fn resolve_size(&self, size: &Size) -> Size {
        size.substitute(&mut |atom| match atom {
            SizeAtom::Var(var) => match &self.sizes[var.0 as usize].binding {
                Some(bound) => self.resolve_size(bound),
                None => Size::var(atom.clone()),
            },
            SizeAtom::Rigid(_) => Size::var(atom.clone()),
        })
    }

    /// Makes two types the same, or says what stands in the way.
    pub fn unify(&mut self, left: &Type, right: &Type) -> Result<(), Mismatch> {
        self.hand_on_guess(left, right);
        let (left, right) = (self.head(left), self.head(right));
        match (&left, &right) {
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Var(a), Type::Var(b)) if a == b => Ok(()),
            (Type::Var(var), other) | (other, Type::Var(var)) => self.bind(*var, other),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => self.unify_all(a, b),
            (Type::Array(n, a), Type::Array(m, b)) => {
                self.unify(a, b)?;
                self.unify_size(n, m)
            }
            (Type::Function(a, r), Type::Function(b, s)) if a.len() == b.len() => {
                self.unify_all(a, b)?;
                self.unify(r, s)
            }
            (Type::Named(a, types, sizes), Type::Named(b, types2, sizes2)) if a == b => {
                self.unify_all(types, types2)?;
                sizes.iter().zip(sizes2).try_for_each(|(n, m)| self.unify_size(n, m))
            }
            _ if left == right => Ok(()),
            _ => Err(Mismatch::Types(Box::new((left, right)))),
        }
    }

    fn unify_all(&mut self, left: &[Type], right: &[Type]) -> Result<(), Mismatch> {
        left.iter().zip(right).try_for_each(|(a, b)| self.unify(a, b))
    }

    fn bind(&mut self, var: TypeVar, ty: &Type) -> Result<(), Mismatch> {
        let level = self.types[var.0 as usize].level;
        let mut parts = MAX_PARTS;
        if self.occurs(var, ty, level, &mut parts) {
            return Err(Mismatch::Infinite(self.resolve(ty)));
        }
        if parts == 0 {
            return Err(Mismatch::TooLarge);
        }
        self.types[var.0 as usize].binding = Some(ty.clone());
        Ok(())
    }

    /// Looks for the variable, and moves the unknowns on the way to its level.
    fn occurs(&mut self, var: TypeVar, ty: &Type, level: u32, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        let ty = self.head(ty);
        if let Type::Var(other) = ty {
            let slot = &mut self.types[other.0 as usize];
            slot.level = slot.level.min(level);
            return other == var;
        }
        let mut found = false;
        for size in own_sizes(&ty) {
            self.lower_size(&size, level);
        }
        let mut parts = Vec::new();
        ty.each(&mut |part| parts.push(part.clone()));
        for part in parts {
            found |= self.occurs(var, &part, level, left);
        }
        found
    }

    fn lower_size(&mut self, size: &Size, level: u32) {
        for atom in self.resolve_size(size).vars() {
            if let SizeAtom::Var(var) = atom {
                let slot = &mut self.sizes[var.0 as usize];
                slot.level = slot.level.min(level);
            }
        }
    }

    /// Whether a type has more parts, or is nested deeper, than anyone can mean.
    pub(crate) fn is_too_large(&self, ty: &Type) -> bool {
        let mut left = MAX_PARTS;
        self.exceeds(ty, &mut left, MAX_NESTING)
    }

    fn exceeds(&self, ty: &Type, left: &mut usize, nesting: usize) -> bool {
        if *left == 0 || nesting == 0 {
            return true;
        }
        *left -= 1;
        if let Type::Var(var) = ty {
            let bound = self.types[var.0 as usize].binding.as_ref();
            return bound.is_some_and(|it| self.exceeds(it, left, nesting));
        }
        let mut found = false;
        ty.each(&mut |part| found = found || self.exceeds(part, left, nesting - 1));
        found
    }

    /// Moves every unknown of a type to the current level, so that it is not generalised.
    pub fn lower(&mut self, ty: &Type) {
        let level = self.level;
        self.occurs(TypeVar(u32::MAX), ty, level, &mut { MAX_PARTS });
    }

    /// Moves every unknown of an equation that waits to the current level: one solution is for all uses of a
    /// function.
    pub fn lower_waiting(&mut self) {
        for (left, right) in self.waiting.clone() {
            self.lower_size(&left, self.level);
            self.lower_size(&right, self.level);
        }
    }

    /// Makes two sizes the same, notes the equation for later, or refuses.
    pub fn unify_size(&mut self, left: &Size, right: &Size) -> Result<(), Mismatch> {
        let (left, right) = (self.resolve_size(left), self.resolve_size(right));
        let difference = left.sub(&right);
        // What is too large differs from itself by what is too large.
        if left == right || difference.as_constant() == Some(0) {
            return Ok(());
        }
        if self.solve(&difference) {
            // Arithmetic with what is too large cannot be undone: only looking tells.
            let is_exact = difference.terms().all(|it| it.1 != TOO_LARGE);
            let is_solved = is_exact || self.resolve_size(&left) == self.resolve_size(&right);
            return if is_solved { Ok(()) } else { Err(Mismatch::Sizes(left, right)) };
        }
        let open = difference.vars().iter().any(|it| matches!(it, SizeAtom::Var(_)));
        if open && !unsolvable(&difference) {
            self.waiting.push((left, right));
            return Ok(());
        }
        Err(Mismatch::Sizes(left, right))
    }

    /// Solves `difference = 0` for an unknown that occurs in one linear term only.
    fn solve(&mut self, difference: &Size) -> bool {
        let mut best: Option<(SizeVar, i64)> = None;
        for (atoms, coefficient) in difference.terms() {
            let [SizeAtom::Var(var)] = atoms else { continue };
            let alone = || {
                let mut terms = difference.terms();
                terms.all(|(it, _)| it == atoms || !it.contains(&SizeAtom::Var(*var)))
            };
            let divides = coefficient.unsigned_abs() == 1
                || difference.terms().all(|(_, it)| it.checked_rem(coefficient) == Some(0));
            if divides
                && best.is_none_or(|(_, it)| it.unsigned_abs() > coefficient.unsigned_abs())
                && alone()
            {
                best = Some((*var, coefficient));
            }
        }
        let Some((var, coefficient)) = best else { return false };
        // Everything else divided by the coefficient, on the other side. What was too large before stays so;
        // what would only now not fit is no solution, since it would not give the size again.
        let divided = |it: i64| match it {
            TOO_LARGE => Some(TOO_LARGE),
            it => it.checked_div(coefficient)?.checked_neg(),
        };
        let rest = difference.terms().filter(|(atoms, _)| *atoms != [SizeAtom::Var(var)]);
        let solution: Option<Vec<(Vec<SizeAtom>, i64)>> =
            rest.map(|(atoms, it)| Some((atoms.to_vec(), divided(it)?))).collect();
        let Some(solution) = solution else { return false };
        let solution = Size::from(solution);
        let level = self.sizes[var.0 as usize].level;
        self.lower_size(&solution, level);
        self.sizes[var.0 as usize].binding = Some(solution);
        true
    }

    /// Tries the waiting equations again; those that turn out wrong are returned.
    pub fn retry_sizes(&mut self) -> Vec<Mismatch> {
        let mut wrong = Vec::new();
        loop {
            let waiting = std::mem::take(&mut self.waiting);
            let before = waiting.len();
            for (left, right) in waiting {
                if let Err(mismatch) = self.unify_size(&left, &right) {
                    wrong.push(mismatch);
                }
            }
            if self.waiting.len() == before || self.waiting.is_empty() {
                return wrong;
            }
        }
    }

    /// The unknowns of a type that belong to a deeper level than the current one: those a
    /// binding at the current level is polymorphic in.
    pub fn generalisable(&self, ty: &Type) -> (Vec<TypeVar>, Vec<SizeVar>) {
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        self.collect_unknowns(&self.resolve(ty), &mut types, &mut sizes);
        types.retain(|it: &TypeVar| self.types[it.0 as usize].level > self.level);
        sizes.retain(|it: &SizeVar| self.sizes[it.0 as usize].level > self.level);
        (types, sizes)
    }

    /// The unknowns of a resolved type in order of occurrence.
    pub fn unknowns(&self, ty: &Type) -> (Vec<TypeVar>, Vec<SizeVar>) {
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        self.collect_unknowns(&self.resolve(ty), &mut types, &mut sizes);
        (types, sizes)
    }

    fn collect_unknowns(&self, ty: &Type, types: &mut Vec<TypeVar>, sizes: &mut Vec<SizeVar>) {
        if let Type::Var(var) = ty
            && !types.contains(var)
        {
            types.push(*var);
        }
        for size in own_sizes(ty) {
            for atom in size.vars() {
                if let SizeAtom::Var(var) = atom
                    && !sizes.contains(&var)
                {
                    sizes.push(var);
                }
            }
        }
        ty.each(&mut |part| self.collect_unknowns(part, types, sizes));
    }

    /// Decides an unknown type for good.
    pub fn set_type(&mut self, var: TypeVar, ty: Type) {
        self.types[var.0 as usize].binding = Some(ty);
    }

    /// Decides an unknown size for good.
    pub fn set_size(&mut self, var: SizeVar, size: Size) {
        self.sizes[var.0 as usize].binding = Some(size);
    }
}

/// Whether `size = 0` has no solution in integers: `2*_ - 3`.
fn unsolvable(size: &Size) -> bool {
    let mut constant = 0;
    let mut divisor: u64 = 0;
    for (atoms, coefficient) in size.terms() {
        match atoms {
            [] => constant = coefficient,
            _ => divisor = gcd(divisor, coefficient.unsigned_abs()),
        }
    }
    divisor > 1 && constant.unsigned_abs() % divisor != 0
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The sizes at the outermost form of a type.
fn own_sizes(ty: &Type) -> Vec<Size> {
    match ty {
        Type::Array(size, _) => vec![size.clone()],
        Type::Named(_, _, sizes) => sizes.clone(),
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => Vec::new(),
        Type::Function(..) | Type::Param(_) | Type::Var(_) | Type::Error => Vec::new(),
    }
}
