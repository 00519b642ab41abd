//! What several tests need: the programs, and methods compared on them.

pub(crate) mod collected;
pub(crate) mod first_order;
pub(crate) mod found;
pub(crate) mod methods;
pub(crate) mod sources;
