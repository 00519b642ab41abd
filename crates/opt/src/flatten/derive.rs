//! Matrices of derivatives: their results in the order of the leaves.

use base::Name;
use ir::{Atom, Op, Operator, Stmt, Type, Var};

use super::Flatten;
use crate::refusal::{Reason, Refusal};

/// What a matrix of derivatives has a row for.
pub(super) enum Matrix {
    /// Each result of the definition: `jacobian`.
    Results,
    /// Each parameter: `hessian`.
    Params,
}

/// The operators that give a value for each of the rows and each parameter.
pub(super) fn matrix(operator: Operator) -> Option<Matrix> {
    match operator {
        Operator::Jacobian => Some(Matrix::Results),
        Operator::Hessian => Some(Matrix::Params),
        Operator::Jvp | Operator::Vjp | Operator::Grad => None,
        Operator::ValueAndGrad | Operator::Hvp | Operator::Linearise => None,
    }
}

impl Flatten<'_, '_> {
    /// The operation gives a result for each leaf of a row and each leaf of a parameter. For a row
    /// and a parameter, that are the leaves of the row with every real replaced by those of the
    /// parameter; what has no reals is there once.
    pub(super) fn matrix(
        &mut self,
        stmt: &Stmt,
        matrix: Matrix,
        def: &Name,
        n_captured: usize,
        op: Op,
    ) -> Result<(), Refusal> {
        let Some(def) = self.datas.source.defs.get(def) else {
            return self.refuse(Reason::NoDefinition(def.clone()), None);
        };
        let types = |it: &[ir::Binder]| it.iter().map(|it| it.ty.clone()).collect::<Vec<Type>>();
        let params = types(&def.params[n_captured..]);
        let rows = match matrix {
            Matrix::Results => types(&def.results),
            Matrix::Params => params.clone(),
        };
        let have_reals =
            |it: &Type| self.datas.leaf_types(it).map(|it| it.iter().map(has_real).collect());
        let rows: Vec<Vec<bool>> = rows.iter().map(have_reals).collect::<Result<_, _>>()?;
        let n_leaves = |it: &Type| self.datas.leaf_types(it).map(|it| it.len());
        let params: Vec<usize> = params.iter().map(n_leaves).collect::<Result<_, _>>()?;

        let height: usize = rows.iter().map(Vec::len).sum();
        let width: usize = params.iter().sum();
        let fresh = (0..height * width).map(|_| self.builder.fresh(Type::unit()));
        let vars: Vec<Var> = fresh.collect();
        self.push(&vars, op)?;
        let mut binders = stmt.binders.iter();
        let mut top = 0;
        for row in &rows {
            let mut left = 0;
            for columns in &params {
                let binder = binders.next().expect("a result for each row and parameter");
                let cells = row.iter().enumerate().flat_map(|(at, has_real)| {
                    let from = (top + at) * width + left;
                    from..from + if *has_real { *columns } else { 1 }
                });
                let leaves = cells.map(|it| Atom::Var(vars[it])).collect();
                self.alias(binder, leaves);
                left += columns;
            }
            top += row.len();
        }
        Ok(())
    }
}

/// Whether a leaf, which is no sum type with reals, has some.
fn has_real(leaf: &Type) -> bool {
    *leaf.split_arrays().1 == Type::Real
}
