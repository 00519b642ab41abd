//! Tangent types: reals stay, what is discrete goes, sum types become sum types of tangents.
//!
//! Figure 12 of the paper pairs `Array sh Real` with `Delta sh` and leaves the others alone. A sum
//! type `T` has the tangents `T.d`: each constructor `A` with the tangents of its fields, and one more,
//! `T.zero`, for a zero of unknown form. Two of them are added by `T.add`, and `A.get` takes the fields
//! out of one that has the constructor `A`, or is zero.

use std::collections::BTreeSet;

use base::{Mark, Name};
use ir::{
    Arm, ArrayOp, Atom, Binder, ConDecl, ControlOp, DataDecl, Def, FunctionOp, Op, Origin, Size,
    Type, Var, typing,
};

use super::code::{Code, Transposed, atoms, block, stub};

/// The constructor of a zero of unknown form; of the sum type `T.d`.
pub(crate) fn zero_name(data: &Name) -> Name {
    data.part("zero")
}

/// The definition that adds two values of `T.d`.
pub(crate) fn add_name(data: &Name) -> Name {
    data.part("add")
}

/// The constructor of tangents for the constructor `con`. Tangents are their own tangents.
pub(crate) fn tangent_con(con: &Name) -> Name {
    if primal_of(con).is_some() { con.clone() } else { con.with(Mark::Tangent) }
}

/// The sum type or constructor that this is the one of tangents for.
pub(crate) fn primal_of(name: &Name) -> Option<&Name> {
    name.made_of().filter(|it| *it.1 == Mark::Tangent).map(|it| it.0)
}

/// The definition that takes the fields out of a tangent.
pub(crate) fn get_name(con: &Name) -> Name {
    primal_of(con).unwrap_or(con).part("get")
}

impl Code {
    /// The type of tangents of a type; `None` if it has no reals.
    pub(crate) fn tangent(&mut self, ty: &Type) -> Option<Type> {
        match ty {
            Type::Real => Some(self.domain.of_real()),
            Type::Array(size, elem) => Some(Type::array(size.clone(), self.tangent(elem)?)),
            Type::Data(name, _, sizes) => {
                if !self.has_reals(ty, &mut BTreeSet::new()) {
                    return None;
                }
                let name = self.tangent_data(name);
                Some(Type::Data(name, Vec::new(), sizes.clone()))
            }
            // A direction that was compared with its value is still a direction.
            Type::Dual(inner) => self.tangent(inner),
            Type::Int | Type::Bool | Type::String | Type::Tuple(_) => None,
            Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_) => None,
        }
    }

    /// Whether a type has reals in it.
    pub(crate) fn has_reals(&self, ty: &Type, seen: &mut BTreeSet<Name>) -> bool {
        match ty {
            Type::Real => true,
            Type::Array(_, elem) => self.has_reals(elem, seen),
            Type::Data(name, ..) => {
                if !seen.insert(name.clone()) {
                    return false;
                }
                let Some(decl) = self.program().datas.get(name) else { return false };
                decl.cons.iter().flat_map(|it| &it.fields).any(|it| self.has_reals(it, seen))
            }
            Type::Dual(inner) => self.has_reals(inner, seen),
            Type::Int | Type::Bool | Type::String | Type::Tuple(_) => false,
            Type::Function(..) | Type::Var(_) | Type::Delta | Type::Tape(_) => false,
        }
    }

    /// Declares `T.d` and what belongs to it, once.
    fn tangent_data(&mut self, name: &Name) -> Name {
        let tangent = tangent_con(name);
        if self.program().datas.contains_key(&tangent) {
            return tangent;
        }
        let decl = self.program().datas[name].clone();
        let (type_params, size_params) = (Vec::new(), decl.size_params.clone());
        let zero = zero_name(&tangent);
        let zero = ConDecl { name: zero, sizes: Vec::new(), fields: Vec::new() };
        let cons = vec![zero.clone()];
        let only_zero = DataDecl { name: tangent.clone(), type_params, size_params, cons };
        self.declare_data(only_zero);
        self.declare_add(&tangent);
        let mut cons = Vec::new();
        for con in &decl.cons {
            let mut fields = vec![Type::Int; con.sizes.len()];
            fields.extend(con.fields[con.sizes.len()..].iter().filter_map(|it| self.tangent(it)));
            cons.push(ConDecl { name: tangent_con(&con.name), sizes: con.sizes.clone(), fields });
        }
        cons.push(zero);
        let datas = &mut self.builder.program_mut().datas;
        datas.get_mut(&tangent).expect("declared above").cons = cons;
        for con in &decl.cons {
            self.define_get(&tangent, &con.name);
        }
        self.define_add(&tangent);
        tangent
    }

    /// `T.cast`: the identity, of any sizes to any others.
    fn cast_of(&mut self, data: &Name) -> Name {
        let name = data.part("cast");
        if !self.program().defs.contains_key(&name) {
            let (size_params, ty) = self.own_type(data);
            let first = self.first_free(data);
            let binder = |at: u32| Binder { var: Var(first + at), ty: ty.clone() };
            let named = (name.clone(), Origin::Cast);
            let stub = stub(named, size_params, vec![binder(0)], vec![binder(1)], first + 2);
            let body = block(Vec::new(), vec![Atom::Var(Var(first))]);
            let def = Def { body, ..Def::clone(&stub) };
            self.define(def);
        }
        name
    }

    /// A sum type inside of the definitions that belong to it, which have its size parameters.
    pub(crate) fn own_type(&self, tangent: &Name) -> (Vec<Var>, Type) {
        let params = self.program().datas[tangent].size_params.clone();
        let sizes = params.iter().map(|it| Size::var(*it)).collect();
        (params, Type::Data(tangent.clone(), Vec::new(), sizes))
    }

    fn first_free(&self, tangent: &Name) -> u32 {
        self.program().datas[tangent].size_params.iter().map(|it| it.0 + 1).max().unwrap_or(0)
    }

    /// The signature of `T.add`, so that it can be called before it exists.
    fn declare_add(&mut self, tangent: &Name) {
        let (size_params, ty) = self.own_type(tangent);
        let first = self.first_free(tangent);
        let binder = |at: u32| Binder { var: Var(first + at), ty: ty.clone() };
        let def = Def {
            name: add_name(tangent),
            type_params: Vec::new(),
            size_params,
            params: vec![binder(0), binder(1)],
            results: vec![binder(2)],
            body: block(Vec::new(), Vec::new()),
            next_var: first + 3,
            spans: Default::default(),
            origin: Origin::Data,
        };
        self.define(def);
    }

    /// `T.add(a, b)`: the other one if one is zero, else field by field.
    fn define_add(&mut self, tangent: &Name) {
        let stub = self.program().defs[&add_name(tangent)].clone();
        let cons = self.program().datas[tangent].cons.clone();
        let outer = self.builder.begin(stub.next_var);
        stub.size_params.iter().for_each(|it| self.builder.declare(*it, Type::Int));
        self.declare(&stub.params);
        let [left, right] = [&stub.params[0], &stub.params[1]];
        self.builder.open();
        let mut arms = Vec::new();
        for con in &cons[..cons.len() - 1] {
            let outer = self.fields(&left.ty, &con.name);
            self.builder.open();
            let inner = self.fields(&right.ty, &con.name);
            self.builder.open();
            let n_sizes = con.sizes.len();
            let mut args = atoms(&outer[..n_sizes]);
            for (x, y) in outer[n_sizes..].iter().zip(&inner[n_sizes..]) {
                let y = self.fit(Atom::Var(y.var), &x.ty);
                let sum = self.add(Atom::Var(x.var), y);
                args.push(sum);
            }
            let sum = Op::Con { ty: left.ty.clone(), con: con.name.clone(), args };
            let sum = self.one(sum);
            let body = self.builder.close(vec![sum]);
            let arm = Arm { con: con.name.clone(), fields: inner, body };
            // Another constructor cannot be, but for zero: both are tangents of one value.
            let otherwise = Some(block(Vec::new(), vec![Atom::Var(left.var)]));
            let value = Atom::Var(right.var);
            let sum = self.one(Op::Control(ControlOp::Match { value, arms: vec![arm], otherwise }));
            let body = self.builder.close(vec![sum]);
            arms.push(Arm { con: con.name.clone(), fields: outer, body });
        }
        let otherwise = Some(block(Vec::new(), vec![Atom::Var(right.var)]));
        let sum =
            self.one(Op::Control(ControlOp::Match { value: Atom::Var(left.var), arms, otherwise }));
        let body = self.builder.close(vec![sum]);
        let (next_var, spans) = self.builder.end(outer);
        let def = Def { body, next_var, spans, ..Def::clone(&stub) };
        self.define(def);
    }

    /// `A.get(sizes, d)`: the tangents of the fields of `A`, of these sizes.
    fn define_get(&mut self, tangent: &Name, con: &Name) {
        let (size_params, ty) = self.own_type(tangent);
        let first = self.first_free(tangent);
        let outer = self.builder.begin(first);
        size_params.iter().for_each(|it| self.builder.declare(*it, Type::Int));
        let own = tangent_con(con);
        let n_sizes = self.program().datas[tangent].cons.iter().find(|it| it.name == own);
        let n_sizes = n_sizes.map_or(0, |it| it.sizes.len());
        let mut params: Vec<Binder> = (0..n_sizes).map(|_| self.fresh(Type::Int)).collect();
        let sizes = atoms(&params);
        params.push(self.fresh(ty.clone()));
        let promised = typing::constructor_fields(self.program(), &ty, &own, &sizes);
        let promised = promised.expect("a constructor of tangents").split_off(n_sizes);
        self.builder.open();
        let fields = self.fields(&ty, &own);
        self.builder.open();
        let fitted = fields[n_sizes..].iter().zip(&promised);
        let fitted = fitted.map(|(it, ty)| self.fit(Atom::Var(it.var), ty)).collect();
        let body = self.builder.close(fitted);
        self.builder.open();
        let zeros = promised.iter().map(|it| self.zeros(it)).collect();
        let otherwise = Some(self.builder.close(zeros));
        let arms = vec![Arm { con: own, fields, body }];
        let given = match promised.is_empty() {
            true => Vec::new(),
            false => {
                let value = Atom::Var(params[n_sizes].var);
                self.emit(Op::Control(ControlOp::Match { value, arms, otherwise }))
            }
        };
        let body = self.builder.close(given);
        let results = promised.into_iter().map(|it| self.fresh(it)).collect();
        let (next_var, spans) = self.builder.end(outer);
        let name = get_name(con);
        self.transposed.insert(name.clone(), Transposed::Get(con.clone()));
        let (type_params, origin) = (Vec::new(), Origin::Fields(con.clone()));
        let def =
            Def { name, type_params, size_params, params, results, body, next_var, spans, origin };
        self.define(def);
    }
}

impl Code {
    /// The zero of a tangent type.
    pub(crate) fn zeros(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Real | Type::Delta => self.no_tangent(),
            Type::Int => Atom::Int(0),
            Type::Bool => Atom::Bool(false),
            Type::String => Atom::Str("".into()),
            Type::Array(size, elem) => {
                let value = self.zeros(elem);
                self.one(Op::Array(ArrayOp::Replicate { size: size.clone(), value }))
            }
            Type::Data(name, ..) => {
                let con = zero_name(name);
                self.one(Op::Con { ty: ty.clone(), con, args: Vec::new() })
            }
            Type::Tuple(_) => self.one(Op::Tuple { rank: 0, parts: Vec::new() }),
            Type::Function(..) | Type::Var(_) | Type::Dual(_) | Type::Tape(_) => {
                panic!("compiler bug: no zero of type {ty}")
            }
        }
    }

    /// The value under the sizes of a type from which it differs in nothing else.
    #[track_caller]
    pub(crate) fn fit(&mut self, atom: Atom, ty: &Type) -> Atom {
        let found = self.type_of(&atom);
        if found == *ty {
            return atom;
        }
        let (sizes, inner) = ty.split_arrays();
        debug_assert!(found.equal_up_to_sizes(ty), "{found} instead of {ty}");
        if inner != found.split_arrays().1 {
            return self.cast(atom, ty);
        }
        self.one(Op::Array(ArrayOp::Reshape { array: atom, rank: sizes.len(), sizes }))
    }

    /// A call with values of sum types under the sizes that its parameters promise: the tangent of a cast is that
    /// of its operand, under the sizes of that, and where the call is inlined they are compared.
    pub(crate) fn fitted(&mut self, op: Op) -> Op {
        let Op::Function(FunctionOp::Call { def, types, sizes, args }) = op else { return op };
        let called = self.program().defs.get(&def).cloned();
        let Some(called) = called.filter(|it| it.origin != Origin::Cast) else {
            return Op::Function(FunctionOp::Call { def, types, sizes, args });
        };
        // Sizes of a parameter may be parameters before it.
        let size_of = |arg: &Atom| match arg {
            Atom::Var(var) => Some(Size::var(*var)),
            Atom::Int(value) => Some(Size::constant(*value)),
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
        };
        let own = |var| match called.size_params.iter().position(|it| *it == var) {
            Some(at) => sizes.get(at).cloned(),
            None => {
                let at = called.params.iter().position(|it| it.var == var)?;
                args.get(at).and_then(size_of)
            }
        };
        let mut fitted = Vec::new();
        for (arg, param) in args.iter().zip(&called.params) {
            // What a recursion saves is made when all of it is known; until then it has one size.
            let is_known = matches!(&param.ty, Type::Data(name, ..) if self.program().datas.contains_key(name));
            fitted.push(match is_known {
                true => self.fit(arg.clone(), &param.ty.substitute_sizes(&own)),
                false => arg.clone(),
            });
        }
        Op::Function(FunctionOp::Call { def, types, sizes, args: fitted })
    }

    /// Fits a value of a sum type that a pass made, whose sizes nobody compares: a call of the identity.
    fn cast(&mut self, atom: Atom, ty: &Type) -> Atom {
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else { return atom };
        let def = self.cast_of(name);
        let cast = |args| {
            Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args.clone(),
                args,
            })
        };
        if sizes.is_empty() {
            return self.one(cast(vec![atom]));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        self.builder.open();
        let at = indices.iter().map(|it| Atom::Var(*it)).collect();
        let elem = self.one(Op::Array(ArrayOp::Index { array: atom, indices: at }));
        let elem = self.one(cast(vec![elem]));
        let body = self.builder.close(vec![elem]);
        self.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    /// The sum of two values of a tangent type.
    pub(crate) fn add(&mut self, left: Atom, right: Atom) -> Atom {
        let ty = self.type_of(&left);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else {
            return self.plus(left, right);
        };
        let def = add_name(name);
        let sum = |args| {
            Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args.clone(),
                args,
            })
        };
        if sizes.is_empty() {
            return self.one(sum(vec![left, right]));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let left = self.one(Op::Array(ArrayOp::Index { array: left, indices: at.clone() }));
        let right = self.one(Op::Array(ArrayOp::Index { array: right, indices: at }));
        let result = self.one(sum(vec![left, right]));
        let body = self.builder.close(vec![result]);
        self.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }
}
