//! Sums of tangents of sum types in arrays: all rows of one, and one added at positions of another.

use ir::{ArrayOp, Atom, Block, ControlOp, Loop, Op, Prim, Size, Type, Var};

use super::code::Code;

impl Code {
    /// The sum of the rows of an array of tangents of a sum type.
    pub(crate) fn fold_rows(&mut self, array: Atom) -> Atom {
        let Type::Array(_, row) = self.type_of(&array) else { panic!("compiler bug: an array") };
        let zero = self.zeros(&row);
        let (state, elem) = (self.fresh((*row).clone()), self.fresh((*row).clone()));
        self.builder.open();
        let sum = self.add(Atom::Var(state.var), Atom::Var(elem.var));
        let body = self.builder.close(vec![sum]);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.one(Op::Control(ControlOp::Fold { inits: vec![zero], arrays: vec![array], step }))
    }

    /// The array of tangents of a sum type with others added at positions: one position after the
    /// other, each by a new array.
    pub(crate) fn scatter_sums(&mut self, sum: Atom, indices: &[Atom], c: Atom) -> Atom {
        let sizes: Vec<Size> =
            indices.iter().map(|it| self.sizes_of(it)).max_by_key(Vec::len).unwrap_or_default();
        if sizes.is_empty() {
            return self.add_at(sum, indices, c);
        }
        let count = sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        let flat = |code: &mut Code, array: Atom| {
            let (rank, sizes) = (sizes.len(), vec![count.clone()]);
            code.one(Op::Array(ArrayOp::Reshape { array, rank, sizes }))
        };
        let (mut sources, mut elems, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for index in indices {
            if self.sizes_of(index).is_empty() {
                at.push(index.clone());
                continue;
            }
            let elem = self.fresh(Type::Int);
            at.push(Atom::Var(elem.var));
            sources.push(flat(self, index.clone()));
            elems.push(elem);
        }
        let values = flat(self, c);
        let Type::Array(_, value) = self.type_of(&values) else { panic!("compiler bug: an array") };
        let value = self.fresh((*value).clone());
        sources.push(values);
        elems.push(value.clone());
        let state = self.fresh(self.type_of(&sum));
        self.builder.open();
        let next = self.add_at(Atom::Var(state.var), &at, Atom::Var(value.var));
        let body = self.builder.close(vec![next]);
        let step = Loop { state: vec![state], elems, body };
        self.one(Op::Control(ControlOp::Fold { inits: vec![sum], arrays: sources, step }))
    }

    /// The array with a value added at one position.
    fn add_at(&mut self, array: Atom, at: &[Atom], value: Atom) -> Atom {
        let mut sizes = self.sizes_of(&array);
        sizes.truncate(at.len());
        let indices: Vec<Var> = sizes.iter().map(|_| self.fresh(Type::Int).var).collect();
        let here: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let element = self.one(Op::Array(ArrayOp::Index { array, indices: here.clone() }));
        let mut cond = Atom::Bool(true);
        for (here, at) in here.into_iter().zip(at) {
            let same = self.prim(Prim::Eq, vec![here, at.clone()]);
            cond = self.prim(Prim::And, vec![cond, same]);
        }
        self.builder.open();
        let sum = self.add(element.clone(), value);
        let then = self.builder.close(vec![sum]);
        let otherwise = Block { stmts: Vec::new(), results: vec![element] };
        let result = self.one(Op::Control(ControlOp::If { cond, then, otherwise }));
        let body = self.builder.close(vec![result]);
        self.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }
}
