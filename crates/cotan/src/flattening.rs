//! Values of an entry point that `opt::flatten` has made: tuples, and arrays of them, become several
//! values, and several values become tuples again. Sum types with tuples in their fields have other
//! constructors there.

use std::collections::BTreeMap;
use std::sync::Arc;

use array::Shape;
use base::{Mark, Name};
use eval::{Array, Constructor, Elems, Fault, Mismatch, RunError, Value};
use ir::{DataDecl, Program, Type};
use opt::{Flat, Layout};
use serde::{Deserialize, Serialize};

use crate::deep::enough_stack;

/// How an entry point takes its arguments and gives its results.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Flattening {
    /// Of each parameter, the types of its leaves as well.
    params: Vec<(Layout, Vec<Type>)>,
    results: Vec<Layout>,
    /// From the new name of a constructor to the old one, and how its fields are flattened.
    constructors: BTreeMap<Name, (Name, Vec<Layout>)>,
    datas: BTreeMap<Name, DataDecl>,
}

impl Flattening {
    pub(crate) fn new(flat: &Flat, entry: &Name) -> Flattening {
        let params = flat.program.defs.get(entry).map_or(&[][..], |it| &it.params);
        let mut types = params.iter().map(|it| it.ty.clone());
        let leaves = |it: &Layout| (it.clone(), types.by_ref().take(it.width()).collect());
        Flattening {
            params: flat.params.iter().map(leaves).collect(),
            results: flat.results.clone(),
            constructors: flat.constructors.clone(),
            datas: flat.program.datas.clone(),
        }
    }

    /// The flattening of an entry point which takes and gives its values as they are.
    pub(crate) fn plain(program: &Program, entry: &Name) -> Flattening {
        let def = program.defs.get(entry);
        let params = def.map_or(&[][..], |it| &it.params).iter();
        Flattening {
            params: params.map(|it| (Layout::Leaf, vec![it.ty.clone()])).collect(),
            results: vec![Layout::Leaf; def.map_or(0, |it| it.results.len())],
            constructors: BTreeMap::new(),
            datas: program.datas.clone(),
        }
    }

    /// The error in the names that the user wrote.
    pub(crate) fn error(&self, mut error: RunError) -> RunError {
        let old = |name: &Name| self.constructors.get(name).map_or(name, |it| &it.0).clone();
        if let Fault::Tangent(it) | Fault::Cotangent(it) = &mut error.fault
            && let Mismatch::Constructor { value, given } = it
        {
            (*value, *given) = (old(value), old(given));
        }
        // Dimensions count those that passes put in front.
        if let Fault::Index { axis, .. } = &mut error.fault {
            *axis = 0;
        }
        // A function without a name is where it is called.
        error.calls.retain(|(name, _)| !name.has(&Mark::Lambda));
        error
    }

    /// How many parameters of the entry point stand for each argument.
    pub(crate) fn widths(&self) -> Vec<usize> {
        self.params.iter().map(|it| it.0.width()).collect()
    }

    /// What the entry point takes in the place of these arguments.
    pub(crate) fn arguments(&self, values: &[Value]) -> Vec<Value> {
        let mut res = Vec::new();
        for ((layout, types), value) in self.params.iter().zip(values) {
            self.leaves(value, layout, &mut types.iter(), &mut res);
        }
        res
    }

    /// How many results there are, before they are flattened.
    pub(crate) fn n_results(&self) -> usize {
        self.results.len()
    }

    /// Whether each argument is one parameter, as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.constructors.is_empty() && self.params.iter().all(|it| matches!(it.0, Layout::Leaf))
    }

    /// Whether there is one result, and it is one leaf as it is.
    pub(crate) fn is_one_leaf(&self) -> bool {
        self.constructors.is_empty() && matches!(self.results[..], [Layout::Leaf])
    }

    /// The results that these are the leaves of.
    pub(crate) fn results(&self, leaves: impl IntoIterator<Item = Value>) -> Vec<Value> {
        let mut leaves = leaves.into_iter();
        self.results.iter().map(|it| self.whole(it, &mut leaves)).collect()
    }

    /// The last of the results that these are the leaves of.
    pub(crate) fn result(&self, leaves: impl IntoIterator<Item = Value>) -> Value {
        let mut leaves = leaves.into_iter();
        let results = self.results.iter().map(|it| self.whole(it, &mut leaves));
        results.last().expect("a definition has a result")
    }

    fn leaves(
        &self,
        value: &Value,
        layout: &Layout,
        types: &mut std::slice::Iter<'_, Type>,
        into: &mut Vec<Value>,
    ) {
        let Layout::Tuple { rank, parts } = layout else {
            let ty = types.next().expect("a type for each leaf");
            into.push(self.renamed(value, ty));
            return;
        };
        for (at, layout) in parts.iter().enumerate() {
            let part = match rank {
                0 => part_of_tuple(value, at),
                _ => part_of_array(value, at),
            };
            self.leaves(&part, layout, types, into);
        }
    }

    /// A leaf with the new constructors.
    fn renamed(&self, value: &Value, ty: &Type) -> Value {
        let Type::Data(name, ..) = ty.split_arrays().1 else { return value.clone() };
        let decl = &self.datas[name];
        if !decl.cons.iter().any(|it| self.constructors.contains_key(&it.name)) {
            return value.clone();
        }
        self.each(value, &|data| {
            let con = &decl.cons[data.con.tag];
            let layouts = &self.constructors[&con.name].1;
            let (mut types, mut fields) = (con.fields.iter(), Vec::new());
            for (field, layout) in data.fields.iter().zip(layouts) {
                enough_stack(|| self.leaves(field, layout, &mut types, &mut fields));
            }
            let con = Constructor { name: con.name.clone(), tag: data.con.tag };
            Value::data(Arc::new(con), fields)
        })
    }

    /// A leaf with the old constructors. Sum types that have them still hold no new ones.
    fn original(&self, value: Value) -> Value {
        if self.constructors.is_empty() {
            return value;
        }
        self.each(&value, &|data| {
            let Some((name, layouts)) = self.constructors.get(&data.con.name) else {
                let fields = data.fields.iter().cloned().collect();
                return Value::data(data.con.clone(), fields);
            };
            let mut leaves = data.fields.iter().cloned();
            let fields =
                layouts.iter().map(|it| enough_stack(|| self.whole(it, &mut leaves))).collect();
            let con = Constructor { name: name.clone(), tag: data.con.tag };
            Value::data(Arc::new(con), fields)
        })
    }

    /// Changes a value of a sum type, or each element of an array of them.
    fn each(&self, value: &Value, change: &dyn Fn(&eval::Data) -> Value) -> Value {
        match value {
            Value::Data(data) => change(data),
            Value::Array(array) => match &array.elems {
                Elems::Boxed(elems) => {
                    let elems = elems.iter().map(|it| self.each(it, change)).collect();
                    Value::array(Array::flat(array.shape.clone(), elems))
                }
                Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Tuple(_) => value.clone(),
                Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => value.clone(),
            },
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => value.clone(),
            Value::Tuple(_) | Value::Closure(_) => value.clone(),
            Value::Dual(..) | Value::Delta(_) => value.clone(),
        }
    }

    fn whole(&self, layout: &Layout, leaves: &mut dyn Iterator<Item = Value>) -> Value {
        let Layout::Tuple { rank, parts } = layout else {
            return self.original(leaves.next().expect("a value for each leaf"));
        };
        if let (0, [first, second]) = (*rank, &parts[..]) {
            let first = self.whole(first, leaves);
            return Value::pair(first, self.whole(second, leaves));
        }
        let parts: Vec<Value> = parts.iter().map(|it| self.whole(it, leaves)).collect();
        if *rank == 0 {
            return Value::tuple(parts);
        }
        let arrays: Vec<Array> = parts.iter().filter_map(as_array).collect();
        let shape = arrays.first().map_or(&[][..], |it| &it.shape);
        let shape = Shape::new(&shape[..shape.len().min(*rank)]);
        Value::array(Array { shape, elems: Elems::Tuple(arrays) })
    }
}

fn part_of_tuple(value: &Value, at: usize) -> Value {
    let Value::Tuple(parts) = value else { panic!("compiler bug: {value:?} is no tuple") };
    parts[at].clone()
}

/// The array of a part of an array of tuples. One without elements may not know that it is of tuples.
fn part_of_array(value: &Value, at: usize) -> Value {
    match as_array(value).map(|it| it.elems) {
        Some(Elems::Tuple(parts)) => Value::array(parts[at].clone()),
        Some(Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_))
        | Some(Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..))
        | None => value.clone(),
    }
}

fn as_array(value: &Value) -> Option<Array> {
    if let Value::Array(array) = value { Some((**array).clone()) } else { None }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use base::SourceMap;
    use check::front;
    use eval::{Evaluator, Tolerance};

    use super::*;
    use crate::on_demand::OnDemand;
    use crate::options::Options;
    use crate::pass::{FLATTEN, SPECIALISE};
    use crate::pipeline::resolve;
    use crate::pipelines::Step;

    fn call(program: &Program, def: &str, sizes: &[i64], args: Vec<Value>) -> Vec<Value> {
        let limits = Options::default().limits();
        let mut evaluator = Evaluator::new(Arc::new(program.clone()), Box::new(OnDemand), limits);
        evaluator.call(&Name::new(def), sizes, args).expect("it runs")
    }

    /// `f(x)` is the same when `f` has no tuples, though its argument and its result have.
    fn check(text: &str, sizes: &[i64]) {
        let front = front(&mut SourceMap::new(), "program.cot", text);
        let program = front.unwrap_or_else(|it| panic!("{it:?}")).checked.program;
        let x = call(&program, "x", &[], Vec::new());
        let expected = call(&program, "f", sizes, x.clone());
        let flat: &[Step] = &[Step::Run(&SPECIALISE), Step::Run(&FLATTEN)];
        // Without passes, values are taken and given as they are.
        for steps in [flat, &[]] {
            let Ok(made) = resolve(steps, &program, &Name::new("f")) else {
                panic!("it is of first order")
            };
            let leaves = call(&made.program, "f", sizes, made.flattening.arguments(&x));
            let found = made.flattening.results(leaves);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let same = eval::equal(found, expected, Tolerance::Exact, &mut 0);
                assert!(same.is_ok_and(|it| it), "{found:?} instead of {expected:?}");
            }
        }
    }

    #[test]
    fn tuples_and_arrays_of_them() {
        check("def x = (1.0, (2, 3.0)) def f(x: (Real, (Int, Real))) = (x.1, x.0)", &[]);
        check(
            "def x = [(1.0, [(1, 2.0), (3, 4.0)]), (5.0, [(6, 7.0), (8, 9.0)])]
            def f(x: [n](Real, [2](Int, Real))) = (map(\\it => (it.1, it.0), x), x[0])",
            &[2],
        );
    }

    #[test]
    fn nothing_in_an_array() {
        check(
            "def empty: [0](Real, Int) = []
            def x = empty
            def f(x: [n](Real, Int)): [n](Int, Real) = map(\\it => (it.1, it.0), x)",
            &[0],
        );
    }

    #[test]
    fn sum_types_with_tuples() {
        check(
            "data Shape = Circle((Real, Real), Real) | Point((Real, Real)) | Nothing
            data List<a> = Nil | Cons(a, List<a>)
            def x = (Cons(Circle((1.0, 2.0), 3.0), Cons(Nothing, Nil)), [Point((4.0, 5.0)), Nothing])
            def moved(s: Shape): Shape = match s {
              Circle(c, r) => Circle((c.1, c.0), r), Point(p) => Circle(p, 0.0), Nothing => s,
            }
            def each(l: List<Shape>): List<Shape> = match l {
              Nil => Nil, Cons(s, rest) => Cons(moved(s), each(rest)),
            }
            def f(x: (List<Shape>, [n]Shape)) = (each(x.0), map(moved, x.1))",
            &[2],
        );
    }

    /// The same sum type at two types has two sets of constructors.
    #[test]
    fn sum_types_at_several_types() {
        check(
            "data Maybe<a> = None | Some(a)
            def x = (Some((1.0, 2)), Some((3, true)), Some(4.0))
            def f(x: (Maybe<(Real, Int)>, Maybe<(Int, Bool)>, Maybe<Real>)) = (x.2, x.1, x.0)",
            &[],
        );
    }
}
