//! Functions that fail or stop being numbers: every search ends, keeps the best point and says why.

use minimise::{
    Found, Rates, Stop, Why, adam, gauss_newton, gradient_descent, lbfgs, levenberg_marquardt,
    newton_cg,
};

/// A bowl around 3 that fails after some evaluations.
fn failing(after: usize) -> impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), String> {
    let mut left = after;
    move |x: &[f64]| {
        if left == 0 {
            return Err(format!("no more at {}", x.len()));
        }
        left -= 1;
        Ok(((x[0] - 3.0).powi(4), vec![4.0 * (x[0] - 3.0).powi(3)]))
    }
}

fn told(found: &Found) {
    assert_eq!(found.why, Why::Failed, "{found:?}");
    assert_eq!(found.failure.as_ref().map(|it| it.to_string()).as_deref(), Some("no more at 1"));
    assert!(found.value.is_finite() && found.x[0].is_finite(), "{found:?}");
}

#[test]
fn an_error_ends_every_search_at_the_best_point_so_far() {
    let stop = Stop::default();
    let hvp = |x: &[f64], by: &[f64]| vec![12.0 * (x[0] - 3.0).powi(2) * by[0]];
    told(&lbfgs(failing(4), &[0.0], &stop));
    told(&gradient_descent(failing(4), &[0.0], &stop));
    told(&adam(failing(4), &[0.0], &Rates::default(), &stop));
    told(&newton_cg(failing(4), hvp, &[0.0], &stop));
    let mut f = failing(4);
    let residuals = move |x: &[f64]| f(x).map(|it| (vec![it.0], vec![it.1]));
    told(&levenberg_marquardt(residuals, &[0.0], &stop));
    let mut f = failing(4);
    let residuals = move |x: &[f64]| f(x).map(|it| (vec![it.0], vec![it.1]));
    told(&gauss_newton(residuals, &[0.0], &stop));
}

#[test]
fn an_error_of_the_hessian_counts_too() {
    let f = |x: &[f64]| (x[0] * x[0], vec![2.0 * x[0]]);
    let hvp = |_: &[f64], _: &[f64]| Err::<Vec<f64>, &str>("no more at 1");
    told(&newton_cg(f, hvp, &[1.0], &Stop::default()));
}

#[test]
fn an_error_at_once_leaves_the_start() {
    let found = lbfgs(failing(0), &[0.5], &Stop::default());
    assert_eq!((found.why, found.x), (Why::Failed, vec![0.5]));
}

#[test]
fn adam_stops_where_there_is_no_number() {
    let f = |x: &[f64]| match x[0] < 0.5 {
        true => (-x[0], vec![-1.0]),
        false => (f64::NAN, vec![1.0]),
    };
    let rates = Rates { step: 0.1, ..Rates::default() };
    let found = adam(f, &[0.0], &rates, &Stop::default());
    assert_eq!(found.why, Why::NoNumber);
    assert!((0.3..0.5).contains(&found.x[0]), "{found:?}");
}

/// Closures may give anything: a gradient or a Jacobian of another size is a failure that says so.
#[test]
fn what_does_not_fit_is_told() {
    let told = |found: Found, why: &str| {
        assert_eq!(found.why, Why::Failed, "{found:?}");
        assert_eq!(found.failure.map(|it| it.to_string()).as_deref(), Some(why));
        assert_eq!(found.x, [1.0, 2.0]);
    };
    let (x, stop) = ([1.0, 2.0], Stop::default());
    let short = |x: &[f64]| (x[0] * x[0], vec![2.0 * x[0]]);
    let whole = |x: &[f64]| (x[0] * x[0], vec![2.0 * x[0], 0.0]);
    let why = "a gradient of 1 numbers at a point of 2";
    told(lbfgs(short, &x, &stop), why);
    told(gradient_descent(short, &x, &stop), why);
    told(adam(short, &x, &Rates::default(), &stop), why);
    told(newton_cg(short, |_: &[f64], v: &[f64]| v.to_vec(), &x, &stop), why);
    let why = "a product with the Hessian of 3 numbers at a point of 2";
    told(newton_cg(whole, |_: &[f64], _: &[f64]| vec![1.0; 3], &x, &stop), why);
    let rows = |_: &[f64]| (vec![1.0], vec![vec![1.0, 2.0, 3.0]]);
    told(
        levenberg_marquardt(rows, &x, &stop),
        "a row of the Jacobian of 3 numbers at a point of 2",
    );
    let rows = |_: &[f64]| (vec![1.0, 1.0], vec![vec![1.0, 2.0]]);
    told(levenberg_marquardt(rows, &x, &stop), "a Jacobian of 1 rows for 2 residuals");
    told(gauss_newton(rows, &x, &stop), "a Jacobian of 1 rows for 2 residuals");
}
