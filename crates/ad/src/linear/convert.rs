//! Between values and tangents, where operators meet the types that programs write: the derivative
//! has the structure of the argument, with zeros in its discrete leaves.

use base::Name;
use ir::{
    Arm, ArrayOp, Atom, Beside, Binder, ControlOp, Def, DeriveOp, FunctionOp, Op, Origin, Size,
    Type, Var,
};

use super::code::{Code, atoms, stub};
use super::tangent::{get_name, tangent_con};

impl Code {
    /// A direction or a cotangent at a value, as a tangent. Of sum types it has the form of the value, or
    /// the program fails there.
    pub(crate) fn direction(&mut self, beside: Beside, value: &Atom, direction: &Atom) -> Atom {
        let mut direction = direction.clone();
        let ty = self.type_of(value);
        if let Type::Data(..) = ty.split_arrays().1 {
            let value = value.clone();
            let pair = DeriveOp::Pair { beside, level: 0, value, tangent: direction };
            let pair = self.one(Op::Derive(pair));
            direction = self.one(Op::Derive(DeriveOp::Tangent { level: 0, value: pair }));
        }
        self.as_direction(direction)
    }

    /// A direction, given as a value of the type, as a tangent.
    pub(crate) fn as_direction(&mut self, value: Atom) -> Atom {
        let ty = self.type_of(&value);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else { return value };
        let def = self.direction_of(&name.clone());
        let size_args = size_args.clone();
        self.each_element(&sizes, &[value], |code, args| {
            code.one(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args,
                args,
            }))
        })
    }

    /// A direction as a tangent, if there are reals in it.
    pub(crate) fn tangent_if_smooth(&mut self, value: &Atom) -> Option<Atom> {
        let ty = self.type_of(value);
        self.tangent(&ty)?;
        Some(self.as_direction(value.clone()))
    }

    /// A tangent as a value of the type, of the form of `like`.
    pub(crate) fn filled(&mut self, like: Atom, tangent: Atom) -> Atom {
        let ty = self.type_of(&like);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else { return tangent };
        let def = self.fill(&name.clone());
        let size_args = size_args.clone();
        self.each_element(&sizes, &[like, tangent], |code, args| {
            code.one(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args,
                args,
            }))
        })
    }

    /// The zero of a type without reals, of the form of `like`.
    pub(crate) fn discrete_zero(&mut self, like: Atom) -> Atom {
        let ty = self.type_of(&like);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else { return self.zeros(&ty) };
        let def = self.blank(&name.clone());
        let size_args = size_args.clone();
        self.each_element(&sizes, &[like], |code, args| {
            code.one(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args,
                args,
            }))
        })
    }

    /// The array with its first axes behind the others: `ranks` are their numbers.
    pub(crate) fn swapped(&mut self, array: Atom, ranks: (usize, usize)) -> Atom {
        if ranks.0 == 0 || ranks.1 == 0 {
            return array;
        }
        let permutation = (ranks.0..ranks.0 + ranks.1).chain(0..ranks.0).collect();
        self.one(Op::Array(ArrayOp::Transpose { array, permutation }))
    }

    /// What comes out for the elements of arrays of these sizes, as an array.
    pub(crate) fn each_element(
        &mut self,
        sizes: &[Size],
        arrays: &[Atom],
        element: impl FnOnce(&mut Code, Vec<Atom>) -> Atom,
    ) -> Atom {
        if sizes.is_empty() {
            return element(self, arrays.to_vec());
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.fresh(Type::Int).var).collect();
        let at: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let index =
            |array: &Atom| Op::Array(ArrayOp::Index { array: array.clone(), indices: at.clone() });
        let elements: Vec<Op> = arrays.iter().map(index).collect();
        let elements = elements.into_iter().map(|it| self.one(it)).collect();
        let result = element(self, elements);
        let body = self.builder.close(vec![result]);
        self.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }
}

/// What a definition that goes through the constructors of a sum type takes, besides a value, and gives.
pub(crate) struct Signature {
    pub(crate) sizes: Vec<Var>,
    pub(crate) params: Vec<Binder>,
    pub(crate) results: Vec<Type>,
}

impl Signature {
    /// Without sizes of its own.
    pub(crate) fn of(params: Vec<Binder>, results: Vec<Type>) -> Signature {
        Signature { sizes: Vec::new(), params, results }
    }
}

impl Code {
    /// `T.direction`: from a value of `T` to the tangent that has its reals.
    fn direction_of(&mut self, data: &Name) -> Name {
        let signature =
            |_: &mut Code, tangent: &Type| Signature::of(Vec::new(), vec![tangent.clone()]);
        self.through(data, "direction", signature, |code, con, fields, _, tangent| {
            let mut args = atoms(&fields[..con.sizes.len()]);
            for field in &fields[con.sizes.len()..] {
                args.extend(code.tangent_if_smooth(&Atom::Var(field.var)));
            }
            let (ty, con) = (tangent.clone(), tangent_con(&con.name));
            vec![code.one(Op::Con { ty, con, args })]
        })
    }

    /// `T.fill`: from a value of `T` and a tangent to the value of that form with the tangent's reals.
    fn fill(&mut self, data: &Name) -> Name {
        let own = self.own_type(data).1;
        let signature = |code: &mut Code, tangent: &Type| {
            Signature::of(vec![code.fresh(tangent.clone())], vec![own])
        };
        self.through(data, "fill", signature, |code, con, fields, params, _| {
            let Type::Data(_, _, sizes) = &params[0].ty else { panic!("a sum type") };
            let mut given = atoms(&fields[..con.sizes.len()]);
            given.push(Atom::Var(params[1].var));
            let (def, sizes) = (get_name(&con.name), sizes.clone());
            let call =
                Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args: given });
            let mut tangents = code.emit(call).into_iter();
            let mut args = atoms(&fields[..con.sizes.len()]);
            for field in &fields[con.sizes.len()..] {
                let field = Atom::Var(field.var);
                let ty = code.type_of(&field);
                args.push(match code.tangent(&ty) {
                    Some(_) => {
                        let tangent = tangents.next().expect("a tangent for each field");
                        code.filled(field, tangent)
                    }
                    None => code.discrete_zero(field),
                });
            }
            vec![code.one(Op::Con { ty: params[0].ty.clone(), con: con.name.clone(), args })]
        })
    }

    /// `T.blank`: the value with zeros in its leaves, of a type without reals.
    fn blank(&mut self, data: &Name) -> Name {
        let own = self.own_type(data).1;
        let signature = |_: &mut Code, _: &Type| Signature::of(Vec::new(), vec![own]);
        self.through(data, "blank", signature, |code, con, fields, params, _| {
            let mut args = atoms(&fields[..con.sizes.len()]);
            for field in &fields[con.sizes.len()..] {
                args.push(code.discrete_zero(Atom::Var(field.var)));
            }
            vec![code.one(Op::Con { ty: params[0].ty.clone(), con: con.name.clone(), args })]
        })
    }

    /// A definition that goes through the constructors of a sum type, made once. The signature and the
    /// arms are told the type of tangents, which is the type itself if it has no reals.
    pub(crate) fn through(
        &mut self,
        data: &Name,
        what: &str,
        signature: impl FnOnce(&mut Code, &Type) -> Signature,
        arm: impl Fn(&mut Code, &ir::ConDecl, &[Binder], &[Binder], &Type) -> Vec<Atom>,
    ) -> Name {
        let name = data.part(what);
        if self.program().defs.contains_key(&name) {
            return name;
        }
        let decl = self.program().datas[data].clone();
        let (mut size_params, ty) = self.own_type(data);
        let tangent = self.tangent(&ty).unwrap_or_else(|| ty.clone());
        let own = decl.cons.iter().flat_map(|it| &it.sizes);
        let first = decl.size_params.iter().chain(own).map(|it| it.0 + 1).max().unwrap_or(0);
        let outer = self.builder.begin(first);
        let mut params = vec![self.fresh(ty.clone())];
        let Signature { sizes, params: more, results } = signature(self, &tangent);
        params.extend(more);
        size_params.extend(sizes);
        size_params.iter().for_each(|it| self.builder.declare(*it, Type::Int));
        let results = results.into_iter().map(|it| self.fresh(it)).collect();
        let next_var = self.builder.next_var();
        let stub =
            stub((name.clone(), Origin::Data), size_params, params.clone(), results, next_var);
        self.define_shared(stub.clone());
        self.builder.open();
        let mut arms = Vec::new();
        for con in &decl.cons {
            let fields = self.fields(&ty, &con.name);
            self.builder.open();
            let values = arm(self, con, &fields, &params, &tangent);
            let body = self.builder.close(values);
            arms.push(Arm { con: con.name.clone(), fields, body });
        }
        let value = Atom::Var(params[0].var);
        let given = self.emit(Op::Control(ControlOp::Match { value, arms, otherwise: None }));
        let body = self.builder.close(given);
        let (next_var, spans) = self.builder.end(outer);
        let def = Def { body, next_var, spans, ..Def::clone(&stub) };
        self.define(def);
        name
    }
}
