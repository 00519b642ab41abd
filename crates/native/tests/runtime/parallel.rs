//! Tasks on several threads, and matrix products.

use native::{Failed, Input};

use crate::*;

/// Task i writes i squared; each allocates and writes scratch memory of its own.
const SQUARES: &str = "
typedef struct { double *y; int64_t failing; } env_t;
static void task(void *env, int64_t i, ct_ctx *ctx) {
  env_t *it = env;
  double *scratch = alloc(ctx, 4096);
  for (int k = 0; k < 512; k++) scratch[k] = (double)i;
  double sum = 0;
  for (int k = 0; k < 512; k++) sum += scratch[k];
  it->y[i] = sum / 512 * i;
  if (it->failing >= 0 && i >= it->failing) { ctx->code = 1000; ctx->values[0] = i; ctx->n_values = 1; }
}
ENTRY(0) {
  int64_t n = args[0].i;
  env_t env = { alloc(ctx, 8 * n), args[1].i };
  ctx->host->parallel(ctx->host->self, n, task, &env, ctx);
  results[0].p = env.y;
  return ctx->code;
}";

#[test]
fn every_task_runs_once_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let f = function_with(SQUARES, border(&[INT, INT], &[REALS]), threads, 1 << 30);
        for n in [0i64, 1, 2, 3, 100, 1000] {
            for _ in 0..50 {
                let results = f.call(&[Input::Int(n), Input::Int(-1)]).unwrap();
                let y: &[f64] = results.array(results.words()[0], n as usize).unwrap();
                assert!(y.iter().enumerate().all(|(i, it)| *it == (i * i) as f64));
            }
        }
    }
}

#[test]
fn the_failure_of_the_lowest_task_counts() {
    let f = function_with(SQUARES, border(&[INT, INT], &[REALS]), 4, 1 << 30);
    for round in 0..200 {
        let failed = f.call(&[Input::Int(300), Input::Int(round)]).err();
        assert_eq!(failed, Some(Failed::Site { site: 0, values: vec![round] }));
    }
}

#[test]
fn callers_on_several_threads_share_the_workers() {
    let f = Arc::new(function_with(SQUARES, border(&[INT, INT], &[REALS]), 3, 1 << 28));
    let call = |_| {
        let f = f.clone();
        std::thread::spawn(move || {
            for n in 1..200i64 {
                let results = f.call(&[Input::Int(n), Input::Int(-1)]).unwrap();
                let y: &[f64] = results.array(results.words()[0], n as usize).unwrap();
                assert!(y.iter().enumerate().all(|(i, it)| *it == (i * i) as f64));
            }
        })
    };
    let threads: Vec<_> = (0..4).map(call).collect();
    threads.into_iter().for_each(|it| it.join().unwrap());
}

const PRODUCT: &str = "
ENTRY(0) {
  int64_t m = args[0].i, n = args[1].i, k = args[2].i;
  real *c = alloc(ctx, sizeof(real) * (m * n + 1));
  for (int64_t i = 0; i < m * n; i++) c[i] = 1;
  ctx->host->product(m, n, k, args[3].p, k, 1, args[4].p, 1, k, c, n, 1, (int)args[5].i, ctx);
  results[0].p = c;
  return ctx->code;
}";

/// `a` is m by k with a[i, l] = i + l, `b` is given transposed with b[l, j] = (-1)^l j:
/// the product is a sum with a closed form.
fn expected(i: usize, j: usize, k: usize) -> f64 {
    // Pairs (i + 2l) - (i + 2l + 1) = -1; one term is left if k is odd.
    let pairs = (k / 2) as f64;
    let last = if k % 2 == 1 { (i + k - 1) as f64 } else { 0.0 };
    (last - pairs) * j as f64
}

/// The product of two matrices, the second one transposed, or what it adds to ones.
fn product(threads: usize, [m, n, k]: [usize; 3], a: &[f64], b: &[f64], add: bool) -> Vec<f64> {
    let types = [INT, INT, INT, REALS, REALS, INT];
    let text = format!("typedef double real;\n{PRODUCT}");
    let f = function_with(&text, border(&types, &[REALS]), threads, 1 << 30);
    let size = |it: usize| Input::Int(it as i64);
    let inputs =
        [size(m), size(n), size(k), Input::Reals(a), Input::Reals(b), Input::Int(add.into())];
    let results = f.call(&inputs).unwrap();
    results.array::<f64>(results.words()[0], m * n).unwrap().to_vec()
}

fn check(m: usize, n: usize, k: usize, add: bool) {
    let a: Vec<f64> = (0..m * k).map(|it| (it / k + it % k) as f64).collect();
    let sign = |l: usize| if l.is_multiple_of(2) { 1.0 } else { -1.0 };
    let b: Vec<f64> = (0..n * k).map(|it| sign(it % k) * (it / k) as f64).collect();
    for (at, value) in product(1, [m, n, k], &a, &b, add).iter().enumerate() {
        let wanted = expected(at / n, at % n, k) + if add { 1.0 } else { 0.0 };
        assert_eq!(*value, wanted, "{m} {n} {k} at {at}");
    }
}

#[test]
fn products_of_all_sizes() {
    for (m, n, k) in
        [(1, 1, 1), (3, 2, 5), (17, 33, 9), (64, 64, 64), (300, 200, 101), (7, 900, 400)]
    {
        for add in [false, true] {
            check(m, n, k, add);
        }
    }
    check(0, 5, 3, false);
    // Nothing to add up: zeros, or what was there.
    for add in [false, true] {
        check(4, 5, 0, add);
    }
}

#[test]
fn products_in_single_precision() {
    let types = [INT, INT, INT, FLOATS, FLOATS, INT];
    let text = format!("typedef float real;\n{PRODUCT}");
    let border = Border { width: Width::Single, ..border(&types, &[FLOATS]) };
    let f = function_with(&text, border, 2, 1 << 30);
    let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [1.0f32, 0.0, 1.0, 1.0]);
    let two = Input::Int(2);
    let inputs = [two, two, two, Input::Floats(&a), Input::Floats(&b), Input::Int(0)];
    let results = f.call(&inputs).unwrap();
    let c: &[f32] = results.array(results.words()[0], 4).unwrap();
    assert_eq!(c, [1.0, 3.0, 3.0, 7.0]);
}

/// Of numbers whose sums are rounded, so that another order of them would show.
#[test]
fn products_have_the_same_bits_on_any_number_of_threads() {
    let numbers = |count: usize| -> Vec<f64> {
        (0..count).map(|it| ((it * 7919 + 13) % 1009) as f64 / 977.0 - 0.5).collect()
    };
    // Long rows are added up in parts; thin results have ways of their own.
    let sizes = [[500, 300, 77], [257, 801, 130], [260, 270, 1300], [1, 4000, 700], [4000, 1, 700]];
    let thin = [[3000, 2, 900], [2, 3000, 900], [900, 10, 600], [64, 512, 600], [512, 64, 600]];
    for [m, n, k] in sizes.into_iter().chain(thin) {
        let (a, b) = (numbers(m * k), numbers(n * k));
        for add in [false, true] {
            let alone = product(1, [m, n, k], &a, &b, add);
            for threads in [2, 3, 8] {
                let together = product(threads, [m, n, k], &a, &b, add);
                let same = alone.iter().zip(&together).all(|(x, y)| x.to_bits() == y.to_bits());
                assert!(same, "{m} by {n} by {k}, {threads} threads");
            }
        }
    }
}
