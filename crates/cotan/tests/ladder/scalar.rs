//! Primitives on scalars, and their partial derivatives as numbers, by the formulas of the table.

use std::collections::BTreeMap;

use eval::Value as Scalar;
use eval::kernels::elementwise::{Precision, apply};
use ir::prim::Rule;
use ir::{Atom, Builder, Op, Partial, Prim, Program, Stmt, Type, Var};

use crate::ladder::rung::Factor;

/// The value of a primitive of scalars.
pub(crate) fn primitive(prim: Prim, args: &[Scalar]) -> Result<Scalar, String> {
    let (value, _) = apply(prim, &mut args.to_vec(), Precision::F64)
        .map_err(|fault| format!("{prim:?}: {fault:?}"))?;
    Ok(value)
}

/// The partial derivatives of the primitives met so far, as statements.
#[derive(Default)]
pub(crate) struct Partials {
    formulas: BTreeMap<Prim, Formulas>,
}

struct Formulas {
    args: Vec<Var>,
    result: Var,
    stmts: Vec<Stmt>,
    partials: Vec<Partial>,
}

impl Partials {
    /// The partial derivative by each operand, `None` if it is zero everywhere.
    pub(crate) fn at(&mut self, prim: Prim, args: &[Scalar], result: f64) -> Vec<Option<Factor>> {
        let formulas = self.formulas.entry(prim).or_insert_with(|| Formulas::of(prim));
        let mut scope: BTreeMap<Var, Scalar> =
            formulas.args.iter().copied().zip(args.iter().cloned()).collect();
        scope.insert(formulas.result, Scalar::Real(result));
        for stmt in &formulas.stmts {
            let Op::Prim(prim, atoms) = &stmt.op else { panic!("no primitive: {}", stmt.op) };
            let args: Vec<Scalar> = atoms.iter().map(|it| scalar(&scope, it)).collect();
            let value = primitive(*prim, &args).expect("formulas are total");
            scope.insert(stmt.binders[0].var, value);
        }
        let factor = |partial: &Partial| match partial {
            Partial::Zero => None,
            Partial::One => Some(Factor::One),
            Partial::MinusOne => Some(Factor::Times(-1.0)),
            Partial::Times(atom) => {
                let Scalar::Real(value) = scalar(&scope, atom) else { panic!("no real: {atom:?}") };
                Some(Factor::Times(value))
            }
        };
        formulas.partials.iter().map(factor).collect()
    }
}

impl Formulas {
    fn of(prim: Prim) -> Formulas {
        let program = Program::default();
        let mut builder = Builder::new(&program, 0);
        builder.open();
        let mut types = vec![Type::Real; prim.arity()];
        if prim.row().rule == Rule::IntReal {
            types[0] = Type::Int;
        }
        if prim.row().rule == Rule::Choose {
            types[0] = Type::Bool;
        }
        let args: Vec<Var> = types.into_iter().map(|it| builder.fresh(it)).collect();
        let result = builder.fresh(Type::Real);
        let atoms: Vec<Atom> = args.iter().copied().map(Atom::Var).collect();
        let partials = ir::partials(&mut builder, prim, &atoms, &Atom::Var(result), &|_| true);
        let stmts = builder.close(Vec::new()).stmts;
        Formulas { args, result, stmts, partials }
    }
}

fn scalar(scope: &BTreeMap<Var, Scalar>, atom: &Atom) -> Scalar {
    match atom {
        Atom::Var(var) => scope[var].clone(),
        Atom::Real(literal) => Scalar::Real(literal.0),
        Atom::Int(value) => Scalar::Int(*value),
        Atom::Bool(value) => Scalar::Bool(*value),
        Atom::Str(_) => panic!("no formula has a string"),
    }
}
