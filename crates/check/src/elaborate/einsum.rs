//! `einsum` as a `build` over the axes of the result, of sums of products.

use std::collections::BTreeMap;

use ir::{ArrayOp, Atom, ControlOp, Op, Prim, Reduction};

use crate::einsum::Einsum;
use crate::elaborate::Elaborate;
use crate::typed::{Expr, Kind};

impl Elaborate<'_> {
    pub(super) fn einsum(&mut self, args: &[Expr]) -> Atom {
        let spec = match args.first().map(|it| &it.kind) {
            Some(Kind::Str(text)) => Einsum::read(text).ok(),
            Some(_) | None => None,
        };
        let spec = spec.expect("checked to be a text of einsum");
        let operands: Vec<Atom> = args[1..].iter().map(|it| self.expr(it)).collect();
        let mut sizes: BTreeMap<char, ir::Size> = BTreeMap::new();
        let mut indices: BTreeMap<char, ir::Var> = BTreeMap::new();
        for (operand, letters) in operands.iter().zip(&spec.operands) {
            let (dims, _) = self.b.type_of(operand).split_arrays();
            for (letter, size) in letters.iter().zip(dims) {
                sizes.entry(*letter).or_insert(size);
                indices.entry(*letter).or_insert_with(|| self.b.fresh(ir::Type::Int));
            }
        }
        let summed = spec.summed();
        self.over(&spec.result, (&sizes, &indices), |this| {
            let mut sum = this.over(&summed, (&sizes, &indices), |this| {
                let mut product: Option<Atom> = None;
                for (operand, letters) in operands.iter().zip(&spec.operands) {
                    let at = letters.iter().map(|it| Atom::Var(indices[it])).collect();
                    let factor = this.element(operand.clone(), at);
                    product = Some(match product {
                        Some(so_far) => this.b.one(Op::Prim(Prim::Mul, vec![so_far, factor])),
                        None => factor,
                    });
                }
                product.expect("a text of einsum has an operand")
            });
            for _ in &summed {
                let (reduction, axis, array) = (Reduction::Sum, 0, sum);
                sum = this.b.one(Op::Array(ArrayOp::Reduce { reduction, axis, array }));
            }
            sum
        })
    }

    /// An array over these axes, or the value alone if there are none.
    fn over(
        &mut self,
        letters: &[char],
        (sizes, indices): (&BTreeMap<char, ir::Size>, &BTreeMap<char, ir::Var>),
        value: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        if letters.is_empty() {
            return value(self);
        }
        self.open();
        let result = value(self);
        let body = self.close(vec![result]);
        let sizes = letters.iter().map(|it| sizes[it].clone()).collect();
        let indices = letters.iter().map(|it| indices[it]).collect();
        self.b.one(Op::Control(ControlOp::Build { sizes, indices, body }))
    }

    fn element(&mut self, array: Atom, indices: Vec<Atom>) -> Atom {
        if indices.is_empty() {
            return array;
        }
        self.b.one(Op::Array(ArrayOp::Index { array, indices }))
    }
}
