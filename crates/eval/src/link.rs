//! From the ir to linked code: variables become slots, names become numbers, free variables of
//! lambdas become captured values.

mod ops;
mod reverse;

use std::sync::{Arc, Mutex, OnceLock};

use base::Name;
use ir::{Atom, Binder, Def, Lambda, Size, Spans, Type, Var};
use rustc_hash::FxHashMap;

use crate::code::{self, Arg, Function, LambdaCode, Lambdas, Origin, SizeCode, Slot};
use crate::error::{Fault, malformed};
use crate::kernels::elementwise::Precision;
use crate::liveness::{SlotInfo, mark_last_uses};
use crate::names::Names;
use crate::stack::grown;
use crate::value::Value;

/// Links a definition; its slots begin with size parameters and parameters.
///
/// Of reverse-mode code, `origins` are the lambdas of what it was made of.
pub(crate) fn link_def(
    names: &mut Names,
    precision: Precision,
    def: &Def,
    origins: Option<&Lambdas>,
) -> Result<Function, Fault> {
    let mut linker = Linker {
        names,
        precision,
        name: def.name.clone(),
        next_var: def.next_var,
        spans: Arc::new(def.spans.clone()),
        scopes: vec![Scope::default()],
        origins,
    };
    let sizes = def.size_params.iter().map(|var| Binder { var: *var, ty: Type::Int });
    let params: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
    linker.bind(&params)?;
    let body = linker.block(&def.body)?;
    Ok(linker.finish(params.len(), body).0)
}

/// Links a lambda that stands on its own, with all its free variables given. Of reverse-mode code,
/// `origin` is what it was made of.
pub(crate) fn link_lambda(
    names: &mut Names,
    precision: Precision,
    name: Name,
    (lambda, next_var, spans): (Arc<Lambda>, u32, Arc<Spans>),
    captured: Vec<Binder>,
    origin: Option<Origin>,
) -> Result<LambdaCode, Fault> {
    let mut outer = Scope::default();
    for binder in &captured {
        outer.add(binder.var, binder.ty.clone());
    }
    let scopes = vec![outer];
    let code = origin.as_ref().map(|it| it.code.clone());
    let origins = code.as_ref().map(|it| &it.function.lambdas);
    let mut linker = Linker { names, precision, name, next_var, spans, scopes, origins };
    linker.lambda(&lambda, captured, origin)
}

/// The variables of one function.
#[derive(Default)]
struct Scope {
    slots: FxHashMap<Var, Slot>,
    /// By slot: the types as they were, and with slots for the sizes where they matter.
    original: Vec<Type>,
    types: Vec<Option<Type>>,
    infos: Vec<SlotInfo>,
    captured: Vec<(Binder, Slot)>,
    /// How many loops are around the present place.
    loops: u32,
    /// For the parts of pairs of a real and a Delta, the slots of the pairs: primitives find what
    /// they need there.
    pairs: FxHashMap<Var, Slot>,
    lambdas: Lambdas,
}

impl Scope {
    fn add(&mut self, var: Var, ty: Type) -> Slot {
        let slot = self.original.len() as Slot;
        self.infos.push(SlotInfo { scalar: is_scalar(&ty), loops: self.loops });
        self.slots.insert(var, slot);
        self.original.push(ty);
        self.types.push(None);
        slot
    }
}

struct Linker<'a> {
    names: &'a mut Names,
    precision: Precision,
    name: Name,
    next_var: u32,
    spans: Arc<Spans>,
    /// From the definition to the innermost lambda.
    scopes: Vec<Scope>,
    origins: Option<&'a Lambdas>,
}

impl Linker<'_> {
    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the linker is always inside of a function")
    }

    /// The slot of a variable; captures it if it belongs to a function around this one.
    fn slot(&mut self, var: Var) -> Result<Slot, Fault> {
        let depth = self.scopes.len() - 1;
        self.slot_at(var, depth)
    }

    fn slot_at(&mut self, var: Var, depth: usize) -> Result<Slot, Fault> {
        if let Some(slot) = self.scopes[depth].slots.get(&var) {
            return Ok(*slot);
        }
        if depth == 0 {
            return Err(malformed(&format!("x{} is not bound in `{}`", var.0, self.name)));
        }
        let outer = self.slot_at(var, depth - 1)?;
        let ty = self.scopes[depth - 1].original[outer as usize].clone();
        let scope = &mut self.scopes[depth];
        let slot = scope.add(var, ty.clone());
        scope.infos[slot as usize].loops = 0;
        scope.captured.push((Binder { var, ty: ty.clone() }, slot));
        let with_slots = self.type_at(&ty, depth)?;
        self.scopes[depth].types[slot as usize] = with_slots;
        Ok(slot)
    }

    /// A type with slots for its size variables; `None` if no array is in it.
    fn type_at(&mut self, ty: &Type, depth: usize) -> Result<Option<Type>, Fault> {
        if !has_sizes(ty) {
            return Ok(None);
        }
        let mut slots = FxHashMap::default();
        for var in ty.size_vars() {
            slots.insert(var, self.slot_at(var, depth)?);
        }
        let size = |var: Var| slots.get(&var).map(|slot| Size::var(Var(*slot)));
        Ok(Some(ty.substitute_sizes(&size)))
    }

    /// Consecutive slots for some variables.
    fn bind(&mut self, binders: &[Binder]) -> Result<Slot, Fault> {
        let first = self.scope().original.len() as Slot;
        for binder in binders {
            self.scope().add(binder.var, binder.ty.clone());
        }
        let depth = self.scopes.len() - 1;
        for (i, binder) in binders.iter().enumerate() {
            let ty = self.type_at(&binder.ty, depth)?;
            self.scope().types[first as usize + i] = ty;
        }
        Ok(first)
    }

    fn bind_ints(&mut self, vars: &[Var]) -> Slot {
        let first = self.scope().original.len() as Slot;
        for var in vars {
            self.scope().add(*var, Type::Int);
        }
        first
    }

    /// Ends the innermost function.
    fn finish(&mut self, n_params: usize, mut body: code::Block) -> (Function, Scope) {
        let mut scope = self.scopes.pop().unwrap_or_default();
        mark_last_uses(&mut body, &scope.infos);
        let types = std::mem::take(&mut scope.types);
        let lambdas = std::mem::take(&mut scope.lambdas);
        let n_slots = types.len();
        (Function { name: self.name.clone(), n_params, n_slots, body, types, lambdas }, scope)
    }

    /// Links a lambda inside of what is being linked; `captured` come first among its captures.
    fn lambda(
        &mut self,
        lambda: &Arc<Lambda>,
        captured: Vec<Binder>,
        origin: Option<Origin>,
    ) -> Result<LambdaCode, Fault> {
        self.scopes.push(Scope::default());
        self.bind(&lambda.params)?;
        for binder in &captured {
            self.slot(binder.var)?;
        }
        let body = self.block(&lambda.body)?;
        let (function, scope) = self.finish(lambda.params.len(), body);
        let (captured, captured_slots) = scope.captured.into_iter().unzip();
        Ok(LambdaCode {
            lambda: lambda.clone(),
            captured,
            captured_slots,
            next_var: self.next_var,
            spans: self.spans.clone(),
            function,
            derived: OnceLock::new(),
            in_step: Mutex::default(),
            taped: Mutex::default(),
            origin,
        })
    }

    fn atom(&mut self, atom: &Atom) -> Result<Arg, Fault> {
        Ok(match atom {
            Atom::Var(var) => Arg::Slot(self.slot(*var)?),
            Atom::Real(literal) => Arg::Const(Value::Real(self.precision.round(literal.0))),
            Atom::Int(value) => Arg::Const(Value::Int(*value)),
            Atom::Bool(value) => Arg::Const(Value::Bool(*value)),
            Atom::Str(text) => Arg::Const(Value::Str(Arc::new(text.clone()))),
        })
    }

    fn atoms(&mut self, atoms: &[Atom]) -> Result<Vec<Arg>, Fault> {
        atoms.iter().map(|atom| self.atom(atom)).collect()
    }

    fn size(&mut self, size: &Size) -> Result<SizeCode, Fault> {
        if let Some(value) = size.as_constant() {
            return Ok(SizeCode::Const(value));
        }
        if let Some(var) = size.as_var() {
            return Ok(SizeCode::Slot(self.slot(*var)?));
        }
        let mut terms = Vec::new();
        for (monomial, coefficient) in size.terms() {
            let slots = monomial.iter().map(|var| self.slot(*var)).collect::<Result<_, _>>()?;
            terms.push((coefficient, slots));
        }
        Ok(SizeCode::Sum(terms))
    }

    fn sizes(&mut self, sizes: &[Size]) -> Result<Vec<SizeCode>, Fault> {
        sizes.iter().map(|size| self.size(size)).collect()
    }

    fn block(&mut self, block: &ir::Block) -> Result<code::Block, Fault> {
        grown(|| {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for stmt in &block.stmts {
                let op = if let ir::Op::Function(ir::FunctionOp::Lambda(lambda)) = &stmt.op {
                    self.function(stmt, lambda)?
                } else if let ir::Op::Tuple { rank: 0, parts } = &stmt.op {
                    self.tuple(parts, &mut stmts)?
                } else {
                    self.op(&stmt.op)?
                };
                let dest = self.bind(&stmt.binders)?;
                let span = stmt.binders.first().and_then(|it| self.spans.0.get(&it.var)).copied();
                self.note_pair(stmt)?;
                stmts.push(code::Stmt { dest, op, span });
            }
            Ok(code::Block { stmts, results: self.atoms(&block.results)? })
        })
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Real | Type::Int | Type::Bool | Type::String | Type::Delta) || is_pair(ty)
}

/// Whether values of the type are pairs of a real and a Delta.
fn is_pair(ty: &Type) -> bool {
    if let Type::Tuple(parts) = ty { **parts == [Type::Real, Type::Delta] } else { false }
}

/// Whether arrays, or sizes of any kind, occur in a type.
fn has_sizes(ty: &Type) -> bool {
    !ty.sizes().is_empty() || ty.parts().into_iter().any(has_sizes)
}
