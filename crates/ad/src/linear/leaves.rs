//! The reals of a value by number, in the order in which its type names them: how many there are, and
//! the tangent whose reals are those of an array. Forward mode takes one direction for each of them.
//!
//! A sum type `T` has the definitions `T.count`, which gives their number, and `T.from`, which takes them
//! from an array, beginning at some place, and also gives the place behind them; its tangents have
//! `T.d.dot`, the scalar product of two.

use base::Name;
use ir::{Arm, ArrayOp, Atom, ControlOp, FunctionOp, Loop, Op, Prim, Size, Type, Var};

use super::code::{Code, atoms, block, real, var_of};
use super::convert::Signature;
use super::tangent::tangent_con;

impl Code {
    /// How many reals a value has; of sum types only running tells.
    pub(crate) fn n_leaves(&mut self, value: &Atom) -> Size {
        let ty = self.type_of(value);
        if self.tangent(&ty).is_none() {
            return Size::constant(0);
        }
        let (sizes, inner) = ty.split_arrays();
        if *inner == Type::Real {
            return sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        }
        let count = if let Type::Data(name, _, sizes) = &ty {
            let (def, sizes) = (self.count(name), sizes.clone());
            self.one(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes,
                args: vec![value.clone()],
            }))
        } else {
            let step = |code: &mut Code, so_far: Atom, element: Atom| {
                let more = code.n_leaves(&element);
                let more = code.int(&more);
                vec![code.prim(Prim::Add, vec![so_far, more])]
            };
            self.through_elements(value, Atom::Int(0), step).remove(0)
        };
        Size::var(var_of(&count).expect("an operation gives a variable"))
    }

    /// The tangent of a value whose reals are those of an array from a place on; and the place behind
    /// them.
    pub(crate) fn tangent_from(&mut self, value: &Atom, reals: &Atom, at: Atom) -> (Atom, Atom) {
        let ty = self.type_of(value);
        if let Type::Data(name, _, sizes) = &ty {
            let n = self.sizes_of(reals).remove(0);
            let (def, sizes) = (self.made_from(name), sizes.iter().cloned().chain([n]));
            let (sizes, args) = (sizes.collect(), vec![value.clone(), reals.clone(), at]);
            let both =
                self.emit(Op::Function(FunctionOp::Call { def, types: Vec::new(), sizes, args }));
            return (both[0].clone(), both[1].clone());
        }
        let (sizes, inner) = ty.split_arrays();
        if *inner != Type::Real {
            let step = |code: &mut Code, at: Atom, element: Atom| {
                let (tangent, behind) = code.tangent_from(&element, reals, at);
                vec![behind, tangent]
            };
            let both = self.through_elements(value, at, step);
            return (both[1].clone(), both[0].clone());
        }
        let tangent = self.part(reals, &at, &sizes);
        let count = self.n_leaves(value);
        let count = self.int(&count);
        (tangent, self.prim(Prim::Add, vec![at, count]))
    }

    /// An array of these sizes of the elements of `reals` from a place on.
    fn part(&mut self, reals: &Atom, at: &Atom, sizes: &[Size]) -> Atom {
        if sizes.is_empty() {
            return self.one(Op::Array(ArrayOp::Index {
                array: reals.clone(),
                indices: vec![at.clone()],
            }));
        }
        let indices: Vec<Var> = sizes.iter().map(|_| self.fresh(Type::Int).var).collect();
        self.builder.open();
        let mut number = Atom::Int(0);
        for (index, size) in indices.iter().zip(sizes) {
            let size = self.int(size);
            let scaled = self.prim(Prim::Mul, vec![number, size]);
            number = self.prim(Prim::Add, vec![scaled, Atom::Var(*index)]);
        }
        let at = self.prim(Prim::Add, vec![at.clone(), number]);
        let real = self.one(Op::Array(ArrayOp::Index { array: reals.clone(), indices: vec![at] }));
        let body = self.builder.close(vec![real]);
        self.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }

    /// The scalar product of two tangents of one value.
    pub(crate) fn dot(&mut self, left: &Atom, right: &Atom) -> Atom {
        let ty = self.type_of(left);
        let (sizes, inner) = ty.split_arrays();
        let Type::Data(name, _, size_args) = inner else {
            let products = self.prim(Prim::Scale, vec![left.clone(), right.clone()]);
            return self.total(products);
        };
        let (def, size_args) = (self.dot_of(name), size_args.clone());
        let products = self.each_element(&sizes, &[left.clone(), right.clone()], |code, args| {
            code.one(Op::Function(FunctionOp::Call {
                def,
                types: Vec::new(),
                sizes: size_args,
                args,
            }))
        });
        self.total(products)
    }

    /// A fold over the rows of an array with one `Int` as its state; what else a step gives is collected.
    fn through_elements(
        &mut self,
        array: &Atom,
        init: Atom,
        step: impl FnOnce(&mut Code, Atom, Atom) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let Type::Array(_, elem) = self.type_of(array) else { panic!("compiler bug: no array") };
        let (state, elem) = (self.fresh(Type::Int), self.fresh((*elem).clone()));
        self.builder.open();
        let given = step(self, Atom::Var(state.var), Atom::Var(elem.var));
        let body = self.builder.close(given);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.emit(Op::Control(ControlOp::Fold {
            inits: vec![init],
            arrays: vec![array.clone()],
            step,
        }))
    }
}

impl Code {
    /// `T.count(value)`
    fn count(&mut self, data: &Name) -> Name {
        let signature = |_: &mut Code, _: &Type| Signature::of(Vec::new(), vec![Type::Int]);
        self.through(data, "count", signature, |code, _, fields, _, _| {
            let mut sum = Atom::Int(0);
            for field in fields {
                let count = code.n_leaves(&Atom::Var(field.var));
                let count = code.int(&count);
                sum = code.prim(Prim::Add, vec![sum, count]);
            }
            vec![sum]
        })
    }

    /// `T.from(value, reals, at)`
    fn made_from(&mut self, data: &Name) -> Name {
        let signature = |code: &mut Code, tangent: &Type| {
            let n = code.fresh(Type::Int).var;
            let reals = code.fresh(Type::array(Size::var(n), Type::Real));
            let params = vec![reals, code.fresh(Type::Int)];
            Signature { sizes: vec![n], params, results: vec![tangent.clone(), Type::Int] }
        };
        self.through(data, "from", signature, |code, con, fields, params, tangent| {
            let (reals, mut at) = (Atom::Var(params[1].var), Atom::Var(params[2].var));
            let (sizes, fields) = fields.split_at(con.sizes.len());
            let mut args = atoms(sizes);
            for field in fields {
                if code.tangent(&field.ty).is_none() {
                    continue;
                }
                let (part, behind) = code.tangent_from(&Atom::Var(field.var), &reals, at);
                args.push(part);
                at = behind;
            }
            let (ty, con) = (tangent.clone(), tangent_con(&con.name));
            vec![code.one(Op::Con { ty, con, args }), at]
        })
    }

    /// `T.d.dot(left, right)`: zero if one is zero, else field by field.
    fn dot_of(&mut self, tangent: &Name) -> Name {
        let signature = |code: &mut Code, ty: &Type| {
            Signature::of(vec![code.fresh(ty.clone())], vec![Type::Real])
        };
        self.through(tangent, "dot", signature, |code, con, fields, params, _| {
            if con.fields.len() == con.sizes.len() {
                return vec![real(0.0)];
            }
            let right = &params[1];
            let others = code.fields(&right.ty, &con.name);
            code.builder.open();
            let mut sum = real(0.0);
            for (x, y) in fields.iter().zip(&others).skip(con.sizes.len()) {
                let y: Atom = code.fit(Atom::Var(y.var), &x.ty);
                let product = code.dot(&Atom::Var(x.var), &y);
                sum = code.prim(Prim::Add, vec![sum, product]);
            }
            let body = code.builder.close(vec![sum]);
            let arms = vec![Arm { con: con.name.clone(), fields: others, body }];
            let otherwise = Some(block(Vec::new(), vec![real(0.0)]));
            vec![code.one(Op::Control(ControlOp::Match {
                value: Atom::Var(right.var),
                arms,
                otherwise,
            }))]
        })
    }
}
