//! Definitions that come with a derivative of their own.
//!
//! `f.custom_lin` takes tangents of the parameters to tangents of the results, `f.custom_rev` cotangents
//! of the results to those of the parameters. The one that the user did not write is the transpose of
//! the other: both are linear, so the transpose of one is its derivative, at any point, backwards. A
//! `jvp` that calls its own definition on tangents is transposed by runs, see `crates/ad/src/circular.rs`.

use std::sync::Arc;

use base::Name;
use ir::{Atom, Binder, Block, Custom, Def, FunctionOp, Op, Origin, Prim, Size, Type, Var};

use super::derived::vjp;
use super::operators::runs;
use super::work::{CustomNames, Work};
use crate::circular::{Clause, is_circular};
use crate::linear::code::{Transposed, atoms, real, stub};

impl Work {
    /// Makes `f.custom_lin` and `f.custom_rev`, once.
    pub(crate) fn custom(&mut self, name: &Name) -> Option<CustomNames> {
        let custom = self.code.program().customs.get(name)?.clone();
        if let Some(known) = self.customs.get(name) {
            return Some(known.clone());
        }
        let def = self.def(name);
        let [lin, rev] = self.fresh_names(|number| {
            ["lin", "rev"].map(|it| name.part(format_args!("custom_{it}{number}")))
        });
        let names = CustomNames { lin, rev };
        self.customs.insert(name.clone(), names.clone());
        let made = Made { def, custom, names: names.clone() };
        made.declare(self);
        let (forward, backward) = (made.forward(self), made.backward(self));
        self.code.define(forward);
        self.code.define(backward);
        Some(names)
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
        let types: Vec<Type> = binders.iter().filter_map(|it| work.code.tangent(&it.ty)).collect();
        let numbered = types.into_iter().zip(from..);
        numbered.map(|(ty, number)| Binder { var: Var(number), ty }).collect()
    }

    /// The signatures, so that the definitions can be called before they exist.
    fn declare(&self, work: &mut Work) {
        let (def, names) = (&self.def, &self.names);
        let inputs = self.tangents(work, &def.params, def.next_var);
        let transposed = Transposed::By(names.rev.clone(), inputs.len());
        work.code.transposed.insert(names.lin.clone(), transposed);
        let next = def.next_var + inputs.len() as u32;
        let outputs = self.tangents(work, &def.results, next);
        let next = next + outputs.len() as u32;
        for (name, more, results) in
            [(&names.lin, &inputs, &outputs), (&names.rev, &outputs, &inputs)]
        {
            let params = def.params.iter().chain(more).cloned().collect();
            let sizes = def.size_params.clone();
            let stub =
                stub((name.clone(), Origin::Derivative), sizes, params, results.clone(), next);
            work.code.define_shared(stub);
        }
    }

    fn forward(&self, work: &mut Work) -> Def {
        let def = &self.def;
        self.define(work, &self.names.lin, |work, point, given| match &self.custom {
            Custom { jvp: Some(jvp), .. } => {
                let mut args = point.to_vec();
                args.extend(structured(work, point, given));
                let results = call(work, def, jvp, args);
                results.iter().filter_map(|it| work.code.tangent_if_smooth(it)).collect()
            }
            Custom { vjp: Some(pullback), .. } => {
                let like = self.results(work, point);
                let zeros = zeros(work, &like);
                self.transposed(work, pullback, point, zeros, given)
            }
            Custom { vjp: None, jvp: None } => Vec::new(),
        })
    }

    fn backward(&self, work: &mut Work) -> Def {
        let def = &self.def;
        self.define(work, &self.names.rev, |work, point, given| match &self.custom {
            Custom { vjp: Some(vjp), .. } => {
                let like = self.results(work, point);
                let mut args = point.to_vec();
                args.extend(structured(work, &like, given));
                let results = call(work, def, vjp, args);
                results.iter().filter_map(|it| work.code.tangent_if_smooth(it)).collect()
            }
            Custom { jvp: Some(push), .. } => {
                let program = &work.code.program();
                if is_circular(program, &def.name, Clause::Jvp, point.len()) {
                    return self.by_runs(work, push, point, given);
                }
                let zeros = zeros(work, point);
                self.transposed(work, push, point, zeros, given)
            }
            Custom { vjp: None, jvp: None } => Vec::new(),
        })
    }

    /// Cotangents by a run of the `jvp` clause for each real of the parameters; it is not differentiated.
    fn by_runs(&self, work: &mut Work, push: &Name, point: &[Atom], given: Vec<Atom>) -> Vec<Atom> {
        let sizes = self.def.size_params.iter().map(|it| Size::var(*it)).collect();
        runs(work, (push, sizes), point, |work, only, unit| {
            let mut tangents = Vec::new();
            for (value, on) in point.iter().zip(only) {
                let ty = work.code.type_of(value);
                let Some(tangent) = work.code.tangent(&ty) else { continue };
                tangents.push(if *on { unit.clone() } else { work.code.zeros(&tangent) });
            }
            let mut args = point.to_vec();
            args.extend(structured(work, point, tangents));
            let results = call(work, &self.def, push, args);
            let mut sum = real(0.0);
            let smooth: Vec<Atom> =
                results.iter().filter_map(|it| work.code.tangent_if_smooth(it)).collect();
            for (cotangent, tangent) in given.iter().zip(&smooth) {
                let product = work.code.dot(cotangent, tangent);
                sum = work.code.prim(Prim::Add, vec![sum, product]);
            }
            sum
        })
    }

    /// Values of the types of the results: those of a call, if their form matters.
    fn results(&self, work: &mut Work, point: &[Atom]) -> Vec<Atom> {
        if self.def.results.iter().any(|it| is_data(&it.ty)) {
            return call(work, &self.def, &self.def.name, point.to_vec());
        }
        self.def.results.iter().map(|it| work.code.zeros(&it.ty)).collect()
    }

    /// The transpose of a definition that is linear in its last parameters: its derivative by them,
    /// where they are zero, backwards.
    fn transposed(
        &self,
        work: &mut Work,
        linear: &Name,
        point: &[Atom],
        zeros: Vec<Atom>,
        given: Vec<Atom>,
    ) -> Vec<Atom> {
        let n_results = work.code.program().defs[linear].results.len();
        let mask: Vec<bool> = (0..point.len() + zeros.len()).map(|at| at >= point.len()).collect();
        let name = vjp(work, linear, &mask);
        let args = point.iter().cloned().chain(zeros).chain(given).collect();
        call(work, &self.def, &name, args).split_off(n_results)
    }

    fn define(
        &self,
        work: &mut Work,
        name: &Name,
        body: impl FnOnce(&mut Work, &[Atom], Vec<Atom>) -> Vec<Atom>,
    ) -> Def {
        let stub = work.code.program().defs[name].clone();
        let outer = work.code.builder.begin(stub.next_var);
        stub.size_params.iter().for_each(|it| work.code.builder.declare(*it, Type::Int));
        work.code.declare(&stub.params);
        work.code.builder.open();
        let (point, given) = stub.params.split_at(self.def.params.len());
        let results = body(work, &atoms(point), atoms(given));
        let mut fitted = Vec::new();
        for (atom, promised) in results.into_iter().zip(&stub.results) {
            fitted.push(work.code.fit(atom, &promised.ty));
        }
        let body: Block = work.code.builder.close(fitted);
        let (next_var, spans) = work.code.builder.end(outer);
        Def { body, next_var, spans, ..Def::clone(&stub) }
    }
}

/// Tangents as values of the types of `like`.
fn structured(work: &mut Work, like: &[Atom], tangents: Vec<Atom>) -> Vec<Atom> {
    let mut tangents = tangents.into_iter();
    let mut res = Vec::new();
    for value in like {
        let ty = work.code.type_of(value);
        res.push(match work.code.tangent(&ty) {
            Some(_) => {
                let tangent = tangents.next().expect("a tangent for each value with reals");
                work.code.filled(value.clone(), tangent)
            }
            None => work.code.discrete_zero(value.clone()),
        });
    }
    res
}

/// Zeros of the form of `like`.
fn zeros(work: &mut Work, like: &[Atom]) -> Vec<Atom> {
    let mut tangents = Vec::new();
    for value in like {
        let ty = work.code.type_of(value);
        if let Some(tangent) = work.code.tangent(&ty) {
            tangents.push(work.code.zeros(&tangent));
        }
    }
    structured(work, like, tangents)
}

fn call(work: &mut Work, like: &Def, def: &Name, args: Vec<Atom>) -> Vec<Atom> {
    let sizes = like.size_params.iter().map(|it| Size::var(*it)).collect();
    work.code.emit(Op::Function(FunctionOp::Call {
        def: def.clone(),
        types: Vec::new(),
        sizes,
        args,
    }))
}

fn is_data(ty: &Type) -> bool {
    matches!(ty.split_arrays().1, Type::Data(..))
}
