//! What layers look like in SVG.

use crate::colour;
use crate::figure::{Matrix, Shape, any, mean};
use crate::scale::{Scale, histogram};
use crate::svg::{Area, put};

/// How many colours of curves a layer takes.
pub(crate) fn n_curves(shape: &Shape) -> usize {
    match shape {
        Shape::Lines { y, .. } | Shape::Points { y, .. } => y.len(),
        Shape::Histogram { .. } => 1,
        Shape::HeatMap(_) | Shape::Image { .. } | Shape::Pattern(_) => 0,
    }
}

/// Draws a layer, with the colours after those that are taken.
pub(crate) fn layer(res: &mut String, shape: &Shape, area: &Area, curves: &mut usize) {
    let first = *curves;
    *curves += n_curves(shape);
    match shape {
        Shape::Lines { x, y } => {
            for (number, y) in y.iter().enumerate() {
                let (path, colour) = (line(area, x, y), colour::curve(first + number));
                put(
                    res,
                    format_args!(
                        "<path class=\"line\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" \
                         stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n"
                    ),
                );
            }
        }
        Shape::Points { x, y } => {
            for (number, y) in y.iter().enumerate() {
                points(res, area, x, y, colour::curve(first + number));
            }
        }
        Shape::Histogram { values, n_bins } => {
            bars(res, area, values, *n_bins, colour::curve(first));
        }
        Shape::HeatMap(matrix) => {
            let range = range(matrix);
            cells(res, area, matrix, mean, |it| Some(colour::of_share(range.share(it))));
        }
        Shape::Pattern(matrix) => {
            cells(res, area, matrix, any, |it| (it != 0.0).then(|| "#000000".to_owned()));
        }
        Shape::Image { red, rest } => image(res, area, red, rest.as_ref()),
    }
}

/// The numbers that the colours of a heat map are for.
pub(crate) fn range(matrix: &Matrix) -> Scale {
    Scale::around(matrix.data.iter().copied())
}

/// A path through the points; it ends and begins anew where there is no number. What is not a tenth of a
/// unit away from the point before it is left out.
fn line(area: &Area, x: &[f64], y: &[f64]) -> String {
    let (mut res, mut last, mut is_open) = (String::new(), String::new(), false);
    for (x, y) in x.iter().zip(y) {
        if !(x.is_finite() && y.is_finite()) {
            is_open = false;
            continue;
        }
        let (x, y) = area.place(*x, *y);
        let place = format!("{x:.1} {y:.1}");
        if !is_open || place != last {
            res += if is_open { "L" } else { "M" };
            res += &place;
        }
        // A point alone is seen if its line ends are.
        (last, is_open) = (place, true);
    }
    res
}

fn points(res: &mut String, area: &Area, x: &[f64], y: &[f64], colour: &str) {
    put(res, format_args!("<g class=\"points\" fill=\"{colour}\">\n"));
    let mut last = String::new();
    for (x, y) in x.iter().zip(y).filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let (x, y) = area.place(*x, *y);
        let place = format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>\n");
        if place != last {
            *res += &place;
        }
        last = place;
    }
    *res += "</g>\n";
}

fn bars(res: &mut String, area: &Area, values: &[f64], n_bins: usize, colour: &str) {
    let (scale, counts) = histogram(values, n_bins);
    let width = (scale.high - scale.low) / counts.len() as f64;
    put(
        res,
        format_args!(
            "<g class=\"histogram\" fill=\"{colour}\" fill-opacity=\"0.75\" stroke=\"white\">\n"
        ),
    );
    for (number, count) in counts.iter().enumerate() {
        let left = scale.low + width * number as f64;
        let (x1, top) = area.place(left, *count as f64);
        let (x2, bottom) = area.place(left + width, 0.0);
        let (width, height) = (x2 - x1, bottom - top);
        if *count > 0 {
            put(
                res,
                format_args!(
                    "<rect x=\"{x1:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">\
                     <title>{count}</title></rect>\n"
                ),
            );
        }
    }
    *res += "</g>\n";
}

/// A rectangle for each entry that has a colour; neighbours of one colour in a row are one.
fn cells(
    res: &mut String,
    area: &Area,
    matrix: &Matrix,
    join: impl Fn(&[f64]) -> f64,
    colour: impl Fn(f64) -> Option<String>,
) {
    let small = matrix.at_most(Matrix::MOST, join);
    let colours: Vec<Option<String>> = small.data.iter().map(|it| colour(*it)).collect();
    rectangles(res, area, (matrix.n_rows, matrix.n_columns), small.n_columns, &colours);
}

fn image(res: &mut String, area: &Area, red: &Matrix, rest: Option<&(Matrix, Matrix)>) {
    let (green, blue) = rest.map_or((red, red), |(green, blue)| (green, blue));
    let [red_, green, blue] = [red, green, blue].map(|it| it.at_most(Matrix::MOST, mean));
    let all = red_.data.iter().zip(&green.data).zip(&blue.data);
    let colours: Vec<Option<String>> =
        all.map(|((red, green), blue)| Some(colour::of_light([*red, *green, *blue]))).collect();
    rectangles(res, area, (red.n_rows, red.n_columns), red_.n_columns, &colours);
}

/// `whole` is what the rectangles together stand for.
fn rectangles(
    res: &mut String,
    area: &Area,
    whole: (usize, usize),
    n_columns: usize,
    colours: &[Option<String>],
) {
    let n_rows = colours.len().checked_div(n_columns).unwrap_or(0);
    let side = whole.0.max(whole.1).div_ceil(Matrix::MOST).max(1) as f64;
    *res += "<g class=\"cells\" shape-rendering=\"crispEdges\">\n";
    for row in 0..n_rows {
        let mut column = 0;
        let colours = &colours[row * n_columns..(row + 1) * n_columns];
        for run in colours.chunk_by(|a, b| a == b) {
            let (start, end) = (column, column + run.len());
            column = end;
            let Some(colour) = &run[0] else { continue };
            let (left, top) = area.place(start as f64 * side - 0.5, row as f64 * side - 0.5);
            let (right, bottom) =
                area.place(end as f64 * side - 0.5, (row + 1) as f64 * side - 0.5);
            let (width, height) = (right - left, bottom - top);
            put(
                res,
                format_args!(
                    "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
                     fill=\"{colour}\"/>\n"
                ),
            );
        }
    }
    *res += "</g>\n";
}

/// What the colours of a heat map mean.
pub(crate) fn bar(res: &mut String, area: &Area, range: Scale) {
    const STEPS: usize = 64;
    let x = area.left + area.width + 16.0;
    let step = area.height / STEPS as f64;
    *res += "<g shape-rendering=\"crispEdges\">\n";
    for number in 0..STEPS {
        let colour = colour::of_share((number as f64 + 0.5) / STEPS as f64);
        let y = area.top + area.height - step * (number + 1) as f64;
        put(
            res,
            format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.2}\" width=\"14\" height=\"{:.2}\" fill=\"{colour}\"/>\n",
                step + 0.3
            ),
        );
    }
    *res += "</g>\n";
    for (number, text) in range.ticks(5) {
        let y = area.top + (1.0 - range.share(number)) * area.height + 4.0;
        put(res, format_args!("<text x=\"{:.1}\" y=\"{y:.1}\">{text}</text>\n", x + 18.0));
    }
}
