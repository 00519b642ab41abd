//! CHAD as the paper has it: facts of its sections and figures.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "paper/support.rs"]
mod support;

#[path = "paper/facts.rs"]
mod facts;

#[path = "paper/figures.rs"]
mod figures;

#[path = "paper/random.rs"]
mod random;

#[path = "paper/laws.rs"]
mod laws;

#[path = "paper/typing.rs"]
mod typing;

#[path = "paper/cost.rs"]
mod cost;

#[path = "paper/from_ir.rs"]
mod from_ir;

#[path = "paper/arms.rs"]
mod arms;

#[path = "paper/sections.rs"]
mod sections;
