//! From the ir to linked code: variables become slots, names become numbers, free variables of
//! lambdas become captured values.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Def, Lambda, Program, Size, Spans, Type, Var};
use rustc_hash::FxHashMap;

use crate::code::{self, Arg, Function, LambdaCode, SizeCode, Slot};
use crate::error::{Fault, malformed};
use crate::kernels::elementwise::Precision;
use crate::kernels::scalar::{RealPrim, on_reals};
use crate::liveness::{SlotInfo, mark_last_uses};
use crate::stack::grown;
use crate::value::{Constructor, Value};

/// Numbers of definitions and constructors.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) functions: BTreeMap<Name, usize>,
    pub(crate) in_order: Vec<Name>,
    constructors: BTreeMap<Name, Rc<Constructor>>,
}

impl Names {
    pub(crate) fn new(program: &Program) -> Names {
        let mut res = Names::default();
        for decl in program.datas.values() {
            for (tag, con) in decl.cons.iter().enumerate() {
                let constructor = Constructor { name: con.name.clone(), tag };
                res.constructors.insert(con.name.clone(), Rc::new(constructor));
            }
        }
        res
    }

    /// The number of a definition, whether or not it exists.
    pub(crate) fn function(&mut self, name: &Name) -> usize {
        if let Some(number) = self.functions.get(name) {
            return *number;
        }
        let number = self.in_order.len();
        self.in_order.push(name.clone());
        self.functions.insert(name.clone(), number);
        number
    }

    /// The constructor of that name.
    pub(crate) fn constructor(&self, name: &Name) -> Option<Rc<Constructor>> {
        self.constructors.get(name).cloned()
    }
}

/// Links a definition; its slots begin with size parameters and parameters.
pub(crate) fn link_def(
    names: &mut Names,
    precision: Precision,
    def: &Def,
) -> Result<Function, Fault> {
    let mut linker = Linker {
        names,
        precision,
        name: def.name.clone(),
        next_var: def.next_var,
        spans: Arc::new(def.spans.clone()),
        scopes: vec![Scope::default()],
    };
    let sizes = def.size_params.iter().map(|var| Binder { var: *var, ty: Type::Int });
    let params: Vec<Binder> = sizes.chain(def.params.iter().cloned()).collect();
    linker.bind(&params)?;
    let body = linker.block(&def.body)?;
    Ok(linker.finish(params.len(), body).0)
}

/// Links a lambda that stands on its own, with all its free variables given.
pub(crate) fn link_lambda(
    names: &mut Names,
    precision: Precision,
    name: Name,
    (lambda, next_var, spans): (Arc<Lambda>, u32, Arc<Spans>),
    captured: Vec<Binder>,
) -> Result<LambdaCode, Fault> {
    let mut outer = Scope::default();
    for binder in &captured {
        outer.add(binder.var, binder.ty.clone());
    }
    let scopes = vec![outer];
    let mut linker = Linker { names, precision, name, next_var, spans, scopes };
    linker.lambda(&lambda, captured)
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
        let mut vars = Vec::new();
        size_vars(ty, &mut vars);
        let mut slots = FxHashMap::default();
        for var in vars {
            slots.insert(var, self.slot_at(var, depth)?);
        }
        let size = |var: Var| slots.get(&var).map(|slot| Size::var(Var(*slot)));
        Ok(Some(ty.substitute(&|_| None, &size)))
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
        let n_slots = types.len();
        (Function { name: self.name.clone(), n_params, n_slots, body, types }, scope)
    }

    /// Links a lambda inside of what is being linked; `captured` come first among its captures.
    fn lambda(&mut self, lambda: &Arc<Lambda>, captured: Vec<Binder>) -> Result<LambdaCode, Fault> {
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
            derived: OnceCell::new(),
        })
    }

    fn atom(&mut self, atom: &Atom) -> Result<Arg, Fault> {
        Ok(match atom {
            Atom::Var(var) => Arg::Slot(self.slot(*var)?),
            Atom::Real(literal) => Arg::Const(Value::Real(self.precision.round(literal.0))),
            Atom::Int(value) => Arg::Const(Value::Int(*value)),
            Atom::Bool(value) => Arg::Const(Value::Bool(*value)),
            Atom::Str(text) => Arg::Const(Value::Str(Rc::new(text.clone()))),
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
                let op = self.op(&stmt.op)?;
                let dest = self.bind(&stmt.binders)?;
                let span = stmt.binders.first().and_then(|it| self.spans.0.get(&it.var)).copied();
                stmts.push(code::Stmt { dest, op, span });
            }
            Ok(code::Block { stmts, results: self.atoms(&block.results)? })
        })
    }

    fn in_loop<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        self.scope().loops += 1;
        let res = f(self);
        self.scope().loops -= 1;
        res
    }

    fn looped(
        &mut self,
        inits: &[Atom],
        arrays: &[Atom],
        step: &ir::Loop,
    ) -> Result<code::Loop, Fault> {
        let inits = self.atoms(inits)?;
        let arrays = self.atoms(arrays)?;
        self.in_loop(|it| {
            let state = it.bind(&step.state)?;
            let elems = it.bind(&step.elems)?;
            Ok(code::Loop { inits, arrays, state, elems, body: it.block(&step.body)? })
        })
    }

    fn matched(
        &mut self,
        value: &Atom,
        arms: &[ir::Arm],
        otherwise: Option<&ir::Block>,
    ) -> Result<code::Op, Fault> {
        let value = self.atom(value)?;
        let (mut by_tag, mut linked) = (Vec::new(), Vec::new());
        for (i, arm) in arms.iter().enumerate() {
            let con = self.names.constructor(&arm.con);
            let tag = con.ok_or_else(|| malformed("an unknown constructor"))?.tag;
            by_tag.resize(by_tag.len().max(tag + 1), None);
            by_tag[tag] = by_tag[tag].or(Some(i));
            let first = self.bind(&arm.fields)?;
            linked.push(code::Arm { first, body: self.block(&arm.body)? });
        }
        let otherwise = otherwise.map(|block| self.block(block)).transpose()?;
        Ok(code::Op::Match { value, by_tag, arms: linked, otherwise })
    }

    fn prim(&mut self, prim: ir::Prim, args: &[Atom]) -> Result<code::Op, Fault> {
        let mut args = self.atoms(args)?;
        match (args.len(), on_reals(prim)) {
            (1, meaning) => {
                let real = match meaning {
                    Some(RealPrim::Unary(f)) => Some(f),
                    _ => None,
                };
                Ok(code::Op::Prim1 { prim, real, x: args.remove(0) })
            }
            (2, meaning) => {
                let real = match meaning {
                    Some(RealPrim::Binary(f)) => Some(f),
                    _ => None,
                };
                let y = args.remove(1);
                Ok(code::Op::Prim2 { prim, real, x: args.remove(0), y })
            }
            (_, _) => Ok(code::Op::Prim(prim, args)),
        }
    }

    fn op(&mut self, op: &ir::Op) -> Result<code::Op, Fault> {
        use code::Op as To;
        Ok(match op {
            ir::Op::Copy(value) | ir::Op::StopGradient(value) => To::Copy(self.atom(value)?),
            ir::Op::Prim(prim, args) => self.prim(*prim, args)?,
            ir::Op::Size(size) => To::Size(self.size(size)?),

            ir::Op::Tuple { rank: 0, parts } => To::Tuple(self.atoms(parts)?),
            ir::Op::Tuple { rank, parts } => {
                To::TupleArray { rank: *rank, parts: self.atoms(parts)? }
            }
            ir::Op::Proj { tuple, index } => To::Proj { tuple: self.atom(tuple)?, index: *index },

            ir::Op::Con { ty: _, con, args } => {
                let args = self.atoms(args)?;
                let con = self.names.constructor(con);
                To::Con { con: con.ok_or_else(|| malformed("an unknown constructor"))?, args }
            }
            ir::Op::Match { value, arms, otherwise } => {
                self.matched(value, arms, otherwise.as_ref())?
            }

            ir::Op::Lambda(lambda) => {
                let code = grown(|| self.lambda(lambda, Vec::new()))?;
                let mut captured = Vec::new();
                for binder in &code.captured {
                    captured.push(Arg::Slot(self.slot(binder.var)?));
                }
                To::Lambda { code: Rc::new(code), captured }
            }
            ir::Op::Apply(function, args) => To::Apply(self.atom(function)?, self.atoms(args)?),
            ir::Op::Call { def, types: _, sizes, args } => To::Call {
                function: self.names.function(def),
                sizes: self.sizes(sizes)?,
                args: self.atoms(args)?,
            },

            ir::Op::If { cond, then, otherwise } => To::If {
                cond: self.atom(cond)?,
                then: self.block(then)?,
                otherwise: self.block(otherwise)?,
            },
            ir::Op::Build { sizes, indices, body } => {
                let sizes = self.sizes(sizes)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let indices = it.bind_ints(indices);
                    Ok(To::Build { sizes, indices, body: it.block(body)? })
                })?
            }
            ir::Op::Fold { inits, arrays, step } => To::Fold(self.looped(inits, arrays, step)?),
            ir::Op::Scan { inits, arrays, step } => To::Scan(self.looped(inits, arrays, step)?),
            ir::Op::Iterate { count, index, inits, state, body } => {
                let count = self.atom(count)?;
                let inits = self.atoms(inits)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let index = it.bind_ints(&[*index]);
                    let state = it.bind(state)?;
                    Ok(To::Iterate { count, index, inits, state, body: it.block(body)? })
                })?
            }
            ir::Op::While { inits, state, cond, body } => {
                let inits = self.atoms(inits)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let state = it.bind(state)?;
                    let cond = it.block(cond)?;
                    Ok(To::While { inits, state, cond, body: it.block(body)? })
                })?
            }
            ir::Op::Filter { array, predicate } => {
                let array = self.atom(array)?;
                self.in_loop(|it| -> Result<_, Fault> {
                    let elem = it.bind(&predicate.params)?;
                    Ok(To::Filter { array, elem, predicate: it.block(&predicate.body)? })
                })?
            }

            _ => self.bulk_op(op)?,
        })
    }

    /// Operations on whole arrays, and derivatives.
    fn bulk_op(&mut self, op: &ir::Op) -> Result<code::Op, Fault> {
        use code::Op as To;
        Ok(match op {
            ir::Op::Array { elem: _, parts } => To::Array(self.atoms(parts)?),
            ir::Op::Index { array, indices } => {
                To::Index { array: self.atom(array)?, indices: self.atoms(indices)? }
            }
            ir::Op::Slice { array, axis, from, to } => To::Slice {
                array: self.atom(array)?,
                axis: *axis,
                from: self.size(from)?,
                to: self.size(to)?,
            },
            ir::Op::Reduce { reduction, axis, array } => {
                To::Reduce { reduction: *reduction, axis: *axis, array: self.atom(array)? }
            }
            ir::Op::Argmax(array) => To::Argmax(self.atom(array)?),
            ir::Op::Argmin(array) => To::Argmin(self.atom(array)?),
            ir::Op::Gather { array, indices } => {
                To::Gather { array: self.atom(array)?, indices: self.atom(indices)? }
            }
            ir::Op::Scatter { into, indices, values } => To::Scatter {
                into: self.atom(into)?,
                indices: self.atom(indices)?,
                values: self.atom(values)?,
            },
            ir::Op::Replicate { size, value } => {
                To::Replicate { size: self.size(size)?, value: self.atom(value)? }
            }
            ir::Op::Iota(size) => To::Iota(self.size(size)?),
            ir::Op::Transpose { array, permutation } => {
                To::Transpose { array: self.atom(array)?, permutation: permutation.clone() }
            }
            ir::Op::Reshape { array, rank, sizes } => {
                To::Reshape { array: self.atom(array)?, rank: *rank, sizes: self.sizes(sizes)? }
            }
            ir::Op::Reverse(array) => To::Reverse(self.atom(array)?),
            ir::Op::Concat(arrays) => To::Concat(self.atoms(arrays)?),
            ir::Op::Sort(array) => To::Sort(self.atom(array)?),
            ir::Op::Argsort(array) => To::Argsort(self.atom(array)?),
            ir::Op::Sized { array, size } => {
                To::Sized { array: self.atom(array)?, size: self.size(size)? }
            }
            ir::Op::Equal(x, y) => To::Equal(self.atom(x)?, self.atom(y)?),
            ir::Op::Close(x, y) => To::Close(self.atom(x)?, self.atom(y)?),
            ir::Op::Lift { level, value } => To::Lift { level: *level, value: self.atom(value)? },
            ir::Op::Primal { level, value } => {
                To::Primal { level: *level, value: self.atom(value)? }
            }
            ir::Op::Derive { operator, level, function, args } => To::Derive {
                operator: *operator,
                level: *level,
                function: self.atom(function)?,
                args: self.atoms(args)?,
            },
            ir::Op::Copy(_)
            | ir::Op::Prim(..)
            | ir::Op::Size(_)
            | ir::Op::Tuple { .. }
            | ir::Op::Proj { .. }
            | ir::Op::Con { .. }
            | ir::Op::Match { .. }
            | ir::Op::Lambda(_)
            | ir::Op::Apply(..)
            | ir::Op::Call { .. }
            | ir::Op::If { .. }
            | ir::Op::Build { .. }
            | ir::Op::Fold { .. }
            | ir::Op::Scan { .. }
            | ir::Op::Iterate { .. }
            | ir::Op::While { .. }
            | ir::Op::Filter { .. }
            | ir::Op::StopGradient(_) => return Err(malformed("an operation in the wrong table")),
        })
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Real | Type::Int | Type::Bool | Type::String)
}

fn has_sizes(ty: &Type) -> bool {
    match ty {
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => false,
        Type::Array(..) => true,
        Type::Tuple(parts) => parts.iter().any(has_sizes),
        Type::Function(params, result) => params.iter().any(has_sizes) || has_sizes(result),
        Type::Data(_, types, sizes) => !sizes.is_empty() || types.iter().any(has_sizes),
        Type::Dual(inner) => has_sizes(inner),
    }
}

fn size_vars(ty: &Type, vars: &mut Vec<Var>) {
    match ty {
        Type::Real | Type::Int | Type::Bool | Type::String | Type::Var(_) => {}
        Type::Array(size, elem) => {
            vars.extend(size.vars());
            size_vars(elem, vars);
        }
        Type::Tuple(parts) => parts.iter().for_each(|part| size_vars(part, vars)),
        Type::Function(params, result) => {
            params.iter().for_each(|param| size_vars(param, vars));
            size_vars(result, vars);
        }
        Type::Data(_, types, sizes) => {
            types.iter().for_each(|it| size_vars(it, vars));
            sizes.iter().for_each(|size| vars.extend(size.vars()));
        }
        Type::Dual(inner) => size_vars(inner, vars),
    }
}
