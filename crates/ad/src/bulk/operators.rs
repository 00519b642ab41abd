//! Derivative operators of definitions become calls of their derivatives.
//!
//! `grad` and `vjp` call `f.vjp`, `jvp` calls `f.jvp`, `hvp` the `jvp` of the `vjp`; `jacobian` and
//! `hessian` are in `operators/matrix.rs`. By forward mode all call `f.jvp` (`operators/forward.rs`).

mod forward;
mod matrix;

use base::Name;
use ir::{
    Atom, Binder, Block, Def, DeriveOp, FunctionOp, Op, Operator, Size, Spans, Stmt, Type, walk,
};

use super::Mode;
use super::code::{Code, real};
use super::derived::{jvp, vjp};
use super::work::Work;

/// The definition without derivative operators.
pub(super) fn expand(work: &mut Work, def: &Def) -> Def {
    let mut code = Code::new(work, def.next_var);
    def.size_params.iter().for_each(|it| code.builder.declare(*it, Type::Int));
    code.declare(&def.params);
    let body = expand_block(&mut code, &def.spans, &def.body);
    let (next_var, mut spans) = code.finish();
    for (var, span) in &def.spans.0 {
        spans.0.entry(*var).or_insert(*span);
    }
    Def { body, next_var, spans, ..def.clone() }
}

fn expand_block(code: &mut Code<'_>, spans: &Spans, block: &Block) -> Block {
    code.builder.open();
    for stmt in &block.stmts {
        let span = stmt.binders.first().and_then(|it| spans.0.get(&it.var)).copied();
        let outer = code.builder.set_span(span);
        if let Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) =
            &stmt.op
        {
            let site = Site { def: def.clone(), sizes: sizes.clone(), captured, args };
            let results = site.expand(code, *operator, &stmt.binders);
            // Where it is refused, there is nothing to bind, and all of it is thrown away.
            code.declare(&stmt.binders);
            for (binder, atom) in stmt.binders.iter().zip(results) {
                let atom = code.fit(atom, &binder.ty);
                code.bind(&[binder.var], Op::Copy(atom));
            }
        } else {
            let op = walk::map_blocks(&stmt.op, &mut |bound, block| {
                code.declare(bound);
                expand_block(code, spans, block)
            });
            code.builder.push(Stmt { binders: stmt.binders.clone(), op });
        }
        code.builder.set_span(outer);
    }
    code.builder.close(block.results.clone())
}

/// What `row` gives for the unit vectors of a point, as tangents of its values: of the parameters that a
/// definition has behind such a point.
pub(super) fn runs(
    code: &mut Code<'_>,
    (def, sizes): (&Name, Vec<Size>),
    point: &[Atom],
    row: impl Fn(&mut Code<'_>, &[bool], Atom) -> Atom,
) -> Vec<Atom> {
    let site = Site { def: def.clone(), sizes, captured: point, args: point };
    site.passes(code, point, row)
}

/// A derivative operator of a definition.
struct Site<'a> {
    def: Name,
    sizes: Vec<Size>,
    captured: &'a [Atom],
    args: &'a [Atom],
}

impl Site<'_> {
    fn expand(&self, code: &mut Code<'_>, operator: Operator, binders: &[Binder]) -> Vec<Atom> {
        let types: Vec<Type> = binders.iter().map(|it| it.ty.clone()).collect();
        match operator {
            Operator::Jvp => {
                let (point, directions) = self.split_args(code);
                let active = self.active(code);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(code.direction(&point[at], &directions[at]));
                }
                let (values, tangents) = self.jvp(code, point, &active, given);
                self.structured(code, &values, tangents)
            }
            Operator::Vjp => {
                let n_params = self.n_params(code);
                let (point, cotangents) = self.args.split_at(n_params);
                let given = self.checked(code, point, cotangents);
                let gradient = match code.work.mode {
                    Mode::Mixed | Mode::Chad => self.vjp(code, point, given).1,
                    Mode::Forward => self.vjp_forwards(code, point, &given),
                };
                self.structured(code, point, gradient)
            }
            Operator::Grad => {
                let (_, gradient) = self.gradient(code);
                self.structured(code, self.args, gradient)
            }
            Operator::ValueAndGrad => {
                let (mut values, gradient) = self.gradient(code);
                values.extend(self.structured(code, self.args, gradient));
                values
            }
            Operator::Hvp => {
                let (point, directions) = self.split_args(code);
                let active = self.active(code);
                let mut given = Vec::new();
                for (at, _) in active.iter().enumerate().filter(|(_, on)| **on) {
                    given.push(code.direction(&point[at], &directions[at]));
                }
                let tangents = self.hvp(code, point, &active, given);
                self.structured(code, point, tangents)
            }
            Operator::Jacobian => self.jacobian(code, &types),
            Operator::Hessian => self.hessian(code, &types),
        }
    }

    /// Value and gradient of a function that gives a real.
    fn gradient(&self, code: &mut Code<'_>) -> (Vec<Atom>, Vec<Atom>) {
        match code.work.mode {
            Mode::Mixed | Mode::Chad => self.vjp(code, self.args, vec![real(1.0)]),
            Mode::Forward => self.gradient_forwards(code),
        }
    }

    /// The cotangents of results that have reals; those of sum types have the form of the results.
    fn checked(&self, code: &mut Code<'_>, point: &[Atom], cotangents: &[Atom]) -> Vec<Atom> {
        let is_data = |it: &Atom| matches!(code.type_of(it).split_arrays().1, Type::Data(..));
        let values = match cotangents.iter().any(is_data) {
            true => self.call(code, self.def.clone(), point, Vec::new()),
            false => cotangents.to_vec(),
        };
        let mut res = Vec::new();
        for (value, cotangent) in values.iter().zip(cotangents) {
            let ty = code.type_of(cotangent);
            if code.work.tangent(&ty).is_some() {
                res.push(code.direction(value, cotangent));
            }
        }
        res
    }

    fn n_params(&self, code: &Code<'_>) -> usize {
        code.work.program.defs[&self.def].params.len() - self.captured.len()
    }

    fn split_args(&self, code: &Code<'_>) -> (&[Atom], &[Atom]) {
        self.args.split_at(self.n_params(code))
    }

    /// Which parameters have reals.
    fn active(&self, code: &mut Code<'_>) -> Vec<bool> {
        let def = code.work.program.defs[&self.def].clone();
        let params = &def.params[self.captured.len()..];
        params.iter().map(|it| code.work.tangent(&it.ty).is_some()).collect()
    }

    fn mask(&self, active: &[bool]) -> Vec<bool> {
        vec![false; self.captured.len()].into_iter().chain(active.iter().copied()).collect()
    }

    fn call(&self, code: &mut Code<'_>, def: Name, point: &[Atom], more: Vec<Atom>) -> Vec<Atom> {
        let args = self.captured.iter().chain(point).cloned().chain(more).collect();
        code.emit(Op::Function(FunctionOp::Call {
            def,
            types: Vec::new(),
            sizes: self.sizes.clone(),
            args,
        }))
    }

    /// The results, and the tangents of those that have reals.
    fn jvp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        active: &[bool],
        directions: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = code.work.program.defs[&self.def].results.len();
        let name = jvp(code.work, &self.def, &self.mask(active));
        let mut results = self.call(code, name, point, directions);
        let tangents = results.split_off(n_results);
        (results, tangents)
    }

    /// The results, and the cotangents of the parameters that have reals.
    fn vjp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        cotangents: Vec<Atom>,
    ) -> (Vec<Atom>, Vec<Atom>) {
        let n_results = code.work.program.defs[&self.def].results.len();
        let active = self.active(code);
        let name = vjp(code.work, &self.def, &self.mask(&active));
        let mut results = self.call(code, name, point, cotangents);
        let gradient = results.split_off(n_results);
        (results, gradient)
    }

    /// The derivative of the gradient along directions of some parameters.
    fn hvp(
        &self,
        code: &mut Code<'_>,
        point: &[Atom],
        along: &[bool],
        directions: Vec<Atom>,
    ) -> Vec<Atom> {
        if code.work.mode == Mode::Forward {
            return self.hvp_forwards(code, point, along, &directions);
        }
        let active = self.active(code);
        let gradient = vjp(code.work, &self.def, &self.mask(&active));
        code.work.finish_jobs();
        let mut mask = self.mask(along);
        mask.push(false);
        let name = jvp(code.work, &gradient, &mask);
        let more = std::iter::once(real(1.0)).chain(directions).collect();
        let results = self.call(code, name, point, more);
        // One value and its tangent; between and behind them the gradient and its tangents.
        let n_active = active.iter().filter(|it| **it).count();
        results[n_active + 2..].to_vec()
    }

    /// Values of the types of `like`: tangents where there are reals, zeros elsewhere.
    fn structured(&self, code: &mut Code<'_>, like: &[Atom], tangents: Vec<Atom>) -> Vec<Atom> {
        let mut tangents = tangents.into_iter();
        let mut res = Vec::new();
        for value in like {
            let ty = code.type_of(value);
            res.push(match code.work.tangent(&ty) {
                Some(_) => {
                    let tangent = tangents.next().expect("a tangent for each value with reals");
                    code.filled(value.clone(), tangent)
                }
                None => code.discrete_zero(value.clone()),
            });
        }
        res
    }
}
