//! Results of compiled code as values of the interpreter. Scalars and arrays of scalars stay where they
//! are until somebody asks for values; sum types are made anew at once.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use array::{Shape, count};
use base::Name;
use eval::{Array, Element, Precision, Value};
use ir::{Size, Type, Var};
use native::{Extent, Failed, Input, Kept, Results, Word};

use super::Few;
use super::code::{Given, Types};
use super::recipe::Head;
use crate::answer::Numbers;
use crate::deep::enough_stack;

/// The results of a call, a leaf each.
pub(crate) enum Left {
    /// The one result, which is a number. Most calls are short, so this has a way of its own.
    One(Value),
    /// Where compiled code put them. What is passed on is small: a call of a small function takes no longer
    /// than moving all of this a few times.
    InPlace(Box<InPlace>),
    /// As values.
    Values(Vec<Value>),
}

/// Scalars and arrays of scalars, in the memory of the call.
pub(crate) struct InPlace {
    kept: Kept,
    plan: Arc<Plan>,
    /// Of each leaf that is reals in another form there; made when the first of them is asked for.
    reals: OnceLock<Vec<OnceLock<Vec<f64>>>>,
}

/// What the results of a call are, if there are no sum types and texts among them.
pub(super) struct Plan {
    leaves: Vec<Leaf>,
    extents: Vec<Option<Extent>>,
    /// Whether there is no array.
    is_scalar: bool,
    precision: Precision,
}

/// What a result is.
#[derive(Clone)]
struct Leaf {
    scalar: Scalar,
    /// `None`: no array.
    shape: Option<Shape>,
}

/// A scalar that needs nothing else to be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Real,
    Int,
    Bool,
    Unit,
}

type Sizes = BTreeMap<Var, i64>;

impl Left {
    pub(super) fn new(
        types: &Types,
        head: &Head,
        given: Given<'_>,
        results: Results<'_>,
    ) -> Result<Left, Failed> {
        if let Some(plan) = given.plan {
            return Left::by(plan, results);
        }
        let mut sizes = given.sizes(head);
        let found = head.results.iter().zip(results.words());
        let found = found.filter(|it| it.0.ty == Type::Int);
        sizes.extend(found.map(|(it, word)| (it.var, word.int())));
        if let Some(plan) = Plan::new(types, head, &sizes) {
            return Left::by(&Arc::new(plan), results);
        }
        let leave = Leave { types, texts: given.texts, results: &results };
        let words = results.words().iter();
        let values = words.zip(&head.results).map(|(it, to)| leave.value(*it, &to.ty, &sizes));
        Ok(Left::Values(values.collect::<Result<Vec<Value>, Failed>>()?))
    }

    /// Results that need nothing but their sizes to be read.
    fn by(plan: &Arc<Plan>, results: Results<'_>) -> Result<Left, Failed> {
        if plan.is_scalar {
            let words = plan.leaves.iter().zip(results.words());
            return Ok(Left::Values(words.map(|(leaf, word)| leaf.scalar.value(*word)).collect()));
        }
        let is_scarce = results.is_scarce();
        let kept = results.keep(&plan.extents)?;
        let res = InPlace { kept, plan: plan.clone(), reals: OnceLock::new() };
        Ok(if is_scarce { Left::Values(res.values()) } else { Left::InPlace(Box::new(res)) })
    }

    /// All results as values.
    pub(crate) fn values(&self) -> Vec<Value> {
        match self {
            Left::One(value) => vec![value.clone()],
            Left::Values(values) => values.clone(),
            Left::InPlace(it) => it.values(),
        }
    }
}

impl Plan {
    /// The number that is the one result, if that is what there is.
    pub(super) fn one(&self, word: Word) -> Option<Value> {
        match &self.leaves[..] {
            [Leaf { scalar, shape: None }] => Some(scalar.value(word)),
            _ => None,
        }
    }

    /// Whether the one result is a number.
    pub(super) fn is_one(&self) -> bool {
        self.is_scalar && self.leaves.len() == 1
    }

    /// Whether it is a real.
    pub(super) fn is_real(&self) -> bool {
        self.is_one() && self.leaves.iter().all(|it| matches!(it.scalar, Scalar::Real))
    }

    /// The plan of calls with these arguments, if their results have no sizes of their own.
    pub(super) fn ahead(
        types: &Types,
        head: &Head,
        size_args: &[i64],
        int: &dyn Fn(usize) -> Option<i64>,
    ) -> Option<Plan> {
        let sizes = sizes_of(head, size_args, int);
        let mut used = head.results.iter().flat_map(|it| it.ty.size_vars());
        if used.any(|it| !sizes.contains_key(&it)) { None } else { Plan::new(types, head, &sizes) }
    }

    fn new(types: &Types, head: &Head, sizes: &Sizes) -> Option<Plan> {
        let precision = types.precision;
        let leaves: Option<Vec<Leaf>> = head.results.iter().map(|it| leaf(&it.ty, sizes)).collect();
        let leaves = leaves?;
        let extents = leaves.iter().map(|it| it.extent(precision)).collect();
        let is_scalar = leaves.iter().all(|it| it.shape.is_none());
        Some(Plan { leaves, extents, is_scalar, precision })
    }
}

impl InPlace {
    /// Each real and each array of reals, the first `skipped` results left out.
    pub(crate) fn slices(&self, skipped: usize) -> Vec<&[f64]> {
        let reals = self.plan.leaves.iter().enumerate().skip(skipped);
        let reals = reals.filter(|it| it.1.scalar == Scalar::Real);
        reals.map(|(at, _)| self.slice(at)).collect()
    }

    /// Each number and each array of numbers, the first `skipped` results left out.
    pub(crate) fn numbers(&self, skipped: usize) -> Few<Numbers<'_>> {
        let leaves = self.plan.leaves.iter().enumerate().skip(skipped);
        leaves.filter_map(|(at, leaf)| self.number(at, leaf)).collect()
    }

    fn number(&self, at: usize, leaf: &Leaf) -> Option<Numbers<'_>> {
        let is_array = leaf.shape.is_some();
        match (leaf.scalar, self.plan.precision) {
            (Scalar::Real, Precision::F32) if is_array => Some(Numbers::Floats(self.elements(at))),
            (Scalar::Real, Precision::F32 | Precision::F64) => Some(Numbers::Reals(self.slice(at))),
            (Scalar::Int, _) if is_array => Some(Numbers::Ints(self.elements(at))),
            (Scalar::Int, _) => Some(Numbers::Int(self.kept.words()[at].int())),
            (Scalar::Bool, _) if is_array => Some(Numbers::Bytes(self.elements(at))),
            (Scalar::Bool, _) => {
                Some(Numbers::Bytes(if self.kept.words()[at].bool() { &[1] } else { &[0] }))
            }
            (Scalar::Unit, _) => None,
        }
    }

    /// Shape and elements of the one result behind the skipped ones, if it is an array of reals.
    pub(crate) fn reals(&self, skipped: usize) -> Option<(&[usize], &[f64])> {
        match &self.plan.leaves[skipped..] {
            [Leaf { scalar: Scalar::Real, shape: Some(shape) }] => {
                Some((shape, self.slice(skipped)))
            }
            _ => None,
        }
    }

    fn values(&self) -> Vec<Value> {
        (0..self.plan.leaves.len()).map(|at| self.value(at)).collect()
    }

    fn slice(&self, at: usize) -> &[f64] {
        let (leaf, word) = (&self.plan.leaves[at], self.kept.words()[at]);
        let none = || self.plan.leaves.iter().map(|_| OnceLock::new()).collect();
        match leaf.shape {
            Some(_) if self.plan.precision == Precision::F64 => self.elements(at),
            Some(_) => self.reals.get_or_init(none)[at].get_or_init(|| wide(self.elements(at))),
            None => self.reals.get_or_init(none)[at].get_or_init(|| vec![word.real()]),
        }
    }

    fn elements<T: native::Element>(&self, at: usize) -> &[T] {
        let elements = self.kept.array(self.kept.words()[at], self.plan.leaves[at].len());
        elements.expect("this was checked when it was kept")
    }

    fn value(&self, at: usize) -> Value {
        let (leaf, word) = (&self.plan.leaves[at], self.kept.words()[at]);
        let Some(shape) = &leaf.shape else { return leaf.scalar.value(word) };
        match leaf.scalar {
            Scalar::Real => flat(shape, self.slice(at).to_vec()),
            Scalar::Int => flat(shape, self.elements::<i64>(at).to_vec()),
            Scalar::Bool => flat(shape, truths(self.elements(at))),
            Scalar::Unit => units(shape),
        }
    }
}

impl Scalar {
    fn value(self, word: Word) -> Value {
        match self {
            Scalar::Real => Value::Real(word.real()),
            Scalar::Int => Value::Int(word.int()),
            Scalar::Bool => Value::Bool(word.bool()),
            Scalar::Unit => Value::tuple(Vec::new()),
        }
    }
}

impl Leaf {
    fn len(&self) -> usize {
        self.shape.as_ref().map_or(1, |it| count(it).unwrap_or(usize::MAX))
    }

    fn extent(&self, precision: Precision) -> Option<Extent> {
        self.shape.as_ref()?;
        let width = match self.scalar {
            Scalar::Real => real_width(precision),
            Scalar::Int | Scalar::Unit => 8,
            Scalar::Bool => 1,
        };
        Some(Extent { len: self.len(), width })
    }
}

fn real_width(precision: Precision) -> usize {
    match precision {
        Precision::F64 => 8,
        Precision::F32 => 4,
    }
}

impl Given<'_> {
    /// What the sizes are that come from parameters.
    fn sizes(&self, head: &Head) -> Sizes {
        let int = |it: &Input<'_>| if let Input::Int(it) = it { Some(*it) } else { None };
        let (sizes, params) = self.inputs.split_at(head.size_params.len());
        let size_args: Vec<i64> = sizes.iter().filter_map(int).collect();
        sizes_of(head, &size_args, &|at| params.get(at).and_then(int))
    }
}

/// What the sizes are that come from parameters.
fn sizes_of(head: &Head, size_args: &[i64], int: &dyn Fn(usize) -> Option<i64>) -> Sizes {
    let known = head.size_params.iter().copied().zip(size_args.iter().copied());
    let params = head.params.iter().enumerate();
    let params = params.filter_map(|(at, it)| Some((it.var, int(at)?)));
    known.chain(params).collect()
}

fn leaf(ty: &Type, sizes: &Sizes) -> Option<Leaf> {
    let (dimensions, inner) = ty.split_arrays();
    let scalar = match inner {
        Type::Real => Scalar::Real,
        Type::Int => Scalar::Int,
        Type::Bool => Scalar::Bool,
        Type::Tuple(_) => Scalar::Unit,
        Type::String | Type::Data(..) | Type::Array(..) => return None,
        Type::Function(..) | Type::Var(_) | Type::Dual(_) => return None,
        Type::Delta | Type::Tape(_) => return None,
    };
    let shape = matches!(ty, Type::Array(..)).then(|| shape(&dimensions, sizes));
    Some(Leaf { scalar, shape })
}

fn shape(dimensions: &[Size], sizes: &Sizes) -> Shape {
    // What is too large for an array was refused by the code: then nothing is read.
    let value = |it: &Size| {
        let size = it.checked(&mut |var| sizes.get(var).copied().unwrap_or_default());
        size.map_or(usize::MAX, |it| usize::try_from(it).unwrap_or_default())
    };
    let sizes: Vec<usize> = dimensions.iter().map(value).collect();
    Shape::new(&sizes)
}

fn flat<T: Element>(shape: &Shape, data: Vec<T>) -> Value {
    Value::array(Array::flat(shape.clone(), data))
}

fn units(shape: &Shape) -> Value {
    Value::array(Array { shape: shape.clone(), elems: eval::Elems::Tuple(Vec::new()) })
}

fn truths(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().map(|it| *it != 0).collect()
}

fn wide(data: &[f32]) -> Vec<f64> {
    data.iter().map(|it| f64::from(*it)).collect()
}

/// Makes values of any type of first order.
struct Leave<'a> {
    types: &'a Types,
    /// Texts of arguments.
    texts: &'a [Arc<str>],
    results: &'a Results<'a>,
}

impl Leave<'_> {
    fn value(&self, word: Word, ty: &Type, sizes: &Sizes) -> Result<Value, Failed> {
        match ty {
            Type::Real => Ok(Value::Real(word.real())),
            Type::Int => Ok(Value::Int(word.int())),
            Type::Bool => Ok(Value::Bool(word.bool())),
            Type::String => self.text(word.int()),
            Type::Tuple(_) => Ok(Value::tuple(Vec::new())),
            Type::Data(name, _, arguments) => {
                enough_stack(|| self.data(word, name, arguments, sizes))
            }
            Type::Array(..) => self.array(word, ty, sizes),
            Type::Function(..) | Type::Var(_) | Type::Dual(_) | Type::Delta | Type::Tape(_) => {
                Err(Failed::Malformed("a result is not of first order"))
            }
        }
    }

    fn text(&self, number: i64) -> Result<Value, Failed> {
        let mut all = self.types.texts.iter().chain(self.texts);
        let text = usize::try_from(number).ok().and_then(|it| all.nth(it));
        text.map(|it| Value::Str(Arc::new(it.clone()))).ok_or(Failed::Malformed("no such text"))
    }

    fn data(
        &self,
        word: Word,
        name: &Name,
        arguments: &[Size],
        sizes: &Sizes,
    ) -> Result<Value, Failed> {
        let tag = usize::try_from(self.results.tag(word)?).unwrap_or(usize::MAX);
        let decl = self.types.datas.get(name);
        let Some((decl, con)) = decl.and_then(|it| Some((it, it.cons.get(tag)?))) else {
            return Err(Failed::Malformed("no such constructor"));
        };
        let words = self.results.fields(word, con.fields.len())?;
        let values = arguments.iter().map(|it| it.evaluate(&mut |var| sizes[var]));
        let mut inner: Sizes = decl.size_params.iter().copied().zip(values).collect();
        inner.extend(con.sizes.iter().copied().zip(words.iter().map(|it| it.int())));
        let fields = words.iter().zip(&con.fields);
        let fields = fields.map(|(word, ty)| self.value(*word, ty, &inner));
        let fields = fields.collect::<Result<Vec<Value>, Failed>>()?;
        Ok(Value::data(self.types.constructors[name][tag].clone(), fields))
    }

    fn array(&self, start: Word, ty: &Type, sizes: &Sizes) -> Result<Value, Failed> {
        let (dimensions, inner) = ty.split_arrays();
        let shape = shape(&dimensions, sizes);
        let len = count(&shape).ok_or(Failed::Malformed("an array without end"))?;
        Ok(match (inner, self.types.precision) {
            (Type::Real, Precision::F64) => {
                flat(&shape, self.results.array::<f64>(start, len)?.to_vec())
            }
            (Type::Real, Precision::F32) => flat(&shape, wide(self.results.array(start, len)?)),
            (Type::Int, _) => flat(&shape, self.results.array::<i64>(start, len)?.to_vec()),
            (Type::Bool, _) => flat(&shape, truths(self.results.array(start, len)?)),
            (Type::Tuple(_), _) => units(&shape),
            (other, _) => {
                let words = self.results.array::<Word>(start, len)?;
                let values = words.iter().map(|it| self.value(*it, other, sizes));
                flat(&shape, values.collect::<Result<Vec<Value>, Failed>>()?)
            }
        })
    }
}
