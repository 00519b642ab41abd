//! `#[derive(Cotan)]`: Rust structs and enums into programs and out of them.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Cotan, Data, FromData, Program, ToData};

const TEXT: &str = "
    type Point = { x: Real, y: Real }
    type Scene<n, m> = { move: Int, at: Point, weights: [n]Real, flags: [m]Bool, size: (Real, Int) }
    data Shape = Circle(Point, Real) | Polygon([3]Point) | Nothing
    data Tree = Leaf(Real) | Node(Tree, Tree)
    def moved(p: Point, by: Real): Point = Point { x: p.x + by, y: p.y * by }
    def swapped(p: [n]Point): [n]Point = map(\\it => Point { x: it.y, y: it.x }, p)
    def norm(p: Point): Real = p.x * p.x + 3.0 * p.y
    def pair(p: (Real, Int)): (Real, Int) = (2.0 * p.0, p.1 + 1)
    def double(x: Real): Real = 2.0 * x
    def next(s: Scene<n, m>): Scene<n, m> = Scene {
      move: s.move + 1, at: moved(s.at, 1.0), weights: 2.0 * s.weights,
      flags: map(\\it => !it, s.flags), size: pair(s.size),
    }
    def turned(s: Shape): Shape = match s {
      Circle(p, r) => Circle(Point { x: p.y, y: p.x }, 2.0 * r),
      Polygon(p) => Polygon(swapped(p)),
      Nothing => Nothing,
    }
    def total(t: Tree): Real = match t { Leaf(x) => x, Node(a, b) => total(a) + total(b) }
    def mirror(t: Tree): Tree = match t { Leaf(x) => Leaf(x), Node(a, b) => Node(mirror(b), mirror(a)) }
    def comb(n: Int): Tree = fold(\\t, i => Node(Leaf(real(i)), t), Leaf(0.0), iota(n))
";

#[derive(Clone, Debug, PartialEq, Cotan)]
struct Point {
    x: f64,
    y: f64,
}

/// Fields in another order than the program has them, and one under another name.
#[derive(Clone, Debug, PartialEq, Cotan)]
struct Scene {
    size: Size,
    weights: Vec<f64>,
    #[cotan(name = "at")]
    place: Point,
    r#move: i32,
    flags: [bool; 2],
}

#[derive(Clone, Debug, PartialEq, Cotan)]
struct Size(f64, i64);

/// What it holds, under a name of its own.
#[derive(Clone, Debug, PartialEq, Cotan)]
struct Metres(f64);

#[derive(Clone, Debug, PartialEq, Cotan)]
enum Shape {
    Circle {
        centre: Point,
        radius: f64,
    },
    Polygon([Point; 3]),
    #[cotan(name = "Nothing")]
    Empty,
}

#[derive(Debug, PartialEq, Cotan)]
enum Tree {
    Leaf(f64),
    Node(Box<Tree>, Box<Tree>),
}

#[derive(Debug, PartialEq, Cotan)]
struct Pair<A, B> {
    x: A,
    y: B,
}

/// What borrows goes in.
#[derive(Cotan)]
struct Borrowed<'a> {
    x: &'a f64,
    y: f64,
}

fn program() -> Program {
    Program::new(TEXT).unwrap()
}

fn p(x: f64, y: f64) -> Point {
    Point { x, y }
}

#[test]
fn records_tuples_and_arrays_of_them_go_both_ways() {
    let program = program();
    let moved = program.function("moved").unwrap();
    assert_eq!(moved.call((p(1.0, 2.0), 3.0)).unwrap().get::<Point>().unwrap(), p(4.0, 6.0));
    let x = 1.0;
    let borrowed = Borrowed { x: &x, y: 2.0 };
    assert_eq!(moved.call((&borrowed, 3.0)).unwrap().get::<Point>().unwrap(), p(4.0, 6.0));
    let generic = Pair { x: 1.0, y: 2.0 };
    let back = moved.call((&generic, 3.0)).unwrap().get::<Pair<f64, Metres>>().unwrap();
    assert_eq!(back, Pair { x: 4.0, y: Metres(6.0) });
    let swapped = program.function("swapped").unwrap();
    for points in [vec![], vec![p(1.0, 2.0)], vec![p(1.0, 2.0), p(3.0, 4.0)]] {
        let back = swapped.call((&points,)).unwrap().get::<Vec<Point>>().unwrap();
        let expected: Vec<Point> = points.iter().map(|it| p(it.y, it.x)).collect();
        assert_eq!(back, expected);
    }
    let pair = program.function("pair").unwrap();
    assert_eq!(pair.call((Size(1.5, 2),)).unwrap().get::<Size>().unwrap(), Size(3.0, 3));
    let double = program.function("double").unwrap();
    assert_eq!(double.call((Metres(1.5),)).unwrap().get::<Metres>().unwrap(), Metres(3.0));
}

#[test]
fn nested_structs_go_by_names_and_not_by_order() {
    let scene = Scene {
        size: Size(1.5, 2),
        weights: vec![1.0, -2.0, 0.5],
        place: p(1.0, 2.0),
        r#move: 4,
        flags: [true, false],
    };
    let next = program().function("next").unwrap().call((&scene,)).unwrap();
    let expected = Scene {
        size: Size(3.0, 3),
        weights: vec![2.0, -4.0, 1.0],
        place: p(2.0, 2.0),
        r#move: 5,
        flags: [false, true],
    };
    assert_eq!(next.get::<Scene>().unwrap(), expected);
}

#[test]
fn gradients_are_of_the_same_struct() {
    let gradient = program().function("norm").unwrap().grad();
    assert_eq!(gradient.call((p(5.0, 1.0),)).unwrap().get::<Point>().unwrap(), p(10.0, 3.0));
}

#[test]
fn enums_are_sum_types() {
    let turned = program().function("turned").unwrap();
    let turn = |it: &Shape| turned.call((it,)).unwrap().get::<Shape>().unwrap();
    let circle = Shape::Circle { centre: p(1.0, 2.0), radius: 3.0 };
    assert_eq!(turn(&circle), Shape::Circle { centre: p(2.0, 1.0), radius: 6.0 });
    let polygon = Shape::Polygon([p(1.0, 2.0), p(3.0, 4.0), p(5.0, 6.0)]);
    assert_eq!(turn(&polygon), Shape::Polygon([p(2.0, 1.0), p(4.0, 3.0), p(6.0, 5.0)]));
    assert_eq!(turn(&Shape::Empty), Shape::Empty);
}

#[test]
fn trees_are_as_deep_as_they_like() {
    let program = program();
    let leaf = |it: f64| Box::new(Tree::Leaf(it));
    let tree = Tree::Node(leaf(1.0), Box::new(Tree::Node(leaf(2.0), leaf(3.0))));
    let total = program.function("total").unwrap();
    assert_eq!(total.call((&tree,)).unwrap().get::<f64>().unwrap(), 6.0);
    let mirrored = program.function("mirror").unwrap().call((&tree,)).unwrap();
    let expected = Tree::Node(Box::new(Tree::Node(leaf(3.0), leaf(2.0))), leaf(1.0));
    assert_eq!(mirrored.get::<Tree>().unwrap(), expected);
    let comb = program.function("comb").unwrap().call((20_000_i64,)).unwrap();
    let mut deep = comb.get::<Tree>().unwrap();
    let back = total.call((&deep,)).unwrap().get::<f64>().unwrap();
    assert_eq!(back, 19_999.0 * 10_000.0);
    // Taken apart from the top: Rust's own way would recurse.
    while let Tree::Node(_, rest) = deep {
        deep = *rest;
    }
}

/// The text of what is wrong.
fn wrong<T: FromData>(function: &str, argument: impl ToData) -> String {
    let answer = program().function(function).unwrap().call((argument,));
    answer.and_then(|it| it.get::<T>()).map(drop).unwrap_err().to_string()
}

#[derive(Debug, Cotan)]
struct Flat {
    x: f64,
}

#[derive(Debug, Cotan)]
struct Solid {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Debug, Cotan)]
struct Mixed {
    x: f64,
    y: bool,
}

#[derive(Debug, Cotan)]
enum Other {
    Square(f64),
    Nothing,
}

#[test]
fn arguments_that_do_not_fit_say_which_field_and_which_type() {
    let both = |text: &str, words: &[&str]| {
        words.iter().for_each(|it| assert!(text.contains(it), "{it} is not in\n{text}"));
    };
    both(&wrong::<f64>("norm", Flat { x: 1.0 }), &["`p`", "`Point`", "`y`"]);
    both(&wrong::<f64>("norm", Solid { x: 1.0, y: 1.0, z: 1.0 }), &["`p`", "`Point`", "`z`"]);
    both(&wrong::<f64>("norm", Mixed { x: 1.0, y: true }), &["`p`", "`Point`", "y", "Real"]);
    both(&wrong::<Shape>("turned", Other::Square(1.0)), &["`s`", "`Shape`", "`Square`"]);
    assert!(matches!(Other::Nothing.to_data(), Data::Constructor(name, _) if name == "Nothing"));
}

#[test]
fn results_that_do_not_fit_say_which_field_and_which_struct() {
    let has = |text: String, words: &[&str]| {
        words.iter().for_each(|it| assert!(text.contains(it), "{it} is not in\n{text}"));
    };
    let points = || vec![p(1.0, 2.0)];
    has(wrong::<Vec<Flat>>("swapped", points()), &["Flat", "[0]", "`y`"]);
    has(wrong::<Vec<Solid>>("swapped", points()), &["Solid", "[0]", "`z`"]);
    has(wrong::<Vec<Mixed>>("swapped", points()), &["Mixed", "[0].y", "a truth value"]);
    let circle = Shape::Circle { centre: p(1.0, 2.0), radius: 3.0 };
    has(wrong::<Other>("turned", circle), &["Other", "`Circle`", "`Square`"]);
}
