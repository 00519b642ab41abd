//! The `plot` declarations of a program, and answers, as figures.

use std::sync::Arc;

use ::plot::{Figure, Layer, Matrix, Shape};
use base::{Diagnostic, Name, Span};
use check::{PlotError, PlotKind, PlotLayer, PlotParts, Type};
use eval::Value;
use ir::Op;

use crate::answer::{Answer, View};
use crate::compiler::Compiled;
use crate::deep::with_deep_stack;
use crate::error;
use crate::report::Report;
use crate::signature::Signature;
use crate::together::entry_of;

impl Compiled {
    /// How many plots there are.
    pub fn n_plots(&self) -> usize {
        self.checked.plots.len()
    }

    /// Computes a plot; `index` counts from 0 in the order of the text.
    pub fn plot(&mut self, index: usize) -> Result<Figure, Report> {
        with_deep_stack(|| {
            let info = self.checked.plots[index].clone();
            let parts = info.parts.map_err(|it| self.report(vec![wrong_plot(&it)]))?;
            let answer = self.run(&info.def, &[], info.span);
            let answer = answer.map_err(|it| self.report(it))?;
            let figure = figure(&info.title, &parts, &answer);
            figure.map_err(|it| self.report(vec![it]))
        })
    }

    /// Computes all plots, and with them `main` if it has no parameters: in one run, where what they share is
    /// computed once. If one of them fails, the plots are computed by themselves.
    pub fn plots_and_main(&mut self) -> Result<(Vec<Figure>, Option<Answer>), Report> {
        with_deep_stack(|| {
            let plots = self.checked.plots.clone();
            let errors = self.plot_errors();
            if !errors.is_empty() {
                return Err(self.report(errors));
            }
            let together = self.drawn_together();
            let all = together
                .and_then(|(signature, kinds)| Some((self.run_by(&signature, &[]).ok()?, kinds)));
            let Some((all, kinds)) = all else {
                let figures = (0..plots.len()).map(|it| self.plot(it));
                return Ok((figures.collect::<Result<_, _>>()?, None));
            };
            let Value::Tuple(parts) = all.value() else { panic!("compiler bug: a tuple") };
            let (types, precision) = (self.types.clone(), self.options.precision);
            let answer = |(ty, value): (Arc<Type>, &Value)| {
                Answer::new(types.clone(), precision, ty, value.clone())
            };
            let mut answers = kinds.into_iter().zip(parts.iter()).map(answer);
            let mut figures = Vec::new();
            for (info, answer) in plots.iter().zip(answers.by_ref()) {
                let Ok(parts) = &info.parts else { continue };
                let drawn = figure(&info.title, parts, &answer);
                figures.push(drawn.map_err(|it| self.report(vec![it]))?);
            }
            Ok((figures, answers.next()))
        })
    }

    /// A definition of all plots and `main`, and the type of each; none if there is nothing to share, or if one has
    /// a size that only the run tells.
    fn drawn_together(&mut self) -> Option<(Signature, Vec<Arc<Type>>)> {
        let mut drawn: Vec<(Name, Span)> =
            self.checked.plots.iter().map(|it| (it.def.clone(), it.span)).collect();
        let (_, first) = *drawn.first()?;
        let program = &self.checked.program;
        let is_plain = |name: &Name| {
            program.defs.get(name).is_some_and(|it| {
                it.params.is_empty() && it.size_params.is_empty() && it.results.len() == 1
            })
        };
        if !drawn.iter().all(|it| is_plain(&it.0)) {
            return None;
        }
        if let Some(main) = self.checked.def("main")
            && is_plain(&main.name)
            && !self.signature(&main.name, main.span).gives_function
        {
            drawn.push((main.name.clone(), main.span));
        }
        if drawn.len() < 2 {
            return None;
        }
        let kinds: Vec<Arc<Type>> =
            drawn.iter().map(|(def, span)| self.signature(def, *span).result).collect();
        // No name of a text has a dot.
        let defs = drawn.iter().map(|it| &it.0);
        let made = entry_of(program, "plots.together", defs, |builder, parts| {
            vec![builder.one(Op::Tuple { rank: 0, parts })]
        });
        let def = made.name.clone();
        self.checked.program.defs.insert(def.clone(), Arc::new(made));
        self.forget_evaluator();
        let signature = Signature {
            tells: ir::tellers(&self.checked.program).contains(&def),
            def,
            span: first,
            parameters: Vec::new(),
            sizes: Vec::new(),
            result: Arc::new(Type::Tuple(kinds.iter().map(|it| (**it).clone()).collect())),
            gives_function: false,
            is_shallow: false,
            is_flat: false,
        };
        Some((signature, kinds))
    }

    /// What is wrong with plots before anything runs.
    pub(crate) fn plot_errors(&self) -> Vec<Diagnostic> {
        let wrong = self.checked.plots.iter().filter_map(|it| it.parts.as_ref().err());
        wrong.map(wrong_plot).collect()
    }
}

fn wrong_plot(wrong: &PlotError) -> Diagnostic {
    error::no_plot(&wrong.why, Some(wrong.span), &wrong.help)
}

fn figure(title: &str, parts: &PlotParts, answer: &Answer) -> Result<Figure, Diagnostic> {
    let n_args: usize = parts.layers.iter().map(|it| it.n_args).sum();
    let mut views = vec![answer.view()];
    if n_args > 1
        && let [View::Tuple(parts)] = &mut views[..]
    {
        views = std::mem::take(parts);
    }
    let mut views = views.into_iter();
    let mut layers = Vec::new();
    for layer in &parts.layers {
        let args: Option<Vec<Numbers>> =
            views.by_ref().take(layer.n_args).map(|it| Numbers::of(&it)).collect();
        let shape = args.and_then(|it| shape_from(layer.kind, it)).ok_or_else(|| misfit(layer))?;
        layers.push(Layer { name: layer.name.clone(), shape });
    }
    let (x, y) = parts.axes.clone().unwrap_or_default();
    Ok(Figure { title: title.to_owned(), x, y, layers })
}

fn misfit(layer: &PlotLayer) -> Diagnostic {
    let span: Option<Span> = Some(layer.span);
    let why = format!("`{}` cannot draw these", layer.kind.name());
    error::no_plot(&why, span, &format!("give it {}", layer.kind.takes()))
}

/// A number or an array of numbers.
struct Numbers {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Numbers {
    fn of(view: &View<'_>) -> Option<Numbers> {
        let truth = |it: &bool| f64::from(u8::from(*it));
        let (shape, data): (&[usize], Vec<f64>) = match view {
            View::Real(it) => (&[], vec![*it]),
            View::Int(it) => (&[], vec![*it as f64]),
            View::Bool(it) => (&[], vec![truth(it)]),
            View::Reals(shape, data) => (shape, data.to_vec()),
            View::Ints(shape, data) => (shape, data.iter().map(|it| *it as f64).collect()),
            View::Bools(shape, data) => (shape, data.iter().map(truth).collect()),
            View::Text(_) | View::Tuple(_) | View::Record(..) => return None,
            View::Constructor(..) | View::List(..) => return None,
        };
        Some(Numbers { shape: shape.to_vec(), data })
    }

    fn vector(self) -> Option<Vec<f64>> {
        (self.shape.len() == 1).then_some(self.data)
    }

    /// One curve or several, each of this length.
    fn curves(self, n: usize) -> Option<Vec<Vec<f64>>> {
        match self.shape[..] {
            [length] if length == n => Some(vec![self.data]),
            [_, length] if length == n => {
                Some(self.data.chunks(n.max(1)).map(<[f64]>::to_vec).collect())
            }
            _ => None,
        }
    }

    fn matrix(self) -> Option<Matrix> {
        let [n_rows, n_columns] = self.shape[..] else { return None };
        Some(Matrix { n_rows, n_columns, data: self.data })
    }

    fn image(self) -> Option<Shape> {
        let [n_rows, n_columns, 3] = self.shape[..] else {
            return Some(Shape::Image { red: self.matrix()?, rest: None });
        };
        let part = |at: usize| Matrix {
            n_rows,
            n_columns,
            data: self.data.iter().skip(at).step_by(3).copied().collect(),
        };
        Some(Shape::Image { red: part(0), rest: Some((part(1), part(2))) })
    }
}

/// The most bars of a histogram: more are no bars any more.
const MOST_BARS: f64 = 1000.0;

fn shape_from(kind: PlotKind, args: Vec<Numbers>) -> Option<Shape> {
    let mut args = args.into_iter();
    let (first, second) = (args.next()?, args.next());
    match kind {
        PlotKind::Lines | PlotKind::Points => {
            let (x, y) = match second {
                Some(second) => {
                    let x = first.vector()?;
                    let y = second.curves(x.len())?;
                    (x, y)
                }
                None => {
                    let n = *first.shape.last()?;
                    ((0..n).map(|it| it as f64).collect(), first.curves(n)?)
                }
            };
            Some(if kind == PlotKind::Lines {
                Shape::Lines { x, y }
            } else {
                Shape::Points { x, y }
            })
        }
        PlotKind::Histogram => {
            let values = first.vector()?;
            let n_bins = match second {
                Some(it) if it.shape.is_empty() => *it.data.first()?,
                Some(_) => return None,
                // The rule of Rice.
                None => 2.0 * (values.len() as f64).cbrt(),
            };
            let n_bins = n_bins.ceil().clamp(1.0, MOST_BARS) as usize;
            Some(Shape::Histogram { values, n_bins })
        }
        PlotKind::Heatmap => Some(Shape::HeatMap(first.matrix()?)),
        PlotKind::Pattern => Some(Shape::Pattern(first.matrix()?)),
        PlotKind::Image => first.image(),
    }
}

impl Answer {
    /// The value as a figure, drawn as its type suggests: an array as a curve, a matrix in colours, a matrix
    /// of truth values as a pattern, and tuples and records of arrays as curves over the first of them.
    pub fn figure(&self, title: &str) -> Result<Figure, Report> {
        with_deep_stack(|| {
            let mut figure = Figure { title: title.to_owned(), ..Figure::default() };
            let view = self.view();
            match natural(&view, &mut figure) {
                Some(()) => Ok(figure),
                None => {
                    let why = format!("a value of type `{}` has no picture", self.type_text());
                    let help =
                        "draw an array, a matrix, or arrays of one length in a tuple or a record";
                    Err(Report::single(error::no_plot(&why, None, help)))
                }
            }
        })
    }
}

fn natural(view: &View<'_>, figure: &mut Figure) -> Option<()> {
    let parts: Vec<(String, &View<'_>)> = match view {
        View::Tuple(parts) => parts.iter().map(|it| (String::new(), it)).collect(),
        View::Record(_, fields) => fields.iter().map(|(name, it)| (name.clone(), it)).collect(),
        View::Real(_) | View::Int(_) | View::Bool(_) | View::Text(_) => return None,
        View::Constructor(..) | View::List(..) => return None,
        View::Reals(shape, _) | View::Ints(shape, _) | View::Bools(shape, _) => {
            let kind = match (shape.len(), matches!(view, View::Bools(..))) {
                (1, _) => PlotKind::Lines,
                (2, true) => PlotKind::Pattern,
                (2, false) => PlotKind::Heatmap,
                _ => PlotKind::Image,
            };
            let shape = shape_from(kind, vec![Numbers::of(view)?])?;
            figure.layers.push(Layer { name: None, shape });
            return Some(());
        }
    };
    let ((first, x), rest) = parts.split_first()?;
    figure.x = first.clone();
    for (name, y) in rest {
        let shape = shape_from(PlotKind::Lines, vec![Numbers::of(x)?, Numbers::of(y)?])?;
        let name = Some(name.clone()).filter(|it| !it.is_empty());
        figure.layers.push(Layer { name, shape });
    }
    if let [layer] = &mut figure.layers[..] {
        figure.y = layer.name.take().unwrap_or_default();
    }
    (!rest.is_empty()).then_some(())
}
