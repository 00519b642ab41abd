//! Arguments, results and failures.

use native::{Failed, Field, Heap, Input, Stop, Word};

use crate::*;

const AXPY: &str = "
ENTRY(0) {
  int64_t n = args[0].i;
  double a = args[1].d, *x = args[2].p, *y = alloc(ctx, 8 * n), sum = 0;
  if (!y) return ctx->code;
  for (int64_t i = 0; i < n; i++) { y[i] = a * x[i]; sum += y[i]; }
  results[0].d = sum; results[1].p = y;
  return 0;
}";

#[test]
fn scalars_and_arrays() {
    let f = function(AXPY, border(&[INT, REAL, REALS], &[REAL, REALS]));
    let x = [1.0, 2.0, 3.0];
    let results = f.call(&[Input::Int(3), Input::Real(2.0), Input::Reals(&x)]).unwrap();
    let words = results.words();
    assert_eq!(words[0].real(), 12.0);
    assert_eq!(results.array::<f64>(words[1], 3).unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn arguments_of_another_kind_are_refused() {
    let f = function(AXPY, border(&[INT, REAL, REALS], &[REAL, REALS]));
    let wrong = [Input::Int(3), Input::Int(2), Input::Reals(&[])];
    assert!(matches!(f.call(&wrong), Err(Failed::Malformed(_))));
    assert!(matches!(f.call(&[]), Err(Failed::Malformed(_))));
}

#[test]
fn addresses_outside_of_the_call_are_not_followed() {
    let f = function("ENTRY(0) { results[0].p = (void *)4096; return 0; }", border(&[], &[REALS]));
    let results = f.call(&[]).unwrap();
    let word = results.words()[0];
    assert!(matches!(results.array::<f64>(word, 1), Err(Failed::Malformed(_))));
    assert!(results.array::<f64>(word, 0).unwrap().is_empty());
}

#[test]
fn a_result_that_is_an_argument_outlives_it_when_kept() {
    let f = function("ENTRY(0) { results[0] = args[0]; return 0; }", border(&[REALS], &[REALS]));
    let x = vec![1.0, 2.0];
    let results = f.call(&[Input::Reals(&x)]).unwrap();
    let word = results.words()[0];
    assert_eq!(results.array::<f64>(word, 2).unwrap(), [1.0, 2.0]);
    let kept = results.keep(&[Some(native::Extent { len: 2, width: 8 })]).unwrap();
    drop(x);
    assert_eq!(kept.array::<f64>(kept.words()[0], 2).unwrap(), [1.0, 2.0]);
}

#[test]
fn values_of_sum_types() {
    // Doubles the numbers of a list, last first: Nil is 0, Cons is 1.
    let text = "
    ENTRY(0) {
      int64_t *list = args[0].p, *res = alloc(ctx, 8);
      res[0] = 0;
      for (; list[0] == 1; list = (int64_t *)list[2]) {
        ct_slot *cell = alloc(ctx, 24);
        cell[0].i = 1; cell[1].d = 2 * ((ct_slot *)list)[1].d; cell[2].p = res;
        res = (int64_t *)cell;
      }
      results[0].p = res;
      return 0;
    }";
    let f = function(text, border(&[BOX], &[BOX]));
    let mut heap = Heap::default();
    let mut list = heap.make(0, &[]);
    for i in 0..10_000 {
        list = heap.make(1, &[Field::Real(f64::from(i)), Field::Pointer(list)]);
    }
    let results = f.call(&[Input::Boxed(&heap, list)]).unwrap();
    let mut rest: Word = results.words()[0];
    for i in 0..10_000 {
        assert_eq!(results.tag(rest).unwrap(), 1);
        let fields = results.fields(rest, 2).unwrap();
        assert_eq!(fields[0].real(), 2.0 * f64::from(i));
        rest = fields[1];
    }
    assert_eq!(results.tag(rest).unwrap(), 0);
}

#[test]
fn a_failed_check_tells_its_site_and_values() {
    let text = "ENTRY(0) {
      ctx->code = 1007; ctx->values[0] = 5; ctx->values[1] = 3; ctx->n_values = 2;
      return ctx->code;
    }";
    let failed = function(text, border(&[], &[])).call(&[]).err();
    assert_eq!(failed, Some(Failed::Site { site: 7, values: vec![5, 3] }));
}

#[test]
fn the_memory_limit_holds() {
    let border = border(&[INT, REAL, REALS], &[REAL, REALS]);
    let f = function_with(AXPY, border, 1, 64 << 20);
    // Never read: the allocation comes first.
    let call = |n: i64| f.call(&[Input::Int(n), Input::Real(2.0), Input::Reals(&[])]).err();
    assert_eq!(call(100 << 20), Some(Failed::Memory { bytes: Some(800 << 20) }));
}

const DEPTH: &str = "
static int64_t depth(ct_ctx *ctx, int64_t n) {
  volatile char here[64];
  if ((char *)here < ctx->stack_low) { ctx->code = 2; return 0; }
  if (ctx->code || n == 0) return 0;
  here[n & 63] = 1;
  return depth(ctx, n - 1) + here[n & 63];
}
ENTRY(0) { results[0].i = depth(ctx, args[0].i); return ctx->code; }";

#[test]
fn a_recursion_of_a_million_runs_and_an_endless_one_ends() {
    let f = function(DEPTH, border(&[INT], &[INT]));
    let depth = |n: i64| f.call(&[Input::Int(n)]).map(|it| it.words()[0].int());
    assert_eq!(depth(10), Ok(10));
    assert_eq!(depth(1_000_000), Ok(1_000_000));
    assert!(matches!(depth(-1), Err(Failed::Recursion { .. })));
    // Also where hardly any stack is left.
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let f = function(DEPTH, border(&[INT], &[INT]));
    let call = move || f.call(&[Input::Int(1_000_000)]).map(|it| it.words()[0].int());
    assert_eq!(small.spawn(call).unwrap().join().unwrap(), Ok(1_000_000));
}

#[test]
fn an_endless_loop_stops_when_asked() {
    let text = "ENTRY(0) { while (!*ctx->stop) {} ctx->code = 3; return 3; }";
    let stop = Stop::default();
    let f = Function::new(module(text, &[border(&[], &[])]), 0, 1, 1 << 20, stop.clone());
    let running = std::thread::spawn(move || f.call(&[]).err());
    stop.ask();
    assert_eq!(running.join().unwrap(), Some(Failed::Stopped));
}

#[test]
fn several_threads_call_one_module() {
    let f = Arc::new(function(AXPY, border(&[INT, REAL, REALS], &[REAL, REALS])));
    let call = |k: usize| {
        let f = f.clone();
        std::thread::spawn(move || {
            for round in 0..200usize {
                let n = 1 + (k * 977 + round * 31) % 5000;
                let x = vec![1.0; n];
                let results =
                    f.call(&[Input::Int(n as i64), Input::Real(k as f64), Input::Reals(&x)]);
                let results = results.unwrap();
                assert_eq!(results.words()[0].real(), (n * k) as f64);
                let y: &[f64] = results.array(results.words()[1], n).unwrap();
                assert!(y.iter().all(|it| *it == k as f64));
            }
        })
    };
    let threads: Vec<_> = (1..5).map(call).collect();
    threads.into_iter().for_each(|it| it.join().unwrap());
}
