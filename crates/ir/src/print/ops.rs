//! How blocks, statements and operations are written.

use std::fmt::{self, Display, Formatter, Write};

use super::names::Quoted;
use crate::op::{ArrayOp, ControlOp, DeltaOp, DeriveOp, FunctionOp, Op};
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

pub(super) fn lambda(f: &mut Formatter<'_>, it: &Lambda, indent: usize) -> fmt::Result {
    write!(f, "lambda ({}) ", commas(&it.params))?;
    block(f, &it.body, indent)
}

/// One arm per constructor, in the order of `term.rs`.
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
        Op::Control(ControlOp::Match { value, arms, otherwise }) => {
            match_(f, value, arms, otherwise.as_ref(), indent)
        }

        Op::Function(FunctionOp::Lambda(it)) => lambda(f, it, indent),
        Op::Function(FunctionOp::Apply(function, args)) => {
            write!(f, "apply {function} ({})", commas(args))
        }
        Op::Function(FunctionOp::Call { def, types, sizes, args }) => {
            write!(f, "call {}", Quoted(def))?;
            if !types.is_empty() {
                write!(f, "<{}>", commas(types))?;
            }
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, "({})", commas(args))
        }

        Op::Control(ControlOp::If { cond, then, otherwise }) => {
            write!(f, "if {cond} ")?;
            block(f, then, indent)?;
            f.write_str(" else ")?;
            block(f, otherwise, indent)
        }
        Op::Control(ControlOp::Build { sizes, indices, body }) => {
            let bounds = indices.iter().zip(sizes).map(|(index, size)| format!("{index} < {size}"));
            write!(f, "build ({}) ", commas(bounds))?;
            block(f, body, indent)
        }
        Op::Control(ControlOp::Fold { inits, arrays, step }) => {
            loop_(f, "fold", inits, arrays, step, indent)
        }
        Op::Control(ControlOp::Scan { inits, arrays, step }) => {
            loop_(f, "scan", inits, arrays, step, indent)
        }
        Op::Control(ControlOp::Iterate { count, index, inits, state, body }) => {
            write!(f, "iterate {index} < {count} ({}) ", commas(assignments(state, inits)))?;
            block(f, body, indent)
        }
        Op::Control(ControlOp::While { inits, state, cond, body }) => {
            write!(f, "while ({}) ", commas(assignments(state, inits)))?;
            block(f, cond, indent)?;
            f.write_str(" do ")?;
            block(f, body, indent)
        }

        Op::Array(ArrayOp::Literal { elem, parts }) => {
            write!(f, "array {elem} ({})", commas(parts))
        }
        Op::Array(ArrayOp::Index { array, indices }) => {
            write!(f, "index {array} ({})", commas(indices))
        }
        Op::Array(ArrayOp::Slice { array, axis, from, to }) => {
            write!(f, "slice {array} {axis} [{from}] [{to}]")
        }
        Op::Array(ArrayOp::Reduce { reduction, axis, array }) => {
            write!(f, "{reduction} {axis} {array}")
        }
        Op::Array(ArrayOp::Argmax(array)) => write!(f, "argmax {array}"),
        Op::Array(ArrayOp::Argmin(array)) => write!(f, "argmin {array}"),
        Op::Array(ArrayOp::Gather { array, indices, mask }) => {
            write!(f, "gather {array} ({})", commas(indices))?;
            masked(f, mask.as_ref())
        }
        Op::Array(ArrayOp::Scatter { into, indices, values, mask }) => {
            write!(f, "scatter {into} ({}) {values}", commas(indices))?;
            masked(f, mask.as_ref())
        }
        Op::Array(ArrayOp::Replicate { size, value }) => write!(f, "replicate [{size}] {value}"),
        Op::Array(ArrayOp::Iota(size)) => write!(f, "iota [{size}]"),
        Op::Array(ArrayOp::Transpose { array, permutation }) => {
            write!(f, "transpose {array} ({})", commas(permutation))
        }
        Op::Array(ArrayOp::Reshape { array, rank, sizes }) => {
            write!(f, "reshape {array} {rank} [{}]", commas(sizes))
        }
        Op::Array(ArrayOp::Reverse(array)) => write!(f, "reverse {array}"),
        Op::Array(ArrayOp::Concat(arrays)) => write!(f, "concat ({})", commas(arrays)),
        Op::Array(ArrayOp::Sort(array)) => write!(f, "sort {array}"),
        Op::Array(ArrayOp::Argsort(array)) => write!(f, "argsort {array}"),
        Op::Array(ArrayOp::Filter { array, predicate }) => {
            write!(f, "filter {array} ")?;
            lambda(f, predicate, indent)
        }
        Op::Array(ArrayOp::Sized { array, size }) => write!(f, "sized {array} [{size}]"),

        Op::Equal(left, right) => write!(f, "equal {left} {right}"),
        Op::Close(left, right) => write!(f, "close {left} {right}"),

        Op::Derive(DeriveOp::StopGradient(value)) => write!(f, "stop_gradient {value}"),
        Op::Derive(DeriveOp::Lift { level, value }) => write!(f, "lift {level} {value}"),
        Op::Derive(DeriveOp::Primal { level, value }) => write!(f, "primal {level} {value}"),
        Op::Derive(DeriveOp::Tangent { level, value }) => write!(f, "tangent {level} {value}"),
        Op::Derive(DeriveOp::Pair { level, value, tangent }) => {
            write!(f, "pair {level} {value} {tangent}")
        }
        Op::Derive(DeriveOp::OfFunction { operator, level, function, args }) => {
            write!(f, "{operator} {level} {function} ({})", commas(args))
        }
        Op::Derive(DeriveOp::OfDefinition { operator, def, sizes, captured, args }) => {
            write!(f, "derivative {operator} {}", Quoted(def))?;
            if !sizes.is_empty() {
                write!(f, "[{}]", commas(sizes))?;
            }
            write!(f, " ({}) ({})", commas(captured), commas(args))
        }

        Op::Delta(DeltaOp::Combine(terms)) => write!(f, "combine ({})", commas(terms)),
        Op::Delta(DeltaOp::Zeros(value)) => write!(f, "zeros {value}"),
        Op::Delta(DeltaOp::Strip(value)) => write!(f, "strip {value}"),
        Op::Delta(DeltaOp::Pullback { value, inputs, function }) => {
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

pub(super) fn commas(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|it| it.to_string()).collect();
    items.join(", ")
}
