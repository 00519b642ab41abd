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
//! linear function is its own vjp, at any point: `J dx = vjp(\dy => f.vjp(x, dy))(0)(dx)`.
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
use ir::signature::{derived_name, taped_name};
use ir::{Atom, Binder, Builder, Custom, Def, Lambda, Op, Operator, Program, Size, Type};

/// `f'10` by the rules of `f`.
pub(crate) fn forward_custom(program: &Program, def: &Def, custom: &Custom, mask: &[bool]) -> Def {
    let mut rule = Rule::new(program, def);
    let params = rule.params(mask, Type::dual);
    rule.builder.open();
    let primals: Vec<Atom> = rule.each(&params, |value| Op::Primal { level: 0, value });
    let value = rule.call(&def.name, &primals);
    let mut tangents = Vec::new();
    for (param, primal) in params.iter().zip(&primals) {
        let dual = Atom::Var(param.var);
        tangents.push(if rule.is_active(param) { rule.tangent(dual) } else { rule.zero(primal) });
    }
    let tangent = match (&custom.jvp, &custom.vjp) {
        (Some(jvp), _) => rule.call(jvp, &[primals, tangents].concat()),
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
    let res = rule.builder.one(Op::Pair { level: 0, value, tangent });
    rule.finish(derived_name(&def.name, mask), params, res, Type::dual)
}

/// `f~10` by the rules of `f`: one entry of the tape, which calls the vjp when its turn comes.
pub(crate) fn tape_custom(program: &Program, def: &Def, custom: &Custom, mask: &[bool]) -> Def {
    let mut rule = Rule::new(program, def);
    let params = rule.params(mask, Type::tape);
    rule.builder.open();
    let primals: Vec<Atom> = rule.each(&params, Op::Strip);
    let value = rule.call(&def.name, &primals);
    let ty = rule.builder.type_of(&value);
    let function = rule.lambda(&[ty], |rule, cotangent| match (&custom.vjp, &custom.jvp) {
        (Some(vjp), _) => rule.call(vjp, &[primals, cotangent].concat()),
        (None, jvp) => {
            let zeros: Vec<Atom> = primals.iter().map(|it| rule.zero(it)).collect();
            let types: Vec<Type> = primals.iter().map(|it| rule.builder.type_of(it)).collect();
            let push_forward = rule.lambda(&types, |rule, directions| {
                rule.call_of(jvp.as_ref(), &[primals, directions].concat())
            });
            rule.vjp(push_forward, [zeros, cotangent].concat())
        }
    });
    let inputs = params.iter().map(|it| Atom::Var(it.var)).collect();
    let res = rule.builder.one(Op::Pullback { value, inputs, function });
    rule.finish(taped_name(&def.name, mask), params, res, Type::tape)
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
        self.builder.one(Op::Tangent { level: 0, value })
    }

    /// The zero tangent of a value.
    fn zero(&mut self, value: &Atom) -> Atom {
        let lifted = self.builder.one(Op::Lift { level: 0, value: value.clone() });
        self.tangent(lifted)
    }

    /// A call at the types and sizes of the definition.
    fn call(&mut self, def: &Name, args: &[Atom]) -> Atom {
        let types = self.def.type_params.iter().map(|it| Type::Var(it.clone())).collect();
        let sizes = self.def.size_params.iter().map(|it| Size::var(*it)).collect();
        self.builder.one(Op::Call { def: def.clone(), types, sizes, args: args.to_vec() })
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
        self.builder.one(Op::Lambda(Arc::new(Lambda { params, body })))
    }

    /// The transpose of a linear function: its vjp at a point and for a cotangent.
    fn vjp(&mut self, function: Atom, args: Vec<Atom>) -> Atom {
        self.builder.one(Op::Derive { operator: Operator::Vjp, level: 0, function, args })
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
        }
    }
}
