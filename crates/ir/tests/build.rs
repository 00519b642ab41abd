//! The builder computes types, sizes included.

use expect_test::expect;
use ir::{ArrayOp, Atom, Builder, FunctionOp, Op, Prim, Program, Reduction, Size, Type};

#[test]
fn sizes_of_results_are_named_before_they_are_mentioned() {
    let program: Program =
        "def evens(x0: Int) -> (x1: Int, x2: [x1]Int) { x3: [1]Int = array Int (x0) give 1, x3 }"
            .parse()
            .unwrap();
    let mut builder = Builder::new(&program, 10);
    builder.open();
    let call = Op::Function(FunctionOp::Call {
        def: "evens".into(),
        types: vec![],
        sizes: vec![],
        args: vec![Atom::Int(7)],
    });
    let array = builder.last(call);
    let sum =
        Op::Array(ArrayOp::Reduce { reduction: Reduction::Sum, axis: 0, array: array.clone() });
    let sum = builder.one(sum);
    let twice = builder.one(Op::Array(ArrayOp::Concat(vec![array.clone(), array])));
    let scaled = builder.one(Op::Prim(Prim::Mul, vec![twice, sum]));
    let block = builder.close(vec![scaled]);
    expect![[r#"
        {
          x10: Int, x11: [x10]Int = call evens(7)
          x12: Int = sum 0 x11
          x13: [2*x10]Int = concat (x11, x11)
          x14: [2*x10]Int = mul x13 x12
          give x14
        }"#]]
    .assert_eq(&block.to_string());
}

#[test]
#[should_panic(expected = "compiler bug: add takes no operands Real, Int: add 1.0 x0")]
fn an_ill_typed_operation_is_a_bug() {
    let program = Program::default();
    let mut builder = Builder::new(&program, 0);
    builder.open();
    let size = builder.one(Op::Size(Size::constant(3)));
    builder.one(Op::Prim(Prim::Add, vec![Atom::Real(ir::Literal(1.0)), size]));
}

#[test]
fn derived_signatures() {
    let program: Program =
        "def f<a>(x0: (a, Int), x1: Real) -> (x2: Int, x3: [x2]a) { x4: [0]a = array a () give 0, x4 }"
            .parse()
            .unwrap();
    let signature = |name: &str| program.signature(&base::Name::read(name));
    let show = |name: &str| {
        let it = signature(name).unwrap();
        let text = |binders: &[ir::Binder]| binders.iter().map(|it| it.to_string()).collect();
        let [params, results]: [Vec<String>; 2] = [text(&it.params), text(&it.results)];
        format!("({}) -> ({})", params.join(", "), results.join(", "))
    };
    expect!["(x0: (D<a>, Int), x1: Real) -> (x2: Int, x3: [x2]D<a>)"].assert_eq(&show("f'10"));
    expect!["(x0: (D<a>, Int), x1: (Real, Real)) -> (x2: Int, x3: [x2]D<D<a>>)"]
        .assert_eq(&show("f'01'10"));
    assert_eq!(signature("f'1"), None);
    assert_eq!(signature("g'10"), None);
    assert_eq!(signature(&format!("f{}", "'11".repeat(100))), None);
}

/// `dual` can be undone, and only where it was done.
#[test]
fn undual_inverts_dual() {
    let types = ["Real", "Int", "(Real, Real)", "[3](Real, ())", "(Real) -> a", "List<Real>"];
    for text in types {
        let text = format!("def f(x0: {text}) -> () {{ give }}");
        let program: Program = text.parse().unwrap();
        let ty = &program.defs[&base::Name::new("f")].params[0].ty;
        assert_eq!(ty.dual().undual().as_ref(), Some(ty));
        assert_eq!(ty.dual_at(3).undual_at(3).as_ref(), Some(ty));
    }
    assert_eq!(Type::Real.undual(), None);
    assert_eq!(Type::Tuple(vec![Type::Real]).undual(), None);
}

/// The manual has a row for every primitive that a program can write.
#[test]
fn the_manual_is_complete() {
    let manual = ir::prim::manual();
    let written = Prim::all().filter(|it| !it.row().notation.is_empty());
    assert_eq!(manual.lines().count(), 2 + written.count());
    expect!["| `abs(x)` | `T -> T`, `T` is `Real` or `Int` | `sign(x)` | The absolute value; its derivative at 0 is 0. |"]
        .assert_eq(manual.lines().find(|it| it.contains("abs(x)")).unwrap());
    assert_eq!(Prim::from_builtin("exp"), Some(Prim::Exp));
    assert_eq!(Prim::from_builtin("pow"), Some(Prim::Pow));
    assert_eq!(Prim::from_builtin("scale"), None);
    assert_eq!(Prim::from_builtin("add"), None);
}
