//! How blocks, statements and operations are written.

use std::fmt::{self, Display, Formatter, Write};

use base::Saying;

use super::names::Quoted;
use crate::op::{Beside, ControlOp, DeltaOp, DeriveOp, FunctionOp, Linear, Op};
use crate::parse::arrays::print_array;
use crate::term::{Arm, Atom, Binder, Block, Lambda, Loop, Stmt};

pub(super) fn block(f: &mut Formatter<'_>, it: &Block, indent: usize) -> fmt::Result {
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

pub(super) fn stmt(f: &mut Formatter<'_>, it: &Stmt, indent: usize) -> fmt::Result {
    let space = if it.binders.is_empty() { "" } else { " " };
    write!(f, "{}{space}= ", commas(&it.binders))?;
    op(f, &it.op, indent)
}

pub(crate) fn lambda(f: &mut Formatter<'_>, it: &Lambda, indent: usize) -> fmt::Result {
    write!(f, "lambda ({}) ", commas(&it.params))?;
    block(f, &it.body, indent)
}

/// One arm per constructor, in the order of `op.rs`.
pub(super) fn op(f: &mut Formatter<'_>, it: &Op, indent: usize) -> fmt::Result {
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
        Op::Control(op) => control(f, op, indent),
        Op::Function(op) => function(f, op, indent),
        Op::Array(op) => print_array(f, op, indent),

        Op::Equal(left, right) => write!(f, "equal {left} {right}"),
        Op::Close(left, right) => write!(f, "close {left} {right}"),
        Op::Derive(op) => derive(f, op),
        Op::Delta(op) => delta(f, op),
    }
}

/// Choices and loops.
fn control(f: &mut Formatter<'_>, op: &ControlOp, indent: usize) -> fmt::Result {
    match op {
        ControlOp::Match { value, arms, otherwise } => {
            match_(f, value, arms, otherwise.as_ref(), indent)
        }

        ControlOp::If { cond, then, otherwise } => {
            write!(f, "if {cond} ")?;
            block(f, then, indent)?;
            f.write_str(" else ")?;
            block(f, otherwise, indent)
        }
        ControlOp::Build { sizes, indices, body } => {
            let bounds = indices.iter().zip(sizes).map(|(index, size)| format!("{index} < {size}"));
            write!(f, "build ({}) ", commas(bounds))?;
            block(f, body, indent)
        }
        ControlOp::Fold { inits, arrays, step } => loop_(f, "fold", inits, arrays, step, indent),
        ControlOp::Scan { inits, arrays, step } => loop_(f, "scan", inits, arrays, step, indent),
        ControlOp::Iterate { count, index, inits, state, body } => {
            write!(f, "iterate {index} < {count} ({}) ", commas(assignments(state, inits)))?;
            block(f, body, indent)
        }
        ControlOp::While { inits, state, cond, body } => {
            write!(f, "while ({}) ", commas(assignments(state, inits)))?;
            block(f, cond, indent)?;
            f.write_str(" do ")?;
            block(f, body, indent)
        }
    }
}

/// Functions and calls.
fn function(f: &mut Formatter<'_>, op: &FunctionOp, indent: usize) -> fmt::Result {
    match op {
        FunctionOp::Lambda(it) => lambda(f, it, indent),
        FunctionOp::Apply(function, args) => {
            write!(f, "apply {function} ({})", commas(args))
        }
        FunctionOp::Call { def, types, sizes, args } => {
            write!(f, "call {}", Quoted(def))?;
            if !types.is_empty() {
                write!(f, "<{}>", commas(types))?;
            }
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, "({})", commas(args))
        }
    }
}

/// Derivative operators and dual numbers.
fn derive(f: &mut Formatter<'_>, op: &DeriveOp) -> fmt::Result {
    match op {
        DeriveOp::StopGradient(value) => write!(f, "stop_gradient {value}"),
        DeriveOp::Tell { saying: Saying::Report, every, text, value } => {
            write!(f, "report {every} {text} {value}")
        }
        DeriveOp::Tell { saying, every, text, value } => {
            let word = match saying {
                Saying::Value if *every == Atom::Int(0) => "trace_back",
                Saying::Value | Saying::Report => "trace",
                Saying::Tangent => "trace_tangent",
                Saying::Cotangent => "trace_cotangent",
            };
            write!(f, "{word} {text} {value}")
        }
        DeriveOp::Checkpoint { every, value } => write!(f, "checkpoint {every} {value}"),
        DeriveOp::Lift { level, value } => write!(f, "lift {level} {value}"),
        DeriveOp::Primal { level, value } => write!(f, "primal {level} {value}"),
        DeriveOp::Tangent { level, value } => write!(f, "tangent {level} {value}"),
        DeriveOp::Pair { beside, level, value, tangent } => {
            let pair = match beside {
                Beside::Tangent => "pair",
                Beside::Cotangent => "copair",
            };
            write!(f, "{pair} {level} {value} {tangent}")
        }
        DeriveOp::OfFunction { operator, level, function, args } => {
            write!(f, "{operator} {level} {function} ({})", commas(args))
        }
        DeriveOp::OfDefinition { operator, def, sizes, captured, args } => {
            write!(f, "derivative {operator} {}", Quoted(def))?;
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, " ({}) ({})", commas(captured), commas(args))
        }
    }
}

/// Deltas.
fn delta(f: &mut Formatter<'_>, op: &DeltaOp) -> fmt::Result {
    match op {
        DeltaOp::Combine(terms) => write!(f, "combine ({})", commas(terms)),
        DeltaOp::Zeros(value) => write!(f, "zeros {value}"),
        DeltaOp::Strip(value) => write!(f, "strip {value}"),
        DeltaOp::Pullback { by, value, inputs, function } => {
            let pullback = match by {
                Linear::Pullback => "pullback",
                Linear::Pushforward => "pushforward",
                Linear::Recorded => "recorded",
            };
            write!(f, "{pullback} {value} ({}) {function}", commas(inputs))
        }
    }
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

pub(crate) fn commas(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|it| it.to_string()).collect();
    items.join(", ")
}
