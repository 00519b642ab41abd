//! Values of an entry point that `opt::flatten` has made: tuples, and arrays of them, become several
//! values, and several values become tuples again.

use array::Shape;
use eval::{Array, Elems, Value};
use opt::Layout;

/// What the entry point takes in the place of these arguments.
pub(crate) fn arguments(layouts: &[Layout], values: &[Value]) -> Vec<Value> {
    let mut res = Vec::new();
    layouts.iter().zip(values).for_each(|(layout, value)| leaves(layout, value, &mut res));
    res
}

/// The results that these are the leaves of.
pub(crate) fn results(layouts: &[Layout], leaves: Vec<Value>) -> Vec<Value> {
    let mut leaves = leaves.into_iter();
    layouts.iter().map(|it| whole(it, &mut leaves)).collect()
}

fn leaves(layout: &Layout, value: &Value, into: &mut Vec<Value>) {
    let Layout::Tuple { rank, parts } = layout else {
        into.push(value.clone());
        return;
    };
    for (at, layout) in parts.iter().enumerate() {
        leaves(layout, &part(value, *rank, at), into);
    }
}

fn part(value: &Value, rank: usize, at: usize) -> Value {
    match value {
        Value::Tuple(parts) if rank == 0 => parts[at].clone(),
        Value::Array(array) => match &array.elems {
            Elems::Tuple(parts) => Value::array(parts[at].clone()),
            // One without elements may not know that it is of tuples.
            Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) | Elems::Boxed(_) => value.clone(),
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                panic!("no argument: {value:?}")
            }
        },
        Value::Tuple(_) | Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {
            panic!("no array of tuples: {value:?}")
        }
        Value::Data(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
            panic!("no tuple: {value:?}")
        }
    }
}

fn whole(layout: &Layout, leaves: &mut dyn Iterator<Item = Value>) -> Value {
    let Layout::Tuple { rank, parts } = layout else {
        return leaves.next().expect("a value for each leaf");
    };
    let parts: Vec<Value> = parts.iter().map(|it| whole(it, leaves)).collect();
    if *rank == 0 {
        return Value::tuple(parts);
    }
    let array = |it: &Value| match it {
        Value::Array(array) => (**array).clone(),
        Value::Tuple(_) | Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => {
            panic!("no array: {it:?}")
        }
        Value::Data(_) | Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => {
            panic!("no array: {it:?}")
        }
    };
    let arrays: Vec<Array> = parts.iter().map(array).collect();
    let shape = Shape::new(&arrays[0].shape[..*rank]);
    Value::array(Array { shape, elems: Elems::Tuple(arrays) })
}
