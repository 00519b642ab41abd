//! Type inference: AST to typed tree, one definition at a time.
//!
//! Hindley-Milner with levels, expected types pushed into lambdas, arguments that are lambdas
//! inferred after the others, and constraints (`+` on what, a field of what) that wait until
//! enough is known.

mod access;
mod arithmetic;
mod attempt;
mod axes;
mod binding;
mod builtin;
pub(crate) mod call;
pub(crate) mod constraint;
mod derive;
pub(crate) mod expr;
pub(crate) mod opened;
mod operator;
pub(crate) mod pattern;
mod scope;
pub(crate) mod structure;
mod with;

use std::collections::{BTreeMap, BTreeSet};

use base::{Name, Span};
use syntax::ast;

use crate::annotate::{Converter, MOST_TERMS, Names};
use crate::builtin::{Builtin, Intrinsics};
use crate::declare::TypeTable;
use crate::each_use::EachUse;
use crate::error::{AnnotationError, Error, MismatchError, OperandError, SizeError, Why};
use crate::infer::constraint::Constraint;
use crate::infer::scope::Scope;
use crate::over_reals::Needs;
use crate::scheme::Scheme;
use crate::solve::Solver;
use crate::typed::{self, LocalId};
use crate::types::{Rigid, Size, SizeVar, Type, TypeVar, rigid_size};

/// What is shared by all definitions.
#[derive(Clone, Default)]
pub(crate) struct Checker {
    /// Declared types.
    pub table: TypeTable,
    /// Unknowns.
    pub solver: Solver,
    /// Complaints.
    pub errors: Vec<Error>,
    /// How many of the complaints have been looked at, and how many of those are errors.
    pub(crate) counted: (usize, usize),
    /// Types of definitions, by their name in the program.
    pub schemes: BTreeMap<Name, Scheme>,
    /// Types of builtins.
    pub intrinsics: Intrinsics,
    /// What waits until more is known.
    pub constraints: Vec<Constraint>,
    /// The depth of the constraints that the running attempt gives rise to.
    pub depth: u32,
    /// Definitions with errors, and those that mention them.
    pub(crate) failed: BTreeSet<Name>,
    /// Definitions that come with derivatives of their own.
    pub(crate) with_customs: BTreeSet<Name>,
    /// Whether declared types or annotations are wrong, on which any definition may depend.
    pub(crate) unsound: bool,
    /// Other names of builtins whose own names the program hides, for expressions that are made from outside.
    pub(crate) aliases: BTreeMap<Name, Builtin>,
    /// Names that the prelude defines and the user does not.
    pub(crate) prelude: BTreeSet<Name>,
    /// Types of definitions that are being inferred.
    pub monos: BTreeMap<Name, Mono>,
    /// Definitions that each use decides.
    pub(crate) each_use: EachUse,
}

/// The type of a definition while its group is being inferred.
#[derive(Clone, Debug)]
pub(crate) struct Mono {
    /// Parameters; `None` for a constant.
    pub params: Option<Vec<Type>>,
    /// The result.
    pub result: Type,
}

/// From names the user writes to names of definitions in the program.
pub(crate) type Globals = BTreeMap<Name, Name>;

/// A variable of the definition.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Where it is bound.
    pub span: Span,
    /// Of an `Int` bound to a polynomial of sizes: that size.
    pub size: Option<Size>,
    /// Of an `Int` that occurs in sizes: the size it stands for.
    pub rigid: Option<Rigid>,
    /// How many functions one use of it makes: itself, and the polymorphic ones it uses.
    pub(crate) copies: usize,
    /// What it is polymorphic in.
    pub poly: Option<(Vec<TypeVar>, Vec<SizeVar>)>,
}

/// What a name in scope means.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// A variable.
    Local(LocalId),
    /// A size.
    Size(Size),
}

/// A `match` or binding whose patterns are checked when their types are known.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    /// The patterns, first to last.
    pub patterns: Vec<typed::Pattern>,
    /// Where to complain.
    pub span: Span,
    /// A `let` or parameter rather than a `match`.
    pub binding: bool,
}

/// The inference of one definition.
pub(crate) struct Infer<'c> {
    /// What is shared.
    pub c: &'c mut Checker,
    /// Names of definitions in sight.
    pub globals: &'c Globals,
    /// All variables, by number.
    pub locals: Vec<Local>,
    /// Names in scope, innermost last.
    pub(crate) scope: Scope,
    /// The indices of a `build` before the bound that is being inferred, which may not use them.
    pub(crate) beside: Vec<Name>,
    /// The names that functions get by `let`, where those are.
    pub(crate) bound: Vec<Name>,
    /// Type variables named in annotations.
    pub type_names: BTreeMap<Name, Type>,
    /// How many polymorphic local functions have been made so far, see [`Local::copies`].
    pub(crate) copies: usize,
    /// Patterns to check at the end.
    pub coverage: Vec<Coverage>,
    /// Where reals of values are mapped whose types may be parameters of the definition.
    pub(crate) needs: Needs,
}

impl Checker {
    /// How many errors, warnings not counted.
    pub(crate) fn n_errors(&mut self) -> usize {
        // Only those that have come since are counted: this is asked for every definition.
        let (seen, count) = self.counted;
        let (seen, count) = if seen > self.errors.len() { (0, 0) } else { (seen, count) };
        let count = count + self.errors[seen..].iter().filter(|it| it.is_error()).count();
        self.counted = (self.errors.len(), count);
        count
    }

    /// Whether there are so many errors that nobody reads another suggestion.
    pub(crate) fn has_many_errors(&self) -> bool {
        self.errors.len() > 100
    }
}

impl<'c> Infer<'c> {
    /// At the start of a definition.
    pub(crate) fn new(c: &'c mut Checker, globals: &'c Globals) -> Infer<'c> {
        Infer {
            c,
            globals,
            locals: Vec::new(),
            scope: Scope::default(),
            beside: Vec::new(),
            bound: Vec::new(),
            type_names: BTreeMap::new(),
            copies: 0,
            coverage: Vec::new(),
            needs: Needs::default(),
        }
    }

    pub(crate) fn report(&mut self, error: impl Into<Error>) {
        self.c.errors.push(error.into());
    }

    pub(crate) fn fresh(&mut self) -> Type {
        self.c.solver.fresh_type()
    }

    pub(crate) fn head(&self, ty: &Type) -> Type {
        self.c.solver.head(ty)
    }

    /// A new variable, not in scope yet.
    pub(crate) fn new_local(&mut self, name: Name, ty: Type, span: Span) -> LocalId {
        self.locals.push(Local { name, ty, span, size: None, rigid: None, copies: 0, poly: None });
        LocalId(self.locals.len() - 1)
    }

    /// The builtin that a name stands for, unless something hides it.
    pub(crate) fn builtin(&self, name: &Name) -> Option<Builtin> {
        Builtin::from_name(name).or_else(|| self.c.aliases.get(name).copied())
    }

    pub(crate) fn lookup(&self, name: &Name) -> Option<Entry> {
        self.scope.get(name).cloned()
    }

    /// Demands that `found` is `wanted`.
    pub(crate) fn expect(&mut self, wanted: &Type, found: &Type, span: Span, why: &Why) -> bool {
        match self.c.solver.unify(wanted, found) {
            Ok(()) => true,
            Err(mismatch) => {
                let solver = &self.c.solver;
                let error: Error = match solver.blame(&mismatch, [wanted, found]) {
                    Some((guess, real)) => {
                        let found = solver.resolve(found);
                        OperandError::Guessed { guess, span, found, real }.into()
                    }
                    None => MismatchError::new(solver, &mismatch, wanted, found, span, why).into(),
                };
                self.report(error);
                false
            }
        }
    }

    pub(crate) fn expect_size(
        &mut self,
        wanted: &Size,
        found: &Size,
        span: Span,
        why: &Why,
    ) -> bool {
        match self.c.solver.unify_size(wanted, found) {
            Ok(()) => true,
            Err(mismatch) => {
                let (a, b) = (
                    Type::array(wanted.clone(), Type::Error),
                    Type::array(found.clone(), Type::Error),
                );
                let error = MismatchError::new(&self.c.solver, &mismatch, &a, &b, span, why);
                self.report(error);
                false
            }
        }
    }

    /// An annotation inside a definition: unknown small-letter names are unknowns with a name.
    pub(crate) fn annotation(&mut self, ty: &ast::Type) -> Type {
        let mut errors = Vec::new();
        let table = self.c.table.clone();
        let res = Converter { table: &table, errors: &mut errors }.ty(ty, self);
        self.c.errors.extend(errors);
        res
    }

    /// The size an `Int` expression stands for, if it is a polynomial of sizes and variables.
    pub(crate) fn size_of(&mut self, expr: &typed::Expr) -> Option<Size> {
        use typed::Kind as K;
        match &expr.kind {
            K::Int(value) => Some(Size::constant(*value)),
            K::Size(size) => Some(size.clone()),
            K::Local(local) => Some(self.local_size(*local)),
            K::CallBuiltin { builtin: Builtin::Length, args, .. } => {
                let Type::Array(size, _) = self.head(&args.first()?.ty) else { return None };
                Some(size)
            }
            K::Prim(prim, args) => {
                let sizes: Option<Vec<Size>> = args.iter().map(|it| self.size_of(it)).collect();
                match (prim, sizes?.as_slice()) {
                    (ir::Prim::Add, [a, b]) => Some(a.add(b)),
                    (ir::Prim::Sub, [a, b]) => Some(a.sub(b)),
                    (ir::Prim::Mul, [a, b]) => {
                        (a.n_terms() * b.n_terms() <= MOST_TERMS).then(|| a.mul(b))
                    }
                    (ir::Prim::Neg, [a]) => Some(a.scale(-1)),
                    _ => None,
                }
            }
            K::Real(_)
            | K::Bool(_)
            | K::Str(_)
            | K::Poly(..)
            | K::Def(_)
            | K::Con(_)
            | K::Builtin(_)
            | K::Tuple(_)
            | K::Array(_)
            | K::Lambda(..)
            | K::CallDef(..)
            | K::CallCon(..)
            | K::CallBuiltin { .. }
            | K::Apply(..)
            | K::Derive(..)
            | K::TangentMap(_)
            | K::Opened(..)
            | K::Proj(..)
            | K::Index(..)
            | K::IndexAxis(..)
            | K::Slice { .. }
            | K::Equal(..)
            | K::Close(..)
            | K::If(..)
            | K::Match(..)
            | K::Block(..)
            | K::Build(..)
            | K::Error => None,
        }
    }

    /// The size an `Int` variable stands for.
    pub(crate) fn local_size(&mut self, local: LocalId) -> Size {
        let Local { name, span, size, rigid, .. } = self.locals[local.0].clone();
        if let Some(size) = size {
            return size;
        }
        let rigid = rigid.unwrap_or_else(|| {
            let origin = format!("`{name}` is this value");
            let rigid = self.c.solver.fresh_rigid(name, span, origin);
            self.c.solver.opaque.insert(rigid.id);
            rigid
        });
        self.locals[local.0].rigid = Some(rigid.clone());
        rigid_size(&rigid)
    }

    /// An `Int` expression used as a size.
    pub(crate) fn size_arg(&mut self, expr: typed::Expr) -> typed::SizeArg {
        if let Some(size) = self.size_of(&expr) {
            return typed::SizeArg { expr, size, defines: None };
        }
        let rigid = self.c.solver.fresh_opaque(Name::new("?"), expr.span);
        typed::SizeArg { size: rigid_size(&rigid), defines: Some(rigid), expr }
    }
}

impl Infer<'_> {
    /// A size that is known to be negative is refused before anything runs.
    pub(crate) fn refuse_negative(&mut self, size: &typed::SizeArg) {
        if let Some(value) = size.size.as_constant()
            && value < 0
        {
            self.report(SizeError::Negative { span: size.expr.span, size: value });
        }
    }
}

impl Names for Infer<'_> {
    fn type_name(&mut self, name: &Name, _: Span) -> Result<Type, AnnotationError> {
        if let Some(ty) = self.type_names.get(name) {
            return Ok(ty.clone());
        }
        let ty = self.fresh();
        self.type_names.insert(name.clone(), ty.clone());
        Ok(ty)
    }

    fn size_name(&mut self, name: &Name, span: Span) -> Result<Size, AnnotationError> {
        match self.lookup(name) {
            Some(Entry::Size(size)) => Ok(size),
            Some(Entry::Local(local)) => {
                let ty = self.locals[local.0].ty.clone();
                self.expect(&Type::Int, &ty, span, &Why::Index);
                Ok(self.local_size(local))
            }
            None => {
                let size = self.c.solver.fresh_size();
                self.scope.push((name.clone(), Entry::Size(size.clone())));
                Ok(size)
            }
        }
    }

    fn type_hole(&mut self, _: Span) -> Result<Type, AnnotationError> {
        Ok(self.fresh())
    }

    fn size_hole(&mut self, _: Span) -> Result<Size, AnnotationError> {
        Ok(self.c.solver.fresh_size())
    }
}
