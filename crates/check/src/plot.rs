//! `plot "title" = lines(x, y)`: what a plot declares besides its numbers.
//!
//! Layers are calls of fixed names, alone or in a tuple, below `let`s if there are some. The names are none
//! of the language: what is computed is the tuple of all their arguments, which has any type. Texts at the
//! end of a layer name it, and `axes("time [s]", "height [m]")` names the axes; they are written out, so
//! that a plot is numbers only and compiled code can compute it.

use base::{Name, Span};
use syntax::ast::{Expr, ExprKind};

/// A `plot`.
#[derive(Clone, Debug)]
pub struct PlotInfo {
    /// The text between the quotes.
    pub title: String,
    /// The definition that computes the arguments of all layers, as a tuple unless there is one only.
    pub def: Name,
    /// Where it stands.
    pub span: Span,
    /// What it says, or why that is no plot.
    pub parts: Result<PlotParts, PlotError>,
}

/// What a plot shows.
#[derive(Clone, Debug, Default)]
pub struct PlotParts {
    /// The layers in order.
    pub layers: Vec<PlotLayer>,
    /// What the axes are called, if that is said.
    pub axes: Option<(String, String)>,
}

/// A layer of a plot.
#[derive(Clone, Debug)]
pub struct PlotLayer {
    /// What it is.
    pub kind: PlotKind,
    /// How many of the arguments are its own.
    pub n_args: usize,
    /// What the legend calls it.
    pub name: Option<String>,
    /// Where it stands.
    pub span: Span,
}

/// Something in a plot that is no layer.
#[derive(Clone, Debug)]
pub struct PlotError {
    /// Where it stands.
    pub span: Span,
    /// What is wrong there.
    pub why: String,
    /// What to do.
    pub help: String,
}

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Curves.
    Lines,
    /// Points.
    Points,
    /// Counts.
    Histogram,
    /// A matrix in colours.
    Heatmap,
    /// A matrix of brightness.
    Image,
    /// Where a matrix is not zero.
    Pattern,
}

impl PlotKind {
    /// All of them.
    pub const ALL: [PlotKind; 6] = [
        PlotKind::Lines,
        PlotKind::Points,
        PlotKind::Histogram,
        PlotKind::Heatmap,
        PlotKind::Image,
        PlotKind::Pattern,
    ];

    /// The name of the layer.
    pub fn name(self) -> &'static str {
        match self {
            PlotKind::Lines => "lines",
            PlotKind::Points => "points",
            PlotKind::Histogram => "histogram",
            PlotKind::Heatmap => "heatmap",
            PlotKind::Image => "image",
            PlotKind::Pattern => "pattern",
        }
    }

    /// What it takes, in words.
    pub fn takes(self) -> &'static str {
        match self {
            PlotKind::Lines | PlotKind::Points => {
                "heights `[n]Real`, or places `[n]Real` and heights `[n]Real` or `[k][n]Real`"
            }
            PlotKind::Histogram => "numbers `[n]Real`, and how many bars `Int` if you like",
            PlotKind::Heatmap | PlotKind::Pattern => "a matrix `[n][m]Real`",
            PlotKind::Image => "brightness `[n][m]Real` from 0 to 1, or `[n][m][3]Real`",
        }
    }

    fn most_args(self) -> usize {
        match self {
            PlotKind::Lines | PlotKind::Points | PlotKind::Histogram => 2,
            PlotKind::Heatmap | PlotKind::Image | PlotKind::Pattern => 1,
        }
    }
}

/// The expression that computes the numbers of a plot, and what else it says.
pub(crate) fn split(body: &Expr) -> (Expr, Result<PlotParts, PlotError>) {
    let mut splitter = Splitter::default();
    match splitter.expr(body) {
        Ok(expr) => (expr, Ok(splitter.parts)),
        // The names of layers would be unknown names: there is one complaint, and that says it all.
        Err(error) => (Expr { kind: ExprKind::Tuple(Vec::new()), span: body.span }, Err(error)),
    }
}

#[derive(Default)]
struct Splitter {
    parts: PlotParts,
    args: Vec<Expr>,
}

impl Splitter {
    fn expr(&mut self, expr: &Expr) -> Result<Expr, PlotError> {
        if let ExprKind::Paren(inner) = &expr.kind {
            return self.expr(inner);
        }
        if let ExprKind::Block { lets, result } = &expr.kind {
            let result = Box::new(self.expr(result)?);
            let kind = ExprKind::Block { lets: lets.clone(), result };
            return Ok(Expr { kind, span: expr.span });
        }
        let alone = std::slice::from_ref(expr);
        let layers = if let ExprKind::Tuple(parts) = &expr.kind { parts } else { alone };
        layers.iter().try_for_each(|it| self.layer(it))?;
        self.end(expr.span)
    }

    /// All arguments together.
    fn end(&mut self, span: Span) -> Result<Expr, PlotError> {
        let mut args = std::mem::take(&mut self.args);
        match args.len() {
            0 => Err(wrong(span, "nothing is drawn here")),
            1 => Ok(args.remove(0)),
            _ => Ok(Expr { kind: ExprKind::Tuple(args), span }),
        }
    }

    fn layer(&mut self, expr: &Expr) -> Result<(), PlotError> {
        let ExprKind::Call { function, args } = &expr.kind else {
            return Err(wrong(expr.span, "this is no layer"));
        };
        let ExprKind::Name(name) = &function.kind else {
            return Err(wrong(expr.span, "this is no layer"));
        };
        if name.as_str() == "axes" {
            return self.axes(expr.span, args);
        }
        let kind = PlotKind::ALL.into_iter().find(|it| it.name() == name.as_str());
        let kind = kind.ok_or_else(|| wrong(function.span, "this is no layer"))?;
        let (own, label) = match args.split_last() {
            Some((Expr { kind: ExprKind::Str(text), .. }, rest)) => (rest, Some(text.clone())),
            Some(_) | None => (&args[..], None),
        };
        if own.is_empty() || own.len() > kind.most_args() {
            let why = format!("`{}` does not take {} arguments", kind.name(), own.len());
            let help = format!("give it {}", kind.takes());
            return Err(PlotError { span: expr.span, why, help });
        }
        let layer = PlotLayer { kind, n_args: own.len(), name: label, span: expr.span };
        self.parts.layers.push(layer);
        self.args.extend_from_slice(own);
        Ok(())
    }

    fn axes(&mut self, span: Span, args: &[Expr]) -> Result<(), PlotError> {
        let [Expr { kind: ExprKind::Str(x), .. }, Expr { kind: ExprKind::Str(y), .. }] = args
        else {
            let why = "`axes` takes two texts in quotes".to_owned();
            let help = "write axes(\"time [s]\", \"height [m]\")".to_owned();
            return Err(PlotError { span, why, help });
        };
        if self.parts.axes.is_some() {
            let (why, help) = ("the axes have names already", "remove one of them");
            return Err(PlotError { span, why: why.to_owned(), help: help.to_owned() });
        }
        self.parts.axes = Some((x.clone(), y.clone()));
        Ok(())
    }
}

fn wrong(span: Span, why: &str) -> PlotError {
    let names: Vec<&str> = PlotKind::ALL.into_iter().map(PlotKind::name).collect();
    let help = format!("write calls of `{}`, in a tuple if there are several", names.join("`, `"));
    PlotError { span, why: why.to_owned(), help }
}
