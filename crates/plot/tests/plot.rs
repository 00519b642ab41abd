//! Pictures are read back: where marks are follows from the numbers, and counts are those of NumPy.
#![allow(clippy::unwrap_used, reason = "a panic is the way of a test to fail")]

use plot::{Figure, Layer, Matrix, Scale, Shape, histogram, svg, terminal};

fn figure(shape: Shape) -> Figure {
    let layers = vec![Layer { name: None, shape }];
    Figure { title: "a < b & c".into(), x: "time [s]".into(), y: "height [m]".into(), layers }
}

fn lines(x: &[f64], y: &[f64]) -> Figure {
    figure(Shape::Lines { x: x.to_vec(), y: vec![y.to_vec()] })
}

/// The pairs of numbers of the first path of this class.
fn path(svg: &str, class: &str) -> Vec<(f64, f64)> {
    let start = svg.split(&format!("class=\"{class}\" d=\"")).nth(1).unwrap();
    let path = start.split('"').next().unwrap();
    let pairs = path.split(['M', 'L']).filter(|it| !it.is_empty());
    let pair = |it: &str| {
        let (x, y) = it.split_once(' ').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    pairs.map(pair).collect()
}

#[test]
fn a_straight_line_is_straight_and_goes_up() {
    let found = path(&svg(&[lines(&[0.0, 1.0, 2.0], &[10.0, 20.0, 30.0])]), "line");
    assert_eq!(found.len(), 3);
    let [(x0, y0), (x1, y1), (x2, y2)] = found[..] else { panic!("{found:?}") };
    assert!((x1 - x0 - (x2 - x1)).abs() < 0.2 && (y1 - y0 - (y2 - y1)).abs() < 0.2);
    assert!(x0 < x2 && y2 < y0, "up is a smaller number in SVG");
}

#[test]
fn titles_and_units_are_written_and_escaped() {
    let text = svg(&[lines(&[0.0, 1.0], &[0.0, 1.0])]);
    for part in [">a &lt; b &amp; c<", ">time [s]<", ">height [m]<"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_is_no_number_is_a_gap() {
    let nan = f64::NAN;
    let text = svg(&[lines(&[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, nan, f64::INFINITY, 2.0])]);
    let path = text.split("class=\"line\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(path.matches('M').count(), 2, "{path}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn ticks_are_round_numbers() {
    let texts = |low, high| {
        let ticks = Scale { low, high }.ticks(6);
        ticks.into_iter().map(|it| it.1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(texts(0.0, 1.0), "0 0.2 0.4 0.6 0.8 1.0");
    assert_eq!(texts(-3.0, 12.0), "0 5 10");
    assert_eq!(texts(0.013, 0.02), "0.014 0.016 0.018 0.020");
    assert_eq!(texts(0.0, 3e7), "0 5e6 1e7 1.5e7 2e7 2.5e7 3e7");
    assert_eq!(texts(1e-9, 5e-9), "1e-9 2e-9 3e-9 4e-9 5e-9");
}

/// numpy.histogram([1, 2, 2, 3, 3, 3, 4, 4, 5, 9], 4)[0] is [3, 5, 1, 1].
#[test]
fn counts_are_those_of_numpy() {
    let values = [1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 4.0, 5.0, 9.0];
    let (scale, counts) = histogram(&values, 4);
    assert_eq!((scale, counts), (Scale { low: 1.0, high: 9.0 }, vec![3, 5, 1, 1]));
    let text = svg(&[figure(Shape::Histogram { values: values.to_vec(), n_bins: 4 })]);
    assert_eq!(text.matches("<title>").count(), 4);
    assert!(text.contains("<title>5</title>"));
}

fn matrix(n_rows: usize, n_columns: usize, data: &[f64]) -> Matrix {
    Matrix { n_rows, n_columns, data: data.to_vec() }
}

#[test]
fn the_first_row_of_a_matrix_is_on_top() {
    let text = svg(&[figure(Shape::Pattern(matrix(2, 2, &[1.0, 0.0, 0.0, -2.0])))]);
    let places: Vec<(f64, f64)> = text
        .lines()
        .filter(|it| it.contains("fill=\"#000000\""))
        .map(|it| {
            let of = |name: &str| it.split(name).nth(1).unwrap().split('"').nth(1).unwrap();
            (of(" x=").parse().unwrap(), of(" y=").parse().unwrap())
        })
        .collect();
    let [(x0, y0), (x1, y1)] = places[..] else { panic!("{text}") };
    assert!(x0 < x1 && y0 < y1);
}

#[test]
fn colours_go_from_the_least_to_the_greatest() {
    let text = svg(&[figure(Shape::HeatMap(matrix(1, 3, &[0.0, 5.0, 10.0])))]);
    let cells = text.split("class=\"cells\"").nth(1).unwrap();
    let colours: Vec<&str> = cells.split("fill=\"").skip(1).take(3).map(|it| &it[..7]).collect();
    // The ends and the middle of viridis, as viridisLite has them.
    assert_eq!(colours, ["#440154", "#21908c", "#fde725"]);
}

#[test]
fn images_have_the_colours_that_they_say() {
    let (one, zero) = (matrix(1, 1, &[1.0]), matrix(1, 1, &[0.0]));
    let rest = Some((zero.clone(), matrix(1, 1, &[0.5])));
    assert!(svg(&[figure(Shape::Image { red: one, rest })]).contains("#ff0080"));
    assert!(svg(&[figure(Shape::Image { red: zero, rest: None })]).contains("#000000"));
}

#[test]
fn a_large_matrix_is_a_small_picture() {
    let pattern = |n: usize| {
        let data: Vec<f64> = (0..n * n).map(|it| f64::from(u8::from(it % (n + 1) == 0))).collect();
        svg(&[figure(Shape::Pattern(matrix(n, n, &data)))])
    };
    assert_eq!(pattern(1000).matches("fill=\"#000000\"").count(), 200);
    assert!(pattern(1000).len() < 30_000);
}

#[test]
fn figures_stand_below_each_other() {
    let one = lines(&[0.0, 1.0], &[0.0, 1.0]);
    let text = svg(&[one.clone(), one]);
    assert!(text.contains("viewBox=\"0 0 640 800\"") && text.contains("translate(0 400)"));
}

#[test]
fn a_terminal_shows_the_same_line() {
    let text = terminal(&lines(&[0.0, 1.0], &[0.0, 1.0]));
    let rows: Vec<&str> = text.lines().filter(|it| it.contains('│')).collect();
    let first_dot = |row: &&str| row.split_once('│').unwrap().1.chars().position(|it| it != ' ');
    let places: Vec<usize> = rows.iter().filter_map(first_dot).collect();
    assert!(places.len() > 10 && places.is_sorted_by(|a, b| a > b), "{text}");
    assert!(
        text.contains("time [s]") && text.contains("height [m]") && text.contains("1.0"),
        "{text}"
    );
    let pattern = terminal(&figure(Shape::Pattern(matrix(2, 3, &[1.0, 0.0, 0.0, 0.0, 0.0, 2.0]))));
    assert!(pattern.contains("│██····\n") && pattern.contains("│····██\n"), "{pattern}");
}

#[test]
fn nothing_and_very_much_are_drawn_too() {
    let big = f64::MAX;
    for numbers in [&[][..], &[0.0], &[7.0, 7.0], &[-big, big], &[f64::NAN], &[5e-324, 0.0], &[big]]
    {
        let n = numbers.len();
        let shapes = [
            Shape::Lines { x: numbers.to_vec(), y: vec![numbers.to_vec()] },
            Shape::Points { x: numbers.to_vec(), y: vec![] },
            Shape::Histogram { values: numbers.to_vec(), n_bins: 3 },
            Shape::HeatMap(matrix(1, n, numbers)),
            Shape::HeatMap(matrix(n, 1, numbers)),
            Shape::Pattern(matrix(n, 1, numbers)),
            Shape::Image { red: matrix(1, n, numbers), rest: None },
        ];
        for shape in shapes {
            let one = figure(shape);
            let text = svg(std::slice::from_ref(&one)) + &terminal(&one);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{one:?}\n{text}");
        }
    }
    assert!(svg(&[]).ends_with("</svg>\n"));
}
