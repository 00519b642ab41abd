//! The meaning of `Lift`, `Primal` and the derivative operators: one forward pass per direction.
//!
//! Paper: Krawiec et al., Figure 3 (dual numbers), here on values.
//! See Note [Levels] at the end.

use std::rc::Rc;
use std::sync::Arc;

use ::array::Shape;
use ir::Operator;

use crate::array::{Array, Elems};
use crate::closure::{Closure, Turn, Way};
use crate::error::{Failure, Fault, malformed};
use crate::eval::Evaluator;
use crate::kernels::elementwise::Precision;
use crate::kernels::scalar::scale;
use crate::link::link_lambda;
use crate::memory::{self, reserve};
use crate::stack::grown;
use crate::tree::{
    Leaves, array_of, flatten, join, mismatch, n_leaves, split, unflatten, unit, walk,
    zero_of_discrete,
};
use crate::value::{Data, Fields, Value};

impl Evaluator {
    /// A derivative operator on a function and its arguments.
    #[inline(never)]
    pub(crate) fn derive_op(
        &mut self,
        operator: Operator,
        level: u32,
        function: &Value,
        mut args: Vec<Value>,
    ) -> Result<Value, Failure> {
        let Value::Closure(function) = function else {
            return Err(malformed("a derivative of what is no function").into());
        };
        let last = match operator {
            Operator::Jvp | Operator::Hvp | Operator::Vjp => args.pop(),
            Operator::Grad | Operator::ValueAndGrad | Operator::Jacobian | Operator::Hessian => {
                None
            }
        };
        let point = match operator {
            Operator::Jvp | Operator::Hvp => args.pop(),
            Operator::Vjp
            | Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Jacobian
            | Operator::Hessian => match (args.len(), args.pop()) {
                (1, only) => only,
                (_, None) => Some(Value::tuple(args)),
                (_, Some(other)) => {
                    args.push(other);
                    Some(Value::tuple(args))
                }
            },
        };
        let point = point.ok_or_else(|| malformed("a derivative without a point"))?;
        let at = Pass { level, arity: function.arity(), point };
        let direction = || last.ok_or_else(|| malformed("a derivative without a direction"));
        let res = match operator {
            Operator::Jvp => self.jvp(function, &at, &direction()?),
            Operator::Vjp => self.vjp(function, &at, &direction()?),
            Operator::Grad => Ok(self.gradient(function, &at)?.1),
            Operator::ValueAndGrad => {
                let (value, gradient) = self.gradient(function, &at)?;
                let value = match value {
                    Some(value) => value,
                    None => self.apply_closure(function, at.spread(at.point.clone())?)?,
                };
                Ok(Value::pair(value, gradient))
            }
            Operator::Jacobian => self.jacobian(function, &at),
            Operator::Hessian => self.hessian(function, &at),
            Operator::Hvp => self.hvp(function, &at, &direction()?),
        };
        memory::check()?;
        res
    }

    fn jvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let input = self.zip(&at.point, direction)?;
        let output = self.apply_closure(&derived, at.spread(input)?)?;
        self.tangent(&output)
    }

    /// The value, if there was a pass that computed it, and the gradient.
    fn gradient(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
    ) -> Result<(Option<Value>, Value), Failure> {
        let derived = self.derived(function)?;
        let (mut value, mut reals) = (None, Vec::new());
        for i in 0..at.n_leaves()? {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            flatten(&self.tangent(&output)?, &mut reals);
            if value.is_none() {
                value = Some(self.innermost_primal(&output)?);
            }
        }
        Ok((value, at.assemble(&|i| at.leaf(&reals, i))?))
    }

    fn vjp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        cotangent: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let weights = leaves_of(at.level, cotangent)?;
        let width = at.width();
        let mut reals = Vec::new();
        for i in 0..at.n_leaves()? {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            let tangent = self.tangent(&output)?;
            if i == 0 {
                // Only to see that the cotangent has the structure of the result.
                self.zip(&tangent, cotangent)?;
            }
            let tangents = leaves_of(at.level, &tangent)?;
            let mut sum = vec![0.0; width];
            for (weight, tangent) in weights.chunks(width).zip(tangents.chunks(width)) {
                add_product(weight, tangent, &mut sum, self.limits.precision);
            }
            reals.extend(sum);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    fn jacobian(&mut self, function: &Rc<Closure>, at: &Pass) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let n = at.n_leaves()?;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(n);
        let mut template = None;
        for i in 0..n {
            let input = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.apply_closure(&derived, at.spread(input)?)?;
            let tangent = self.tangent(&output)?;
            let column = leaves_of(at.level, &tangent)?;
            if i == 0 {
                reserve(column.len().checked_mul(n), size_of::<f64>())?;
                template = Some(tangent);
            }
            columns.push(column);
        }
        let template = match template {
            Some(template) => template,
            None => self.apply_closure(function, at.spread(at.point.clone())?)?,
        };
        let column =
            |i: usize, j: usize| columns.get(i).map_or(Value::Real(0.0), |it| at.leaf(it, j));
        Ok(at.nested(&template, &column)?)
    }

    fn hessian(&mut self, function: &Rc<Closure>, at: &Pass) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let n = at.n_leaves()?;
        // Symmetric: only the lower triangle is computed, row after row.
        reserve(n.checked_mul(n).and_then(|it| it.checked_mul(at.width())), size_of::<f64>())?;
        let zero = at.zero()?;
        let mut reals = Vec::new();
        for i in 0..n {
            let along = self.zip(&at.point, &at.unit(i)?)?;
            for j in 0..=i {
                let across = self.zip(&at.unit(j)?, &zero)?;
                let output = self.second_order(&second, at, &along, &across)?;
                flatten(&output, &mut reals);
            }
        }
        let entry = |i: usize, j: usize| {
            let (row, column) = (i.max(j), i.min(j));
            at.leaf(&reals, row * (row + 1) / 2 + column)
        };
        Ok(at.nested(&at.point, &entry)?)
    }

    fn hvp(
        &mut self,
        function: &Rc<Closure>,
        at: &Pass,
        direction: &Value,
    ) -> Result<Value, Failure> {
        let derived = self.derived(function)?;
        let second = self.derived(&derived)?;
        let across = self.zip(direction, &at.zero()?)?;
        let mut reals = Vec::new();
        for i in 0..at.n_leaves()? {
            let along = self.zip(&at.point, &at.unit(i)?)?;
            let output = self.second_order(&second, at, &along, &across)?;
            flatten(&output, &mut reals);
        }
        Ok(at.assemble(&|i| at.leaf(&reals, i))?)
    }

    /// The mixed second derivative: the tangent of the tangent.
    fn second_order(
        &mut self,
        second: &Rc<Closure>,
        at: &Pass,
        along: &Value,
        across: &Value,
    ) -> Result<Value, Failure> {
        let input = self.zip(along, across)?;
        let output = self.apply_closure(second, at.spread(input)?)?;
        let tangent = self.tangent(&output)?;
        self.tangent(&tangent)
    }

    /// The forward derivative of a function value; what it captured is constant.
    pub(crate) fn derived(&mut self, closure: &Rc<Closure>) -> Result<Rc<Closure>, Failure> {
        match &**closure {
            Closure::Code { code, captured } => {
                let derived = match code.derived.get() {
                    Some(derived) => derived.clone(),
                    None => {
                        let (lambda, next_var, spans) = self.derive.lambda(
                            &self.program,
                            &code.captured,
                            &code.lambda,
                            code.next_var,
                            &code.spans,
                        );
                        let derived = Rc::new(link_lambda(
                            &mut self.names,
                            self.limits.precision,
                            code.function.name.clone(),
                            (Arc::new(lambda), next_var, Arc::new(spans)),
                            code.captured.clone(),
                        )?);
                        code.derived.get_or_init(|| derived).clone()
                    }
                };
                let mut values = Vec::with_capacity(derived.captured.len());
                for binder in &derived.captured {
                    let old = code.captured.iter().position(|it| it.var == binder.var);
                    let value = old.and_then(|position| captured.get(position));
                    values.push(value.cloned().ok_or_else(|| malformed("a lost variable"))?);
                }
                Ok(Rc::new(Closure::Code { code: derived, captured: Fields::new(values) }))
            }
            Closure::Primal { level, inner } => {
                Ok(Rc::new(Closure::Primal { level: level + 1, inner: self.derived(inner)? }))
            }
            Closure::Turned { turn, inner } => {
                let turn = Turn { below: turn.below + 1, ..*turn };
                Ok(Rc::new(Closure::Turned { turn, inner: self.derived(inner)? }))
            }
        }
    }

    /// Every leaf `v` of `level` becomes `(v, 0)`.
    pub(crate) fn lift(&mut self, level: u32, value: &Value) -> Result<Value, Failure> {
        walk(level, value, &mut Lift { level, evaluator: self })
    }

    /// Every leaf `(v, w)`, with `v` and `w` of `level`, becomes `v`.
    pub(crate) fn primal(&self, level: u32, value: &Value) -> Result<Value, Fault> {
        walk(level + 1, value, &mut Half { level, second: false })
    }

    /// The order in which the pairs of leaves are nested is changed.
    pub(crate) fn turned(&self, turn: Turn, value: &Value) -> Value {
        let height = turn.level + 1 + turn.below;
        walk(height, value, &mut Turning(turn)).unwrap_or_else(|_| value.clone())
    }

    /// Of every innermost pair, the second part.
    fn tangent(&self, value: &Value) -> Result<Value, Failure> {
        Ok(walk(1, value, &mut Half { level: 0, second: true })?)
    }

    /// Of every innermost pair, the first part.
    fn innermost_primal(&self, value: &Value) -> Result<Value, Failure> {
        self.primal(0, value).map_err(Failure::from)
    }

    /// Every real becomes the pair of it and its tangent; their structures must agree.
    fn zip(&mut self, value: &Value, tangent: &Value) -> Result<Value, Failure> {
        grown(|| match (value, tangent) {
            (Value::Real(_), Value::Real(_)) => Ok(Value::pair(value.clone(), tangent.clone())),
            (Value::Int(_), Value::Int(_))
            | (Value::Bool(_), Value::Bool(_))
            | (Value::Str(_), Value::Str(_)) => Ok(value.clone()),
            (Value::Tuple(x), Value::Tuple(dx)) if x.len() == dx.len() => {
                Ok(Value::tuple(self.zip_all(x, dx)?))
            }
            (Value::Data(x), Value::Data(dx)) if x.con.tag == dx.con.tag => {
                let fields = Fields::new(self.zip_all(&x.fields, &dx.fields)?);
                Ok(Value::Data(Rc::new(Data { con: x.con.clone(), fields })))
            }
            (Value::Array(x), Value::Array(dx)) => self.zip_arrays(x, dx),
            (Value::Closure(function), Value::Closure(_)) => {
                Ok(Value::Closure(self.derived(function)?))
            }
            _ => Err(mismatch(value, tangent).into()),
        })
    }

    fn zip_all(&mut self, values: &[Value], tangents: &[Value]) -> Result<Vec<Value>, Failure> {
        values.iter().zip(tangents).map(|(x, dx)| self.zip(x, dx)).collect()
    }

    fn zip_arrays(&mut self, x: &Rc<Array>, dx: &Rc<Array>) -> Result<Value, Failure> {
        let unknown = |it: &Array| matches!(&it.elems, Elems::Boxed(data) if data.is_empty());
        if x.is_empty() && dx.is_empty() {
            // One of them may not know its type.
            if unknown(x) {
                return Ok(Value::Array(dx.clone()));
            }
            if unknown(dx) && !matches!(x.elems, Elems::Boxed(_)) {
                return self.zip_arrays(x, x);
            }
        }
        if x.shape != dx.shape {
            let fault = mismatch(&Value::Array(x.clone()), &Value::Array(dx.clone()));
            return Err(fault.into());
        }
        match (&x.elems, &dx.elems) {
            (Elems::Real(_), Elems::Real(_)) => {
                Ok(join(Value::Array(x.clone()), Value::Array(dx.clone())))
            }
            (Elems::Int(_), Elems::Int(_)) | (Elems::Bool(_), Elems::Bool(_)) => {
                Ok(Value::Array(x.clone()))
            }
            (Elems::Tuple(xs), Elems::Tuple(dxs)) if xs.len() == dxs.len() => {
                let mut parts = Vec::with_capacity(xs.len());
                for (part, tangent) in xs.iter().zip(dxs) {
                    match self.zip_arrays(&Rc::new(part.clone()), &Rc::new(tangent.clone()))? {
                        Value::Array(part) => parts.push((*part).clone()),
                        _ => return Err(malformed("a part is no array").into()),
                    }
                }
                Ok(Value::array(Array { shape: x.shape.clone(), elems: Elems::Tuple(parts) }))
            }
            (Elems::Boxed(xs), Elems::Boxed(dxs)) => {
                Ok(Value::array(Array::flat(x.shape.clone(), self.zip_all(xs, dxs)?)))
            }
            _ => Err(mismatch(&Value::Array(x.clone()), &Value::Array(dx.clone())).into()),
        }
    }
}

/// Where a derivative is taken.
struct Pass {
    level: u32,
    arity: usize,
    point: Value,
}

impl Pass {
    /// How many reals a leaf has.
    fn width(&self) -> usize {
        1 << self.level.min(30)
    }

    /// The arguments of the function.
    fn spread(&self, value: Value) -> Result<Vec<Value>, Fault> {
        match (&value, self.arity) {
            (_, 1) => Ok(vec![value]),
            (Value::Tuple(fields), arity) if fields.len() == arity => Ok(fields.to_vec()),
            _ => Err(malformed("a derivative at another number of arguments")),
        }
    }

    fn n_leaves(&self) -> Result<usize, Fault> {
        let mut found = Count(0);
        walk(self.level, &self.point, &mut found)?;
        Ok(found.0)
    }

    /// The direction of one leaf.
    fn unit(&self, leaf: usize) -> Result<Value, Fault> {
        walk(self.level, &self.point, &mut Unit { leaf: Some(leaf), at: 0 })
    }

    fn zero(&self) -> Result<Value, Fault> {
        walk(self.level, &self.point, &mut Unit { leaf: None, at: 0 })
    }

    /// The leaf of that number among flattened ones.
    fn leaf(&self, reals: &[f64], number: usize) -> Value {
        let width = self.width();
        unflatten(reals.get(number * width..(number + 1) * width).unwrap_or(&[0.0]))
    }

    /// The structure of the argument with given leaves.
    fn assemble(&self, leaf: &dyn Fn(usize) -> Value) -> Result<Value, Fault> {
        walk(self.level, &self.point, &mut Assemble { leaf: &|it| Ok(leaf(it)), at: 0 })
    }

    /// `template` with every leaf `j` replaced by the structure of the argument, in which
    /// leaf `i` is `entry(i, j)`.
    fn nested(
        &self,
        template: &Value,
        entry: &dyn Fn(usize, usize) -> Value,
    ) -> Result<Value, Fault> {
        let leaf = |j: usize| self.assemble(&|i| entry(i, j));
        walk(self.level, template, &mut Assemble { leaf: &leaf, at: 0 })
    }
}

/// All leaves of a value, flattened.
fn leaves_of(level: u32, value: &Value) -> Result<Vec<f64>, Fault> {
    let mut reals = Flatten(Vec::new());
    walk(level, value, &mut reals)?;
    Ok(reals.0)
}

/// Adds the product of two dual numbers: (a, b) * (c, d) = (a*c, a*d + b*c), at every level.
fn add_product(x: &[f64], y: &[f64], sum: &mut [f64], precision: Precision) {
    if let ([x], [y], [sum]) = (x, y, &mut *sum) {
        *sum = precision.round(*sum + precision.round(scale(*x, *y)));
        return;
    }
    let half = sum.len() / 2;
    let (Some((a, b)), Some((c, d))) = (x.split_at_checked(half), y.split_at_checked(half)) else {
        return;
    };
    let (first, second) = sum.split_at_mut(half);
    add_product(a, c, first, precision);
    add_product(a, d, second, precision);
    add_product(b, c, second, precision);
}

struct Lift<'a> {
    level: u32,
    evaluator: &'a mut Evaluator,
}

impl Leaves for Lift<'_> {
    type Error = Failure;

    fn leaf(&mut self, value: &Value) -> Result<Value, Failure> {
        Ok(join(value.clone(), unit(value, None)))
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Failure> {
        let inner = self.evaluator.derived(function)?;
        let turn = Turn { level: self.level, below: 0, way: Way::Inward };
        Ok(Value::Closure(if self.level == 0 { inner } else { with_turn(turn, &inner) }))
    }
}

/// A function whose arguments are turned.
fn with_turn(turn: Turn, inner: &Rc<Closure>) -> Rc<Closure> {
    match &**inner {
        Closure::Turned { turn: other, inner } if *other == turn.inverse() => inner.clone(),
        Closure::Turned { .. } | Closure::Code { .. } | Closure::Primal { .. } => {
            Rc::new(Closure::Turned { turn, inner: inner.clone() })
        }
    }
}

/// Takes the first or the second part of every leaf.
struct Half {
    level: u32,
    second: bool,
}

impl Leaves for Half {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let (first, second) = split(value).ok_or_else(|| malformed("a leaf is no pair"))?;
        Ok(if self.second { second } else { first })
    }

    fn discrete(&mut self, value: &Value) -> Value {
        if self.second { zero_of_discrete(value) } else { value.clone() }
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        let closure = Closure::Primal { level: self.level, inner: function.clone() };
        Ok(Value::Closure(Rc::new(closure)))
    }
}

struct Turning(Turn);

impl Leaves for Turning {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let turned = match self.0.way {
            Way::Inward => split(value).and_then(|(a, b)| push_in(&a, &b, self.0.level)),
            Way::Outward => pull_out(value, self.0.level).map(|(a, b)| join(a, b)),
        };
        turned.ok_or_else(|| malformed("a leaf is no pair"))
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(with_turn(self.0.inverse(), function)))
    }
}

/// Pairs up two trees below their first `level` levels.
fn push_in(x: &Value, y: &Value, level: u32) -> Option<Value> {
    if level == 0 {
        return Some(join(x.clone(), y.clone()));
    }
    let ((a, b), (c, d)) = (split(x)?, split(y)?);
    Some(join(push_in(&a, &c, level - 1)?, push_in(&b, &d, level - 1)?))
}

/// The inverse of `push_in`.
fn pull_out(tree: &Value, level: u32) -> Option<(Value, Value)> {
    let (first, second) = split(tree)?;
    if level == 0 {
        return Some((first, second));
    }
    let ((a, c), (b, d)) = (pull_out(&first, level - 1)?, pull_out(&second, level - 1)?);
    Some((join(a, b), join(c, d)))
}

struct Count(usize);

impl Leaves for Count {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        self.0 += n_leaves(value);
        Ok(value.clone())
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

struct Flatten(Vec<f64>);

impl Leaves for Flatten {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        flatten(value, &mut self.0);
        Ok(value.clone())
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// Zero everywhere, but for one leaf.
struct Unit {
    leaf: Option<usize>,
    at: usize,
}

impl Leaves for Unit {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let n = n_leaves(value);
        let position = self.leaf.and_then(|it| it.checked_sub(self.at)).filter(|it| *it < n);
        self.at += n;
        Ok(unit(value, position))
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

/// Other values in the places of the leaves.
struct Assemble<'a> {
    leaf: &'a dyn Fn(usize) -> Result<Value, Fault>,
    at: usize,
}

impl Leaves for Assemble<'_> {
    type Error = Fault;

    fn leaf(&mut self, value: &Value) -> Result<Value, Fault> {
        let (n, at) = (n_leaves(value), self.at);
        self.at += n;
        match value {
            Value::Array(array) => {
                let shape: &Shape = &array.shape;
                array_of(shape, n, |i| (self.leaf)(at + i))
            }
            _ => (self.leaf)(at),
        }
    }

    fn discrete(&mut self, value: &Value) -> Value {
        zero_of_discrete(value)
    }

    fn function(&mut self, function: &Rc<Closure>) -> Result<Value, Fault> {
        Ok(Value::Closure(function.clone()))
    }
}

// Note [Levels]
// ~~~~~~~~~~~~~
// Differentiating code that contains a derivative operator gives the same operator at the next
// level, applied to a function and to arguments that are dual already. At level k the reals of
// the original program are trees of k pairs, one pair for each derivative around, the outermost
// derivative innermost in the tree: D maps every Real to a pair, also those inside of pairs.
//
// The derivative of a function value is D of its code, and puts its pair innermost too, below
// those of the derivatives around it. So operators zip a point and a direction real by real,
// whatever the level, and take the tangent of innermost pairs; the level only says what counts
// as a leaf. What the function captured may carry tangents of the derivatives around; it takes
// part as a constant. Had the new pair been put outermost, those tangents would be mistaken for
// tangents of the new derivative.
//
// `Lift` at level k makes pairs outermost, though: it is what D makes, k times, of a `Lift` that
// stood in the program before. Of a function, it gives D of its code with the new pair moved from
// the outside to the inside on the way in, and back on the way out (`Turn`).
