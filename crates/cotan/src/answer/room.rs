//! Answers written into memory of the caller.

use check::{Type, TypeTable};
use eval::Value;

use super::numbers::{Found, Numbers};
use super::{Answer, Held};
use crate::error;
use crate::machine::Few;
use crate::report::Report;

/// Memory for a result: a reference to a number, a slice for an array, a tuple of such for several.
pub trait Room {
    /// Gives the places one by one, in the order of the result.
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>));
}

/// Memory for a number or for the elements of an array.
pub enum Place<'a> {
    /// Of reals.
    Reals(&'a mut [f64]),
    /// Of reals, rounded to single precision.
    Floats(&'a mut [f32]),
    /// Of integers.
    Ints(&'a mut [i64]),
    /// Of truth values.
    Bools(&'a mut [bool]),
    /// Memory whose elements do not lie in order; nothing is written there.
    Scattered,
}

/// What results are made of.
pub trait Number: Sized {
    /// Memory for some of these.
    fn place(numbers: &mut [Self]) -> Place<'_>;
}

impl Number for f64 {
    fn place(numbers: &mut [f64]) -> Place<'_> {
        Place::Reals(numbers)
    }
}

impl Number for f32 {
    fn place(numbers: &mut [f32]) -> Place<'_> {
        Place::Floats(numbers)
    }
}

impl Number for i64 {
    fn place(numbers: &mut [i64]) -> Place<'_> {
        Place::Ints(numbers)
    }
}

impl Number for bool {
    fn place(numbers: &mut [bool]) -> Place<'_> {
        Place::Bools(numbers)
    }
}

impl<T: Number> Room for &mut T {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        take(T::place(std::slice::from_mut(*self)));
    }
}

impl<T: Number> Room for &mut [T] {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        take(T::place(self));
    }
}

impl<T: Number, const N: usize> Room for &mut [T; N] {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        take(T::place(self.as_mut_slice()));
    }
}

/// Its elements are written over; it does not become longer.
impl<T: Number> Room for &mut Vec<T> {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        take(T::place(self.as_mut_slice()));
    }
}

/// As many as only running tells.
impl<T: Number> Room for &mut [&mut [T]] {
    fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
        self.iter_mut().for_each(|it| take(T::place(it)));
    }
}

macro_rules! tuples {
    ($($($part:ident $at:tt),+;)+) => {$(
        impl<$($part: Room),+> Room for ($($part,)+) {
            fn each<'a>(&'a mut self, take: &mut dyn FnMut(Place<'a>)) {
                $(self.$at.each(take);)+
            }
        }
    )+};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

impl Answer {
    /// The numbers inside of it, where they are.
    pub(crate) fn numbers(&self) -> Result<Few<Numbers<'_>>, Report> {
        numbers(&self.types, &self.ty, &self.held)
    }

    /// Writes the value into memory of the caller. Numbers and arrays inside of tuples and records come in
    /// the order of the type; arrays of records by columns.
    pub fn write_into(&self, into: impl Room) -> Result<(), Report> {
        write(&self.kind().types, &self.kind().ty, &self.held, into)
    }
}

/// Writes a value of this type.
pub(crate) fn write(
    types: &TypeTable,
    ty: &Type,
    held: &Held,
    mut into: impl Room,
) -> Result<(), Report> {
    let mut places: Few<Place<'_>> = Few::new();
    into.each(&mut |it| places.push(it));
    // Most results are one number.
    if let (Held::Value(Value::Real(from)), [Place::Reals([to])]) = (held, &mut places[..]) {
        *to = *from;
        return Ok(());
    }
    let numbers = numbers(types, ty, held)?;
    if numbers.len() != places.len() {
        let wanted = format!("memory for {} numbers and arrays", numbers.len());
        return Err(misfit(&wanted, &places.len().to_string()));
    }
    numbers.iter().zip(places).enumerate().try_for_each(|(at, (from, to))| one(at, *from, to))
}

fn numbers<'a>(
    types: &'a TypeTable,
    ty: &Type,
    held: &'a Held,
) -> Result<Few<Numbers<'a>>, Report> {
    if let Held::Lazy(lazy) = held
        && let Some(numbers) = lazy.numbers()
    {
        return Ok(numbers);
    }
    let found = Found::new(types, ty, held.value());
    match found.has_more {
        false => Ok(found.numbers),
        true => Err(misfit("a Rust type for it by `Answer::get`", "memory for numbers")),
    }
}

fn misfit(wanted: &str, found: &str) -> Report {
    Report::single(error::wrong_room(wanted, found))
}

/// Writes the numbers of one place.
fn one(at: usize, from: Numbers<'_>, mut to: Place<'_>) -> Result<(), Report> {
    fn each<T: Copy, U>(from: &[T], to: &mut [U], f: impl Fn(T) -> U) -> bool {
        let fits = from.len() == to.len();
        if fits {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = f(*from));
        }
        fits
    }
    let fits = match (from, &mut to) {
        (Numbers::Reals(from), Place::Reals(to)) => each(from, to, |it| it),
        (Numbers::Reals(from), Place::Floats(to)) => each(from, to, |it| it as f32),
        (Numbers::Floats(from), Place::Reals(to)) => each(from, to, f64::from),
        (Numbers::Floats(from), Place::Floats(to)) => each(from, to, |it| it),
        (Numbers::Ints(from), Place::Ints(to)) => each(from, to, |it| it),
        (Numbers::Int(from), Place::Ints(to)) => each(&[from], to, |it| it),
        (Numbers::Bools(from), Place::Bools(to)) => each(from, to, |it| it),
        (Numbers::Bytes(from), Place::Bools(to)) => each(from, to, |it| it != 0),
        (_, Place::Scattered) => false,
        (Numbers::Reals(_) | Numbers::Floats(_), Place::Ints(_) | Place::Bools(_)) => false,
        (Numbers::Ints(_) | Numbers::Int(_), Place::Reals(_) | Place::Floats(_)) => false,
        (Numbers::Ints(_) | Numbers::Int(_), Place::Bools(_)) => false,
        (Numbers::Bools(_), Place::Reals(_) | Place::Floats(_) | Place::Ints(_)) => false,
        (Numbers::Bytes(_), Place::Reals(_) | Place::Floats(_) | Place::Ints(_)) => false,
    };
    if fits {
        return Ok(());
    }
    let wanted = match from {
        Numbers::Reals(it) => counted(it.len(), "real"),
        Numbers::Floats(it) => counted(it.len(), "real"),
        Numbers::Ints(it) => counted(it.len(), "integer"),
        Numbers::Int(_) => counted(1, "integer"),
        Numbers::Bools(it) => counted(it.len(), "truth value"),
        Numbers::Bytes(it) => counted(it.len(), "truth value"),
    };
    Err(misfit(&format!("memory for {wanted} at place {at}"), &describe(&to)))
}

fn describe(place: &Place<'_>) -> String {
    match place {
        Place::Reals(it) => counted(it.len(), "real"),
        Place::Floats(it) => counted(it.len(), "real"),
        Place::Ints(it) => counted(it.len(), "integer"),
        Place::Bools(it) => counted(it.len(), "truth value"),
        Place::Scattered => "elements that do not lie in order".to_owned(),
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
