//! Passes that are not differentiation, ir to ir, one module each.

pub mod accumulate;
pub mod additive;
pub mod at_once;
pub mod bot;
pub mod checkpoint;
pub mod choose;
pub mod defunctionalise;
pub mod elements;
pub mod flatten;
pub mod inline;
mod limits;
pub mod merge;
mod order;
pub mod peel;
pub mod recompute;
mod refusal;
pub mod simplify;
pub mod sink;
pub mod specialise;
pub mod spread;
mod tuning;
pub mod views;

pub use accumulate::accumulate;
pub use additive::{Additive, additive};
pub use at_once::at_once;
pub use bot::bot;
pub use checkpoint::{Checkpoints, checkpoint, drop_checkpoints};
pub use choose::choose;
pub use defunctionalise::defunctionalise;
pub use elements::{Elements, elements};
pub use flatten::{Flat, Layout, flatten};
pub use inline::inline;
pub use merge::merge;
pub use peel::peel;
pub use recompute::recompute;
pub use refusal::{Reason, Refusal};
pub use simplify::{
    Exactness, Settled, bare, common, hoist, inline_more, n_statements, rules, simplify,
    simplify_and_tell, simplify_by,
};
pub use sink::sink;
pub use specialise::specialise;
pub use spread::{spread, spread_before};
pub use views::views;
