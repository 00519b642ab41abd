//! Operations on arrays of every representation, sizes of zero included.

mod common;

use common::*;
use eval::{Elems, Fault, Value};

#[track_caller]
fn check(result: &str, body: &str, input: &[f64], expected: Value) {
    assert_equal(&on_reals(result, body, input).expect(body), &expected);
}

const INPUT: &[f64] = &[3.0, 1.0, 2.0];

#[test]
fn elementwise_primitives_broadcast_scalars() {
    check(
        "[x0]Real",
        "x3: [x0]Real = mul x1 x1  x4: [x0]Real = sub 10.0 x3 give x4",
        INPUT,
        reals(&[1.0, 9.0, 6.0]),
    );
    check(
        "[x0]Bool",
        "x3: [x0]Bool = lt x1 2.5 x4: [x0]Bool = not x3 x5: [x0]Bool = not x4 give x5",
        INPUT,
        on_reals("[x0]Bool", "x3: [x0]Bool = lt x1 2.5 give x3", INPUT).unwrap(),
    );
    check(
        "[x0]Real",
        "x3: [x0]Bool = lt x1 2.5 x4: [x0]Real = select x3 x1 0.0 give x4",
        INPUT,
        reals(&[0.0, 1.0, 2.0]),
    );
    check(
        "[x0]Int",
        "x3: [x0]Int = int x1 x4: [x0]Int = rem x3 2 give x4",
        INPUT,
        ints(&[1, 1, 0]),
    );
}

#[test]
fn operands_are_not_changed_by_operations_on_them() {
    let body = "x3: [x0]Real = add x1 1.0 x4: [x0]Real = mul x3 x3 x5: [x0]Real = sub x4 x3 x6: [x0]Real = add x5 x1 give x6";
    // (x + 1)^2 - (x + 1) + x
    check("[x0]Real", body, INPUT, reals(&[15.0, 3.0, 8.0]));
}

#[test]
fn reductions() {
    check("Real", "x3: Real = sum 0 x1 give x3", INPUT, Value::Real(6.0));
    check("Real", "x3: Real = product 0 x1 give x3", INPUT, Value::Real(6.0));
    check("Real", "x3: Real = maximum 0 x1 give x3", INPUT, Value::Real(3.0));
    check("Real", "x3: Real = minimum 0 x1 give x3", &[], Value::Real(f64::INFINITY));
    check("Int", "x3: Int = argmax x1 give x3", &[1.0, 5.0, 5.0], Value::Int(1));
    check("Int", "x3: Int = argmin x1 give x3", INPUT, Value::Int(1));
    let none = on_reals("Int", "x3: Int = argmax x1 give x3", &[]);
    assert_eq!(none.unwrap_err().fault, Fault::NoGreatest);
    let nan = on_reals("Real", "x3: Real = maximum 0 x1 give x3", &[1.0, f64::NAN, 2.0]).unwrap();
    assert!(matches!(nan, Value::Real(x) if x.is_nan()));
    let rows = "x3: [2][x0]Real = replicate [2] x1 x4: [x0]Real = sum 0 x3 give x4";
    check("[x0]Real", rows, INPUT, reals(&[6.0, 2.0, 4.0]));
    let columns = "x3: [2][x0]Real = replicate [2] x1 x4: [2]Real = sum 1 x3 give x4";
    check("[2]Real", columns, INPUT, reals(&[6.0, 6.0]));
}

#[test]
fn rows_of_matrices_and_indices_out_of_bounds() {
    let text = "def main(x1: [2][3]Real, x2: Int) -> (x3: [3]Real, x4: Real) {
        x5: [3]Real = index x1 (x2)
        x6: Real = index x1 (x2, 1)
        give x5, x6 }";
    let m = || matrix(&[&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]]);
    let res = main(text, &[], vec![m(), Value::Int(1)]).unwrap();
    assert_equal(&res[0], &reals(&[4.0, 5.0, 6.0]));
    assert_equal(&res[1], &Value::Real(5.0));
    let out = fault(main(text, &[], vec![m(), Value::Int(2)]));
    assert_eq!(out, Fault::Index { index: 2, size: 2, axis: 0 });
    let out = fault(main(text, &[], vec![m(), Value::Int(-1)]));
    assert_eq!(out, Fault::Index { index: -1, size: 2, axis: 0 });
}

#[test]
fn movement() {
    check("[x0]Real", "x3: [x0]Real = reverse x1 give x3", INPUT, reals(&[2.0, 1.0, 3.0]));
    check("[2]Real", "x3: [2]Real = slice x1 0 [1] [3] give x3", INPUT, reals(&[1.0, 2.0]));
    check(
        "[2*x0]Real",
        "x3: [2*x0]Real = concat (x1, x1) give x3",
        INPUT,
        reals(&[3.0, 1.0, 2.0, 3.0, 1.0, 2.0]),
    );
    check("[x0]Real", "x3: [x0]Real = sort x1 give x3", INPUT, reals(&[1.0, 2.0, 3.0]));
    check(
        "[x0]Int",
        "x3: [x0]Int = argsort x1 give x3",
        &[2.0, 1.0, 2.0, 1.0],
        ints(&[1, 3, 0, 2]),
    );
    check(
        "[x0]Int",
        "x3: [x0]Int = argsort x1 give x3",
        &[f64::NAN, 1.0, f64::NAN, -1.0],
        ints(&[3, 1, 0, 2]),
    );
    let gather = "x3: [x0]Int = argsort x1 x4: [x0]Real = gather x1 (x3) give x4";
    check("[x0]Real", gather, INPUT, reals(&[1.0, 2.0, 3.0]));
    let scatter = "x3: [x0]Int = replicate [x0] 1 x4: [x0]Real = scatter x1 (x3) x1 give x4";
    check("[x0]Real", scatter, INPUT, reals(&[3.0, 7.0, 2.0]));
    let transpose =
        "x3: [2][x0]Real = replicate [2] x1 x4: [x0][2]Real = transpose x3 (1, 0) give x4";
    check("[x0][2]Real", transpose, INPUT, matrix(&[&[3.0, 3.0], &[1.0, 1.0], &[2.0, 2.0]]));
    let reshape = "x3: [1][3]Real = reshape x1 1 [1, 3] give x3";
    check("[1][3]Real", reshape, INPUT, matrix(&[INPUT]));
    check("[x0]Int", "x3: [x0]Int = iota [x0] give x3", INPUT, ints(&[0, 1, 2]));
    let sized = on_reals("[2]Real", "x3: [2]Real = sized x1 [2] give x3", INPUT).unwrap_err();
    assert_eq!(sized.fault, Fault::Sizes { expected: vec![2], found: vec![3] });
    let slice = on_reals("[2]Real", "x3: [2]Real = slice x1 0 [2] [4] give x3", INPUT).unwrap_err();
    assert_eq!(slice.fault, Fault::Slice { from: 2, to: 4, size: 3 });
    let reshape = on_reals("[2][2]Real", "x3: [2][2]Real = reshape x1 1 [2, 2] give x3", INPUT);
    assert_eq!(reshape.unwrap_err().fault, Fault::Reshape { from: vec![3], to: vec![2, 2] });
}

#[test]
fn arrays_of_tuples_are_tuples_of_arrays() {
    let text = "def main[x0](x1: [x0]Real) -> (x2: [x0](Real, [2]Real), x3: [x0][2]Real, x4: (Real, [2]Real), x5: [2](Real, [2]Real), x20: [x0](Real, [2]Real)) {
        x6: [x0](Real, [2]Real) = build (x7 < x0) {
            x8: Real = index x1 (x7)
            x9: [2]Real = array Real (x8, 0.5)
            x10: (Real, [2]Real) = tuple (x8, x9)
            give x10
        }
        x11: [x0][2]Real = proj x6 1
        x12: (Real, [2]Real) = index x6 (1)
        x13: [2](Real, [2]Real) = slice x6 0 [1] [3]
        x14: [x0]Real = proj x6 0
        x15: [x0](Real, [2]Real) = tuple 1 (x14, x11)
        give x6, x11, x12, x13, x15
    }";
    let res = main(text, &[3], vec![reals(INPUT)]).unwrap();
    let Value::Array(array) = &res[0] else { panic!() };
    let Elems::Tuple(parts) = &array.elems else { panic!("{array:?}") };
    assert_eq!(
        (&*array.shape, &*parts[0].shape, &*parts[1].shape),
        (&[3][..], &[3][..], &[3, 2][..])
    );
    assert_equal(&res[1], &matrix(&[&[3.0, 0.5], &[1.0, 0.5], &[2.0, 0.5]]));
    assert_equal(&res[2], &pair(Value::Real(1.0), reals(&[1.0, 0.5])));
    let Value::Array(part) = &res[3] else { panic!() };
    assert_equal(&part.row(1, 1), &pair(Value::Real(2.0), reals(&[2.0, 0.5])));
    assert_equal(&res[4], &res[0]);
}

#[test]
fn arrays_without_elements_keep_their_inner_sizes() {
    let text = "def main[x0](x1: Int) -> (x2: [0][3](Real, [x0]Int), x3: [3][0](Real, [x0]Int), x4: [0][3][x0]Int, x5: [0]String) {
        x6: [0][3](Real, [x0]Int) = build (x7 < 0, x8 < 3) {
            x9: [x0]Int = iota [x0]
            x10: (Real, [x0]Int) = tuple (1.0, x9)
            give x10
        }
        x11: [3][0](Real, [x0]Int) = transpose x6 (1, 0)
        x12: [0][3][x0]Int = proj x6 1
        x13: [0]String = array String ()
        give x6, x11, x12, x13
    }";
    let res = main(text, &[2], vec![Value::Int(0)]).unwrap();
    let shape = |value: &Value| {
        let Value::Array(array) = value else { panic!("{value:?}") };
        array.shape.to_vec()
    };
    assert_eq!(shape(&res[0]), [0, 3]);
    assert_eq!(shape(&res[1]), [3, 0]);
    assert_eq!(shape(&res[2]), [0, 3, 2]);
    assert_eq!(shape(&res[3]), [0]);
}

#[test]
fn empty_arrays_of_a_type_variable_get_their_sizes_back() {
    let text = "def id<a>[x0](x1: [x0]a) -> (x2: [x0]a) {
        x3: [x0]a = build (x4 < x0) { x5: a = index x1 (x4) give x5 }
        give x3 }
    def main[x0](x1: [x0][3]Real) -> (x2: [3][x0]Real, x3: [3]Real, x4: [x0]Real) {
        x5: [x0][3]Real = call id<[3]Real>[x0](x1)
        x6: [3][x0]Real = transpose x5 (1, 0)
        x7: [3]Real = sum 0 x5
        x8: [x0]Real = sum 1 x5
        give x6, x7, x8 }";
    let empty = Value::from(array::Dense { shape: vec![0, 3], data: array::Buffer::Real(vec![]) });
    let res = main(text, &[0], vec![empty]).unwrap();
    let Value::Array(transposed) = &res[0] else { panic!() };
    assert_eq!(&*transposed.shape, &[3, 0]);
    assert_equal(&res[1], &reals(&[0.0, 0.0, 0.0]));
    assert_equal(&res[2], &reals(&[]));
}

#[test]
fn filters_tell_how_many() {
    let text = "def main[x0](x1: [x0]Real) -> (x2: Int, x3: [x2]Real) {
        x4: Int, x5: [x4]Real = filter x1 lambda (x6: Real) { x7: Bool = gt x6 1.5 give x7 }
        give x4, x5 }";
    let res = main(text, &[3], vec![reals(INPUT)]).unwrap();
    assert_equal(&res[0], &Value::Int(2));
    assert_equal(&res[1], &reals(&[3.0, 2.0]));
}

#[test]
fn boxed_arrays() {
    let text = "data Shape = Dot() | Line(Real, String)
    def main(x1: Int) -> (x2: Shape, x3: [2]Shape, x4: Bool, x5: Bool) {
        x6: Shape = con Shape Dot()
        x7: Shape = con Shape Line(2.5, \"long\")
        x8: [2]Shape = array Shape (x6, x7)
        x9: [2]Shape = reverse x8
        x10: [2]Shape = reverse x9
        x11: Bool = equal x8 x10
        x12: Bool = equal x8 x9
        x13: Shape = index x8 (1)
        give x13, x9, x11, x12 }";
    let res = main(text, &[], vec![Value::Int(0)]).unwrap();
    let Value::Data(line) = &res[0] else { panic!() };
    assert_eq!(&*line.con.name, "Line");
    assert_equal(&line.fields[1], &Value::str("long"));
    assert_equal(&res[2], &Value::Bool(true));
    assert_equal(&res[3], &Value::Bool(false));
}

#[test]
fn scatter_into_the_state_of_a_loop_does_not_copy_it() {
    // A hundred thousand times a hundred thousand elements would take minutes.
    let text = "def main[x0](x1: [x0]Real) -> (x2: Real) {
        x3: [x0]Int = iota [x0]
        x4: [x0]Real = copy x1
        x5: [x0]Real = fold (x6: [x0]Real = x4) (x7: Int = x3) {
            x8: [1]Int = array Int (x7)
            x9: [1]Real = array Real (1.0)
            x10: [x0]Real = scatter x6 (x8) x9
            give x10
        }
        x11: Real = sum 0 x5
        give x11 }";
    let n = 100_000;
    let res = main(text, &[n], vec![reals(&vec![0.5; n as usize])]).unwrap();
    assert_equal(&res[0], &Value::Real(1.5 * n as f64));
}

#[test]
fn arrays_of_units_take_no_memory() {
    let text = "def main(x1: Int) -> (x2: Int) {
        x3: () = tuple ()
        x4: [1000000000000]() = replicate [1000000000000] x3
        x5: [1000000000000]() = reverse x4
        x6: () = index x5 (999999999999)
        x7: Bool = equal x3 x6
        x8: Int = if x7 { give 1 } else { give 0 }
        give x8 }";
    assert_equal(&main(text, &[], vec![Value::Int(0)]).unwrap()[0], &Value::Int(1));
}
