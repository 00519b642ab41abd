//! In the place of `machine/code.rs` in a build without the feature `native`: no machine code is made, so that
//! there is none to call.

use std::marker::PhantomData;

use base::Stop;
use eval::{RunError, Value};

use super::{Few, Refused, USE_INTERP, Wanted, Why};
use crate::answer::Numbers;
use crate::backend::Backend;
use crate::options::Options;

/// Machine code: none.
pub(crate) enum Machine {}

/// Arguments of machine code.
pub(crate) struct Entered;

/// What machine code left.
#[allow(dead_code, reason = "nobody makes one, and who reads it is the same in every build")]
pub(crate) enum Left {
    One(Value),
    Values(Vec<Value>),
    InPlace(InPlace),
}

/// Results in memory of machine code: none.
pub(crate) enum InPlace {}

/// An argument, as for machine code: who makes one finds nobody to take it.
#[allow(dead_code, reason = "nobody reads what is in it")]
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    Real(f64),
    Int(i64),
    Bool(bool),
    Reals(&'a [f64]),
    Floats(&'a [f32]),
    Ints(&'a [i64]),
    Bools(&'a [bool]),
    Boxed(PhantomData<&'a ()>),
}

/// Gives back memory of calls: there is none.
pub(crate) fn release_memory() {}

/// Nothing interrupts a run here.
pub fn stop_on_interrupt(_: &Stop) {}

/// Whether something did.
pub fn is_interrupted() -> bool {
    false
}

impl Machine {
    /// Refuses every program.
    pub(crate) fn new(_: Wanted<'_>, _: Options, _: &Stop) -> Result<Machine, Refused> {
        let reason = "this build of Cotan has no compiled code".to_string();
        Err(Refused { span: None, reason, help: USE_INTERP, why: Why::Compiler })
    }

    /// Whether it was made in a hurry.
    pub(crate) fn is_draft(&self) -> bool {
        match *self {}
    }

    pub(crate) fn backend(&self) -> Backend {
        match *self {}
    }

    pub(crate) fn enter(&self, _: &[i64], _: &[Value]) -> Entered {
        match *self {}
    }

    pub(crate) fn enter_for_many(&self, _: &[i64], _: &[Value]) -> Entered {
        match *self {}
    }

    pub(crate) fn set(&self, _: &mut Entered, _: usize, _: &Value) -> bool {
        match *self {}
    }

    pub(crate) fn call(&self, _: &Entered) -> Result<Option<Left>, RunError> {
        match *self {}
    }

    pub(crate) fn call_longer(&self, _: &Entered) -> Result<Option<Left>, RunError> {
        match *self {}
    }

    pub(crate) fn call_until(&self, _: &Entered, _: &Stop) -> Result<Option<Left>, RunError> {
        match *self {}
    }

    pub(crate) fn real(
        &self,
        _: &Entered,
        _: &Stop,
    ) -> Option<Result<f64, Result<Option<Left>, RunError>>> {
        match *self {}
    }

    pub(crate) fn call_directly(
        &self,
        _: &[Input<'_>],
        _: &Stop,
    ) -> Result<Option<Left>, RunError> {
        match *self {}
    }

    pub(crate) fn value(&self, _: Vec<Value>) -> Value {
        match *self {}
    }

    pub(crate) fn values(&self, _: &Left) -> Vec<Value> {
        match *self {}
    }

    pub(crate) fn n_sizes(&self) -> usize {
        match *self {}
    }
}

impl Left {
    pub(crate) fn values(&self) -> Vec<Value> {
        match self {
            Left::One(it) => vec![it.clone()],
            Left::Values(it) => it.clone(),
            Left::InPlace(it) => match *it {},
        }
    }
}

impl InPlace {
    pub(crate) fn slices(&self, _: usize) -> Vec<&[f64]> {
        match *self {}
    }

    pub(crate) fn numbers(&self, _: usize) -> Few<Numbers<'_>> {
        match *self {}
    }

    pub(crate) fn reals(&self, _: usize) -> Option<(&[usize], &[f64])> {
        match *self {}
    }
}
