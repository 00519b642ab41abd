//! `inline_more`, `spread` and `choose`: calls inlined, small arrays taken apart, cheap branches both
//! computed, with the same values to the bit.

use base::Name;
use eval::{Elems, RunError, Value};
use ir::{ArrayOp, Block, ControlOp, Dialect, FunctionOp, Op, Program, walk};
use opt::{Exactness, Settled};

use crate::{outcomes, show};

fn main() -> Name {
    Name::new("main")
}

/// The program after passes, with values compared at several sizes.
#[track_caller]
fn after(text: &str, pass: &dyn Fn(&Program) -> Program) -> Program {
    let program: Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
    ir::verify(&program, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}"));
    let after = pass(&program);
    ir::verify(&after, Dialect::FirstOrder).unwrap_or_else(|it| panic!("{it}\n{after}"));
    for (before, after) in outcomes(&program).iter().zip(outcomes(&after)) {
        assert_eq!(plain(before), plain(&after));
    }
    after
}

/// An outcome as text, wherever its elements are.
fn plain(outcome: &Result<Vec<Value>, RunError>) -> String {
    let Ok(values) = outcome else { return show(outcome) };
    let one = |value: &Value| {
        if let Value::Array(it) = value
            && let Elems::Real(data) = &it.elems
        {
            return format!("{:?} {:?}", it.shape, &data[..]);
        }
        format!("{value:?}")
    };
    values.iter().map(one).collect::<Vec<_>>().join("; ").replace("-NaN", "NaN")
}

fn joined(program: &Program) -> Program {
    let (entries, settled) = (&[main()], &mut Settled::default());
    let bits = &|_: &Name| Exactness::Bits;
    let program = opt::inline_more(program, entries, bits, settled);
    let program = opt::simplify_by(&program, entries, bits, settled);
    opt::simplify_by(&opt::spread(&program), entries, bits, settled)
}

fn count(block: &Block, of: &dyn Fn(&Op) -> bool) -> usize {
    let inside = |op| walk::blocks(op).iter().map(|it| count(it.1, of)).sum::<usize>();
    block.stmts.iter().map(|it| usize::from(of(&it.op)) + inside(&it.op)).sum()
}

#[track_caller]
fn none_left(program: &Program, of: &dyn Fn(&Op) -> bool) {
    let n: usize = program.defs.values().map(|it| count(&it.body, of)).sum();
    assert_eq!(n, 0, "{program}");
}

/// What is called twice is written twice.
#[test]
fn calls() {
    let program = after(
        "def f[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real) {
            x4: [x0]Real = mul x1 x2
            x5: [x0]Real = sin x4
            give x5 }
        def main[x0](x1: [x0]Real, x2: Real) -> (x3: [x0]Real) {
            x4: [x0]Real = call \"f\"[x0](x1, x2)
            x5: [x0]Real = call \"f\"[x0](x4, x2)
            give x5 }",
        &joined,
    );
    none_left(&program, &|op| matches!(op, Op::Function(FunctionOp::Call { .. })));
}

/// A definition that calls itself stays, and so do its calls.
#[test]
fn recursion() {
    after(
        "def f(x1: Real, x2: Int) -> (x3: Real) {
            x4: Bool = le x2 0
            x5: Real = if x4 {
              give x1
            } else {
              x6: Int = sub x2 1
              x7: Real = call \"f\"[](x1, x6)
              x8: Real = add x7 x1
              give x8
            }
            give x5 }
        def main(x1: Real) -> (x3: Real) {
            x4: Real = call \"f\"[](x1, 2)
            x5: Real = call \"f\"[](x4, 3)
            give x5 }",
        &joined,
    );
}

/// Vectors of three, position by position: what is read, written, sliced, put in a row, added up, looked
/// up by others, and reversed.
#[test]
fn small_arrays() {
    let program = after(
        "def main[x0, x1](x2: [x0][3]Real, x3: [3]Real, x4: [x1]Int) -> (x5: [x0][3]Real, x6: [x0]Real, x7: [5]Real, x8: [x1][3]Real, x9: Real) {
            x10: [x0][3]Real = replicate [x0] x3
            x11: [x0][3]Real = mul x2 x10
            x12: [3][x0]Real = transpose x11 (1, 0)
            x13: [x0]Real = index x12 (1)
            x14: [x0]Real = sum 1 x11
            x15: [x0]Real = add x13 x14
            x16: [2]Real = slice x3 0 [1] [3]
            x17: [5]Real = concat (x3, x16)
            x18: [5]Real = scatter x17 (4) 1.5
            x19: [5]Real = reverse x18
            x20: [x1]Bool = ge x4 0
            x21: [x1]Bool = lt x4 x0
            x22: [x1]Bool = and x20 x21
            x23: [x1][3]Real = gather x11 (x4) where x22
            x24: Real = maximum 0 x17
            give x11, x15, x19, x23, x24 }",
        &joined,
    );
    let whole = |op: &Op| {
        matches!(
            op,
            Op::Array(ArrayOp::Slice { .. } | ArrayOp::Concat(_) | ArrayOp::Scatter { .. })
        )
    };
    none_left(&program, &whole);
}

/// An index that only running tells needs the array in one piece.
#[test]
fn unknown_places() {
    after(
        "def main(x2: [3]Real, x3: Int) -> (x4: [3]Real, x5: Real) {
            x6: Real = index x2 (0)
            x7: Real = index x2 (2)
            x8: [3]Real = array Real (x7, x6, x6)
            x9: [3]Real = scatter x8 (x3) x6
            x10: Real = index x9 (x3)
            give x9, x10 }",
        &joined,
    );
}

/// Both branches are computed if neither can fail.
#[test]
fn branches() {
    let program = after(
        "def main(x2: [3]Real, x3: Real, x4: Int) -> (x5: Real, x6: Int) {
            x7: Bool = lt x3 1.0
            x8: Real = if x7 {
              x9: Real = index x2 (1)
              x10: Real = div x9 x3
              give x10
            } else {
              give x3
            }
            x11: Int = if x7 {
              x12: Int = div 6 x4
              give x12
            } else {
              give 0
            }
            give x8, x11 }",
        &|it| opt::choose(it, &main()),
    );
    let n: usize = program
        .defs
        .values()
        .map(|it| count(&it.body, &|op| matches!(op, Op::Control(ControlOp::If { .. }))))
        .sum();
    assert_eq!(n, 1, "a division by zero fails only where it is meant\n{program}");
}
