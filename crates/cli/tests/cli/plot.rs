//! `--plot`: pictures of programs and of values.

use crate::*;

const FALL: &str = "type Fall<n> = { t: [n]Real, height: [n]Real }\n\
    def fall(n: Int): Fall<n> = {\n  \
      let t = build i < n => real(i) * 0.1;\n  \
      Fall { t, height: map(\\s => 10.0 - 4.905 * s * s, t) }\n\
    }\n\
    plot \"A fall\" = {\n  \
      let f = fall(15);\n  \
      (\n    \
        lines(f.t, f.height, \"model\"),\n    \
        points([0.0, 1.0], [10.2, 5.0], \"measured\"),\n    \
        axes(\"time [s]\", \"height [m]\")\n  \
      )\n\
    }\n\
    plot \"Jacobian\" = pattern(jacobian(\\x => build i < 3 => x[i] * x[i + 1])([1.0, 2.0, 3.0, 4.0]))\n";

fn drawn(program: &str, name: &str, more: &[&str]) -> String {
    let path = file(name, "old");
    let args = ["run", program, "--plot", path.as_str()];
    cotan(&[&args[..], more].concat()).exits(0);
    std::fs::read_to_string(path).unwrap()
}

/// The places of the path of class `line`.
fn line(svg: &str) -> Vec<(f64, f64)> {
    let path = svg.split("class=\"line\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    let pairs = path.split(['M', 'L']).filter(|it| !it.is_empty());
    let pair = |it: &str| it.split_once(' ').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
    pairs.map(|it| pair(it).unwrap()).collect()
}

/// What all of them use is computed once; and where `main` fails, the plots are there.
#[test]
fn plots_and_main_share_what_they_compute() {
    const TEXT: &str = "def shared: [3]Real = trace(\"made\", build i < 3 => real(i))\n\
        plot \"A\" = lines(shared)\n\
        plot \"B\" = points([0.0, 1.0, 2.0], shared)\n";
    let program = file("shared_plot.cot", format!("{TEXT}def main = (shared, sum(shared))\n"));
    let path = file("shared.svg", "");
    for backend in ["auto", "interp", "native"] {
        let ran = cotan(&["run", &program, "--plot", &path, "--backend", backend]).exits(0);
        let ran = ran.prints("([0.0, 1.0, 2.0], 3.0)");
        // Compiled code that says something says it for each that uses it.
        let times = if backend == "native" { 4 } else { 1 };
        assert!(ran.err.matches("made = ").count() <= times, "{backend}: {}", ran.err);
        let svg = std::fs::read_to_string(&path).unwrap();
        assert!(svg.contains(">A<") && svg.contains(">B<"), "{svg}");
    }
    let program = file("failing_plot.cot", format!("{TEXT}def main = shared[3]\n"));
    let path = file("failing.svg", "");
    cotan(&["run", &program, "--plot", &path]).exits(1).says("[E0601]");
    assert!(std::fs::read_to_string(&path).unwrap().contains(">B<"));
}

#[test]
fn plots_are_drawn_with_titles_units_and_a_legend() {
    let program = file("fall.cot", FALL);
    for more in [&[][..], &["--backend", "interp"], &["--backend", "native"], &["--real", "f32"]] {
        let svg = drawn(&program, "fall.svg", more);
        let texts =
            [">A fall<", ">time [s]<", ">height [m]<", ">model<", ">measured<", ">Jacobian<"];
        for text in texts {
            assert!(svg.contains(text), "{text} is not in\n{svg}");
        }
        // A parabola: second differences of equal steps are equal.
        let places = line(&svg);
        assert_eq!(places.len(), 15);
        let bend = |at: usize| places[at].1 - 2.0 * places[at + 1].1 + places[at + 2].1;
        assert!((bend(0) - bend(12)).abs() < 0.5 && bend(0) > 0.5, "{places:?}");
        assert_eq!(svg.matches("<circle").count(), 2);
        // Two neighbours in each of three rows are one rectangle each.
        assert_eq!(svg.matches("fill=\"#000000\"").count(), 3);
    }
}

#[test]
fn a_terminal_gets_characters_and_standard_output_stays_clean() {
    let program = file("fall_main.cot", format!("{FALL}def main = 42\n"));
    let ran = cotan(&["run", &program, "--plot", "-"]).exits(0).says("A fall").says("time [s]");
    assert_eq!(ran.out, "42\n");
    ran.says("│████····").says("│····████");
}

#[test]
fn a_value_is_drawn_as_its_type_suggests() {
    let program = file("natural.cot", FALL);
    let ask = |expression: &str| {
        let path = file("natural.svg", "old");
        cotan(&["eval", &program, expression, "--plot", &path]).exits(0);
        std::fs::read_to_string(path).unwrap()
    };
    let fall = ask("fall(4)");
    assert!(fall.contains(">fall(4)<") && fall.contains(">t<") && fall.contains(">height<"));
    assert_eq!(line(&fall).len(), 4);
    assert_eq!(line(&ask("[1, 2, 4]")).len(), 3);
    assert!(ask("[[1.0, 2.0]]").contains("class=\"cells\""));
    assert!(ask("[[true, false]]").contains("#000000"));
    assert!(ask("[[[1.0, 0.0, 0.0]]]").contains("#ff0000"));
    assert!(ask("build i < 0 => 1.0").contains("class=\"line\" d=\"\""));
    let path = file("no_picture.svg", "old");
    let ran = cotan(&["eval", &program, "3.0", "--plot", &path]);
    ran.exits(1).says("[E0640]").says("`Real`");
}

#[test]
fn what_is_no_plot_is_said_before_anything_runs() {
    for (body, says) in [
        ("[1.0]", "this is no layer"),
        ("curve([1.0])", "this is no layer"),
        ("()", "nothing is drawn"),
        ("axes(\"x\", \"y\")", "nothing is drawn"),
        ("lines([1.0], [1.0], [1.0])", "does not take 3 arguments"),
        ("(lines([1.0]), axes(\"x\"))", "two texts"),
        ("(lines([1.0]), axes(\"x\", \"y\"), axes(\"x\", \"y\"))", "already"),
    ] {
        let program = file("no_plot.cot", format!("plot \"p\" = {body}\n"));
        cotan(&["check", &program]).exits(1).says("[E0640]").says(says);
    }
    for body in ["lines(1.0)", "lines([1.0], [1.0, 2.0])", "image([1.0])", "points(\\x => x)"] {
        let program = file("misfit.cot", format!("plot \"p\" = {body}\n"));
        cotan(&["run", &program, "--plot", "-"]).exits(1).says("error[E06");
    }
    let program = file("misfit_pattern.cot", "plot \"p\" = pattern([1.0])\n");
    cotan(&["run", &program, "--plot", "-"]).exits(1).says("[E0640]").says("[n][m]Real");
    cotan(&["run", &program, "--plot", "x.png"]).exits(2).says(".svg");
}

#[test]
fn plot_stays_a_name() {
    let program =
        file("named_plot.cot", "def plot(x: Real): Real = x + 1.0\ndef main = plot(1.0)\n");
    cotan(&["run", &program]).exits(0).prints("2.0");
    let text = "def f = 1\nplot \"a\" =\n  lines([1.0], \"b\")\ndef g = 2\n";
    let program = file("format_plot.cot", text);
    cotan(&["fmt", &program]).exits(0);
    let formatted = std::fs::read_to_string(&program).unwrap();
    assert!(formatted.contains("plot \"a\" = lines([1.0], \"b\")\n"), "{formatted}");
    cotan(&["eval", &program, "f + g"]).exits(0).prints("3");
}
