//! The one fuzz program: shipped programs, changed at random, through everything that Cotan does.
//!
//! An input is a [`case::Case`], a text that says all there is to know about it, so that a find can be
//! kept, shrunk and run again. [`target`] says what is done with it and what must hold, [`agree`]
//! which differences between methods and back ends have an explanation.

pub mod agree;
pub mod build;
pub mod case;
mod clauses;
pub mod corpus;
pub mod edit;
pub mod generate;
pub mod make;
pub mod mutate;
mod rounding;
pub mod shrink;
pub mod stuck;
pub mod supervise;
pub mod target;
pub mod typed;
pub mod worker;
