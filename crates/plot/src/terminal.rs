//! Figures in a terminal: dots of braille for curves and bars, shades for matrices.

use crate::canvas::Canvas;
use crate::figure::{Figure, Matrix, Shape, any, mean};
use crate::frame::Frame;
use crate::scale::{Scale, histogram};

/// The part between the axes, in characters.
const COLUMNS: usize = 64;
const ROWS: usize = 16;

/// From the least to the greatest.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// A figure as lines of text.
pub fn terminal(figure: &Figure) -> String {
    let frame = Frame::of(figure);
    let matrix = figure.layers.iter().rev().find(|it| it.shape.is_matrix());
    let lines = match matrix {
        Some(layer) => shades(&layer.shape),
        None => dots(figure, &frame),
    };
    let (n_rows, n_columns) =
        (lines.len().max(1), lines.first().map_or(1, |it| it.chars().count()).max(1));
    let mut beside = vec![String::new(); n_rows];
    for (number, text) in whole(frame.y.ticks(4), frame.is_down) {
        let at = (frame.place(frame.x.low, number).1 * n_rows as f64 - 0.5).round();
        if (0.0..n_rows as f64).contains(&at) {
            beside[at as usize] = text;
        }
    }
    let margin = beside.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    let mut res = String::new();
    for text in [&figure.title, &figure.y] {
        if !text.is_empty() {
            res += &format!("{:margin$} {}\n", "", plain(text));
        }
    }
    for (line, beside) in lines.iter().zip(&beside) {
        res += format!("{beside:>margin$} │{line}").trim_end();
        res.push('\n');
    }
    res += &format!("{:margin$} └{}\n", "", "─".repeat(n_columns));
    res += format!("{:margin$}  {}", "", below(&frame, n_columns)).trim_end();
    res.push('\n');
    if !figure.x.is_empty() {
        res += format!("{:margin$}  {:^n_columns$}", "", plain(&figure.x)).trim_end();
        res.push('\n');
    }
    res
}

/// Entries of matrices have whole numbers.
fn whole(ticks: Vec<(f64, String)>, is_down: bool) -> Vec<(f64, String)> {
    ticks.into_iter().filter(|it| !is_down || it.0.fract() == 0.0).collect()
}

/// The numbers of the horizontal axis, each where it belongs as far as there is room.
fn below(frame: &Frame, n_columns: usize) -> String {
    let mut res = String::new();
    for (number, text) in whole(frame.x.ticks((n_columns / 12).max(2)), frame.is_down) {
        let at =
            (frame.x.share(number) * n_columns as f64 - text.chars().count() as f64 / 2.0).round();
        let (at, used) = (at.max(0.0) as usize, res.chars().count());
        let has_room = used == 0 || at > used;
        if has_room && at + text.chars().count() <= n_columns + 4 {
            res += &" ".repeat(at - used);
            res += &text;
        }
    }
    res
}

fn plain(text: &str) -> String {
    text.chars().filter(|it| !it.is_control()).collect()
}

fn dots(figure: &Figure, frame: &Frame) -> Vec<String> {
    let mut canvas = Canvas::new(COLUMNS, ROWS);
    for layer in &figure.layers {
        match &layer.shape {
            Shape::Lines { x, y } => y.iter().for_each(|y| curve(&mut canvas, frame, x, y)),
            Shape::Points { x, y } => {
                for (x, y) in y.iter().flat_map(|y| x.iter().zip(y)) {
                    if let Some(at) = canvas.at(frame.place(*x, *y)) {
                        canvas.dot(at);
                    }
                }
            }
            Shape::Histogram { values, n_bins } => bars(&mut canvas, frame, values, *n_bins),
            Shape::HeatMap(_) | Shape::Image { .. } | Shape::Pattern(_) => {}
        }
    }
    canvas.lines()
}

fn curve(canvas: &mut Canvas, frame: &Frame, x: &[f64], y: &[f64]) {
    let mut last = None;
    for (x, y) in x.iter().zip(y) {
        let is_number = x.is_finite() && y.is_finite();
        let at = if is_number { canvas.at(frame.place(*x, *y)) } else { None };
        match (last, at) {
            (Some(last), Some(at)) => canvas.line(last, at),
            (None, Some(at)) => canvas.dot(at),
            (_, None) => {}
        }
        last = at;
    }
}

fn bars(canvas: &mut Canvas, frame: &Frame, values: &[f64], n_bins: usize) {
    let (scale, counts) = histogram(values, n_bins);
    let width = (scale.high - scale.low) / counts.len() as f64;
    for (number, count) in counts.iter().enumerate() {
        let left = scale.low + width * number as f64;
        let from = canvas.at(frame.place(left, *count as f64));
        let to = canvas.at(frame.place(left + width, 0.0));
        let (Some(from), Some(to)) = (from, to) else { continue };
        // A gap between neighbours, where there is room for one.
        let last = if to.0 - from.0 > 2 { to.0 - 1 } else { to.0.max(from.0 + 1) };
        for x in from.0..last {
            if *count > 0 {
                canvas.line((x, from.1), (x, to.1));
            }
        }
    }
}

/// A character and its neighbour for each entry, so that they are about square.
fn shades(shape: &Shape) -> Vec<String> {
    let most = COLUMNS / 2;
    let (matrix, range): (Matrix, Scale) = match shape {
        Shape::HeatMap(matrix) => {
            (matrix.at_most(most, mean), Scale::around(matrix.data.iter().copied()))
        }
        Shape::Pattern(matrix) => (matrix.at_most(most, any), Scale { low: 0.0, high: 1.0 }),
        Shape::Image { red, rest: None } => {
            (red.at_most(most, mean), Scale { low: 0.0, high: 1.0 })
        }
        Shape::Image { red, rest: Some((green, blue)) } => {
            let parts = red.data.iter().zip(&green.data).zip(&blue.data);
            // What is seen of each colour, after Rec. 709.
            let data =
                parts.map(|((red, green), blue)| 0.2126 * red + 0.7152 * green + 0.0722 * blue);
            let grey = Matrix { data: data.collect(), ..*red };
            (grey.at_most(most, mean), Scale { low: 0.0, high: 1.0 })
        }
        Shape::Lines { .. } | Shape::Points { .. } | Shape::Histogram { .. } => return Vec::new(),
    };
    let is_pattern = matches!(shape, Shape::Pattern(_));
    let shade = |it: &f64| match is_pattern {
        true => {
            if *it != 0.0 {
                '█'
            } else {
                '·'
            }
        }
        false if it.is_nan() => '?',
        false => SHADES[((range.share(*it) * 5.0).max(0.0) as usize).min(4)],
    };
    let rows = matrix.data.chunks(matrix.n_columns.max(1));
    rows.map(|row| row.iter().flat_map(|it| [shade(it); 2]).collect()).collect()
}
