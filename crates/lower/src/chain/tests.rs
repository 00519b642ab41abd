//! Steps that wait for themselves, before and after.

use loops::{Module, parse};

use super::chain;

fn after(text: &str) -> Module {
    let mut module = parse(text).unwrap_or_else(|it| panic!("{it}"));
    module.funcs.iter_mut().for_each(chain);
    assert_eq!(loops::verify(&module), Ok(()), "{module}");
    module
}

/// The logistic map with its tangent: a step waits for one product and sum.
#[test]
fn a_tangent_waits_for_one_operation() {
    let text = "
entry gradient(x0: Real, x1: Real, x2: Int) {
  state x4 = x1
  state x6 = 0.0
  for x3 < x2 {
    x8 = mul(x0, x4)
    x9 = scale_add(x0, x6, x4)
    x10 = sub(1.0, x4)
    x11 = neg(x6)
    x12 = mul(x8, x10)
    x13 = scale(x10, x9)
    x14 = scale_add(x8, x11, x13)
    next x4 = x12
    next x6 = x14
  }
  x5 = last x4
  x7 = last x6
  return x7
}
";
    let after = after(text).to_string();
    let next = after.lines().find_map(|it| it.trim().strip_prefix("next x6 = ")).unwrap_or("");
    let last = after.lines().find(|it| it.contains(&format!("{next} = "))).unwrap_or("");
    assert!(last.contains("= scale_add(") && last.contains(", x6, "), "{after}");
    assert_eq!(after.matches("x6").count(), 4, "nothing else reads it: {after}");
}

/// What the user wrote keeps every bit: no `scale`, nothing done.
#[test]
fn sums_of_the_user_stay() {
    let text = "
entry main(x0: Real, x1: Real, x2: Int) {
  state x4 = x1
  for x3 < x2 {
    x5 = add(x4, x0)
    x6 = sub(x5, x1)
    x7 = add(x6, x0)
    next x4 = x7
  }
  x8 = last x4
  return x8
}
";
    assert_eq!(after(text).to_string(), parse(text).unwrap_or_default().to_string());
}

/// A state that a step squares is not linear.
#[test]
fn what_is_not_linear_stays() {
    let text = "
entry main(x0: Real, x1: Real, x2: Int) {
  state x4 = x1
  for x3 < x2 {
    x5 = scale(x0, x4)
    x6 = scale(x5, x4)
    x7 = add(x6, x0)
    next x4 = x7
  }
  x8 = last x4
  return x8
}
";
    assert_eq!(after(text).to_string(), parse(text).unwrap_or_default().to_string());
}
