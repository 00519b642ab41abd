//! The text form of the ir: `Display` for everything in `term.rs`, `types.rs` and `size.rs`.
//!
//! It is complete: `parse.rs` reads it back to an equal program. Spans are not part of it.
//!
//! ```text
//! def square_sum[x0](x1: [x0]Real) -> (x2: Real) {
//!   x3: [x0]Real = mul x1 x1
//!   x4: Real = sum 0 x3
//!   give x4
//! }
//! ```
//! A name that the tokeniser would read as something else is written as a string. `next 9` after
//! the results of a definition gives the first unused variable if it is not the one after the last.

mod names;
pub(crate) mod ops;

use std::fmt::{self, Display, Formatter, Write};

use base::literal::write_string;

use self::names::{DataName, Quoted, TypeVar};
use self::ops::{block, commas, lambda, op, stmt};
use crate::op::{Op, Operator, Reduction, Term};
use crate::size::Size;
use crate::term::{Atom, Binder, Block, Custom, Def, Lambda, Origin, Program, Stmt, Var};
use crate::types::{ConDecl, DataDecl, Type};
use crate::walk;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.datas.values().try_for_each(|it| writeln!(f, "{it}"))?;
        for (at, def) in self.defs.values().enumerate() {
            let gap = if at == 0 && self.datas.is_empty() { "" } else { "\n" };
            writeln!(f, "{gap}{def}")?;
        }
        for (at, (def, custom)) in self.customs.iter().enumerate() {
            let gap = if at == 0 { "\n" } else { "" };
            writeln!(f, "{gap}custom {}{custom}", Quoted(def))?;
        }
        Ok(())
    }
}

impl Display for Custom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (kind, name) in [("vjp", &self.vjp), ("jvp", &self.jvp)] {
            name.iter().try_for_each(|it| write!(f, " {kind} {}", Quoted(it)))?;
        }
        Ok(())
    }
}

impl Display for DataDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "data {}", DataName(&self.name))?;
        if !self.type_params.is_empty() || !self.size_params.is_empty() {
            write!(f, "<{}", commas(self.type_params.iter().map(Quoted)))?;
            if !self.size_params.is_empty() {
                write!(f, "; {}", commas(&self.size_params))?;
            }
            f.write_char('>')?;
        }
        for (at, con) in self.cons.iter().enumerate() {
            write!(f, " {} {con}", if at == 0 { '=' } else { '|' })?;
        }
        Ok(())
    }
}

impl Display for ConDecl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Quoted(&self.name))?;
        if !self.sizes.is_empty() {
            write!(f, "[{}]", commas(&self.sizes))?;
        }
        write!(f, "({})", commas(&self.fields))
    }
}

impl Display for Def {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "def {}", Quoted(&self.name))?;
        if !self.type_params.is_empty() {
            write!(f, "<{}>", commas(self.type_params.iter().map(Quoted)))?;
        }
        if !self.size_params.is_empty() {
            write!(f, "[{}]", commas(&self.size_params))?;
        }
        write!(f, "({}) -> ({}) ", commas(&self.params), commas(&self.results))?;
        if self.next_var != walk::next_var(self) {
            write!(f, "next {} ", self.next_var)?;
        }
        match &self.origin {
            Origin::Source => {}
            Origin::Clause => f.write_str("origin clause ")?,
            Origin::Derivative => f.write_str("origin derivative ")?,
            Origin::Data => f.write_str("origin data ")?,
            Origin::Fields(con) => write!(f, "origin fields {} ", Quoted(con))?,
            Origin::Cast => f.write_str("origin cast ")?,
        }
        block(f, &self.body, 0)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

impl Display for Stmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        stmt(f, self, 0)
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        op(f, self, 0)
    }
}

impl Display for Lambda {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        lambda(f, self, 0)
    }
}

impl Display for Binder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.var, self.ty)
    }
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Var(var) => write!(f, "{var}"),
            Atom::Real(literal) if literal.0.is_nan() => {
                // The bits, because there are many of them.
                write!(f, "nan({})", Atom::Int(literal.0.to_bits().cast_signed()))
            }
            Atom::Real(literal) => write!(f, "{:?}", literal.0),
            // The tokeniser has no number for the least one.
            Atom::Int(i64::MIN) => write!(f, "least"),
            Atom::Int(value) => write!(f, "{value}"),
            Atom::Bool(value) => write!(f, "{value}"),
            Atom::Str(text) => f.write_str(&write_string(text)),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::Real => f.write_str("Real"),
            Type::Int => f.write_str("Int"),
            Type::Bool => f.write_str("Bool"),
            Type::String => f.write_str("String"),
            Type::Tuple(parts) => match &**parts {
                [single] => write!(f, "({single},)"),
                parts => write!(f, "({})", commas(parts)),
            },
            Type::Array(size, elem) => match **elem {
                Type::Function(..) => write!(f, "[{size}]({elem})"),
                Type::Real | Type::Int | Type::Bool | Type::String | Type::Tuple(_) => {
                    write!(f, "[{size}]{elem}")
                }
                Type::Array(..) | Type::Var(_) | Type::Data(..) | Type::Dual(_) => {
                    write!(f, "[{size}]{elem}")
                }
                Type::Delta | Type::Tape(_) => write!(f, "[{size}]{elem}"),
            },
            Type::Function(params, result) => write!(f, "({}) -> {result}", commas(params)),
            Type::Var(name) => write!(f, "{}", TypeVar(name)),
            Type::Data(name, types, sizes) => {
                write!(f, "{}", DataName(name))?;
                if !types.is_empty() || !sizes.is_empty() {
                    write!(f, "<{}", commas(types))?;
                    if !sizes.is_empty() {
                        write!(f, "; {}", commas(sizes))?;
                    }
                    f.write_char('>')?;
                }
                Ok(())
            }
            Type::Dual(inner) => write!(f, "D<{inner}>"),
            Type::Delta => f.write_str("Delta"),
            Type::Tape(inner) => write!(f, "R<{inner}>"),
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.factor, self.delta)
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut first = true;
        // The constant term comes first in the order of terms, and last in the text.
        let constant = self.terms().filter(|(monomial, _)| monomial.is_empty());
        let others = self.terms().filter(|(monomial, _)| !monomial.is_empty());
        for (monomial, coefficient) in others.chain(constant) {
            let negative = coefficient < 0 && coefficient != i64::MIN;
            match (first, negative) {
                (true, false) => {}
                (true, true) => f.write_str("-")?,
                (false, false) => f.write_str(" + ")?,
                (false, true) => f.write_str(" - ")?,
            }
            first = false;
            let size = if negative { -coefficient } else { coefficient };
            let factors: Vec<String> = monomial.iter().map(Var::to_string).collect();
            match (size, factors.is_empty()) {
                (1, false) => write!(f, "{}", factors.join("*"))?,
                (_, false) => write!(f, "{}*{}", Atom::Int(size), factors.join("*"))?,
                (_, true) => write!(f, "{}", Atom::Int(size))?,
            }
        }
        if first { f.write_str("0") } else { Ok(()) }
    }
}

impl Display for Reduction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reduction::Sum => "sum",
            Reduction::Product => "product",
            Reduction::Maximum => "maximum",
            Reduction::Minimum => "minimum",
        })
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Jvp => "jvp",
            Operator::Vjp => "vjp",
            Operator::Grad => "grad",
            Operator::ValueAndGrad => "value_and_grad",
            Operator::Jacobian => "jacobian",
            Operator::Hessian => "hessian",
            Operator::Hvp => "hvp",
            Operator::Linearise => "linearise",
        })
    }
}
