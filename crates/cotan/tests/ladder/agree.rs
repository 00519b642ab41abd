//! Every rung finds the same gradients as the next, and as the library.

use cotan::{Via, with_deep_stack};

use crate::ladder::krawiec_shared::Shared;
use crate::ladder::machine::Stop;
use crate::ladder::programs::{Subject, Text, examples, small};
use crate::ladder::rung::Counter;
use crate::ladder::rungs::{LADDER, Step};

/// Examples whose function has a derivative operator in it: the rungs have no derivatives of
/// derivatives.
const WITH_DERIVATIVES: &[&str] = &["newton_root", "pendulum"];

/// Examples that the rungs of exponential cost cannot do within the budget.
const TOO_MUCH_SHARING: &[&str] = &["hidden_markov", "kalman", "particles", "rk4", "throw"];

/// Operations that a rung may take.
const BUDGET: u64 = 10_000_000;

/// To 1e-12, relative to the largest derivative: where they nearly cancel, a small one has no
/// digits of its own.
#[track_caller]
fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}\nexpected {expected:?}");
    let finite = expected.iter().filter(|it| it.is_finite());
    let largest = finite.fold(0.0, |largest: f64, it| largest.max(it.abs()));
    for (x, y) in found.iter().zip(expected) {
        let same = x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-12 * largest;
        assert!(same, "{what}: {found:?}\nexpected {expected:?}");
    }
}

/// The gradient by the last rung, after each has been compared with the one before it, and the
/// rungs that cannot do it within the budget.
fn climb(name: &str, subject: &Subject) -> (Vec<f64>, Vec<Step>) {
    let mut previous: Option<Vec<f64>> = None;
    let mut left_out = Vec::new();
    for step in LADDER {
        let (Some(found), _) = step.gradient(subject, BUDGET) else {
            left_out.push(step);
            continue;
        };
        if let Some(previous) = previous {
            assert_close(&format!("{name}: {step:?}"), &found, &previous);
        }
        previous = Some(found);
    }
    (previous.expect("not all rungs are of exponential cost"), left_out)
}

/// Compares the rungs with each other and with the library; gives those that it left out, or
/// nothing if there is a derivative operator.
fn compare(text: &Text) -> Option<Vec<Step>> {
    let name = text.name.as_str();
    let subject = text.subject().unwrap_or_else(|it| panic!("{name}: {it:?}"));
    if let Err(stop) = subject.run::<Shared>(Counter::new(u64::MAX)) {
        assert_eq!(stop, Stop::Derivative, "{name}");
        return None;
    }
    let (gradient, left_out) = climb(name, &subject);
    for via in [Via::Forward, Via::Tape] {
        assert_close(&format!("{name}: {via:?}"), &text.library_gradient(via), &gradient);
    }
    Some(left_out)
}

#[test]
fn on_the_examples() {
    let examples = examples();
    assert!(examples.len() >= 15, "only {} examples", examples.len());
    let (mut with_derivatives, mut too_much_sharing) = (Vec::new(), Vec::new());
    for text in &examples {
        match with_deep_stack(|| compare(text)) {
            None => with_derivatives.push(text.name.as_str()),
            Some(left_out) if left_out.is_empty() => {}
            Some(left_out) => {
                assert_eq!(left_out, [Step::Unshared, Step::Naive], "{}", text.name);
                too_much_sharing.push(text.name.as_str());
            }
        }
    }
    // Neither may a list name an example that works.
    assert_eq!(with_derivatives, WITH_DERIVATIVES);
    assert_eq!(too_much_sharing, TOO_MUCH_SHARING);
}

#[test]
fn on_small_programs() {
    let programs = small();
    assert!(programs.len() >= 12, "only {} programs", programs.len());
    for text in &programs {
        let left_out = with_deep_stack(|| compare(text));
        assert_eq!(left_out, Some(Vec::new()), "{}", text.name);
    }
}

fn rotate_vec_by_quat() -> Subject {
    let programs = small();
    let text = programs.iter().find(|it| it.name == "rotate_vec_by_quat").expect("it is there");
    text.subject().expect("no derivative operator")
}

/// The Delta term of Krawiec et al., figure 12, has 40 bindings: one for each of the 38 operations
/// on reals, and x10 and x30 for the two constants, which figure 9 gives none.
#[test]
fn the_delta_term_of_figure_12_has_a_binding_for_each_operation() {
    let (shared, _) = rotate_vec_by_quat().run::<Shared>(Counter::new(u64::MAX)).expect("it runs");
    assert_eq!(shared.n_lets(), 38);
}

/// The function of figure 12 is `2 (u.v) ux + (s^2 - u.u) vx + 2 s (uy vz - uz vy)`, with u and s the
/// parts of q; its derivatives at the point of the figure, by hand.
#[test]
fn the_gradient_of_figure_12_is_the_one_found_by_hand() {
    // By qx, qy, qz, qw, vx, vy, vz.
    let expected = [91.96, 58.08, -77.44, 38.72, 4.84, -24.2, 26.62];
    let (gradient, left_out) = climb("figure 12", &rotate_vec_by_quat());
    assert_close("figure 12", &gradient, &expected);
    assert_eq!(left_out, []);
}
