//! Arrays of the crate `ndarray` as arguments and as results.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use cotan::{Backend, Data, Program, ToData};
use ndarray::{Array1, Array2, Array3, ArrayD, arr0, arr1, arr2, s};

const TEXT: &str = "
    def product(a: [n][m]Real, x: [m]Real): [n]Real = matvec(a, x)
    def positive(a: [n][m]Int): [n][m]Bool = map(\\row => map(\\it => it > 0, row), a)
    def loss(a: [n][m]Real, x: [m]Real): Real = sum(matvec(a, x))
";

#[test]
fn arrays_go_in_and_come_out() {
    let program = Program::new(TEXT).unwrap();
    for backend in [Backend::Interp, Backend::Native] {
        let f = |name: &str| program.function(name).unwrap().backend(backend);
        let a = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let x = arr1(&[1.0, 0.0, -1.0]);
        let found: Array1<f64> = f("product").call((&a, x.view())).unwrap().get().unwrap();
        assert_eq!(found, a.dot(&x));
        // Not in order: columns, every second element, backwards.
        let found: ArrayD<f64> =
            f("product").call((a.t(), arr1(&[1.0, -1.0]))).unwrap().get().unwrap();
        assert_eq!(found, a.t().dot(&arr1(&[1.0, -1.0])).into_dyn());
        let long = arr1(&[1.0, 9.0, 0.0, 9.0, -1.0]);
        let found: Array1<f64> =
            f("product").call((&a, long.slice(s![..;2]))).unwrap().get().unwrap();
        assert_eq!(found, a.dot(&x));
        let found: Array1<f64> =
            f("product").call((&a, x.slice(s![..;-1]))).unwrap().get().unwrap();
        assert_eq!(found, -a.dot(&x));
        let ints = arr2(&[[1_i64, -1], [0, 3]]);
        let found: Array2<bool> = f("positive").call((ints,)).unwrap().get().unwrap();
        assert_eq!(found, arr2(&[[true, false], [false, true]]));
        let (by_a, by_x): (Array2<f64>, Array1<f32>) =
            f("loss").grad().call((&a, &x)).unwrap().get().unwrap();
        assert_eq!(by_a, arr2(&[[1.0, 0.0, -1.0], [1.0, 0.0, -1.0]]));
        assert_eq!(by_x, arr1(&[5.0_f32, 7.0, 9.0]));
    }
}

#[test]
fn results_go_into_arrays() {
    let program = Program::new(TEXT).unwrap();
    let gradient = program.function("loss").unwrap().grad();
    let (a, x) = (arr2(&[[1.0, 2.0], [4.0, 5.0]]), arr1(&[1.0, -1.0]));
    let (mut by_a, mut by_x) = (Array2::<f64>::zeros((2, 2)), Array1::<f64>::zeros(2));
    gradient.call_into((&a, &x), (by_a.view_mut(), by_x.view_mut())).unwrap();
    assert_eq!((by_a, by_x), (arr2(&[[1.0, -1.0], [1.0, -1.0]]), arr1(&[5.0, 7.0])));
    let (mut wide, mut by_x) = (Array2::<f64>::zeros((2, 4)), Array1::<f64>::zeros(2));
    let columns = wide.slice_mut(s![.., ..;2]);
    let report = gradient.call_into((&a, &x), (columns, by_x.view_mut())).unwrap_err();
    assert!(report.to_string().contains("do not lie in order"), "{report}");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let program = Program::new(TEXT).unwrap();
    let product = program.function("product").unwrap();
    let (a, x) = (arr2(&[[1.0, 2.0], [4.0, 5.0]]), arr1(&[1.0, -1.0]));
    assert!(product.call((&a, &a)).is_err());
    assert!(product.call((&a, arr1(&[1.0]))).is_err());
    assert!(product.call((&a, arr0(1.0))).is_err());
    assert!(product.call((&a, &x)).unwrap().get::<Array3<f64>>().is_err());
    assert!(product.call((&a, &x)).unwrap().get::<Array1<i64>>().is_err());
    let empty = Array2::<f64>::zeros((0, 2));
    let found: Array1<f64> = product.call((&empty, &x)).unwrap().get().unwrap();
    assert_eq!(found.len(), 0);
}

#[test]
fn what_lies_in_order_is_not_copied() {
    let a = arr2(&[[1.0, 2.0], [4.0, 5.0]]);
    let Data::Reals(data) = a.to_data() else { panic!("reals") };
    assert_eq!(data.elements().as_ptr(), a.as_ptr());
}
