//! The constructors of a type of functions, and the definition that applies its values.
//!
//! A lambda is kept in variables of its own: the sizes of its type, then sizes that only it knows, then
//! what it captured, then what it binds. So lambdas with the same text are found to be equal.

use std::collections::{BTreeMap, BTreeSet};

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Binder, Block, ConDecl, ControlOp, DataDecl, Def, FunctionOp, Lambda, Op,
    Origin, Size, Spans, Stmt, Type, Var, walk,
};

use super::Defunctionaliser;
use crate::refusal::{Reason, Refusal};

/// A lambda where it stands.
pub(super) struct Made<'a> {
    pub(super) ty: &'a Type,
    pub(super) lambda: &'a Lambda,
    /// The types of the variables there.
    pub(super) types: &'a BTreeMap<Var, Type>,
    pub(super) spans: &'a Spans,
}

/// A lambda in variables of its own.
#[derive(PartialEq)]
pub(super) struct Alternative {
    /// What it captured; the first ones are sizes that only it knows.
    sizes: Vec<Var>,
    fields: Vec<Binder>,
    lambda: Lambda,
    /// Its type, in these variables.
    ty: Type,
    spans: Spans,
}

impl Defunctionaliser<'_> {
    /// The constructor of a lambda and what it captured.
    pub(super) fn made(&mut self, made: &Made<'_>) -> (Name, Vec<Atom>) {
        let (class, sizes) = self.types.class(made.ty);
        let arguments = class.arguments(&sizes);
        let captured = captured(made);
        let is_argument = |var: &Var| arguments.iter().position(|it| it.as_var() == Some(var));
        let mentioned = mentioned(made, &captured);
        let (known, free): (Vec<Var>, Vec<Var>) =
            captured.iter().partition(|it| mentioned.contains(it) && is_argument(it).is_some());
        let (sizes, values): (Vec<Var>, Vec<Var>) =
            free.iter().partition(|it| mentioned.contains(it));
        let mut names: BTreeMap<Var, Var> = BTreeMap::new();
        let known = known.iter().filter_map(|it| Some((*it, Var(is_argument(it)? as u32))));
        names.extend(known);
        let mut next = class.n_sizes();
        let mut name = |var: Var| {
            *names.entry(var).or_insert_with(|| {
                next += 1;
                Var(next - 1)
            })
        };
        let own = sizes.iter().map(|it| name(*it)).collect();
        let fields = values.iter().map(|it| (name(*it), &made.types[it])).collect::<Vec<_>>();
        let lambda = walk::rename_lambda(made.lambda, &mut name);
        let renamed =
            |ty: &Type| ty.substitute_sizes(&|var| names.get(&var).map(|it| Size::var(*it)));
        let fields = fields.iter().map(|(var, ty)| Binder { var: *var, ty: renamed(ty) }).collect();
        let spans = names.iter().filter_map(|(old, new)| Some((*new, *made.spans.0.get(old)?)));
        let spans = Spans(spans.collect());
        let made = Alternative { sizes: own, fields, lambda, ty: renamed(made.ty), spans };
        let known = &mut self.alternatives[class.number];
        let at = known.iter().position(|it| *it == made).unwrap_or_else(|| {
            known.push(made);
            known.len() - 1
        });
        (class.con(at), sizes.into_iter().chain(values).map(Atom::Var).collect())
    }

    /// The sum type of a type of functions. If there are no functions of this type, nobody makes a value.
    pub(super) fn declare(&mut self, number: usize) -> DataDecl {
        let class = self.types.class_at(number);
        let (name, n_sizes) = (class.data.clone(), class.n_sizes());
        let mut cons = Vec::new();
        for (at, it) in self.alternatives[number].iter().enumerate() {
            let sizes = it.sizes.iter().map(|_| Type::Int);
            let fields = it.fields.iter().map(|field| self.types.convert(&field.ty));
            let fields = sizes.chain(fields).collect();
            let name = self.types.class_at(number).con(at);
            cons.push(ConDecl { name, sizes: it.sizes.clone(), fields });
        }
        if cons.is_empty() {
            let name = self.types.class_at(number).con(0);
            cons.push(ConDecl { name, sizes: Vec::new(), fields: Vec::new() });
        }
        DataDecl {
            name,
            type_params: Vec::new(),
            size_params: (0..n_sizes).map(Var).collect(),
            cons,
        }
    }

    /// The definition that applies a function.
    pub(super) fn apply(&mut self, number: usize) -> Result<Def, Refusal> {
        let class = self.types.class_at(number);
        let Type::Function(params, result) = class.ty.clone() else {
            panic!("compiler bug: functions of type {}", class.ty)
        };
        let size_params: Vec<Var> = (0..class.n_sizes()).map(Var).collect();
        let mut arms = Arms { next: class.n_sizes(), spans: Spans::default(), arms: Vec::new() };
        let function = arms.fresh(class.ty.clone());
        let params: Vec<Binder> = params.into_iter().map(|it| arms.fresh(it)).collect();
        let (returned, given) = (arms.fresh((*result).clone()), arms.fresh(*result));
        for (at, it) in self.alternatives[number].iter().enumerate() {
            arms.add(class.con(at), class.n_sizes(), it, &params, &returned.ty)?;
        }
        let all = [&function].into_iter().chain(&params);
        if arms.arms.is_empty() {
            // There is no such function, so this is never called.
            let args = all.clone().map(|it| Atom::Var(it.var)).collect();
            let sizes = size_params.iter().map(|it| Size::var(*it)).collect();
            let def = class.apply.clone();
            let op = FunctionOp::Call { def, types: Vec::new(), sizes, args };
            let result = arms.fresh(returned.ty.clone());
            let results = vec![Atom::Var(result.var)];
            let body =
                Block { stmts: vec![Stmt { binders: vec![result], op: op.into() }], results };
            arms.arms.push(Arm { con: class.con(0), fields: Vec::new(), body });
        }
        let value = Atom::Var(function.var);
        let op = ControlOp::Match { value, arms: arms.arms, otherwise: None }.into();
        let results = vec![Atom::Var(given.var)];
        let def = Def {
            name: class.apply.clone(),
            type_params: Vec::new(),
            size_params,
            params: all.cloned().collect(),
            results: vec![returned],
            body: Block { stmts: vec![Stmt { binders: vec![given], op }], results },
            next_var: arms.next,
            spans: arms.spans,
            origin: Origin::Source,
        };
        Ok(self.types.convert_def(def))
    }
}

/// What a lambda captured: variables that it mentions, and sizes in their types.
fn captured(made: &Made<'_>) -> BTreeSet<Var> {
    let mut res = walk::free_vars(made.lambda);
    let sizes: Vec<Var> = res.iter().flat_map(|it| made.types[it].size_vars()).collect();
    res.extend(sizes);
    res
}

/// Which of those are sizes of types.
fn mentioned(made: &Made<'_>, captured: &BTreeSet<Var>) -> BTreeSet<Var> {
    struct Sizes(BTreeSet<Var>);
    impl walk::Visit<'_> for Sizes {
        fn size(&mut self, size: &Size) {
            self.0.extend(size.vars());
        }
    }
    let mut sizes = Sizes(made.ty.size_vars().into_iter().collect());
    walk::visit_lambda(made.lambda, &mut sizes);
    sizes.0.extend(captured.iter().flat_map(|it| made.types[it].size_vars()));
    sizes.0.intersection(captured).copied().collect()
}

/// The arms of a match over functions, in variables of the definition that they stand in.
struct Arms {
    next: u32,
    spans: Spans,
    arms: Vec<Arm>,
}

impl Arms {
    fn fresh(&mut self, ty: Type) -> Binder {
        self.next += 1;
        Binder { var: Var(self.next - 1), ty }
    }

    fn add(
        &mut self,
        con: Name,
        n_sizes: u32,
        it: &Alternative,
        params: &[Binder],
        result: &Type,
    ) -> Result<(), Refusal> {
        let mut names: BTreeMap<Var, Var> = (0..n_sizes).map(|it| (Var(it), Var(it))).collect();
        let mut fields = Vec::new();
        for var in &it.sizes {
            let field = self.fresh(Type::Int);
            names.insert(*var, field.var);
            fields.push(field);
        }
        for field in &it.fields {
            let ty = renamed(&field.ty, &names);
            let binder = self.fresh(ty);
            names.insert(field.var, binder.var);
            fields.push(binder);
        }
        let mut stmts = Vec::new();
        for (param, inner) in params.iter().zip(&it.lambda.params) {
            let ty = renamed(&inner.ty, &names);
            let Atom::Var(var) = self.resized(Atom::Var(param.var), &param.ty, &ty, &mut stmts)?
            else {
                panic!("compiler bug: a parameter is no variable")
            };
            names.insert(inner.var, var);
        }
        let body = walk::rename_block(&it.lambda.body, &mut |var| {
            *names.entry(var).or_insert_with(|| {
                self.next += 1;
                Var(self.next - 1)
            })
        });
        for (var, span) in &it.spans.0 {
            self.spans.0.extend(names.get(var).map(|it| (*it, *span)));
        }
        stmts.extend(body.stmts);
        let Type::Function(_, inner) = &it.ty else { panic!("compiler bug: no function") };
        let inner = renamed(inner, &names);
        let given = self.resized(body.results[0].clone(), &inner, result, &mut stmts)?;
        self.arms.push(Arm { con, fields, body: Block { stmts, results: vec![given] } });
        Ok(())
    }

    /// The same value at a type with other sizes, which are equal when the program runs.
    fn resized(
        &mut self,
        value: Atom,
        from: &Type,
        to: &Type,
        stmts: &mut Vec<Stmt>,
    ) -> Result<Atom, Refusal> {
        if from == to {
            return Ok(value);
        }
        let op = match (from, to) {
            (Type::Array(_, elem), Type::Array(size, other)) if elem == other => {
                Op::Array(ArrayOp::Sized { array: value, size: size.clone() })
            }
            (Type::Array(..), Type::Array(..)) => {
                let (sizes, elem) = to.split_arrays();
                if from.split_arrays().1 != elem {
                    return lost(from, to);
                }
                Op::Array(ArrayOp::Reshape { array: value, rank: sizes.len(), sizes })
            }
            (Type::Tuple(from), Type::Tuple(to)) => {
                let mut parts = Vec::new();
                for (index, (from, to)) in from.iter().zip(to).enumerate() {
                    let part = self.fresh(from.clone());
                    let atom = Atom::Var(part.var);
                    let op = Op::Proj { tuple: value.clone(), index };
                    stmts.push(Stmt { binders: vec![part], op });
                    parts.push(self.resized(atom, from, to, stmts)?);
                }
                Op::Tuple { rank: 0, parts }
            }
            (Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_), _)
            | (Type::Array(..) | Type::Function(..) | Type::Var(_) | Type::Data(..), _)
            | (Type::Dual(_) | Type::Delta | Type::Tape(_), _) => return lost(from, to),
        };
        let binder = self.fresh(to.clone());
        let atom = Atom::Var(binder.var);
        stmts.push(Stmt { binders: vec![binder], op });
        Ok(atom)
    }
}

fn renamed(ty: &Type, names: &BTreeMap<Var, Var>) -> Type {
    ty.substitute_sizes(&|var| names.get(&var).map(|it| Size::var(*it)))
}

fn lost<T>(from: &Type, to: &Type) -> Result<T, Refusal> {
    let message = format!("a function takes or gives {from}, not {to}");
    Err(Refusal { span: None, reason: Reason::LostSize(message) })
}
