//! Figures as SVG: title, axes with their numbers, what is drawn, a legend.

use std::fmt::Write;

use crate::colour;
use crate::figure::{Figure, Layer, Shape};
use crate::frame::Frame;
use crate::marks;

/// The size of a figure, and of its margins.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;
/// What the bar beside a heat map takes.
const BAR: f64 = 70.0;

/// The part of the picture between the axes, in its own units.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) frame: Frame,
}

impl Area {
    /// Where a pair of numbers is.
    pub(crate) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let (right, down) = self.frame.place(x, y);
        (self.left + right * self.width, self.top + down * self.height)
    }
}

/// One picture of all figures, one below the other.
pub fn svg(figures: &[Figure]) -> String {
    let height = HEIGHT * figures.len().max(1) as f64;
    let mut res = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, figure) in figures.iter().enumerate() {
        put(&mut res, format_args!("<g transform=\"translate(0 {})\">\n", HEIGHT * number as f64));
        one(&mut res, figure, number);
        res += "</g>\n";
    }
    res + "</svg>\n"
}

fn one(res: &mut String, figure: &Figure, number: usize) {
    let heat = figure.layers.iter().find_map(|it| match &it.shape {
        Shape::HeatMap(matrix) => Some(marks::range(matrix)),
        Shape::Lines { .. } | Shape::Points { .. } | Shape::Histogram { .. } => None,
        Shape::Image { .. } | Shape::Pattern(_) => None,
    });
    let right = if heat.is_some() { RIGHT + BAR } else { RIGHT };
    let frame = Frame::of(figure);
    let (width, height) = (WIDTH - LEFT - right, HEIGHT - TOP - BOTTOM);
    let mut area = Area { left: LEFT, top: TOP, width, height, frame };
    if frame.is_down {
        square(&mut area);
    }
    let middle = area.left + area.width / 2.0;
    let title = escaped(&figure.title);
    put(
        res,
        format_args!(
            "<text x=\"{middle:.1}\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{title}</text>\n"
        ),
    );
    axes(res, figure, &area);
    let Area { left, top, width, height, .. } = area;
    put(
        res,
        format_args!(
            "<clipPath id=\"area{number}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/></clipPath>\n<g clip-path=\"url(#area{number})\">\n"
        ),
    );
    let mut curves = 0;
    for layer in &figure.layers {
        marks::layer(res, &layer.shape, &area, &mut curves);
    }
    res.push_str("</g>\n");
    put(
        res,
        format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"none\" stroke=\"#444444\"/>\n"
        ),
    );
    if let Some(range) = heat {
        marks::bar(res, &area, range);
    }
    legend(res, &figure.layers, &area);
}

/// Entries of a matrix are squares, as far as that leaves something of long ones.
fn square(area: &mut Area) {
    let (columns, rows) =
        (area.frame.x.high - area.frame.x.low, area.frame.y.high - area.frame.y.low);
    let side = (area.width / columns).min(area.height / rows);
    let (width, height) = (side * columns, side * rows);
    if width >= 60.0 && height >= 60.0 {
        area.left += (area.width - width) / 2.0;
        area.top += (area.height - height) / 2.0;
        (area.width, area.height) = (width, height);
    }
}

fn axes(res: &mut String, figure: &Figure, area: &Area) {
    let Area { left, top, width, height, frame } = *area;
    let (right, bottom) = (left + width, top + height);
    let n_ticks = |length: f64, each: f64| ((length / each) as usize).max(2);
    let is_inside = |it: f64| (-1e-6..=1.0 + 1e-6).contains(&it);
    // Entries of matrices have whole numbers.
    let is_shown = |it: f64| !frame.is_down || it.fract() == 0.0;
    for (number, text) in frame.x.ticks(n_ticks(width, 70.0)) {
        let x = left + frame.x.share(number) * width;
        if is_shown(number) && is_inside(frame.x.share(number)) {
            grid(res, frame, [x, top, x, bottom]);
            let y = bottom + 16.0;
            put(
                res,
                format_args!(
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>\n"
                ),
            );
        }
    }
    for (number, text) in frame.y.ticks(n_ticks(height, 45.0)) {
        let y = area.place(0.0, number).1;
        if is_shown(number) && is_inside(frame.y.share(number)) {
            grid(res, frame, [left, y, right, y]);
            let (x, y) = (left - 6.0, y + 4.0);
            put(
                res,
                format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>\n"),
            );
        }
    }
    let (middle_x, middle_y) = (left + width / 2.0, top + height / 2.0);
    let (x, y) = (escaped(&figure.x), escaped(&figure.y));
    if !x.is_empty() {
        let below = bottom + 38.0;
        put(
            res,
            format_args!(
                "<text x=\"{middle_x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{x}</text>\n"
            ),
        );
    }
    if !y.is_empty() {
        let beside = left - 52.0;
        put(
            res,
            format_args!(
                "<text transform=\"translate({beside:.1} {middle_y:.1}) rotate(-90)\" \
                 text-anchor=\"middle\">{y}</text>\n"
            ),
        );
    }
}

/// A thin line where a number is; none through a matrix.
fn grid(res: &mut String, frame: Frame, [x1, y1, x2, y2]: [f64; 4]) {
    if !frame.is_down {
        put(
            res,
            format_args!(
                "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#dddddd\" fill=\"none\"/>\n"
            ),
        );
    }
}

/// The names of layers, each with its colour.
fn legend(res: &mut String, layers: &[Layer], area: &Area) {
    let mut curve = 0;
    let mut y = area.top + 16.0;
    let x = area.left + area.width - 10.0;
    for layer in layers {
        let colour = colour::curve(curve);
        curve += marks::n_curves(&layer.shape);
        if let Some(name) = &layer.name {
            // A ground for the text, about as wide as it is: not every program knows `paint-order`.
            let (width, top) = (7.0 * name.chars().count() as f64 + 8.0, y - 12.0);
            let (left, name) = (x - width + 4.0, escaped(name));
            put(
                res,
                format_args!(
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"16\" fill=\"white\" \
                     fill-opacity=\"0.8\"/>\n\
                     <text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"{colour}\">{name}</text>\n"
                ),
            );
            y += 16.0;
        }
    }
}

pub(crate) fn put(res: &mut String, text: std::fmt::Arguments<'_>) {
    res.write_fmt(text).expect("a string takes everything");
}

/// A text inside of an element. Characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let is_text = |it: &char| !it.is_control() && !matches!(it, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(is_text).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
