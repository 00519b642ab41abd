//! Values of the interpreter as arguments of compiled code. Buffers of reals, integers and truth values
//! are taken as they are; sum types, texts, and reals of single precision are made anew, once.

use std::collections::BTreeMap;
use std::sync::Arc;

use eval::{Array, Elems, Precision, Value};
use ir::Type;
use native::{Field, Heap, Input, Pointer};

use super::Few;
use super::code::{Given, Types};
use super::leave::Plan;
use super::recipe::Head;
use crate::deep::enough_stack;

/// Arguments of a call, which may be made many times.
pub(crate) struct Entered {
    sizes: Vec<i64>,
    leaves: Vec<Leaf>,
    heap: Heap,
    /// Texts that are not in the program; their numbers follow those that are.
    texts: Vec<Arc<str>>,
    /// What the results are going to be, if that is known.
    plan: Option<Arc<Plan>>,
}

/// An argument.
enum Leaf {
    Real(f64),
    Int(i64),
    Bool(bool),
    /// Its buffer is used where it is.
    Shared(Array),
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Boxed(Pointer),
    /// An array without elements.
    Empty(Kind),
}

/// What an array without elements is of.
#[derive(Clone, Copy)]
enum Kind {
    Reals,
    Floats,
    Ints,
    Bools,
    Boxes,
}

impl Entered {
    pub(super) fn new(types: &Types, head: &Head, sizes: &[i64], values: &[Value]) -> Entered {
        let mut enter = Enter::new(types);
        let leaves = values.iter().zip(&head.params).map(|(it, to)| enter.leaf(it, &to.ty));
        let (leaves, plan): (Vec<Leaf>, _) = (leaves.collect(), None);
        let Enter { heap, texts, .. } = enter;
        let mut res = Entered { sizes: sizes.to_vec(), leaves, heap, texts, plan };
        res.plan = Plan::ahead(types, head, sizes, &|at| res.int(at)).map(Arc::new);
        res
    }

    /// Puts another number or array of numbers in the place of a parameter; its sizes are the same. Nothing
    /// else is taken.
    pub(super) fn set(&mut self, types: &Types, head: &Head, at: usize, value: &Value) -> bool {
        let is_number = match value {
            Value::Real(_) | Value::Int(_) | Value::Bool(_) => true,
            Value::Array(array) => {
                matches!(array.elems, Elems::Real(_) | Elems::Int(_) | Elems::Bool(_))
            }
            Value::Str(_) | Value::Tuple(_) | Value::Data(_) | Value::Closure(_) => false,
            Value::Dual(..) | Value::Delta(_) => false,
        };
        if is_number {
            self.leaves[at] = Enter::new(types).leaf(value, &head.params[at].ty);
        }
        is_number
    }

    /// As the function takes them: sizes first.
    pub(super) fn inputs(&self) -> Few<Input<'_>> {
        let sizes = self.sizes.iter().map(|it| Input::Int(*it));
        sizes.chain(self.leaves.iter().map(|it| self.input(it))).collect()
    }

    /// With what is known of the call besides.
    pub(super) fn given<'a>(&'a self, inputs: &'a [Input<'a>]) -> Given<'a> {
        Given { inputs, texts: &self.texts, plan: self.plan.as_ref() }
    }

    /// The values of the parameters that are integers: sizes of results may mention them.
    fn int(&self, at: usize) -> Option<i64> {
        if let Some(Leaf::Int(it)) = self.leaves.get(at) { Some(*it) } else { None }
    }

    fn input<'a>(&'a self, leaf: &'a Leaf) -> Input<'a> {
        match leaf {
            Leaf::Real(it) => Input::Real(*it),
            Leaf::Int(it) => Input::Int(*it),
            Leaf::Bool(it) => Input::Bool(*it),
            Leaf::Shared(array) => match &array.elems {
                Elems::Real(it) => Input::Reals(it),
                Elems::Int(it) => Input::Ints(it),
                Elems::Bool(it) => Input::Bools(it),
                Elems::Tuple(_) | Elems::Boxed(_) | Elems::Delta(_) | Elems::Dual(..) => {
                    panic!("compiler bug: only scalars are shared")
                }
                Elems::Lanes(..) => panic!("compiler bug: lanes are no arguments"),
            },
            Leaf::Floats(it) => Input::Floats(it),
            Leaf::Ints(it) => Input::Ints(it),
            Leaf::Boxed(it) => Input::Boxed(&self.heap, *it),
            Leaf::Empty(kind) => match kind {
                Kind::Reals => Input::Reals(&[]),
                Kind::Floats => Input::Floats(&[]),
                Kind::Ints => Input::Ints(&[]),
                Kind::Bools => Input::Bools(&[]),
                Kind::Boxes => Input::Boxed(&self.heap, Pointer::nothing()),
            },
        }
    }
}

/// The work on the arguments of one call.
struct Enter<'a> {
    types: &'a Types,
    heap: Heap,
    /// The numbers of texts that are not in the program.
    numbers: BTreeMap<Arc<str>, i64>,
    texts: Vec<Arc<str>>,
}

impl<'a> Enter<'a> {
    fn new(types: &'a Types) -> Enter<'a> {
        Enter { types, heap: Heap::default(), numbers: BTreeMap::new(), texts: Vec::new() }
    }

    fn leaf(&mut self, value: &Value, ty: &Type) -> Leaf {
        match value {
            Value::Real(it) => Leaf::Real(*it),
            Value::Int(it) => Leaf::Int(*it),
            Value::Bool(it) => Leaf::Bool(*it),
            Value::Str(it) => Leaf::Int(self.text(it)),
            Value::Tuple(_) => Leaf::Int(0),
            Value::Data(_) => Leaf::Boxed(self.data(value)),
            Value::Array(array) => self.array(array, ty),
            Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => malformed(value),
        }
    }

    fn array(&mut self, array: &Arc<Array>, ty: &Type) -> Leaf {
        if array.is_empty() {
            return Leaf::Empty(self.kind(ty.split_arrays().1));
        }
        match &array.elems {
            Elems::Real(data) if self.types.precision == Precision::F32 => {
                Leaf::Floats(data.iter().map(|it| *it as f32).collect())
            }
            Elems::Real(_) | Elems::Int(_) | Elems::Bool(_) => Leaf::Shared((**array).clone()),
            // Of units.
            Elems::Tuple(_) => Leaf::Ints(vec![0; array.len()]),
            Elems::Boxed(data) if matches!(data[0], Value::Str(_)) => {
                Leaf::Ints(data.iter().map(|it| self.text_of(it)).collect())
            }
            Elems::Boxed(data) => {
                let pointers: Vec<Pointer> = data.iter().map(|it| self.data(it)).collect();
                Leaf::Boxed(self.heap.pointers(&pointers))
            }
            Elems::Delta(_) | Elems::Dual(..) | Elems::Lanes(..) => {
                malformed(&Value::Array(array.clone()))
            }
        }
    }

    fn kind(&self, elem: &Type) -> Kind {
        match elem {
            Type::Real if self.types.precision == Precision::F32 => Kind::Floats,
            Type::Real => Kind::Reals,
            Type::Int | Type::String | Type::Tuple(_) => Kind::Ints,
            Type::Bool => Kind::Bools,
            Type::Data(..) => Kind::Boxes,
            Type::Array(..) | Type::Function(..) | Type::Var(_) => Kind::Boxes,
            Type::Dual(_) | Type::Delta | Type::Tape(_) => Kind::Boxes,
        }
    }

    /// A value of a sum type.
    fn data(&mut self, value: &Value) -> Pointer {
        let Value::Data(data) = value else { malformed(value) };
        let mut fields = Vec::with_capacity(data.fields.len());
        for field in data.fields.iter() {
            fields.push(enough_stack(|| self.field(field)));
        }
        self.heap.make(data.con.tag, &fields)
    }

    fn field(&mut self, value: &Value) -> Field {
        match value {
            Value::Real(it) => Field::Real(*it),
            Value::Int(it) => Field::Int(*it),
            Value::Bool(it) => Field::Bool(*it),
            Value::Str(it) => Field::Int(self.text(it)),
            Value::Tuple(_) => Field::Int(0),
            Value::Data(_) => Field::Pointer(self.data(value)),
            Value::Array(array) => Field::Pointer(self.inner_array(array)),
            Value::Closure(_) | Value::Dual(..) | Value::Delta(_) => malformed(value),
        }
    }

    /// An array in a value of a sum type.
    fn inner_array(&mut self, array: &Array) -> Pointer {
        match &array.elems {
            Elems::Real(data) if self.types.precision == Precision::F32 => {
                self.heap.floats(&data.iter().map(|it| *it as f32).collect::<Vec<f32>>())
            }
            Elems::Real(data) => self.heap.reals(data),
            Elems::Int(data) => self.heap.ints(data),
            Elems::Bool(data) => self.heap.bools(data),
            Elems::Tuple(_) => self.heap.ints(&vec![0; array.len()]),
            Elems::Boxed(data) if matches!(data.first(), Some(Value::Str(_))) => {
                let numbers: Vec<i64> = data.iter().map(|it| self.text_of(it)).collect();
                self.heap.ints(&numbers)
            }
            Elems::Boxed(data) => {
                let pointers: Vec<Pointer> = data.iter().map(|it| self.data(it)).collect();
                self.heap.pointers(&pointers)
            }
            Elems::Delta(_) | Elems::Dual(..) => panic!("compiler bug: Deltas are no arguments"),
            Elems::Lanes(..) => panic!("compiler bug: lanes are no arguments"),
        }
    }

    fn text_of(&mut self, value: &Value) -> i64 {
        if let Value::Str(text) = value { self.text(text) } else { malformed(value) }
    }

    /// The number of a text: equal texts have equal numbers.
    fn text(&mut self, text: &Arc<str>) -> i64 {
        let known = self.types.texts.iter().position(|it| it == text);
        if let Some(at) = known {
            return at as i64;
        }
        let next = (self.types.texts.len() + self.texts.len()) as i64;
        *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text.clone());
            next
        })
    }
}

fn malformed(value: &Value) -> ! {
    panic!("compiler bug: {value:?} is no argument of first order")
}
