//! Partial derivatives of primitives as terms, from the one table.

use base::Name;
use ir::prim::Rule;
use ir::{Atom, Builder, Op, Prim, Program, Type as IrType, Var};

use super::term::Term;

/// A partial derivative.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Partial {
    /// The operand is discrete, or the result does not depend on it.
    Zero,
    One,
    MinusOne,
    Times(Term),
}

/// Which operands of a primitive that gives a real are reals.
pub(super) fn real_operands(prim: Prim) -> Vec<bool> {
    match prim.row().rule {
        Rule::Number1 | Rule::Real1 => vec![true],
        Rule::Number2 | Rule::Real2 => vec![true, true],
        Rule::IntReal => vec![false, true],
        Rule::Choose => vec![false, true, true],
        Rule::IntToReal => vec![false],
        // These give no real.
        Rule::RealToInt | Rule::TestReal => vec![true],
        Rule::Compare => vec![true, true],
        Rule::Bool1 => vec![false],
        Rule::Bool2 | Rule::Int2 => vec![false, false],
    }
}

/// The partial derivative by each operand of a primitive that gives a real.
pub(super) fn partials(prim: Prim, args: &[Term]) -> Vec<Partial> {
    let program = Program::default();
    let mut builder = Builder::new(&program, 0);
    builder.open();
    let types = real_operands(prim).into_iter().map(|it| match (it, prim.row().rule) {
        (true, _) => IrType::Real,
        (false, Rule::Choose) => IrType::Bool,
        (false, _) => IrType::Int,
    });
    let vars: Vec<Var> = types.map(|it| builder.fresh(it)).collect();
    let result = builder.fresh(IrType::Real);
    let atoms: Vec<Atom> = vars.iter().map(|it| Atom::Var(*it)).collect();
    let is_wanted = |at: usize| !ir::partial::is_zero(prim, at);
    let found = ir::partial::partials(&mut builder, prim, &atoms, &Atom::Var(result), &is_wanted);
    let mut known: Vec<(Var, Term)> = vars.into_iter().zip(args.iter().cloned()).collect();
    known.push((result, Term::Op(prim, args.to_vec())));
    for stmt in builder.close(Vec::new()).stmts {
        let Op::Prim(prim, args) = &stmt.op else {
            panic!("compiler bug: a formula of the table is made of primitives")
        };
        let args = args.iter().map(|it| term(it, &known)).collect();
        known.push((stmt.binders[0].var, Term::Op(*prim, args)));
    }
    let partial = |it: &ir::Partial| match it {
        ir::Partial::Zero => Partial::Zero,
        ir::Partial::One => Partial::One,
        ir::Partial::MinusOne => Partial::MinusOne,
        ir::Partial::Times(atom) => Partial::Times(term(atom, &known)),
    };
    found.iter().map(partial).collect()
}

fn term(atom: &Atom, known: &[(Var, Term)]) -> Term {
    match atom {
        Atom::Var(var) => {
            let found = known.iter().find(|it| it.0 == *var);
            found.map_or_else(|| Term::Var(Name::from(var.to_string())), |it| it.1.clone())
        }
        Atom::Real(value) => Term::Real(*value),
        Atom::Int(value) => Term::Int(*value),
        Atom::Bool(_) | Atom::Str(_) => panic!("compiler bug: no such constant in a formula"),
    }
}
