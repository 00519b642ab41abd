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

use std::fmt::{self, Display, Formatter, Write};

use base::literal::write_string;

use self::names::{DataName, Quoted, TypeVar};
use crate::size::Size;
use crate::term::{
    Arm, Atom, Binder, Block, Custom, Def, Lambda, Loop, Op, Operator, Program, Reduction, Stmt,
    Term, Var,
};
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
        })
    }
}

fn block(f: &mut Formatter<'_>, it: &Block, indent: usize) -> fmt::Result {
    f.write_str("{\n")?;
    let inner = indent + 2;
    for it in &it.stmts {
        write!(f, "{:inner$}", "")?;
        stmt(f, it, inner)?;
        f.write_char('\n')?;
    }
    let space = if it.results.is_empty() { "" } else { " " };
    write!(f, "{:inner$}give{space}{}\n{:indent$}}}", "", commas(&it.results), "")
}

fn stmt(f: &mut Formatter<'_>, it: &Stmt, indent: usize) -> fmt::Result {
    let space = if it.binders.is_empty() { "" } else { " " };
    write!(f, "{}{space}= ", commas(&it.binders))?;
    op(f, &it.op, indent)
}

fn lambda(f: &mut Formatter<'_>, it: &Lambda, indent: usize) -> fmt::Result {
    write!(f, "lambda ({}) ", commas(&it.params))?;
    block(f, &it.body, indent)
}

/// One arm per constructor, in the order of `term.rs`.
fn op(f: &mut Formatter<'_>, it: &Op, indent: usize) -> fmt::Result {
    match it {
        Op::Copy(atom) => write!(f, "copy {atom}"),
        Op::Prim(prim, args) => {
            f.write_str(prim.name())?;
            args.iter().try_for_each(|it| write!(f, " {it}"))
        }
        Op::Size(size) => write!(f, "size [{size}]"),

        Op::Tuple { rank: 0, parts } => write!(f, "tuple ({})", commas(parts)),
        Op::Tuple { rank, parts } => write!(f, "tuple {rank} ({})", commas(parts)),
        Op::Proj { tuple, index } => write!(f, "proj {tuple} {index}"),

        Op::Con { ty, con, args } => {
            write!(f, "con {ty} {}({})", Quoted(con), commas(args))
        }
        Op::Match { value, arms, otherwise } => match_(f, value, arms, otherwise.as_ref(), indent),

        Op::Lambda(it) => lambda(f, it, indent),
        Op::Apply(function, args) => write!(f, "apply {function} ({})", commas(args)),
        Op::Call { def, types, sizes, args } => {
            write!(f, "call {}", Quoted(def))?;
            if !types.is_empty() {
                write!(f, "<{}>", commas(types))?;
            }
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, "({})", commas(args))
        }

        Op::If { cond, then, otherwise } => {
            write!(f, "if {cond} ")?;
            block(f, then, indent)?;
            f.write_str(" else ")?;
            block(f, otherwise, indent)
        }
        Op::Build { sizes, indices, body } => {
            let bounds = indices.iter().zip(sizes).map(|(index, size)| format!("{index} < {size}"));
            write!(f, "build ({}) ", commas(bounds))?;
            block(f, body, indent)
        }
        Op::Fold { inits, arrays, step } => loop_(f, "fold", inits, arrays, step, indent),
        Op::Scan { inits, arrays, step } => loop_(f, "scan", inits, arrays, step, indent),
        Op::Iterate { count, index, inits, state, body } => {
            write!(f, "iterate {index} < {count} ({}) ", commas(assignments(state, inits)))?;
            block(f, body, indent)
        }
        Op::While { inits, state, cond, body } => {
            write!(f, "while ({}) ", commas(assignments(state, inits)))?;
            block(f, cond, indent)?;
            f.write_str(" do ")?;
            block(f, body, indent)
        }

        Op::Array { elem, parts } => write!(f, "array {elem} ({})", commas(parts)),
        Op::Index { array, indices } => write!(f, "index {array} ({})", commas(indices)),
        Op::Slice { array, axis, from, to } => write!(f, "slice {array} {axis} [{from}] [{to}]"),
        Op::Reduce { reduction, axis, array } => write!(f, "{reduction} {axis} {array}"),
        Op::Argmax(array) => write!(f, "argmax {array}"),
        Op::Argmin(array) => write!(f, "argmin {array}"),
        Op::Gather { array, indices, mask } => {
            write!(f, "gather {array} ({})", commas(indices))?;
            masked(f, mask.as_ref())
        }
        Op::Scatter { into, indices, values, mask } => {
            write!(f, "scatter {into} ({}) {values}", commas(indices))?;
            masked(f, mask.as_ref())
        }
        Op::Replicate { size, value } => write!(f, "replicate [{size}] {value}"),
        Op::Iota(size) => write!(f, "iota [{size}]"),
        Op::Transpose { array, permutation } => {
            write!(f, "transpose {array} ({})", commas(permutation))
        }
        Op::Reshape { array, rank, sizes } => {
            write!(f, "reshape {array} {rank} [{}]", commas(sizes))
        }
        Op::Reverse(array) => write!(f, "reverse {array}"),
        Op::Concat(arrays) => write!(f, "concat ({})", commas(arrays)),
        Op::Sort(array) => write!(f, "sort {array}"),
        Op::Argsort(array) => write!(f, "argsort {array}"),
        Op::Filter { array, predicate } => {
            write!(f, "filter {array} ")?;
            lambda(f, predicate, indent)
        }
        Op::Sized { array, size } => write!(f, "sized {array} [{size}]"),

        Op::Equal(left, right) => write!(f, "equal {left} {right}"),
        Op::Close(left, right) => write!(f, "close {left} {right}"),

        Op::StopGradient(value) => write!(f, "stop_gradient {value}"),
        Op::Lift { level, value } => write!(f, "lift {level} {value}"),
        Op::Primal { level, value } => write!(f, "primal {level} {value}"),
        Op::Tangent { level, value } => write!(f, "tangent {level} {value}"),
        Op::Pair { level, value, tangent } => write!(f, "pair {level} {value} {tangent}"),
        Op::Derive { operator, level, function, args } => {
            write!(f, "{operator} {level} {function} ({})", commas(args))
        }
        Op::Derivative { operator, def, sizes, captured, args } => {
            write!(f, "derivative {operator} {}", Quoted(def))?;
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, " ({}) ({})", commas(captured), commas(args))
        }

        Op::Combine(terms) => write!(f, "combine ({})", commas(terms)),
        Op::Zeros(value) => write!(f, "zeros {value}"),
        Op::Strip(value) => write!(f, "strip {value}"),
        Op::Pullback { value, inputs, function } => {
            write!(f, "pullback {value} ({}) {function}", commas(inputs))
        }
    }
}

fn masked(f: &mut Formatter<'_>, mask: Option<&Atom>) -> fmt::Result {
    mask.map_or(Ok(()), |it| write!(f, " where {it}"))
}

fn match_(
    f: &mut Formatter<'_>,
    value: &Atom,
    arms: &[Arm],
    otherwise: Option<&Block>,
    indent: usize,
) -> fmt::Result {
    let inner = indent + 2;
    writeln!(f, "match {value} {{")?;
    for arm in arms {
        write!(f, "{:inner$}{}({}) ", "", Quoted(&arm.con), commas(&arm.fields))?;
        block(f, &arm.body, inner)?;
        f.write_char('\n')?;
    }
    if let Some(otherwise) = otherwise {
        write!(f, "{:inner$}else ", "")?;
        block(f, otherwise, inner)?;
        f.write_char('\n')?;
    }
    write!(f, "{:indent$}}}", "")
}

fn loop_(
    f: &mut Formatter<'_>,
    name: &str,
    inits: &[Atom],
    arrays: &[Atom],
    step: &Loop,
    indent: usize,
) -> fmt::Result {
    let state = commas(assignments(&step.state, inits));
    write!(f, "{name} ({state}) ({}) ", commas(assignments(&step.elems, arrays)))?;
    block(f, &step.body, indent)
}

fn assignments(binders: &[Binder], atoms: &[Atom]) -> Vec<String> {
    binders.iter().zip(atoms).map(|(binder, atom)| format!("{binder} = {atom}")).collect()
}

fn commas(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|it| it.to_string()).collect();
    items.join(", ")
}
