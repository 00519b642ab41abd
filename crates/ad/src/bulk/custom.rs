//! Definitions that come with a derivative of their own.
//!
//! `f.custom_lin` takes tangents of the parameters to tangents of the results, `f.custom_rev` cotangents
//! of the results to those of the parameters. The one that the user did not write is the transpose of
//! the other: both are linear, so the transpose of one is its derivative, at any point, backwards. A
//! `jvp` that calls its own definition on tangents is transposed by runs, see `crates/ad/src/circular.rs`.

use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Block, Custom, Def, FunctionOp, Op, Prim, Size, Stmt, Type, Var};

use super::code::{Code, atoms, block, real};
use super::derived::vjp;
use super::operators::runs;
use super::work::{LinearCall, Work, stub};
use crate::circular::{Clause, is_circular};

/// The linear definitions of one that has a derivative of its own.
#[derive(Clone, Debug)]
pub(crate) struct CustomNames {
    pub(crate) lin: Name,
    pub(crate) rev: Name,
}

impl Work {
    /// Makes `f.custom_lin` and `f.custom_rev`, once.
    pub(crate) fn custom(&mut self, name: &Name) -> Option<CustomNames> {
        let custom = self.program.customs.get(name)?.clone();
        if let Some(known) = self.customs.get(name) {
            return Some(known.clone());
        }
        let def = self.program.defs[name].clone();
        let [lin, rev] = self.fresh_names(|number| {
            ["lin", "rev"].map(|it| Name::from(format!("{name}.custom_{it}{number}")))
        });
        let names = CustomNames { lin: lin.clone(), rev: rev.clone() };
        self.customs.insert(name.clone(), names.clone());
        let linear = LinearCall::Custom(rev.clone(), def.params.len());
        self.linear_calls.insert(lin.clone(), linear);
        let made = Made { def, custom, names: names.clone() };
        made.declare(self);
        let (forward, backward) = (made.forward(self), made.backward(self));
        self.program.defs.insert(lin, Arc::new(forward));
        self.program.defs.insert(rev, Arc::new(backward));
        Some(names)
    }

    /// The definition as a call of itself, so that its derivative is that of a call.
    pub(crate) fn as_call(&self, def: &Def) -> Def {
        let next = def.next_var;
        let fresh: Vec<Var> = (0..def.results.len() as u32).map(|at| Var(next + at)).collect();
        let given: Vec<Atom> = fresh.iter().map(|it| Atom::Var(*it)).collect();
        let types = ir::signature::instantiate(&def.results, &given);
        let binders = fresh.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty }).collect();
        let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
        let (name, args) = (def.name.clone(), atoms(&def.params));
        let op = Op::Function(FunctionOp::Call { def: name, types: Vec::new(), sizes, args });
        let body = block(vec![Stmt { binders, op }], given);
        Def { body, next_var: next + fresh.len() as u32, ..def.clone() }
    }
}

struct Made {
    def: Arc<Def>,
    custom: Custom,
    names: CustomNames,
}

impl Made {
    /// Tangents of those binders that have reals, in new variables.
    fn tangents(&self, work: &mut Work, binders: &[Binder], from: u32) -> Vec<Binder> {
        let types: Vec<Type> = binders.iter().filter_map(|it| work.tangent(&it.ty)).collect();
        let numbered = types.into_iter().zip(from..);
        numbered.map(|(ty, number)| Binder { var: Var(number), ty }).collect()
    }

    /// The signatures, so that the definitions can be called before they exist.
    fn declare(&self, work: &mut Work) {
        let (def, names) = (&self.def, &self.names);
        let inputs = self.tangents(work, &def.params, def.next_var);
        let next = def.next_var + inputs.len() as u32;
        let outputs = self.tangents(work, &def.results, next);
        let next = next + outputs.len() as u32;
        for (name, more, results) in
            [(&names.lin, &inputs, &outputs), (&names.rev, &outputs, &inputs)]
        {
            let params = def.params.iter().chain(more).cloned().collect();
            let sizes = def.size_params.clone();
            let stub = stub(name.clone(), sizes, params, results.clone(), next);
            work.program.defs.insert(name.clone(), stub);
        }
    }

    fn forward(&self, work: &mut Work) -> Def {
        let def = &self.def;
        self.define(work, &self.names.lin, |code, point, given| match &self.custom {
            Custom { jvp: Some(jvp), .. } => {
                let mut args = point.to_vec();
                args.extend(structured(code, point, given));
                let results = call(code, def, jvp, args);
                results.iter().filter_map(|it| code.tangent_if_smooth(it)).collect()
            }
            Custom { vjp: Some(pullback), .. } => {
                let like = self.results(code, point);
                let zeros = zeros(code, &like);
                self.transposed(code, pullback, point, zeros, given)
            }
            Custom { vjp: None, jvp: None } => Vec::new(),
        })
    }

    fn backward(&self, work: &mut Work) -> Def {
        let def = &self.def;
        self.define(work, &self.names.rev, |code, point, given| match &self.custom {
            Custom { vjp: Some(vjp), .. } => {
                let like = self.results(code, point);
                let mut args = point.to_vec();
                args.extend(structured(code, &like, given));
                let results = call(code, def, vjp, args);
                results.iter().filter_map(|it| code.tangent_if_smooth(it)).collect()
            }
            Custom { jvp: Some(push), .. } => {
                let program = &code.work.program;
                if is_circular(program, &def.name, Clause::Jvp, point.len()) {
                    return self.by_runs(code, push, point, given);
                }
                let zeros = zeros(code, point);
                self.transposed(code, push, point, zeros, given)
            }
            Custom { vjp: None, jvp: None } => Vec::new(),
        })
    }

    /// The same by a run for each real of the parameters, which needs no derivative of the clause.
    fn by_runs(
        &self,
        code: &mut Code<'_>,
        push: &Name,
        point: &[Atom],
        given: Vec<Atom>,
    ) -> Vec<Atom> {
        let sizes = self.def.size_params.iter().map(|it| Size::var(*it)).collect();
        runs(code, (push, sizes), point, |code, only, unit| {
            let mut tangents = Vec::new();
            for (value, on) in point.iter().zip(only) {
                let ty = code.type_of(value);
                let Some(tangent) = code.work.tangent(&ty) else { continue };
                tangents.push(if *on { unit.clone() } else { code.zeros(&tangent) });
            }
            let mut args = point.to_vec();
            args.extend(structured(code, point, tangents));
            let results = call(code, &self.def, push, args);
            let mut sum = real(0.0);
            let smooth: Vec<Atom> =
                results.iter().filter_map(|it| code.tangent_if_smooth(it)).collect();
            for (cotangent, tangent) in given.iter().zip(&smooth) {
                let product = code.dot(cotangent, tangent);
                sum = code.prim(Prim::Add, vec![sum, product]);
            }
            sum
        })
    }

    /// Values of the types of the results: those of a call, if their form matters.
    fn results(&self, code: &mut Code<'_>, point: &[Atom]) -> Vec<Atom> {
        if self.def.results.iter().any(|it| is_data(&it.ty)) {
            return call(code, &self.def, &self.def.name, point.to_vec());
        }
        self.def.results.iter().map(|it| code.zeros(&it.ty)).collect()
    }

    /// The transpose of a definition that is linear in its last parameters: its derivative by them,
    /// where they are zero, backwards.
    fn transposed(
        &self,
        code: &mut Code<'_>,
        linear: &Name,
        point: &[Atom],
        zeros: Vec<Atom>,
        given: Vec<Atom>,
    ) -> Vec<Atom> {
        let n_results = code.work.program.defs[linear].results.len();
        let mask: Vec<bool> = (0..point.len() + zeros.len()).map(|at| at >= point.len()).collect();
        let name = vjp(code.work, linear, &mask);
        let args = point.iter().cloned().chain(zeros).chain(given).collect();
        call(code, &self.def, &name, args).split_off(n_results)
    }

    fn define(
        &self,
        work: &mut Work,
        name: &Name,
        body: impl FnOnce(&mut Code<'_>, &[Atom], Vec<Atom>) -> Vec<Atom>,
    ) -> Def {
        let stub = work.program.defs[name].clone();
        let mut code = Code::new(work, stub.next_var);
        stub.size_params.iter().for_each(|it| code.builder.declare(*it, Type::Int));
        code.declare(&stub.params);
        code.builder.open();
        let (point, given) = stub.params.split_at(self.def.params.len());
        let results = body(&mut code, &atoms(point), atoms(given));
        let mut fitted = Vec::new();
        for (atom, promised) in results.into_iter().zip(&stub.results) {
            fitted.push(code.fit(atom, &promised.ty));
        }
        let body: Block = code.builder.close(fitted);
        let (next_var, spans) = code.finish();
        Def { body, next_var, spans, ..Def::clone(&stub) }
    }
}

/// Tangents as values of the types of `like`.
fn structured(code: &mut Code<'_>, like: &[Atom], tangents: Vec<Atom>) -> Vec<Atom> {
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

/// Zeros of the form of `like`.
fn zeros(code: &mut Code<'_>, like: &[Atom]) -> Vec<Atom> {
    let mut tangents = Vec::new();
    for value in like {
        let ty = code.type_of(value);
        if let Some(tangent) = code.work.tangent(&ty) {
            tangents.push(code.zeros(&tangent));
        }
    }
    structured(code, like, tangents)
}

fn call(code: &mut Code<'_>, like: &Def, def: &Name, args: Vec<Atom>) -> Vec<Atom> {
    let sizes = like.size_params.iter().map(|it| Size::var(*it)).collect();
    code.emit(Op::Function(FunctionOp::Call { def: def.clone(), types: Vec::new(), sizes, args }))
}

fn is_data(ty: &Type) -> bool {
    matches!(ty.split_arrays().1, Type::Data(..))
}
