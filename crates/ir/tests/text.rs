//! The text form: what is printed reads back to the same program, and any text gives an answer.

use std::collections::BTreeSet;

use expect_test::expect;
use ir::{
    ArrayOp, Block, ControlOp, DeltaOp, DeriveOp, Dialect, FunctionOp, Op, Operator, Program,
    Reduction, verify, walk,
};

const EVERYTHING: &str = include_str!("everything.ir");

/// Every operation, type and literal once; a reader's tour as well.
#[test]
fn everything_reads_back() {
    let program: Program = EVERYTHING.parse().unwrap();
    verify(&program, Dialect::Source).unwrap();
    assert_eq!(program.to_string(), EVERYTHING);
}

/// Makes a list of the words that operations begin with. One that has none here does not compile.
macro_rules! words {
    ($($of:ident { $($variant:ident => $words:expr,)+ })+) => {{
        let mut all: Vec<&str> = Vec::new();
        $({
            // Nobody calls it: the compiler sees that no variant is missing.
            fn _is_whole(op: &$of) {
                match op {
                    $($of::$variant { .. } => {})+
                }
            }
            $(all.extend::<&[&str]>(&$words);)+
        })+
        all
    }};
}

fn words_of(block: &Block, found: &mut BTreeSet<String>) {
    for stmt in &block.stmts {
        let text = stmt.op.to_string();
        found.extend(text.split([' ', '(']).next().map(str::to_string));
        walk::blocks(&stmt.op).iter().for_each(|it| words_of(it.1, found));
    }
}

/// A new operation is a compile error here, and then stands in `everything.ir`, where the reader, the printer,
/// the verifier and the random programs are held to it.
#[test]
fn everything_is_everything() {
    let wanted = words! {
        Op {
            Copy => ["copy"],
            Prim => ["mul"],
            Size => ["size"],
            Tuple => ["tuple"],
            Proj => ["proj"],
            Con => ["con"],
            Equal => ["equal"],
            Close => ["close"],
            Array => [],
            Control => [],
            Function => [],
            Derive => [],
            Delta => [],
        }
        ArrayOp {
            Literal => ["array"],
            Index => ["index"],
            Slice => ["slice"],
            Reduce => [],
            Argmax => ["argmax"],
            Argmin => ["argmin"],
            Gather => ["gather"],
            Scatter => ["scatter"],
            Replicate => ["replicate"],
            Iota => ["iota"],
            Transpose => ["transpose"],
            Reshape => ["reshape"],
            Reverse => ["reverse"],
            Concat => ["concat"],
            Sort => ["sort"],
            Argsort => ["argsort"],
            Filter => ["filter"],
            Sized => ["sized"],
        }
        Reduction {
            Sum => ["sum"],
            Product => ["product"],
            Maximum => ["maximum"],
            Minimum => ["minimum"],
        }
        ControlOp {
            Match => ["match"],
            If => ["if"],
            Build => ["build"],
            Fold => ["fold"],
            Scan => ["scan"],
            Iterate => ["iterate"],
            While => ["while"],
        }
        FunctionOp {
            Lambda => ["lambda"],
            Apply => ["apply"],
            Call => ["call"],
        }
        DeriveOp {
            StopGradient => ["stop_gradient"],
            Checkpoint => ["checkpoint"],
            Tell => ["report", "trace", "trace_tangent", "trace_cotangent", "trace_back"],
            Lift => ["lift"],
            Primal => ["primal"],
            Tangent => ["tangent"],
            Pair => ["pair", "copair"],
            OfFunction => [],
            OfDefinition => ["derivative"],
        }
        Operator {
            Jvp => ["jvp"],
            Vjp => ["vjp"],
            Grad => ["grad"],
            ValueAndGrad => ["value_and_grad"],
            Jacobian => ["jacobian"],
            Hessian => ["hessian"],
            Hvp => ["hvp"],
            Linearise => ["linearise"],
        }
        DeltaOp {
            Combine => ["combine"],
            Zeros => ["zeros"],
            Strip => ["strip"],
            Pullback => ["pullback", "pushforward", "recorded"],
        }
    };
    let mut found = BTreeSet::new();
    for text in [EVERYTHING, include_str!("reverse.ir"), OF_DEFINITION] {
        let program: Program = text.parse().unwrap();
        program.defs.values().for_each(|it| words_of(&it.body, &mut found));
    }
    let missing: Vec<&str> = wanted.into_iter().filter(|it| !found.contains(*it)).collect();
    assert!(missing.is_empty(), "not in everything.ir: {missing:?}");
}

/// What no source has: the derivative of a definition.
const OF_DEFINITION: &str = "def f(x0: Real, x1: Real) -> (x2: Real) {
  x3: Real = mul x0 x1
  give x3
}

def main(x0: Real) -> (x1: Real) {
  x2: Real = derivative grad f (2.0) (x0)
  give x2
}
";

#[test]
fn derivatives_of_definitions_read_back() {
    let program: Program = OF_DEFINITION.parse().unwrap();
    verify(&program, Dialect::FirstOrder).unwrap();
    assert_eq!(program.to_string(), OF_DEFINITION);
}

/// The operations and types that only reverse mode makes.
#[test]
fn deltas_read_back() {
    let text = include_str!("reverse.ir");
    let program: Program = text.parse().unwrap();
    verify(&program, Dialect::Delta).unwrap();
    assert_eq!(program.to_string(), text);
    assert_eq!(verify(&program, Dialect::Source).unwrap_err().invariant, "V9");
}

#[test]
fn odd_reals_read_back_to_the_same_bits() {
    let odd = [0.1, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NEG_INFINITY];
    let nans = [0x7ff0_0000_0000_0001, 0xfff8_dead_beef_0001].map(f64::from_bits);
    for value in odd.into_iter().chain(nans) {
        let text = ir::Atom::Real(ir::Literal(value)).to_string();
        let text = format!("def f() -> (x0: Real) {{\n  give {text}\n}}\n");
        let program: Program = text.parse().unwrap();
        let expected = vec![ir::Atom::Real(ir::Literal(value))];
        assert_eq!(program.defs[&base::Name::new("f")].body.results, expected);
        assert_eq!(program.to_string(), text);
    }
}

#[test]
fn errors_say_where() {
    let error = "def f(x0: Real) -> () {\n  x1: Real = frob x0\n  give\n}".parse::<Program>();
    expect!["2:14: expected an operation, found `frob`"].assert_eq(&error.unwrap_err().to_string());
    let error = "def f(x0: Real) -> () {".parse::<Program>();
    expect!["1:24: expected a variable, found end of the text"]
        .assert_eq(&error.unwrap_err().to_string());
}

#[test]
fn nesting_is_limited() {
    let deep = "[1]".repeat(100_000);
    let error = format!("def f(x0: {deep}Real) -> () {{ give }}").parse::<Program>();
    expect!["1:611: nested deeper than 200"].assert_eq(&error.unwrap_err().to_string());
    let deep = "= if true { ".repeat(100_000);
    assert!(format!("def f() -> () {{ {deep}").parse::<Program>().is_err());
}

/// Many prefixes of a program, and programs with one token left out or another one in its place.
#[test]
fn no_text_panics() {
    for at in (0..EVERYTHING.len()).step_by(5).filter(|it| EVERYTHING.is_char_boundary(*it)) {
        let _ = EVERYTHING[..at].parse::<Program>();
    }
    let words: Vec<&str> = EVERYTHING.split_inclusive(' ').collect();
    for at in (0..words.len()).step_by(3) {
        let (left, right) = words.split_at(at);
        for middle in ["", words[at / 2], words[at]] {
            let text = format!("{}{middle}{}", left.concat(), right[1..].concat());
            if let Ok(program) = text.parse::<Program>() {
                let _ = verify(&program, Dialect::Source);
                assert_eq!(program.to_string().parse(), Ok(program));
            }
        }
    }
}

#[test]
fn origins_are_written_and_read() {
    for origin in ["", "origin clause ", "origin derivative ", "origin data "] {
        let text = format!("def f(x0: Real) -> (x1: Real) {origin}{{\n  give x0\n}}\n");
        let program: Program = text.parse().expect("a program");
        assert_eq!(program.to_string(), text);
    }
    let text = "def f(x0: Real) -> (x1: Real) origin fields \"A.d\" {\n  give x0\n}\n";
    let program: Program = text.parse().expect("a program");
    assert_eq!(program.to_string(), text);
    let other: Program = text.replace("fields \"A.d\"", "cast").parse().expect("a program");
    assert_ne!(program, other);
    assert!(text.replace("fields \"A.d\"", "nowhere").parse::<Program>().is_err());
}
