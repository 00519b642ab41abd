//! Programs as C inside of a Rust program: the module is generated, the C compiled, and a program of rustc
//! alone, with no crate of ours, calls it and finds what mathematics says.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test writes files and runs compilers, and a panic is its way to fail"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use embed::Build;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Makes a program whose `main` is given, and gives what it prints.
fn run(name: &str, build: &Build, text: &str, main: &str) -> String {
    let folder = folder(name);
    let mut compiler = cc::Build::new();
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    compiler.target(&target).host(&target).opt_level(1).cargo_metadata(false);
    build.embedded(text).unwrap().compile(&folder, compiler).unwrap();
    let main = format!(
        "#![deny(warnings)]\ninclude!(\"loss.rs\");\nfn main() -> Result<(), Box<dyn std::error::Error>> {{\n{main}\nOk(())\n}}\n"
    );
    std::fs::write(folder.join("main.rs"), main).unwrap();
    let made = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_owned()))
        .current_dir(&folder)
        .args(["--edition=2024", "main.rs", "-L", ".", "-l", "static=cotan_loss", "-l", "m"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(folder.join("main")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

const TEXT: &str = "
    type Camera = { place: [3]Real, focus: Real, id: Int }
    type Point = { x: Real, y: Real }
    --- A weighted square.
    def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0
    def product(a: [n][k]Real, b: [k][m]Real): [n][m]Real =
      build i < n, j < m => sum(build l < k => a[i, l] * b[l, j])
    def size(c: Camera, p: [n]Point, t: (Real, Bool)): Real =
      c.focus * sum(map(\\it => it.x * it.y, p)) + sum(c.place) * (if t.1 then t.0 else 0.0)
    def shift(p: [n]Point, by: Real): [n + 1]Point =
      build i < n + 1 => if i < n then Point { x: p[i].x + by, y: p[i].y } else Point { x: 0.0, y: by }
    def tracks(c: [n]Camera): [n]Real = map(\\it => sum(it.place) * real(it.id), c)
    def signs(x: [n]Int): ([n]Bool, Int) = (map(\\it => it > 0, x), sum(x))
    def at(x: [n]Real, i: Int): Real = x[i]
    def short(x: [n + 1]Real): [n]Real = build i < n => x[i + 1] - x[i]
    def total(int: Int, x: [int]Real): Real = sum(x)
    def deep(n: Int): Int = if n == 0 then 0 else 1 + deep(n - 1)
    def big(n: Int): [n][n]Real = build i < n, j < n => 1.0
    def apply(f: Real -> Real): Real = f(1.0)
";

const MAIN: &str = r#"
    use loss::*;
    assert_eq!(loss::loss(&[1.0, 2.0], 4.0)?, 1.0);
    assert_eq!(value_and_grad_loss(&[1.0, 2.0], 4.0)?, (1.0, (vec![-2.0, -2.0], 2.0)));
    assert_eq!(value_and_grad_loss(&[], 4.0)?, (16.0, (vec![], 8.0)));
    let a = ([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
    let b = ([3, 1], &[1.0, 0.0, -1.0][..]);
    assert_eq!(product(a, b)?, ([2, 1], vec![-2.0, -2.0]));
    let (by_a, by_b) = vjp_product(a, b, ([2, 1], &[1.0, 10.0]))?;
    assert_eq!(by_a, ([2, 3], vec![1.0, 0.0, -1.0, 10.0, 0.0, -10.0]));
    assert_eq!(by_b, ([3, 1], vec![41.0, 52.0, 63.0]));
    let camera = |id: i64| Camera { place: vec![1.0, 2.0, 3.0], focus: 2.0, id };
    let p = |x: f64, y: f64| Point { x, y };
    let points = [p(1.0, 2.0), p(3.0, 4.0)];
    assert_eq!(size(&camera(7), &points, (0.5, true))?, 31.0);
    let (value, (by_camera, by_points, by_t)) = value_and_grad_size(&camera(7), &points, (0.5, true))?;
    assert_eq!(value, 31.0);
    assert_eq!(by_camera, Camera { place: vec![0.5; 3], focus: 14.0, id: 0 });
    assert_eq!(by_points, [p(4.0, 2.0), p(8.0, 6.0)]);
    assert_eq!(by_t, (6.0, false));
    assert_eq!(shift(&points, 1.0)?, [p(2.0, 2.0), p(4.0, 4.0), p(0.0, 1.0)]);
    assert_eq!(shift(&[], 1.0)?, [p(0.0, 1.0)]);
    let (back, by) = vjp_shift(&points, 1.0, &[p(1.0, 2.0), p(3.0, 4.0), p(5.0, 6.0)])?;
    assert_eq!((back, by), (vec![p(1.0, 2.0), p(3.0, 4.0)], 1.0 + 3.0 + 6.0));
    assert_eq!(tracks(&[camera(1), camera(2)])?, [6.0, 12.0]);
    let slopes = vjp_tracks(&[camera(1), camera(2)], &[1.0, 1.0])?;
    assert_eq!(slopes[1], Camera { place: vec![2.0; 3], focus: 0.0, id: 0 });
    assert_eq!(tracks(&[])?, []);
    assert_eq!(signs(&[3, -1, 0])?, (vec![true, false, false], 2));
    assert_eq!(loss::total(2, &[1.0, 2.0])?, 3.0);
    assert_eq!(deep(1000)?, 1000);
    assert_eq!(short(2, &[1.0, 4.0, 9.0])?, [3.0, 5.0]);
    // What cannot be is a fault, and never more memory than there is.
    assert_eq!(at(&[1.0, 2.0], 1)?, 2.0);
    assert_eq!(at(&[1.0, 2.0], 2), Err(Fault::Undefined));
    assert_eq!(product(a, a), Err(Fault::Sizes("b")));
    assert_eq!(product(([2, 3], &[1.0]), b), Err(Fault::Sizes("a")));
    assert_eq!(product(([usize::MAX, 2], &[]), b), Err(Fault::Sizes("a")));
    assert_eq!(loss::total(3, &[1.0, 2.0]), Err(Fault::Sizes("x")));
    assert_eq!(short(-1, &[]), Err(Fault::Undefined));
    assert_eq!(short(5, &[1.0]), Err(Fault::Sizes("x")));
    let odd = Camera { place: vec![1.0], ..camera(1) };
    assert_eq!(size(&odd, &points, (0.5, true)), Err(Fault::Sizes("c.place")));
    assert_eq!(tracks(&[camera(1), odd]), Err(Fault::Sizes("c.place")));
    assert_eq!(deep(100_000_000), Err(Fault::Recursion));
    assert_eq!(big(i64::MAX), Err(Fault::Memory));
    assert_eq!(big(-1), Err(Fault::Undefined));
    let calls = (0..4).map(|it| std::thread::spawn(move || value_and_grad_loss(&[f64::from(it); 3], 0.0)));
    for (at, call) in calls.collect::<Vec<_>>().into_iter().enumerate() {
        assert_eq!(call.join().unwrap()?.0, 9.0 * (at * at) as f64);
    }
    println!("all is well");
"#;

#[test]
fn values_gradients_and_faults_come_out_of_c() {
    let build = Build::new("loss.cot");
    assert_eq!(run("f64", &build, TEXT, MAIN), "all is well\n");
}

const SUMS: &str = "
    data Shape = Circle(Real) | Box(Real, Real) | Points([3]Real, Bool) | Nothing
    data Robust = Squared | Huber(Real)
    data Maybe<a> = None | Some(a)
    data Way = Up | Down
    data Samples<n> = Samples([n]Real) | Mean(Real)
    data Tree = Leaf(Real) | Node(Tree, Tree)
    type Item = { shape: Shape, weight: Real, way: Way }
    def area(s: Shape): Real = match s {
      Circle(r) => 3.0 * r * r,
      Box(a, b) => a * b,
      Points(x, yes) => if yes then product(x) else sum(x),
      Nothing => 0.0,
    }
    def grow(s: Shape, by: Real): Shape = match s {
      Circle(r) => Circle(r * by),
      Box(a, b) => Box(a * by, b),
      Points(x, yes) => Points(x * by, !yes),
      Nothing => Nothing,
    }
    def rho(of: Robust, x: [n]Real): Real = match of {
      Squared => sum(x * x),
      Huber(k) => sum(map(\\it => if abs(it) <= k then it * it else k * (2.0 * abs(it) - k), x)),
    }
    def costs(of: [n]Robust, x: [n]Real): [n]Real = build i < n => rho(of[i], [x[i]])
    def weighed(items: [n]Item): Real = sum(map(\\it => it.weight * (match it.way {
      Up => 1.0,
      Down => -1.0,
    }), items))
    def one(item: Item): Real = item.weight * area(item.shape)
    def ways(x: [n]Real): [n]Way = map(\\it => if it < 0.0 then Down else Up, x)
    def inverse(x: Real): Maybe<(Real, [2]Int)> = if x == 0.0 then None else Some((1.0 / x, [1, 2]))
    def nested(m: Maybe<Maybe<Real>>): Real = match m {
      None => 1.0,
      Some(None) => 2.0,
      Some(Some(x)) => x * x,
    }
    def mean(s: Samples<n>): Real = match s { Samples(x) => sum(x) / real(n), Mean(x) => x }
    def total(t: Tree): Real = match t { Leaf(x) => x, Node(l, r) => total(l) * total(r) }
";

const SUMS_MAIN: &str = r#"
    use loss::*;
    let points = |yes| Shape::Points(vec![2.0, 3.0, 4.0], yes);
    assert_eq!(area(&Shape::Circle(2.0))?, 12.0);
    assert_eq!(area(&Shape::Box(2.0, 5.0))?, 10.0);
    assert_eq!((area(&points(true))?, area(&points(false))?), (24.0, 9.0));
    assert_eq!(area(&Shape::Nothing)?, 0.0);
    assert_eq!(value_and_grad_area(&Shape::Circle(2.0))?, (12.0, Shape::Circle(12.0)));
    assert_eq!(value_and_grad_area(&Shape::Box(2.0, 5.0))?, (10.0, Shape::Box(5.0, 2.0)));
    let slope = Shape::Points(vec![12.0, 8.0, 6.0], false);
    assert_eq!(value_and_grad_area(&points(true))?, (24.0, slope));
    assert_eq!(value_and_grad_area(&Shape::Nothing)?, (0.0, Shape::Nothing));
    assert_eq!(area(&Shape::Points(vec![1.0], true)), Err(Fault::Sizes("s.Points.0")));
    assert_eq!(grow(&Shape::Box(2.0, 5.0), 3.0)?, Shape::Box(6.0, 5.0));
    assert_eq!(grow(&points(true), 2.0)?, Shape::Points(vec![4.0, 6.0, 8.0], false));
    assert_eq!(grow(&Shape::Nothing, 2.0)?, Shape::Nothing);
    // d/ds and d/dby of by * a, b with the cotangent (10, 100): (10 by, 100) and 10 a.
    let back = vjp_grow(&Shape::Box(2.0, 5.0), 3.0, &Shape::Box(10.0, 100.0))?;
    assert_eq!(back, (Shape::Box(30.0, 100.0), 20.0));
    assert_eq!(rho(&Robust::Squared, &[3.0, -4.0])?, 25.0);
    assert_eq!(rho(&Robust::Huber(1.0), &[3.0, 0.5])?, 5.25);
    // By k: 2 |x| - 2 k of those beyond; by x: 2 k sign(x) or 2 x.
    let (value, slopes) = value_and_grad_rho(&Robust::Huber(1.0), &[-3.0, 0.5])?;
    assert_eq!((value, slopes), (5.25, (Robust::Huber(4.0), vec![-2.0, 1.0])));
    let slopes = value_and_grad_rho(&Robust::Squared, &[])?;
    assert_eq!(slopes, (0.0, (Robust::Squared, vec![])));
    let mixed = [Robust::Squared, Robust::Huber(1.0)];
    assert_eq!(costs(&mixed, &[3.0, 3.0])?, [9.0, 5.0]);
    let (by_of, by_x) = vjp_costs(&mixed, &[3.0, 3.0], &[1.0, 10.0])?;
    assert_eq!((by_of, by_x), (vec![Robust::Squared, Robust::Huber(40.0)], vec![6.0, 20.0]));
    assert_eq!(costs(&[], &[])?, []);
    assert_eq!(costs(&mixed, &[3.0]), Err(Fault::Sizes("x")));
    let item = |shape, weight, way| Item { shape, weight, way };
    let (value, slope) = value_and_grad_one(&item(Shape::Circle(1.0), 2.0, Way::Down))?;
    assert_eq!((value, slope), (6.0, item(Shape::Circle(12.0), 3.0, Way::Down)));
    assert_eq!(ways(&[1.0, -1.0, 0.0])?, [Way::Up, Way::Down, Way::Up]);
    assert_eq!(inverse(4.0)?, Maybe::Some((0.25, vec![1, 2])));
    assert_eq!(inverse(0.0)?, Maybe::None);
    assert_eq!(vjp_inverse(4.0, &Maybe::Some((16.0, vec![0, 0])))?, -1.0);
    assert_eq!(nested(&Maybe::None)?, 1.0);
    assert_eq!(nested(&Maybe::Some(Maybe::None))?, 2.0);
    let three = Maybe::Some(Maybe::Some(3.0));
    assert_eq!(value_and_grad_nested(&three)?, (9.0, Maybe::Some(Maybe::Some(6.0))));
    assert_eq!(mean(&Samples::Samples(vec![1.0, 2.0, 6.0]))?, 3.0);
    assert_eq!(mean(&Samples::Mean(5.0))?, 5.0);
    let slope = Samples::Samples(vec![0.25; 4]);
    assert_eq!(value_and_grad_mean(&Samples::Samples(vec![1.0; 4]))?, (1.0, slope));
    println!("all is well");
"#;

/// Enums go in and come out; a slope is of the constructor of its argument.
#[test]
fn sum_types_are_enums() {
    let build = Build::new("loss.cot");
    let made = build.embedded(SUMS).unwrap();
    assert!(made.rust.contains("total: C has no type for `Tree`, which contains itself"));
    assert_eq!(run("sums", &build, SUMS, SUMS_MAIN), "all is well\n");
    let why = build.only(["area", "total"]).embedded(SUMS).unwrap_err().to_string();
    assert!(why.starts_with("`total` cannot be built in: C has no type for `Tree`"), "{why}");
    assert!(why.contains("handles and `program!` take it"), "{why}");
    let text = "
        type Point = { x: Real, y: Real }
        data Figure = Polygon([3]Point) | Lines([2]Real)
        def first(f: Figure): Real = match f { Polygon(p) => p[0].x, Lines(x) => x[0] }
        def all(f: [n]Figure): Real = sum(map(first, f))
    ";
    for (name, why) in [
        ("first", "it takes arrays of records in `Polygon`"),
        ("all", "it takes arrays of records in `Polygon`"),
    ] {
        let told = Build::new("loss.cot").only([name]).embedded(text).unwrap_err().to_string();
        let why = format!("`{name}` cannot be built in: {why}; handles and `program!` take it");
        assert_eq!(told, why);
    }
}

#[test]
fn single_precision_and_chosen_parameters() {
    let build = Build::new("loss.cot").f32().wrt(["w"]).only(["loss"]);
    let main = r#"
        let slope: (f32, Vec<f32>) = loss::value_and_grad_loss(&[1.0, 2.0], 4.0)?;
        println!("{slope:?}");
    "#;
    assert_eq!(run("f32", &build, TEXT, main), "(1.0, [-2.0, -2.0])\n");
    let made = build.embedded(TEXT).unwrap();
    let names: Vec<&str> = made.files.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(names, ["loss_loss.c", "loss_loss_grad.c", "loss.h"]);
    assert!(!made.flags.contains(&"-march=native".to_owned()));
}

#[test]
fn what_is_wrong_is_told() {
    let build = Build::new("loss.cot");
    let told = |build: &Build, text: &str| build.embedded(text).unwrap_err().to_string();
    let text = told(&build, "def f(x: Real): Real = y");
    assert!(text.starts_with("loss.cot has errors") && text.contains("loss.cot:1:24"), "{text}");
    let text = told(&build.clone().only(["g"]), "def f(x: Real): Real = x");
    assert_eq!(text, "there is no definition `g`; there are `f`");
    let text = told(&build.wrt(["y"]), "def f(x: Real): Real = x");
    assert!(text.contains("`y`"), "{text}");
    let missing = Build::new("nowhere.cot").try_compile().unwrap_err().to_string();
    assert!(missing.contains("nowhere.cot cannot be read"), "{missing}");
}
