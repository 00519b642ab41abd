//! Values of sum types, which closures hand on and definitions look into.

use cotan::trace::{Array, Int, Opaque, Real, build, call, cond, constant, data, fold, stack};
use cotan::{Cotan, Program, Report};

use crate::trace::{assert_close, assert_gives, assert_gradient, ways};

/// Beyond `k` the cost of Huber is `k (2 |x| - k)`, with the slopes `2 |x| - 2 k` and `2 k sign(x)`.
const LOSSES: &str = "
    data Loss = Squared | Huber(Real)
    def cost(of: Loss, x: Real): Real = match of {
      Squared => x * x,
      Huber(k) => if abs(x) <= k then x * x else k * (2.0 * abs(x) - k),
    }
    def twice(of: Loss): Loss = match of { Squared => Squared, Huber(k) => Huber(2.0 * k) }
";

#[derive(Debug, PartialEq, Cotan)]
enum Loss {
    Squared,
    Huber(f64),
}

fn cost(of: Opaque, x: Real) -> Real {
    call("cost", (of, x))
}

fn program() -> Program {
    Program::new(LOSSES).unwrap()
}

/// An enum of Rust goes in, and comes out of the gradient.
#[test]
fn they_are_parameters() {
    let f = program().trace(|of: Opaque, x: Array<1>| x.map(|it| cost(of, it)).sum()).unwrap();
    for (way, _) in ways(&f) {
        let gradient = way.grad();
        let at = |of: Loss, x: &[f64]| gradient.call((of, x)).unwrap().get().unwrap();
        let found: (Loss, Vec<f64>) = at(Loss::Huber(1.0), &[-3.0, 0.5]);
        assert_eq!(found, (Loss::Huber(4.0), vec![-2.0, 1.0]));
        let found: (Loss, Vec<f64>) = at(Loss::Squared, &[-3.0]);
        assert_eq!(found, (Loss::Squared, vec![-6.0]));
        let found: (Loss, Vec<f64>) = at(Loss::Huber(1.0), &[]);
        assert_eq!(found, (Loss::Huber(0.0), vec![]));
    }
}

/// Constructors are called; choices and loops have them as states, arrays as elements.
#[test]
fn they_are_made_and_handed_on() {
    let f = program()
        .trace_named(&["k", "x"], |k: Real, x: Real| {
            let huber = call::<Opaque>("Huber", k);
            let chosen = cond(x.lt(0.0), || constant::<Opaque>("Squared"), || huber);
            let doubled = fold(2, chosen, |of: Opaque, _: Int| call::<Opaque>("twice", of));
            cost(doubled, x)
        })
        .unwrap();
    // At k = 1 it is Huber's cost of 4, whose slope by k is four times that by 4.
    assert_gives(&f, (1.0, 5.0), &[4.0 * (10.0 - 4.0)]);
    assert_gradient(&f, (1.0, 5.0), &[4.0 * (10.0 - 8.0), 8.0]);
    assert_gives(&f, (1.0, -5.0), &[25.0]);
    assert_gradient(&f, (1.0, -5.0), &[0.0, -10.0]);
    let f = program()
        .trace_named(&["k", "x"], |k: Array<1>, x: Real| {
            let all = build(k.len(), |i| call::<Opaque>("Huber", k.row(i)));
            let two = stack([constant::<Opaque>("Squared"), call("Huber", k.row(0))]);
            all.map(|it| cost(it, x)).sum() + cost(two.row(0), x) + cost(two.row(1), x)
        })
        .unwrap();
    let inputs = ([1.0, 10.0], 3.0);
    assert_gives(&f, inputs, &[5.0 + 9.0 + 9.0 + 5.0]);
    assert_gradient(&f, inputs, &[8.0, 0.0, 2.0 + 6.0 + 6.0 + 2.0]);
}

/// What is wrong is told of, and never a panic.
#[test]
fn what_does_not_fit() {
    let codes = |it: Result<cotan::Function, Report>| it.err().unwrap().codes().join(" ");
    let program = program();
    assert_eq!(codes(program.trace(|x: Real| call::<Real>("Huber", x))), "E0301");
    assert_eq!(codes(program.trace(|x: Real| call::<Opaque>("Hubert", x))), "E0203");
    assert_eq!(codes(program.trace(|x: Real| call::<Opaque>("Huber(1.0) + H", x))), "E0664");
    assert_eq!(codes(program.trace(|x: Real| cost(call("sin", x), x))), "E0301");
    assert_eq!(codes(program.trace(|| data::<Opaque, Opaque>(&[]))), "E0662");
    let mut kept = None;
    let _ = program.trace(|of: Opaque, x: Real| {
        kept = Some(of);
        cost(of, x)
    });
    assert_eq!(codes(program.trace(|x: Real| cost(kept.unwrap(), x))), "E0660");
    // An argument of another type.
    let f = program.trace(|of: Opaque, x: Real| cost(of, x)).unwrap();
    assert!(f.call((1.0, 2.0)).is_err());
    assert_close(&[f.call((Loss::Squared, 2.0)).unwrap().as_real().unwrap()], &[4.0], 0.0);
}
