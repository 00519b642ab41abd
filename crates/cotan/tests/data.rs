//! Rust values as arguments and as results: tuples, records, data types, arrays of all of them.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Backend, Data, FromData, Mismatch, Precision, Program, Shaped, ToData};

const TEXT: &str = "
    type Point = { x: Real, y: Real }
    data Shape = Circle(Point, Real) | Polygon([4]Point) | Nothing
    def area(s: Shape): Real = match s {
      Circle(_, r) => r * r,
      Polygon(p) => sum(build i < 4 => p[i].x * p[i].y),
      Nothing => 0.0,
    }
    def grown(s: Shape, by: Real): Shape = match s {
      Circle(c, r) => Circle(c, by * r),
      Polygon(p) => Polygon(map(\\it => Point { x: by * it.x, y: it.y }, p)),
      Nothing => Nothing,
    }
    def centre(p: [n]Point): Point =
      Point { x: sum(map(\\it => it.x, p)), y: sum(map(\\it => it.y, p)) }
    def mirrored(p: [n]Point): [n]Point = map(\\it => Point { x: it.y, y: it.x }, p)
    def nested(a: (Real, (Int, Bool)), m: [n][k]Int): ((Bool, Int), Real, [n][k]Bool) =
      ((a.1.1, a.1.0 + 1), 2.0 * a.0, map(\\row => map(\\it => it > 0, row), m))
    def count(n: Int, flags: [k]Bool): Int = n + sum(map(\\it => if it then 1 else 0, flags))
    def total(x: [n]Real): Real = sum(x)
";

#[derive(Clone, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

impl ToData for Point {
    fn to_data(&self) -> Data<'_> {
        Data::Record(vec![("x".into(), self.x.to_data()), ("y".into(), self.y.to_data())])
    }
}

impl FromData for Point {
    fn from_data(data: Data<'_>) -> Result<Point, Mismatch> {
        let mut fields = data.into_fields("Point")?;
        let point = Point { x: fields.take("x")?, y: fields.take("y")? };
        fields.end()?;
        Ok(point)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Circle(Point, f64),
    Polygon([Point; 4]),
    Nothing,
}

impl ToData for Shape {
    fn to_data(&self) -> Data<'_> {
        match self {
            Shape::Circle(p, r) => {
                Data::Constructor("Circle".into(), vec![p.to_data(), r.to_data()])
            }
            Shape::Polygon(p) => Data::Constructor("Polygon".into(), vec![p.to_data()]),
            Shape::Nothing => Data::Constructor("Nothing".into(), vec![]),
        }
    }
}

impl FromData for Shape {
    fn from_data(data: Data<'_>) -> Result<Shape, Mismatch> {
        let (name, mut fields) = data.into_constructor("Shape")?;
        let shape = match &*name {
            "Circle" => Shape::Circle(fields.take()?, fields.take()?),
            "Polygon" => Shape::Polygon(fields.take()?),
            "Nothing" => Shape::Nothing,
            other => return Err(Mismatch::new("a constructor of `Shape`", other)),
        };
        fields.end()?;
        Ok(shape)
    }
}

fn each_backend(test: impl Fn(&Program, &dyn Fn(&str) -> cotan::Function)) {
    let program = Program::new(TEXT).unwrap();
    for backend in [Backend::Interp, Backend::Native] {
        test(&program, &|name| program.function(name).unwrap().backend(backend));
    }
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

#[test]
fn records_and_data_types_go_in_and_come_out() {
    each_backend(|_, f| {
        let (area, grown) = (f("area"), f("grown"));
        let square = [point(1.0, 2.0), point(3.0, 4.0), point(0.0, 0.0), point(1.0, 1.0)];
        let shapes = [Shape::Circle(point(0.0, 1.0), 3.0), Shape::Polygon(square), Shape::Nothing];
        let areas = shapes.each_ref().map(|it| area.call((it,)).unwrap().get::<f64>().unwrap());
        assert_eq!(areas, [9.0, 15.0, 0.0]);
        let twice =
            shapes.each_ref().map(|it| grown.call((it, 2)).unwrap().get::<Shape>().unwrap());
        assert_eq!(twice[0], Shape::Circle(point(0.0, 1.0), 6.0));
        assert_eq!(twice[2], Shape::Nothing);
        let Shape::Polygon(found) = &twice[1] else { panic!("{:?}", twice[1]) };
        assert_eq!(found[1], point(6.0, 4.0));
    });
}

#[test]
fn arrays_of_records_are_vectors_of_structs() {
    each_backend(|_, f| {
        let points = vec![point(1.0, 2.0), point(3.0, 5.0)];
        assert_eq!(f("centre").call((&points,)).unwrap().get::<Point>().unwrap(), point(4.0, 7.0));
        let found: Vec<Point> = f("mirrored").call((&points,)).unwrap().get().unwrap();
        assert_eq!(found, [point(2.0, 1.0), point(5.0, 3.0)]);
        let none: Vec<Point> = f("mirrored").call((Vec::<Point>::new(),)).unwrap().get().unwrap();
        assert_eq!(none, []);
    });
}

#[test]
fn tuples_in_tuples_and_integers_and_truth_values() {
    each_backend(|_, f| {
        let matrix = Shaped::new(&[2, 3], vec![1_i64, -1, 0, 5, 0, 7]);
        let answer = f("nested").call(((1.5, (7_i64, true)), &matrix)).unwrap();
        let (first, second, third): ((bool, i64), f64, Shaped<'static, bool>) =
            answer.get().unwrap();
        assert_eq!((first, second), ((true, 8), 3.0));
        assert_eq!(third.shape(), [2, 3]);
        assert_eq!(third.elements(), [true, false, false, true, false, true]);
        let rows: (Data<'_>, Data<'_>, Vec<Vec<bool>>) = answer.get().unwrap();
        assert_eq!(rows.2, [[true, false, false], [true, false, true]]);
        // A list of rows is as good as a shaped array.
        let rows = vec![vec![1_i64, -1, 0], vec![5, 0, 7]];
        let again = f("nested").call(((1.5_f32, (7_usize, true)), rows)).unwrap();
        assert_eq!(again.to_text(), answer.to_text());
        let count = f("count").call((3_i32, [true, false, true])).unwrap();
        assert_eq!(count.get::<i64>().unwrap(), 5);
        assert_eq!(count.get::<u8>().unwrap(), 5);
    });
}

#[test]
fn single_precision_in_and_out() {
    let program = Program::new(TEXT).unwrap();
    for precision in [Precision::F32, Precision::F64] {
        for backend in [Backend::Interp, Backend::Native] {
            let total = program.function("total").unwrap().precision(precision).backend(backend);
            let x: Vec<f32> = vec![0.5, 0.25, 1.0];
            assert_eq!(total.call((&x,)).unwrap().get::<f32>().unwrap(), 1.75);
            assert_eq!(total.grad().call((&x,)).unwrap().get::<Vec<f32>>().unwrap(), [1.0; 3]);
        }
    }
}

#[test]
fn what_does_not_fit_is_named() {
    each_backend(|_, f| {
        let says = |it: Result<cotan::Answer, cotan::Report>, what: &str| {
            let report = it.unwrap_err();
            assert!(report.to_string().contains(what), "{report}");
        };
        says(f("area").call((1.0,)), "a constructor of Shape");
        says(f("area").call((Data::Constructor("Square".into(), vec![]),)), "`Square`");
        says(f("centre").call((vec![1.0],)), "real numbers of shape (1,)");
        let odd = Data::Record(vec![("x".into(), Data::Real(1.0)), ("z".into(), Data::Real(1.0))]);
        says(f("centre").call((vec![odd],)), "`z`");
        says(f("count").call((1.5, [true])), "1.5");
        says(f("count").call((u64::MAX, [true])), "1.8446744073709552e19");
        let short = Shaped::new(&[2, 3], vec![1.0; 5]);
        says(f("total").call((&short,)), "5 elements");
        says(f("total").call((vec![short],)), "real numbers");
        says(f("total").call((Shaped::new(&[usize::MAX, 2], vec![1.0]),)), "1 elements");
        says(f("total").call((Shaped::new(&[usize::MAX, 0], Vec::<f64>::new()),)), "[n]Real");
        says(
            f("nested").call(((1.0, (1, true)), Shaped::new(&[usize::MAX, 0], Vec::<i64>::new()))),
            "2^56",
        );
        let answer = f("total").call(([1.0],)).unwrap();
        let report = answer.get::<(f64, f64)>().unwrap_err();
        assert!(report.to_string().contains("a pair"), "{report}");
        assert!(answer.get::<i64>().is_err());
    });
}

#[test]
fn reals_of_data_are_a_vector() {
    let shape = Shape::Circle(point(1.0, 2.0), 3.0);
    let data = shape.to_data();
    assert_eq!(data.ravel(), [1.0, 2.0, 3.0]);
    let back = Shape::from_data(data.unravel(&[4.0, 5.0, 6.0]).unwrap()).unwrap();
    assert_eq!(back, Shape::Circle(point(4.0, 5.0), 6.0));
    assert!(data.unravel(&[1.0]).is_err());
    assert!(data.unravel(&[1.0; 4]).is_err());
}
