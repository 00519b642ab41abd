//! What several tests need: the programs, and methods compared on them.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs")]

pub(crate) mod choices;
pub(crate) mod collected;
pub(crate) mod first_order;
pub(crate) mod found;
pub(crate) mod methods;
pub(crate) mod sources;
