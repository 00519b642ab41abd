//! Array operations: most are the same operation on an array of pairs.

use ir::{ArrayOp, Atom, ControlOp, Dependence, Op, Prim, Reduction, Size, Stmt, Type};

use super::{Dual, Numbers};
use crate::linear::arrays::on_tangents;

impl<N: Numbers> Dual<'_, N> {
    pub(super) fn array(&mut self, stmt: &Stmt, op: &ArrayOp) {
        let same = || Op::Array(op.clone());
        match op.dependence() {
            Dependence::Discrete(None) => self.bind(stmt, same()),
            Dependence::Discrete(Some(operand)) => {
                let primal = self.primal(operand);
                let ty = stmt.binders[0].ty.clone();
                self.bind(stmt, on_tangents(op, &[operand], &[primal], &ty));
            }
            // What is moved takes its tangent along.
            Dependence::Moves(operands) if operands.len() == 1 && !is_literal(op) => {
                self.bind(stmt, same());
            }
            Dependence::Moves(operands) => {
                let duals: Vec<Atom> = operands.iter().map(|it| self.dual(it)).collect();
                let ty = N::dual(&stmt.binders[0].ty);
                self.bind(stmt, on_tangents(op, &operands, &duals, &ty));
            }
            Dependence::Adds(operands) => self.adds(stmt, op, &operands),
            Dependence::Product { axis, array } => {
                let (primal, tangent) = (self.primal(array), self.tangent(array));
                self.product(stmt, axis, primal, tangent);
            }
            Dependence::Extremum { reduction, axis, array } => {
                let (primal, tangent) = (self.primal(array), self.tangent(array));
                self.extremum(stmt, reduction, axis, primal, tangent);
            }
            Dependence::Sorts(array) => self.sort(stmt, array),
            Dependence::Filters { array, predicate } => self.filter(stmt, array, predicate),
        }
    }

    fn product(&mut self, stmt: &Stmt, axis: usize, primal: Atom, tangent: Atom) {
        let rows = self.axis_first(axis, primal);
        let tangent = self.axis_first(axis, tangent);
        let [product, tangent] = N::product(self, &stmt.binders[0].ty, rows, tangent);
        self.bind_pair(stmt, product, tangent);
    }

    /// The array with one axis moved to the front.
    fn axis_first(&mut self, axis: usize, array: Atom) -> Atom {
        if axis == 0 {
            return array;
        }
        let permutation = std::iter::once(axis).chain(0..axis).collect();
        self.builder.one(Op::Array(ArrayOp::Transpose { array, permutation }))
    }

    /// The tangent is that of the first greatest (least) element; zero if there is none.
    fn extremum(
        &mut self,
        stmt: &Stmt,
        reduction: Reduction,
        axis: usize,
        primal: Atom,
        tangent: Atom,
    ) {
        let result =
            self.builder.one(Op::Array(ArrayOp::Reduce { reduction, axis, array: primal.clone() }));
        let sizes = self.builder.type_of(&result).split_arrays().0;
        let tangent = if sizes.is_empty() {
            self.row_extremum(reduction, primal, tangent)
        } else {
            self.row_extrema(reduction, axis, &sizes, primal, tangent)
        };
        self.bind_pair(stmt, result, tangent);
    }

    /// The tangents of the extrema of every row along one axis of a larger array.
    fn row_extrema(
        &mut self,
        reduction: Reduction,
        axis: usize,
        sizes: &[Size],
        primal: Atom,
        tangent: Atom,
    ) -> Atom {
        // The axis becomes the last one, so that a row is what all other indices lead to.
        let permutation: Vec<usize> =
            (0..=sizes.len()).filter(|it| *it != axis).chain([axis]).collect();
        let mut transpose = |array| {
            let permutation = permutation.clone();
            self.builder.one(Op::Array(ArrayOp::Transpose { array, permutation }))
        };
        let (primal, tangent) = (transpose(primal), transpose(tangent));
        let indices: Vec<_> = sizes.iter().map(|_| self.builder.fresh(Type::Int)).collect();
        let atoms: Vec<Atom> = indices.iter().map(|it| Atom::Var(*it)).collect();
        self.builder.open();
        let mut row =
            |array| self.builder.one(Op::Array(ArrayOp::Index { array, indices: atoms.clone() }));
        let (primal, tangent) = (row(primal), row(tangent));
        let tangent = self.row_extremum(reduction, primal, tangent);
        let body = self.builder.close(vec![tangent]);
        self.builder.one(Op::Control(ControlOp::Build { sizes: sizes.to_vec(), indices, body }))
    }

    fn row_extremum(&mut self, reduction: Reduction, primal: Atom, tangent: Atom) -> Atom {
        let size = self.builder.type_of(&primal).split_arrays().0.remove(0);
        let size = self.builder.one(Op::Size(size));
        let cond = self.builder.one(Op::Prim(Prim::Gt, vec![size, Atom::Int(0)]));
        self.builder.open();
        let at = self.builder.one(match reduction {
            Reduction::Minimum => Op::Array(ArrayOp::Argmin(primal)),
            Reduction::Maximum | Reduction::Sum | Reduction::Product => {
                Op::Array(ArrayOp::Argmax(primal))
            }
        });
        let element =
            self.builder.one(Op::Array(ArrayOp::Index { array: tangent, indices: vec![at] }));
        let then = self.builder.close(vec![element]);
        self.builder.open();
        let zero = N::zero(&mut self.builder);
        let otherwise = self.builder.close(vec![zero]);
        self.builder.one(Op::Control(ControlOp::If { cond, then, otherwise }))
    }

    /// Addition is linear: primal parts and tangents each by themselves.
    fn adds(&mut self, stmt: &Stmt, op: &ArrayOp, operands: &[&Atom]) {
        let duals: Vec<Atom> = operands.iter().map(|it| self.dual(it)).collect();
        // All parts are taken first: then nobody else holds them, and they are changed in place.
        let (mut primals, mut tangents) = (Vec::new(), Vec::new());
        for dual in duals.into_iter().rev() {
            primals.push(self.builder.one(Op::Proj { tuple: dual.clone(), index: 0 }));
            tangents.push(self.builder.one(Op::Proj { tuple: dual, index: 1 }));
        }
        primals.reverse();
        tangents.reverse();
        let ty = &stmt.binders[0].ty;
        let primal = self.builder.one(on_tangents(op, operands, &primals, ty));
        let tangent = self.builder.one(on_tangents(op, operands, &tangents, ty));
        self.bind_pair(stmt, primal, tangent);
    }

    /// The tangents go where their elements go.
    pub(super) fn sort(&mut self, stmt: &Stmt, array: &Atom) {
        let primal = self.primal(array);
        let indices = self.builder.one(Op::Array(ArrayOp::Argsort(primal)));
        let indices = vec![indices];
        self.bind(stmt, Op::Array(ArrayOp::Gather { array: array.clone(), indices, mask: None }));
    }
}

fn is_literal(op: &ArrayOp) -> bool {
    matches!(op, ArrayOp::Literal { .. })
}
