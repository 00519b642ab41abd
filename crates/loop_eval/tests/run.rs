//! What loop nests mean, on texts; and what they must not do.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use loop_eval::{Cost, Ended, Input, Limits, Value, run};

fn reals(values: &[f64]) -> Input {
    Input::Array(values.iter().map(|it| Value::Real(*it)).collect())
}

fn int(value: i64) -> Input {
    Input::Scalar(Value::Int(value))
}

fn of(text: &str, inputs: &[Input], limits: Limits) -> Result<loop_eval::Outcome, Ended> {
    let module = loops::parse(text).unwrap();
    loops::verify(&module).unwrap();
    run(&module, 0, inputs, limits)
}

/// The results as text: short to write, and exact.
fn shown(text: &str, inputs: &[Input]) -> Result<String, Ended> {
    let outcome = of(text, inputs, Limits::default())?;
    let scalar = |it: &Value| match it {
        Value::Real(it) => format!("{it:?}"),
        Value::Int(it) => it.to_string(),
        Value::Unknown | Value::Bool(_) | Value::Box(_) | Value::Array(_) => format!("{it:?}"),
    };
    let shown = outcome.results.iter().map(|it| match it {
        Input::Scalar(it) => scalar(it),
        Input::Array(all) => format!("[{}]", all.iter().map(scalar).collect::<Vec<_>>().join(" ")),
    });
    Ok(shown.collect::<Vec<_>>().join(", "))
}

const DOT: &str = "
entry dot(x0: Int, x1: []Real, x2: []Real) {
  vector x3 < x0 {
    x5 = x1[x3]
    x6 = x2[x3]
    x7 = mul(x5, x6)
  }
  x4 = 0.0 + over x7
  return x4
}";

#[test]
fn a_loop_adds_up_and_is_counted() {
    let inputs = [int(3), reals(&[1.0, 2.0, 3.0]), reals(&[4.0, 5.0, 6.0])];
    let outcome = of(DOT, &inputs, Limits::default()).unwrap();
    assert!(matches!(outcome.results[..], [Input::Scalar(Value::Real(32.0))]));
    assert_eq!(outcome.cost, Cost { operations: 6, read: 48, written: 0 });
}

#[test]
fn single_precision_rounds_every_step() {
    let inputs = [int(2), reals(&[1.0, 1e-9]), reals(&[1.0, 1.0])];
    let single = of(DOT, &inputs, Limits { single: true, ..Limits::default() }).unwrap();
    assert!(matches!(single.results[..], [Input::Scalar(Value::Real(1.0))]));
}

#[test]
fn state_is_handed_on_all_at_once() {
    let text = "
entry fibonacci(x0: Int) {
  state x1 = 0
  state x2 = 1
  for x3 < x0 {
    x4 = add(x1, x2)
    next x1 = x2
    next x2 = x4
  }
  x5 = last x1
  x6 = last x2
  return x5
}";
    assert_eq!(shown(text, &[int(10)]), Ok("55".to_string()));
    assert_eq!(shown(text, &[int(-1)]), Ok("0".to_string()));
}

#[test]
fn chunks_of_any_length_give_the_same() {
    let text = "
entry total(x0: Int, x1: []Int) {
  x2 = alloc []Int, 1
  fill x2[], 1 with 0
  chunks x3, x4 < x0, 8 bytes and 1 ns an element, x2 += x5 of 1 {
    for x6 < x4 {
      x7 = x1[x3 + x6]
      x5[] += x7
    }
  }
  x8 = x2[]
  return x8
}";
    let inputs = [int(5), Input::Array((1..=5).map(Value::Int).collect())];
    for chunk in [1, 2, 5, 9] {
        let outcome = of(text, &inputs, Limits { chunk, ..Limits::default() }).unwrap();
        assert!(matches!(outcome.results[..], [Input::Scalar(Value::Int(15))]), "{chunk}");
    }
}

#[test]
fn boxes_are_told_apart_and_calls_nest() {
    let text = "
entry main(x0: Int) {
  x1: Box = call 1(x0)
  x2: Int = call 2(x1)
  return x2
}
recursive list(x0: Int) {
  x1 = le(x0, 0)
  if x1 {
    x2 = make 0()
  } else {
    x3 = sub(x0, 1)
    x4: Box = call 1(x3)
    x5 = make 1(x0, x4)
  }
  x6 = either x2, x5
  return x6
}
recursive sum(x0: Box) {
  switch x0 {
  1(x1: Int, x2: Box) {
    x3: Int = call 2(x2)
    x4 = add(x1, x3)
  }
  else {
  }
  }
  x5 = one of x4 else 0
  return x5
}";
    // Tag 0 has no arm.
    let module = loops::parse(text).unwrap();
    assert_eq!(loops::verify(&module), Ok(()));
    assert_eq!(shown(text, &[int(100)]), Ok("5050".to_string()));
    assert_eq!(shown(text, &[int(1_000_000)]), Err(Ended::Deep));
}

#[test]
fn products_and_sorts_are_those_of_the_runtime() {
    let text = "
entry main(x0: []Real, x1: []Real) {
  x2 = alloc []Real, 4
  x2[i * 2 + j * 1] = product x0[i * 2 + j * 1] x1[i * 2 + j * 1], 2 by 2 by 2
  x3 = alloc []Real, 4
  sort x2 to x3, 4
  x4 = alloc []Int, 4
  argsort x2 to x4, 4
  return x2, x3, x4
}";
    let inputs = [reals(&[1.0, 2.0, 3.0, 4.0]), reals(&[0.0, 1.0, 1.0, 0.0])];
    let wanted = "[2.0 1.0 4.0 3.0], [1.0 2.0 3.0 4.0], [1 0 3 2]";
    assert_eq!(shown(text, &inputs), Ok(wanted.to_string()));
}

/// What C would do without a word.
#[test]
fn nobody_leaves_an_array() {
    let wrong = |body: &str| {
        let text = format!("entry main(x0: Int, x1: []Real) {{\n{body}\n}}");
        match shown(&text, &[int(2), reals(&[1.0, 2.0])]) {
            Err(Ended::Wrong(complaint)) => complaint,
            other => panic!("{other:?}"),
        }
    };
    let read = "x2 = x1[x0]\nreturn x2";
    assert_eq!(wrong(read), "element 2 of array 0 is read, of 2 elements");
    let written = "x1[-1] = 1.0\nreturn x0";
    assert_eq!(wrong(written), "element -1 of array 0 is written, of 2 elements");
    let unwritten = "x2 = alloc []Real, 3\nx3 = x2[1]\nx4 = add(x3, 1.0)\nreturn x4";
    assert_eq!(wrong(unwritten), "a result is nothing that anybody wrote");
    let freed = "scope {\nx2 = alloc []Real, 3\nx3 = x2[...]\n}\nreturn x3";
    assert_eq!(wrong(freed), "element 0 of array 1 is given after it was freed");
}

#[test]
fn what_nobody_wrote_may_be_read_and_left() {
    let text = "
entry main(x0: Int) {
  x1 = alloc []Real, x0
  x2 = x1[]
  x3 = lt(x0, 1)
  x4 = select(x3, 7.0, x2)
  return x4
}";
    assert_eq!(shown(text, &[int(0)]), Ok("7.0".to_string()));
    let complaint = "a result is nothing that anybody wrote".to_string();
    assert_eq!(shown(text, &[int(1)]), Err(Ended::Wrong(complaint)));
}

#[test]
fn checks_end_a_run_and_endless_loops_do_too() {
    let text = "
entry main(x0: Int) {
  x1 = lt(x0, 3)
  check x1 else 0(x0)
  while {
  } holds true {
  }
  return x0
}
site 0 size in main at 0:5..9";
    assert_eq!(shown(text, &[int(4)]), Err(Ended::Check(0, vec![4])));
    assert_eq!(shown(text, &[int(2)]), Err(Ended::Long));
}

/// Two functions by one call are the two, one after the other.
#[test]
fn two_functions_are_both_of_them() {
    let apart = "
        entry f(x0: Real) {
          x1 = tanh(x0)
          x2 = cosh(x0)
          x3 = mul(x2, x2)
          x4 = div(1.0, x3)
          x5 = sigmoid(x0)
          x6 = neg(x0)
          x7 = sigmoid(x6)
          return x1, x4, x5, x7
        }";
    let together = "
        entry f(x0: Real) {
          x1, x2 = tanh_slope(x0)
          x3, x4 = sigmoids(x0)
          return x1, x2, x3, x4
        }";
    for x in [-800.0, -1.5, 0.0, 0.25, 800.0, f64::NAN] {
        let given = [Input::Scalar(Value::Real(x))];
        assert_eq!(shown(apart, &given).unwrap(), shown(together, &given).unwrap(), "{x}");
    }
    let given = [Input::Scalar(Value::Real(0.0))];
    assert_eq!(shown(together, &given).unwrap(), "0.0, 1.0, 0.5, 0.5");
}
