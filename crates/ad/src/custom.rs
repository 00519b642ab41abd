//! Derivatives of definitions that come with their own: what the methods do with a vjp or a jvp.
//!
//! `f: T -> R` with `jvp: (T, T) -> R` or `vjp: (T, R) -> T` becomes `D[f]: D[T] -> D[R]`, which runs
//! `f` as it is and asks its rule for the rest. The rule is ordinary code, and so is `D[f]`: the
//! derivative of a custom derivative is that of its code.
//!
//! Requires: dialect Source, verified.
//! Ensures: dialect Source from the forward form, Delta from the other.
//! Cost: that of `f` and of its rule. With only the rule for the other direction: of forward mode
//! a run of the vjp for each real of the result by `--via forward`, and one recorded run
//! otherwise; of reverse mode one recorded run of the jvp.
//! Not done: nobody checks here that a rule is linear, or right; `gradcheck` does.
//! Tests: `crates/ad/tests/custom.rs`.
//!
//! Either rule gives the other. Both are linear in their last argument, and the transpose of a
//! linear function is its own vjp, at any point: `J dx = vjp(\dy => f.vjp(x, dy))(0)(dx)`. A function
//! among the parameters has a tangent, which a jvp takes: the function that gives how its result changes
//! with what it captured (`primal` and `tangent` of a function on dual numbers). A rule that
//! calls its own definition on what it is linear in is run for each unit vector instead (`circular.rs`).
//!
//! Example. `f(x0: Real) -> Real` with a jvp becomes, in forward mode,
//! ```text
//! def f'1(x0: (Real, Real)) -> (x1: (Real, Real)) {
//!   x3: Real = primal 0 x0
//!   x4: Real = call f(x3)
//!   x5: Real = tangent 0 x0
//!   x6: Real = call "f.custom_jvp"(x3, x5)
//!   x7: (Real, Real) = pair 0 x4 x6
//!   give x7
//! }
//! ```

use std::sync::Arc;

use base::Name;
use ir::signature::{derived_name, derived_of, taped_name, taped_of};
use ir::{
    ArrayOp, Atom, Beside, Binder, Builder, ControlOp, Custom, Def, DeltaOp, DeriveOp, FunctionOp,
    Lambda, Literal, Op, Operator, Origin, Prim, Program,
};
use ir::{Linear, Reduction, Size, Type, Var};

use crate::circular::{Clause, is_circular};

/// `f'10` by the rules of `f`.
pub(crate) fn forward_custom(program: &Program, def: &Def, custom: &Custom, mask: &[bool]) -> Def {
    let mut rule = Rule::new(program, def);
    let params = rule.params(mask, Type::dual);
    rule.builder.open();
    let primals: Vec<Atom> =
        rule.each(&params, |value| Op::Derive(DeriveOp::Primal { level: 0, value }));
    let value = rule.call(&def.name, &primals);
    let mut tangents = Vec::new();
    for (param, primal) in params.iter().zip(&primals) {
        let dual = Atom::Var(param.var);
        tangents.push(if rule.is_active(param) { rule.tangent(dual) } else { rule.zero(primal) });
    }
    let tangent = match (&custom.jvp, &custom.vjp) {
        (Some(jvp), _) => rule.call(jvp, &[primals, tangents].concat()),
        (None, Some(vjp)) if rule.is_by_runs(program, Clause::Vjp) => {
            let direction = rule.packed(tangents);
            let like = [value.clone()];
            rule.by_runs((vjp, &primals), &like, &direction)
        }
        (None, vjp) => {
            let zero = rule.zero(&value);
            let ty = rule.builder.type_of(&value);
            let pull_back = rule.lambda(&[ty], |rule, cotangent| {
                rule.call_of(vjp.as_ref(), &[primals, cotangent].concat())
            });
            let direction = rule.packed(tangents);
            rule.vjp(pull_back, vec![zero, direction])
        }
    };
    let beside = Beside::Tangent;
    let res = rule.builder.one(Op::Derive(DeriveOp::Pair { beside, level: 0, value, tangent }));
    rule.finish(derived_name(&def.name, mask), params, res, Type::dual)
}

/// `f~10` by the rules of `f`: one entry of the tape, which calls the vjp when its turn comes, or records
/// the jvp.
pub(crate) fn tape_custom(program: &Program, def: &Def, custom: &Custom, mask: &[bool]) -> Def {
    let mut rule = Rule::new(program, def);
    let params = rule.params(mask, Type::tape);
    rule.builder.open();
    let primals: Vec<Atom> = rule.each(&params, |it| Op::Delta(DeltaOp::Strip(it)));
    let value = rule.call(&def.name, &primals);
    let ty = rule.builder.type_of(&value);
    let types: Vec<Type> = primals.iter().map(|it| rule.builder.type_of(it)).collect();
    let (by, function) = match (&custom.vjp, &custom.jvp) {
        (Some(vjp), _) => {
            let back =
                |rule: &mut Rule<'_>, cotangent| rule.call(vjp, &[primals, cotangent].concat());
            (Linear::Pullback, rule.lambda(&[ty], back))
        }
        (None, jvp) => {
            let forth = |rule: &mut Rule<'_>, primals: &[Atom]| {
                rule.lambda(&types, |rule, directions| {
                    rule.call_of(jvp.as_ref(), &[primals, &directions].concat())
                })
            };
            let takes_functions = def.params.iter().any(|it| it.ty.has_function());
            // See `circular.rs`: the transpose of the clause would need itself. Of functions, E0652 says so.
            let is_circular = || is_circular(program, &def.name, Clause::Jvp, def.params.len());
            let by = match !takes_functions && is_circular() {
                true => Linear::Pushforward,
                false => Linear::Recorded,
            };
            (by, forth(&mut rule, &primals))
        }
    };
    let inputs = params.iter().map(|it| Atom::Var(it.var)).collect();
    let res = rule.builder.one(Op::Delta(DeltaOp::Pullback { by, value, inputs, function }));
    rule.finish(taped_name(&def.name, mask), params, res, Type::tape)
}

/// The definition, if `name` is its derivative in forward mode and nobody can say what that is: its only rule
/// is a vjp that calls the definition on the cotangent, and there are sum types, which have no unit vectors
/// here.
pub fn endless(program: &Program, name: &Name) -> Option<Name> {
    let (mut base, mut is_derived) = (name, false);
    let def = loop {
        if let Some(def) = program.defs.get(base) {
            break def;
        }
        let derived = derived_of(base);
        is_derived = derived.is_some();
        base = derived.or_else(|| taped_of(base))?.0;
    };
    let custom = program.customs.get(base).filter(|it| is_derived && it.jvp.is_none())?;
    let n_point = def.params.len();
    let is_endless = custom.vjp.is_some()
        && !all_have_units(def)
        && is_circular(program, base, Clause::Vjp, n_point);
    is_endless.then(|| base.clone())
}

/// A rule at a point, zeros of what it is linear in, and what its results are multiplied with.
struct Units<'a> {
    rule: (&'a Name, &'a [Atom]),
    zeros: &'a [Atom],
    given: &'a Atom,
}

/// The work on one definition.
struct Rule<'a> {
    def: &'a Def,
    builder: Builder<'a>,
}

impl<'a> Rule<'a> {
    fn new(program: &'a Program, def: &'a Def) -> Rule<'a> {
        let mut builder = Builder::new(program, def.next_var);
        // Failures of the rule are told where the definition is.
        let place = def.body.results.iter().find_map(|it| match it {
            Atom::Var(var) => def.spans.0.get(var).copied(),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => None,
        });
        builder.set_span(place);
        def.size_params.iter().for_each(|it| builder.declare(*it, Type::Int));
        Rule { def, builder }
    }

    fn params(&mut self, mask: &[bool], dual: fn(&Type) -> Type) -> Vec<Binder> {
        let mut res = Vec::new();
        for (param, active) in self.def.params.iter().zip(mask) {
            let ty = if *active { dual(&param.ty) } else { param.ty.clone() };
            self.builder.declare(param.var, ty.clone());
            res.push(Binder { var: param.var, ty });
        }
        res
    }

    fn is_active(&self, param: &Binder) -> bool {
        self.def.params.iter().any(|it| it.var == param.var && it.ty != param.ty)
    }

    /// The active parameters after an operation, the others as they are.
    fn each(&mut self, params: &[Binder], op: fn(Atom) -> Op) -> Vec<Atom> {
        let one = |it: &Binder| match self.is_active(it) {
            true => self.builder.one(op(Atom::Var(it.var))),
            false => Atom::Var(it.var),
        };
        params.iter().map(one).collect()
    }

    fn tangent(&mut self, value: Atom) -> Atom {
        self.builder.one(Op::Derive(DeriveOp::Tangent { level: 0, value }))
    }

    /// The zero tangent of a value.
    fn zero(&mut self, value: &Atom) -> Atom {
        let lifted =
            self.builder.one(Op::Derive(DeriveOp::Lift { level: 0, value: value.clone() }));
        self.tangent(lifted)
    }

    /// A call at the types and sizes of the definition.
    fn call(&mut self, def: &Name, args: &[Atom]) -> Atom {
        let types = self.def.type_params.iter().map(|it| Type::Var(it.clone())).collect();
        let sizes = self.def.size_params.iter().map(|it| Size::var(*it)).collect();
        self.builder.one(Op::Function(FunctionOp::Call {
            def: def.clone(),
            types,
            sizes,
            args: args.to_vec(),
        }))
    }

    fn call_of(&mut self, def: Option<&Name>, args: &[Atom]) -> Atom {
        self.call(def.expect("V11: there is a vjp or a jvp"), args)
    }

    /// A function of parameters of these types.
    fn lambda(&mut self, types: &[Type], body: impl FnOnce(&mut Self, Vec<Atom>) -> Atom) -> Atom {
        let binder = |ty: &Type| Binder { var: self.builder.fresh(ty.clone()), ty: ty.clone() };
        let params: Vec<Binder> = types.iter().map(binder).collect();
        self.builder.open();
        let args = params.iter().map(|it| Atom::Var(it.var)).collect();
        let res = body(self, args);
        let body = self.builder.close(vec![res]);
        self.builder.one(Op::Function(FunctionOp::Lambda(Arc::new(Lambda { params, body }))))
    }

    /// The transpose of a linear function: its vjp at a point and for a cotangent.
    fn vjp(&mut self, function: Atom, args: Vec<Atom>) -> Atom {
        self.builder.one(Op::Derive(DeriveOp::OfFunction {
            operator: Operator::Vjp,
            level: 0,
            function,
            args,
        }))
    }

    /// Whether the one rule there is has to be transposed by runs, and can be; see [`endless`] for others.
    fn is_by_runs(&self, program: &Program, clause: Clause) -> bool {
        all_have_units(self.def)
            && is_circular(program, &self.def.name, clause, self.def.params.len())
    }

    /// The transpose of a linear rule, by a run for each real of the values that it takes a tangent or
    /// cotangent of: see `circular.rs`.
    fn by_runs(&mut self, rule: (&Name, &[Atom]), like: &[Atom], given: &Atom) -> Atom {
        let zeros: Vec<Atom> = like.iter().map(|it| self.zero(it)).collect();
        let mut res = Vec::new();
        for (at, value) in like.iter().enumerate() {
            let units = Units { rule, zeros: &zeros, given };
            let ty = self.builder.type_of(value);
            res.push(self.each_unit(&ty, zeros[at].clone(), &mut |own, unit| {
                let mut tangents = units.zeros.to_vec();
                tangents[at] = unit;
                let (linear, point) = units.rule;
                let found = own.call(linear, &[point, &tangents].concat());
                own.dot(&found, units.given)
            }));
        }
        self.packed(res)
    }

    /// A value of the form of `zero` with what `run` gives for the unit vector of each of its reals.
    fn each_unit(
        &mut self,
        ty: &Type,
        zero: Atom,
        run: &mut dyn FnMut(&mut Self, Atom) -> Atom,
    ) -> Atom {
        let (sizes, elem) = ty.split_arrays();
        // An array of tuples is a tuple of arrays.
        if let Type::Tuple(parts) = elem {
            let rank = sizes.len();
            let mut zeros = Vec::new();
            for index in 0..parts.len() {
                zeros.push(self.builder.one(Op::Proj { tuple: zero.clone(), index }));
            }
            let mut res = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                let ty = Type::arrays(&sizes, part.clone());
                res.push(self.each_unit(&ty, zeros[at].clone(), &mut |own, unit| {
                    let mut parts = zeros.clone();
                    parts[at] = unit;
                    let whole = own.builder.one(Op::Tuple { rank, parts });
                    run(own, whole)
                }));
            }
            return self.builder.one(Op::Tuple { rank, parts: res });
        }
        if *elem != Type::Real {
            return zero;
        }
        if sizes.is_empty() {
            return run(self, Atom::Real(Literal(1.0)));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let values = Atom::Real(Literal(1.0));
        let unit = Op::Array(ArrayOp::Scatter { into: zero, indices: at, values, mask: None });
        let unit = self.builder.one(unit);
        let row = run(self, unit);
        let body = self.builder.close(vec![row]);
        self.builder.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    /// The sum of the products of all reals of two values.
    fn dot(&mut self, left: &Atom, right: &Atom) -> Atom {
        let ty = self.builder.type_of(left);
        let (sizes, elem) = ty.split_arrays();
        if let Type::Tuple(parts) = elem {
            let mut sum = Atom::Real(Literal(0.0));
            for index in 0..parts.len() {
                let [left, right] =
                    [left, right].map(|it| self.builder.one(Op::Proj { tuple: it.clone(), index }));
                let product = self.dot(&left, &right);
                sum = self.builder.one(Op::Prim(Prim::Add, vec![sum, product]));
            }
            return sum;
        }
        if *elem != Type::Real {
            return Atom::Real(Literal(0.0));
        }
        let product = Op::Prim(Prim::Scale, vec![left.clone(), right.clone()]);
        let product = self.builder.one(product);
        let total = |array, _| {
            self.builder.one(Op::Array(ArrayOp::Reduce {
                reduction: Reduction::Sum,
                axis: 0,
                array,
            }))
        };
        sizes.iter().fold(product, total)
    }

    /// The value, or the tuple of several.
    fn packed(&mut self, mut values: Vec<Atom>) -> Atom {
        match values.len() {
            1 => values.remove(0),
            _ => self.builder.one(Op::Tuple { rank: 0, parts: values }),
        }
    }

    fn finish(
        mut self,
        name: Name,
        params: Vec<Binder>,
        res: Atom,
        dual: fn(&Type) -> Type,
    ) -> Def {
        let body = self.builder.close(vec![res]);
        let results = self.def.results.iter().map(|it| Binder { var: it.var, ty: dual(&it.ty) });
        let results = results.collect();
        let (next_var, spans) = self.builder.finish();
        Def {
            name,
            type_params: self.def.type_params.clone(),
            size_params: self.def.size_params.clone(),
            params,
            results,
            body,
            next_var,
            spans,
            origin: Origin::Derivative,
        }
    }
}

/// Whether a type is made of tuples, arrays, reals and what is discrete.
fn all_have_units(def: &Def) -> bool {
    def.params.iter().chain(&def.results).all(|it| has_units(&it.ty))
}

fn has_units(ty: &Type) -> bool {
    match ty.split_arrays() {
        (_, Type::Real | Type::Int | Type::Bool | Type::String) => true,
        (_, Type::Tuple(parts)) => parts.iter().all(has_units),
        (_, Type::Data(..) | Type::Array(..) | Type::Function(..) | Type::Var(_)) => false,
        (_, Type::Dual(_) | Type::Delta | Type::Tape(_)) => false,
    }
}
