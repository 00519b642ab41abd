//! CHAD as the paper has it: facts of its sections and figures.

#[path = "paper/support.rs"]
mod support;

#[path = "paper/facts.rs"]
mod facts;

#[path = "paper/figures.rs"]
mod figures;
