//! What is wrong is an error that names the place in this file, never a panic.

use std::cell::Cell;
use std::panic::Location;

use cotan::trace::{
    Array, Closure, Int, Real, build, call, cond, fold, stack, trace, trace_named, while_,
};
use cotan::{Function, Program, Report};

/// A value, and the line that made it.
#[track_caller]
fn here<T>(value: T) -> (T, u32) {
    (value, Location::caller().line())
}

/// It is an error with this code that names this line.
#[track_caller]
fn assert_error(found: Result<Function, Report>, code: &str, line: u32) {
    let report = found.expect_err("an error");
    assert!(report.codes().contains(&code), "{code}: {report}");
    let place = format!("{}:{line}:", file!());
    let help: Vec<&str> =
        report.diagnostics.iter().flat_map(|it| it.help.iter().map(String::as_str)).collect();
    assert!(help.iter().any(|it| it.contains(&place)), "{place}: {help:?}");
    assert!(report.to_string().contains(&place), "{report}");
}

/// The line is told by the closure.
#[track_caller]
fn assert_line<P, F: Closure<P>>(code: &str, line: &Cell<u32>, f: F) {
    let found = trace(f);
    assert_error(found, code, line.get());
}

#[test]
fn a_value_of_another_trace() {
    let (kept, line) = (Cell::new(None), Cell::new(0));
    trace(|x: Real| {
        kept.set(Some(x));
        x
    })
    .unwrap();
    let other = kept.get().unwrap();
    assert_line("E0660", &line, |x: Real| {
        let (sum, at) = here(x + other);
        line.set(at);
        sum
    });
    // Outside of every trace an operation gives something that no trace takes.
    let outside = other * 2.0;
    assert_line("E0660", &line, |x: Real| {
        let (sum, at) = here(x + outside);
        line.set(at);
        sum
    });
    // The closure of an inner trace sees no values of the outer one.
    let inner = Cell::new(None);
    trace(|x: Real| {
        let (found, at) = here(trace(|y: Real| x * y));
        inner.set(Some((found, at)));
        x
    })
    .unwrap();
    let (found, at) = inner.take().unwrap();
    assert_error(found, "E0660", at);
}

#[test]
fn a_value_that_left_its_closure() {
    let line = Cell::new(0);
    assert_line("E0661", &line, |x: Array<1>| {
        let mut last = None;
        let all = build(x.len(), |i| {
            last = Some(x.row(i));
            x.row(i)
        });
        let (sum, at) = here(all.sum() + last.unwrap());
        line.set(at);
        sum
    });
    // Of one branch in the other.
    assert_line("E0661", &line, |x: Real| {
        let twice = Cell::new(x);
        let kept = || {
            twice.set(x * 2.0);
            twice.get()
        };
        let (chosen, at) = here(cond(x.gt(0.0), kept, || twice.get()));
        line.set(at);
        chosen
    });
}

#[test]
fn sizes_that_do_not_agree() {
    let line = Cell::new(0);
    assert_line("E0401", &line, |x: Array<1>| {
        let longer = x.concat(Array::from([1.0]));
        let (sum, at) = here(x + longer);
        line.set(at);
        sum
    });
    assert_line("E0401", &line, |x: Array<1>| {
        let (sum, at) = here(fold(3, x, |x, _| x.concat(Array::from([1.0]))));
        line.set(at);
        sum
    });
    // A result that does not fit, of a branch that has one statement.
    assert_line("E0401", &line, |x: Array<1>| {
        let (longer, at) = here(|| x.concat(Array::from([1.0])));
        line.set(at);
        cond(x.sum().gt(0.0), || x, longer)
    });
    // Rows of different sizes.
    assert_line("E0403", &line, |x: Real| {
        let (rows, at) = here(build(3, |i| build(i, |_| x)));
        line.set(at);
        rows
    });
}

#[test]
fn nothing_to_compute() {
    let (found, at) = here(trace(|_: Real| {}));
    assert_error(found, "E0662", at);
    let line = Cell::new(0);
    assert_line("E0662", &line, |x: Real| {
        let (nothing, at) = here(build(3, |_| [(); 2]));
        line.set(at);
        let [(), ()] = nothing;
        x
    });
    assert_line("E0662", &line, |_: Real| {
        let (none, at) = here(stack(Vec::<Array<1>>::new()));
        line.set(at);
        none
    });
}

#[test]
fn a_dimension_that_is_not_there() {
    let line = Cell::new(0);
    assert_line("E0663", &line, |x: Array<2>| {
        let (size, at) = here(x.size(2));
        line.set(at);
        build(size, |_| x.row(0))
    });
}

#[test]
fn names() {
    let two = |names: &[&str]| trace_named(names, |x: Real, y: Real| x * y);
    let (found, at) = here(trace_named(&["x"], |x: Real, y: Real| x * y));
    assert_error(found, "E0664", at);
    for names in [["x", "x"], ["x", "let"], ["x", "1y"], ["x", "a b"], ["x", "_"], ["x", ""]] {
        assert_eq!(two(&names).err().unwrap().codes(), ["E0664"]);
    }
    let (found, at) = here(trace_named(&["exp"], |x: Real| x.exp()));
    assert_error(found, "E0664", at);
    let program = Program::new("def sum(x: Real): Real = x").unwrap();
    let line = Cell::new(0);
    let found = program.trace(|x: Array<1>| {
        let (sum, at) = here(x.sum());
        line.set(at);
        sum
    });
    assert_error(found, "E0664", line.get());
    let found = trace(|x: Real| -> Real {
        let (res, at) = here(call("sin(1.0) + cos", x));
        line.set(at);
        res
    });
    assert_error(found, "E0664", line.get());
}

#[test]
fn calls_that_do_not_fit() {
    let line = Cell::new(0);
    for (name, code) in [("nothing", "E0201"), ("dot", "E0302"), ("mean", "E0301")] {
        assert_line(code, &line, |x: Real| -> Real {
            let (res, at) = here(call(name, x));
            line.set(at);
            res
        });
    }
    // A result of another type than the one that is asked for.
    assert_line("E0301", &line, |x: Real| -> Int {
        let (res, at) = here(call("square", x));
        line.set(at);
        res
    });
}

/// The text of an error when the program runs has the place, too: every line ends with it.
#[test]
fn errors_when_it_runs() {
    let line = Cell::new(0);
    let f = trace(|x: Array<1>, n: Int| {
        let (element, at) = here(x.row(n));
        line.set(at);
        element
    });
    let report = f.unwrap().call(([1.0, 2.0], 2_i64)).unwrap_err();
    assert_eq!(report.codes(), ["E0601"]);
    assert!(report.to_string().contains(&format!("{}:{}:", file!(), line.get())), "{report}");
}

/// Closures that nest deeper than a program may are refused, and a thousand levels are not.
#[test]
fn closures_that_nest_deeply() {
    fn nested(x: Real, depth: usize) -> Real {
        match depth {
            0 => x,
            _ => cond(x.gt(0.0), || nested(x + 1.0, depth - 1), || x),
        }
    }
    let f = trace(|x: Real| nested(x, 50)).unwrap();
    assert_eq!(crate::trace::numbers(&f, (1.0,)), [51.0]);
    cotan::with_deep_stack(|| {
        assert_eq!(trace(|x: Real| nested(x, 1100)).err().unwrap().codes(), ["E0107"]);
    });
    // A loop whose condition belongs to another closure.
    let found = trace(|x: Real| {
        let mut seen = None;
        let res = while_(
            x,
            |y| y.lt(3.0),
            |y| {
                seen = Some(y);
                y + 1.0
            },
        );
        res + seen.unwrap()
    });
    assert_eq!(found.err().unwrap().codes(), ["E0661"]);
}
