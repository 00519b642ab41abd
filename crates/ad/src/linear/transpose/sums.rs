//! Tangents of sum types, alone and in arrays, backwards.

use base::Name;
use ir::{ArrayOp, Atom, Block, ControlOp, FunctionOp, Loop, Op, Prim, Size, Type, Var};

use super::Transpose;
use crate::linear::code::Code;
use crate::linear::tangent::get_name;

impl Transpose<'_> {
    pub(crate) fn con(&mut self, ty: &Type, con: &Name, args: &[Atom], c: Atom) {
        let Type::Data(_, _, sizes) = ty else { panic!("compiler bug: {ty} has no constructors") };
        let name = Name::new(con.strip_suffix(".d").expect("a constructor of tangents"));
        let def = get_name(&name);
        let n_sizes = self.code.program().defs[&def].params.len() - 1;
        let given = args[..n_sizes].iter().cloned().chain([c]).collect();
        let sizes = sizes.clone();
        let fields = self.code.emit(Op::Function(FunctionOp::Call {
            def,
            types: Vec::new(),
            sizes,
            args: given,
        }));
        for (arg, field) in args[n_sizes..].iter().zip(fields) {
            self.contribute(arg, field);
        }
    }

    /// The sum of the rows of an array of tangents of a sum type.
    pub(crate) fn fold_rows(&mut self, array: Atom) -> Atom {
        let Type::Array(_, row) = self.code.type_of(&array) else { panic!("an array") };
        let zero = self.code.zeros(&row);
        let (state, elem) = (self.code.fresh((*row).clone()), self.code.fresh((*row).clone()));
        self.code.builder.open();
        let sum = self.code.add(Atom::Var(state.var), Atom::Var(elem.var));
        let body = self.code.builder.close(vec![sum]);
        let step = Loop { state: vec![state], elems: vec![elem], body };
        self.code.one(Op::Control(ControlOp::Fold { inits: vec![zero], arrays: vec![array], step }))
    }

    /// Adds tangents of a sum type at positions of an array of them: one position after the other,
    /// each by a new array.
    pub(crate) fn scatter_sums(&mut self, array: &Atom, indices: &[Atom], c: Atom) {
        let sizes: Vec<Size> = indices
            .iter()
            .map(|it| self.code.sizes_of(it))
            .max_by_key(Vec::len)
            .unwrap_or_default();
        if sizes.is_empty() {
            let indices = indices.to_vec();
            return self.update(array, |code, sum| add_at(code, sum, &indices, c));
        }
        let count = sizes.iter().fold(Size::constant(1), |product, it| product.mul(it));
        let flat = |code: &mut Code, array: Atom| {
            let (rank, sizes) = (sizes.len(), vec![count.clone()]);
            code.one(Op::Array(ArrayOp::Reshape { array, rank, sizes }))
        };
        let (mut sources, mut elems, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for index in indices {
            if self.code.sizes_of(index).is_empty() {
                at.push(index.clone());
                continue;
            }
            let elem = self.code.fresh(Type::Int);
            at.push(Atom::Var(elem.var));
            sources.push(flat(self.code, index.clone()));
            elems.push(elem);
        }
        let values = flat(self.code, c);
        let Type::Array(_, value) = self.code.type_of(&values) else { panic!("an array") };
        let value = self.code.fresh((*value).clone());
        sources.push(values);
        elems.push(value.clone());
        self.update(array, |code, sum| {
            let state = code.fresh(code.type_of(&sum));
            code.builder.open();
            let next = add_at(code, Atom::Var(state.var), &at, Atom::Var(value.var));
            let body = code.builder.close(vec![next]);
            let step = Loop { state: vec![state], elems, body };
            code.one(Op::Control(ControlOp::Fold { inits: vec![sum], arrays: sources, step }))
        });
    }
}

/// The array with a value added at one position.
fn add_at(code: &mut Code, array: Atom, at: &[Atom], value: Atom) -> Atom {
    let mut sizes = code.sizes_of(&array);
    sizes.truncate(at.len());
    let indices: Vec<Var> = sizes.iter().map(|_| code.fresh(Type::Int).var).collect();
    let here: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
    code.builder.open();
    let element = code.one(Op::Array(ArrayOp::Index { array, indices: here.clone() }));
    let mut cond = Atom::Bool(true);
    for (here, at) in here.into_iter().zip(at) {
        let same = code.prim(Prim::Eq, vec![here, at.clone()]);
        cond = code.prim(Prim::And, vec![cond, same]);
    }
    code.builder.open();
    let sum = code.add(element.clone(), value);
    let then = code.builder.close(vec![sum]);
    let otherwise = Block { stmts: Vec::new(), results: vec![element] };
    let result = code.one(Op::Control(ControlOp::If { cond, then, otherwise }));
    let body = code.builder.close(vec![result]);
    code.one(Op::Control(ControlOp::Build { sizes, indices, body }))
}
