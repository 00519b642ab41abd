//! Tangents of sum types, backwards.

use base::Name;
use ir::{Atom, FunctionOp, Op, Type};

use super::Transpose;
use crate::linear::arrays::Cotangents;
use crate::linear::tangent::get_name;

impl Transpose<'_> {
    pub(crate) fn con(&mut self, ty: &Type, con: &Name, args: &[Atom], c: Atom) {
        let Type::Data(_, _, sizes) = ty else { panic!("compiler bug: {ty} has no constructors") };
        let def = get_name(con);
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
}
