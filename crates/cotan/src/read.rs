//! Data to values, led by a type.
//!
//! Arrays are stored by columns, so they are read by columns: all elements of an array are read
//! together, first all first parts of their tuples, then all second ones.

mod data;
mod natural;
mod node;
mod parts;
mod table;

use std::sync::Arc;

use array::{Buffer, Dense, Shape};
use check::{Size, Type, TypeTable, shown_name};
use eval::{Array, Constructor, Elems, Precision, Value};

use crate::argument::Content;
use crate::data::described;
use crate::deep::enough_stack;
use crate::sizes::{Fact, Sizes};

use natural::natural;
pub(crate) use natural::natural_type;
use node::Node;

/// Data that does not fit its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Where, seen from the parameter: `[1].w`.
    pub(crate) path: String,
    /// What should be there.
    pub(crate) expected: String,
    /// What is there.
    pub(crate) found: String,
    /// Which of the elements read together.
    index: usize,
}

impl Misfit {
    fn new(index: usize, expected: impl ToString, found: impl ToString) -> Misfit {
        let (expected, found) = (expected.to_string(), found.to_string());
        Misfit { path: String::new(), expected, found, index }
    }

    /// The misfit with its place as seen from one level further out.
    fn under(mut self, step: &str) -> Misfit {
        self.path = format!("{step}{}", self.path);
        self
    }
}

/// Bytes of a place that nobody reads to its end.
const LONG_PLACE: usize = 200;

/// Reads values and takes note of their sizes.
pub(crate) struct Reader<'a> {
    types: &'a TypeTable,
    precision: Precision,
    sizes: &'a Sizes,
    /// Sizes of the arrays read so far.
    pub(crate) facts: Vec<Fact>,
    /// Whether some array had no elements, and so no inner sizes of its own.
    pub(crate) has_empty: bool,
}

impl<'a> Reader<'a> {
    /// Nothing read yet; `sizes` is what is known about sizes before.
    pub(crate) fn new(types: &'a TypeTable, precision: Precision, sizes: &'a Sizes) -> Reader<'a> {
        Reader { types, precision, sizes, facts: Vec::new(), has_empty: false }
    }

    /// The value of this type that the data stands for.
    pub(crate) fn read(
        &mut self,
        ty: &Type,
        content: &Content<'_>,
        name: &str,
    ) -> Result<Value, Misfit> {
        match content {
            Content::Json(json) => Ok(self.column(ty, &[json], &[], name)?.row(0, 0)),
            Content::Data(data) => self.data(ty, data, name),
            Content::Dense(dense) => self.dense(ty, dense, name),
            Content::Reals(value) => self.reals(ty, value, name),
            Content::Parts(parts) => self.parts(ty, parts, name),
            Content::Table(table) => self.table(ty, table, name),
        }
    }

    /// All `items` as elements of one array of shape `outer`; `place` is the path of the first.
    fn column<N: Node>(
        &mut self,
        ty: &Type,
        items: &[&N],
        outer: &[usize],
        place: &str,
    ) -> Result<Array, Misfit> {
        let shape = Shape::new(outer);
        match ty {
            Type::Real => {
                let precision = self.precision;
                Ok(Array::flat(
                    shape,
                    scalars(items, ty, |it| it.real().map(|it| round(it, precision)))?,
                ))
            }
            Type::Int => Ok(Array::flat(shape, scalars(items, ty, N::int)?)),
            Type::Bool => Ok(Array::flat(shape, scalars(items, ty, N::bool)?)),
            Type::String => {
                Ok(Array::flat(shape, scalars(items, ty, |it| it.text().map(Value::str))?))
            }
            Type::Tuple(types) => self.tuple(ty, types, items, outer, place),
            Type::Array(size, elem) => self.array(ty, size, elem, items, outer, place),
            Type::Named(..) => self.named(ty, items, outer, place),
            Type::Function(..) => {
                Err(Misfit::new(0, ty, "a function cannot be given from outside"))
            }
            // Nothing in the program depends on it: the data decides.
            Type::Param(_) | Type::Var(_) | Type::Error => match natural(items) {
                Some(ty) => self.column(&ty, items, outer, place),
                None => Err(Misfit::new(0, "numbers, truth values or strings", items[0].found())),
            },
        }
    }

    fn tuple<N: Node>(
        &mut self,
        ty: &Type,
        types: &[Type],
        items: &[&N],
        outer: &[usize],
        place: &str,
    ) -> Result<Array, Misfit> {
        let rows = scalars(items, ty, |it| it.tuple().filter(|it| it.len() == types.len()))?;
        let mut parts = Vec::new();
        for (position, ty) in types.iter().enumerate() {
            let step = format!(".{position}");
            let part: Vec<&N> = rows.iter().map(|row| &row[position]).collect();
            let column = self.column(ty, &part, outer, &format!("{place}{step}"));
            parts.push(column.map_err(|it| it.under(&step))?);
        }
        Ok(Array { shape: Shape::new(outer), elems: Elems::Tuple(parts) })
    }

    fn array<N: Node>(
        &mut self,
        ty: &Type,
        size: &Size,
        elem: &Type,
        items: &[&N],
        outer: &[usize],
        place: &str,
    ) -> Result<Array, Misfit> {
        let rows = scalars(items, ty, N::list)?;
        let length = match rows.first() {
            Some(first) => first.len(),
            None => self.sizes.value(size).and_then(|it| usize::try_from(it).ok()).unwrap_or(0),
        };
        if let Some(index) = rows.iter().position(|it| it.len() != length) {
            let expected = format!("{length} elements as in the first one");
            return Err(Misfit::new(index, expected, format!("{} elements", rows[index].len())));
        }
        self.fact(size, length, rows.is_empty(), place);
        let elements: Vec<&N> = rows.into_iter().flatten().collect();
        let longer: Vec<usize> = outer.iter().copied().chain([length]).collect();
        self.column(elem, &elements, &longer, &format!("{place}[0]")).map_err(|mut it| {
            let step = format!("[{}]", it.index % length.max(1));
            it.index /= length.max(1);
            it.under(&step)
        })
    }

    /// Takes note of a size, unless nothing is there that could tell it.
    fn fact(&mut self, size: &Size, length: usize, unknown: bool, place: &str) {
        self.has_empty |= unknown || length == 0;
        if !unknown {
            let place = place.to_string();
            let actual = i64::try_from(length).unwrap_or(i64::MAX);
            self.facts.push(Fact { size: size.clone(), actual, place });
        }
    }

    fn named<N: Node>(
        &mut self,
        ty: &Type,
        items: &[&N],
        outer: &[usize],
        place: &str,
    ) -> Result<Array, Misfit> {
        if let Some(fields) = self.types.record_fields(ty) {
            return self.record(ty, &fields, items, outer, place);
        }
        let cons = self.types.constructors(ty).unwrap_or_default();
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let value = enough_stack(|| self.constructor(ty, &cons, *item, place));
            values.push(value.map_err(|it| Misfit { index, ..it })?);
        }
        Ok(Array::flat(Shape::new(outer), values))
    }

    fn record<N: Node>(
        &mut self,
        ty: &Type,
        fields: &[(base::Name, Type)],
        items: &[&N],
        outer: &[usize],
        place: &str,
    ) -> Result<Array, Misfit> {
        let rows = scalars(items, ty, N::fields)?;
        for (index, row) in rows.iter().enumerate() {
            let extra = row.iter().find(|given| fields.iter().all(|it| *it.0 != *given.0));
            if let Some((extra, _)) = extra {
                return Err(Misfit::new(index, ty, unknown_field(extra)));
            }
        }
        let mut parts = Vec::new();
        for (field, field_ty) in fields {
            let mut part = Vec::with_capacity(rows.len());
            for (index, row) in rows.iter().enumerate() {
                let missing = || Misfit::new(index, ty, format!("no field `{field}`"));
                let found = row.iter().find(|it| it.0 == field.as_str());
                part.push(found.ok_or_else(missing)?.1);
            }
            let step = format!(".{field}");
            let column = self.column(field_ty, &part, outer, &format!("{place}{step}"));
            parts.push(column.map_err(|it| it.under(&step))?);
        }
        Ok(Array { shape: Shape::new(outer), elems: Elems::Tuple(parts) })
    }

    fn constructor<N: Node>(
        &mut self,
        ty: &Type,
        cons: &[(base::Name, Vec<Type>)],
        item: &N,
        place: &str,
    ) -> Result<Value, Misfit> {
        let Some((tag, given)) = item.constructor() else {
            return Err(Misfit::new(0, N::form(ty), item.found()));
        };
        let Some(position) = cons.iter().position(|(con, _)| shown_name(con) == tag) else {
            return Err(Misfit::new(
                0,
                ty,
                format!("`{tag}`, which is not one of its constructors"),
            ));
        };
        let (con, types) = &cons[position];
        if given.len() != types.len() {
            let expected = format!("{} fields for `{tag}`", types.len());
            return Err(Misfit::new(0, expected, given.len()));
        }
        let mut fields = Vec::new();
        for (index, (ty, field)) in types.iter().zip(given).enumerate() {
            let step = format!(".fields[{index}]");
            // Nobody reads the way through a long list, and writing it takes as long as the list is.
            let inner = match place.len() > LONG_PLACE {
                true => place.to_owned(),
                false => format!("{place}{step}"),
            };
            let column = self.column(ty, &[field], &[], &inner);
            fields.push(column.map_err(|it| it.under(&step))?.row(0, 0));
        }
        let con = Constructor { name: con.clone(), tag: position };
        Ok(Value::data(Arc::new(con), fields))
    }

    /// The type of the elements of an array of that shape; takes note of the sizes.
    fn element<'t>(&mut self, ty: &'t Type, shape: &[usize], name: &str) -> Option<&'t Type> {
        if shape.is_empty() {
            return Some(ty);
        }
        let mut elem = ty;
        let mut place = name.to_string();
        for (axis, length) in shape.iter().enumerate() {
            let Type::Array(size, inner) = elem else {
                return matches!(elem, Type::Param(_) | Type::Var(_)).then_some(elem);
            };
            // Inner sizes are there even if an outer one is zero.
            self.fact(size, *length, false, &place);
            elem = inner;
            place += if axis + 1 < shape.len() { "[0]" } else { "" };
        }
        Some(elem)
    }

    fn reals(&mut self, ty: &Type, value: &Value, name: &str) -> Result<Value, Misfit> {
        let shape = if let Value::Array(array) = value { &array.shape[..] } else { &[] };
        match self.element(ty, shape, name) {
            Some(Type::Real | Type::Param(_) | Type::Var(_)) => Ok(self.rounded(value)),
            Some(_) | None => Err(Misfit::new(0, ty, described("real numbers", shape))),
        }
    }

    /// A real or an array of reals, shared where nothing is to round.
    fn rounded(&self, value: &Value) -> Value {
        match (value, self.precision) {
            (Value::Real(real), Precision::F32) => Value::Real(self.round(*real)),
            (Value::Array(array), Precision::F32) => {
                let Elems::Real(data) = &array.elems else { return value.clone() };
                let data = data.iter().map(|it| self.round(*it)).collect();
                Value::array(Array::flat(array.shape.clone(), data))
            }
            (_, Precision::F32 | Precision::F64) => value.clone(),
        }
    }

    fn dense(&mut self, ty: &Type, dense: &Dense, name: &str) -> Result<Value, Misfit> {
        let kind = match dense.data {
            Buffer::Real(_) => "real numbers",
            Buffer::Int(_) => "integers",
            Buffer::Bool(_) => "truth values",
        };
        let misfit = || Misfit::new(0, ty, described(kind, &dense.shape));
        let elem = self.element(ty, &dense.shape, name).ok_or_else(misfit)?;
        let data = match (elem, &dense.data) {
            // Nothing is of any type.
            (Type::Int, data) if data.is_empty() => Buffer::Int(Vec::new()),
            (Type::Real, data) if data.is_empty() => Buffer::Real(Vec::new()),
            (Type::Bool, data) if data.is_empty() => Buffer::Bool(Vec::new()),
            (Type::Real, Buffer::Int(data)) => {
                Buffer::Real(data.iter().map(|it| self.round(*it as f64)).collect())
            }
            (Type::Real | Type::Param(_) | Type::Var(_), Buffer::Real(data)) => {
                Buffer::Real(data.iter().map(|it| self.round(*it)).collect())
            }
            (Type::Int | Type::Param(_) | Type::Var(_), Buffer::Int(_))
            | (Type::Bool | Type::Param(_) | Type::Var(_), Buffer::Bool(_)) => dense.data.clone(),
            (_, Buffer::Real(_) | Buffer::Int(_) | Buffer::Bool(_)) => return Err(misfit()),
        };
        Ok(Value::from(Dense { shape: dense.shape.clone(), data }))
    }

    fn round(&self, value: f64) -> f64 {
        round(value, self.precision)
    }
}

fn round(value: f64, precision: Precision) -> f64 {
    match precision {
        Precision::F64 => value,
        Precision::F32 => f64::from(value as f32),
    }
}

/// Applies `f` to all; the first that it refuses is a misfit.
fn scalars<'j, N: Node, T>(
    items: &[&'j N],
    ty: &Type,
    f: impl Fn(&'j N) -> Option<T>,
) -> Result<Vec<T>, Misfit> {
    items
        .iter()
        .enumerate()
        .map(|(index, item)| f(item).ok_or_else(|| Misfit::new(index, ty, item.found())))
        .collect()
}

fn unknown_field(name: &str) -> String {
    format!("a field `{name}` that it does not have")
}
