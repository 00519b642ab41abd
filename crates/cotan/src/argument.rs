//! Arguments from outside: a name and JSON, `.npy` or an array. What they become is decided by
//! the type of the parameter; sizes are found from their lengths and must agree.

mod file;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use array::{Buffer, Dense};
use base::{Diagnostic, Name};
use check::{Size, Type, TypeTable};
use eval::{Precision, Value};
use formats::Table;

use crate::answer::Answer;
use crate::data::{Data, ToData};
use crate::error::{self, nearest};
use crate::read::{self, Misfit, Reader};
use crate::sizes::{Clash, Fact, Sizes};

/// A value for a parameter.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The parameter.
    pub name: String,
    /// Where the data comes from, for messages: `` `x.npy` ``, `its value`.
    pub origin: Cow<'static, str>,
    /// The data.
    pub data: ArgumentData,
}

/// Data of an argument.
#[derive(Clone, Debug)]
pub enum ArgumentData {
    /// A JSON text; any bytes.
    Json(Vec<u8>),
    /// The content of a `.npy` file; any bytes.
    Npy(Vec<u8>),
    /// An array, or a scalar as an array without dimensions.
    Array(Dense),
    /// Reals that are as the interpreter wants them.
    Reals(Reals),
    /// A record by its fields, or a tuple by its parts in order; of an array of them, each is the array
    /// of that field.
    Parts(Vec<Argument>),
    /// The columns of a table.
    Table(Arc<Table>),
    /// Anything, as Rust has it.
    Data(Data<'static>),
}

/// A real or an array of reals. Clones share it, and so do the programs that are called with it.
#[derive(Clone, Debug)]
pub struct Reals(Value);

impl Argument {
    /// An argument written as JSON.
    pub fn json(name: &str, text: &str) -> Argument {
        Argument::new(name, ArgumentData::Json(text.as_bytes().to_vec()))
    }

    /// A real number.
    pub fn real(name: &str, value: f64) -> Argument {
        Argument::new(name, ArgumentData::Reals(Reals(Value::Real(value))))
    }

    /// An array of reals with its shape, outermost size first; copied once, here.
    pub fn reals(name: &str, shape: &[usize], data: &[f64]) -> Argument {
        Argument::owned_reals(name, shape, data.to_vec())
    }

    /// As [`Argument::reals`], without a copy.
    pub fn owned_reals(name: &str, shape: &[usize], data: Vec<f64>) -> Argument {
        let fits = count(shape) == Some(data.len());
        let dense = Dense { shape: shape.to_vec(), data: Buffer::Real(data) };
        let data = match fits {
            true => ArgumentData::Reals(Reals(Value::from(dense))),
            // Refused when it is used.
            false => ArgumentData::Array(dense),
        };
        Argument::new(name, data)
    }

    /// A record by its fields, or a tuple by its parts in order. An array of records is given by the
    /// arrays of their fields: `[n]Point` by `x: [n]Real` and `y: [n]Real`.
    pub fn parts(name: &str, parts: Vec<Argument>) -> Argument {
        Argument::new(name, ArgumentData::Parts(parts))
    }

    /// A Rust value; copied once, here.
    pub fn data(name: &str, value: &(impl ToData + ?Sized)) -> Argument {
        Argument::new(name, ArgumentData::Data(value.to_data().into_owned()))
    }

    /// What a program computed, if it is a real or an array of reals.
    pub(crate) fn of_answer(name: &str, answer: &Answer) -> Option<Argument> {
        let value = answer.as_slice().map(|_| answer.value().clone())?;
        Some(Argument::new(name, ArgumentData::Reals(Reals(value))))
    }

    fn new(name: &str, data: ArgumentData) -> Argument {
        Argument { name: name.to_string(), origin: "its value".into(), data }
    }
}

fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |n, size| n.checked_mul(*size))
}

/// Data that has been understood as far as that is possible without a type.
pub(crate) enum Content<'a> {
    Json(serde_json::Value),
    Dense(Cow<'a, Dense>),
    /// A real or an array of reals.
    Reals(&'a Value),
    /// A tuple or a record, or an array of them, by parts with their names.
    Parts(Vec<(&'a str, Content<'a>)>),
    /// The columns of a table.
    Table(&'a Table),
    /// Anything, as Rust has it.
    Data(&'a Data<'a>),
}

/// A parameter that waits for a value.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// Its name, if it has one.
    pub(crate) name: Option<Name>,
    /// Its type.
    pub(crate) ty: Type,
    /// Of an `Int`: the size it stands for in other types.
    pub(crate) size: Option<Size>,
}

impl Parameter {
    /// What messages call it.
    pub(crate) fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or("_")
    }
}

/// Values for all parameters, and what their sizes are.
pub(crate) struct Bound {
    pub(crate) values: Vec<Value>,
    pub(crate) sizes: Sizes,
}

/// Gives every parameter its value.
pub(crate) fn bind(
    types: &TypeTable,
    precision: Precision,
    parameters: &[Parameter],
    arguments: &[Argument],
) -> Result<Bound, Vec<Diagnostic>> {
    let contents = decode_all(parameters, arguments)?;
    bind_contents(types, precision, parameters, &contents)
}

/// As [`bind`], for values in the order of the parameters.
pub(crate) fn bind_in_order(
    types: &TypeTable,
    precision: Precision,
    parameters: &[Parameter],
    values: &[Data<'_>],
) -> Result<Bound, Vec<Diagnostic>> {
    if values.len() > parameters.len() {
        return Err(vec![error::too_many_arguments(values.len(), parameters.len())]);
    }
    let missing: Vec<Diagnostic> = parameters[values.len()..]
        .iter()
        .map(|it| error::missing_argument(it.shown_name(), &it.ty.to_string()))
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let contents = parameters.iter().zip(values);
    let contents = contents.map(|(to, it)| (to.shown_name(), Content::Data(it)));
    bind_contents(types, precision, parameters, &contents.collect::<Vec<_>>())
}

fn bind_contents(
    types: &TypeTable,
    precision: Precision,
    parameters: &[Parameter],
    contents: &[(&str, Content<'_>)],
) -> Result<Bound, Vec<Diagnostic>> {
    let mut sizes = Sizes::default();
    let (mut values, mut last) = (Vec::new(), Vec::new());
    // An array without elements does not tell its inner sizes; the other arguments may, so a
    // second round reads again with what the first one found.
    for _ in 0..2 {
        let (facts, round) = read_all(types, precision, parameters, contents, &sizes)?;
        let told = |clash: Clash| vec![error::sizes_disagree(&clash)];
        sizes.learn(&facts.facts).map_err(told)?;
        values = round;
        last = facts.facts;
        if !facts.has_empty {
            break;
        }
    }
    sizes.explain(&last).map_err(|clash| vec![error::sizes_disagree(&clash)])?;
    Ok(Bound { values, sizes })
}

/// What one round of reading found out about sizes.
struct Found {
    facts: Vec<Fact>,
    has_empty: bool,
}

fn read_all(
    types: &TypeTable,
    precision: Precision,
    parameters: &[Parameter],
    contents: &[(&str, Content<'_>)],
    sizes: &Sizes,
) -> Result<(Found, Vec<Value>), Vec<Diagnostic>> {
    let mut reader = Reader::new(types, precision, sizes);
    let mut values = Vec::new();
    let mut errors = Vec::new();
    for (parameter, (name, content)) in parameters.iter().zip(contents) {
        match reader.read(&parameter.ty, content, name) {
            Ok(value) => {
                if let (Some(size), Value::Int(actual)) = (&parameter.size, &value) {
                    let place = (*name).to_owned();
                    reader.facts.push(Fact { size: size.clone(), actual: *actual, place });
                }
                values.push(value);
            }
            Err(misfit) => errors.push(wrong_argument(name, parameter, &misfit)),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok((Found { facts: reader.facts, has_empty: reader.has_empty }, values))
}

fn wrong_argument(name: &str, parameter: &Parameter, misfit: &Misfit) -> Diagnostic {
    if let Type::Param(_) | Type::Var(_) = parameter.ty {
        return error::shapeless_argument(name);
    }
    error::wrong_argument(name, &parameter.ty.to_string(), misfit)
}

/// Another value for one of the parameters, whose sizes must be what they are.
pub(crate) fn rebind(
    types: &TypeTable,
    precision: Precision,
    parameter: &Parameter,
    data: &Data<'_>,
    sizes: &Sizes,
) -> Result<Value, Vec<Diagnostic>> {
    let one = std::slice::from_ref(parameter);
    let contents = [(parameter.shown_name(), Content::Data(data))];
    let (found, mut values) = read_all(types, precision, one, &contents, sizes)?;
    let clash = sizes.clone().learn(&found.facts);
    clash.map_err(|clash| vec![error::sizes_disagree(&clash)])?;
    Ok(values.pop().expect("a value for a parameter"))
}

/// The names of the arguments, each with the type that its data suggests.
pub(crate) type Guess = Vec<(Name, Option<Type>)>;

/// Integers may stand for reals: so many arguments are tried as either, in all combinations.
const MOST_TRIED: usize = 4;

/// What the types of the arguments may be, the most natural guess first.
pub(crate) fn guesses(arguments: &[Argument]) -> Result<Vec<Guess>, Vec<Diagnostic>> {
    let first = natural_guess(arguments)?;
    let ints: Vec<usize> = first
        .iter()
        .enumerate()
        .filter(|(_, (_, ty))| ty.as_ref().is_some_and(|it| *it != as_real(it)))
        .map(|(index, _)| index)
        .take(MOST_TRIED)
        .collect();
    let with_reals = |chosen: usize| {
        let mut guess = first.clone();
        for (_, index) in ints.iter().enumerate().filter(|(bit, _)| chosen & (1 << bit) != 0) {
            guess[*index].1 = first[*index].1.as_ref().map(as_real);
        }
        guess
    };
    Ok((0..1 << ints.len()).map(with_reals).collect())
}

/// The type with `Real` for `Int`.
fn as_real(ty: &Type) -> Type {
    if let Type::Int = ty { Type::Real } else { ty.map(&mut as_real, &mut Size::clone) }
}

pub(crate) fn natural_guess(arguments: &[Argument]) -> Result<Guess, Vec<Diagnostic>> {
    let mut res: Guess = Vec::new();
    let mut errors = Vec::new();
    for argument in arguments {
        let name = Name::new(&argument.name);
        if res.iter().any(|(it, _)| *it == name) {
            errors.push(error::argument_twice(&argument.name));
            continue;
        }
        match decode(argument) {
            Ok(content) => res.push((name, read::natural_type(&content))),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(res) } else { Err(errors) }
}

/// Pairs every parameter with its argument, and reads what needs no type.
fn decode_all<'a>(
    parameters: &[Parameter],
    arguments: &'a [Argument],
) -> Result<Vec<(&'a str, Content<'a>)>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut contents = Vec::with_capacity(parameters.len());
    for (position, parameter) in parameters.iter().enumerate() {
        let ty = || parameter.ty.to_string();
        let Some(name) = &parameter.name else {
            errors.push(error::nameless_parameter(position + 1, &ty()));
            continue;
        };
        let name = name.as_str();
        match arguments.iter().find(|it| it.name == name) {
            Some(argument) => match decode(argument) {
                Ok(content) => contents.push((argument.name.as_str(), content)),
                Err(error) => errors.push(error),
            },
            None => errors.push(error::missing_argument(name, &ty())),
        }
    }
    // As many as there are parameters, and none is missing: then none is too many either.
    if errors.is_empty() && arguments.len() == parameters.len() {
        return Ok(contents);
    }
    let mut all_errors = name_errors(parameters, arguments);
    all_errors.append(&mut errors);
    if all_errors.is_empty() { Ok(contents) } else { Err(all_errors) }
}

/// Arguments for nobody, and arguments given twice.
fn name_errors(parameters: &[Parameter], arguments: &[Argument]) -> Vec<Diagnostic> {
    let known: Vec<&str> =
        parameters.iter().filter_map(|it| it.name.as_ref()).map(Name::as_str).collect();
    let mut seen = BTreeSet::new();
    let mut errors = Vec::new();
    for argument in arguments {
        if !known.contains(&argument.name.as_str()) {
            let near = nearest(&argument.name, known.iter().copied());
            errors.push(error::unknown_argument(&argument.name, near, &known));
        } else if !seen.insert(&argument.name) {
            errors.push(error::argument_twice(&argument.name));
        }
    }
    errors
}

fn decode(argument: &Argument) -> Result<Content<'_>, Diagnostic> {
    let malformed = |why: String| error::malformed_argument(&argument.name, &argument.origin, &why);
    match &argument.data {
        ArgumentData::Json(bytes) => serde_json::from_slice(bytes)
            .map(Content::Json)
            .map_err(|error| malformed(format!("this is no JSON: {error}"))),
        ArgumentData::Npy(bytes) => {
            let dense = array::read(bytes).map_err(|error| malformed(error.to_string()))?;
            Ok(Content::Dense(Cow::Owned(dense)))
        }
        ArgumentData::Array(dense) if count(&dense.shape) == Some(dense.data.len()) => {
            Ok(Content::Dense(Cow::Borrowed(dense)))
        }
        ArgumentData::Array(dense) => {
            let n = dense.data.len();
            Err(malformed(format!("{n} elements do not fill the shape {:?}", dense.shape)))
        }
        ArgumentData::Reals(reals) => Ok(Content::Reals(&reals.0)),
        ArgumentData::Data(data) => Ok(Content::Data(data)),
        ArgumentData::Table(table) => Ok(Content::Table(table)),
        ArgumentData::Parts(parts) => {
            let parts = parts.iter().map(|it| Ok((it.name.as_str(), decode(it)?)));
            Ok(Content::Parts(parts.collect::<Result<Vec<_>, Diagnostic>>()?))
        }
    }
}
