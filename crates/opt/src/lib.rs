//! Passes that are not differentiation, ir to ir, one module each.

pub mod accumulate;
pub mod additive;
pub mod bot;
pub mod checkpoint;
pub mod choose;
pub mod defunctionalise;
pub mod elements;
pub mod flatten;
pub mod inline;
mod limits;
pub mod merge;
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
pub use bot::bot;
pub use checkpoint::{Checkpoints, checkpoint, drop_checkpoints};
pub use choose::choose;
pub use defunctionalise::defunctionalise;
pub use elements::{Elements, elements};
pub use flatten::{Flat, Layout, flatten};
pub use inline::inline;
pub use merge::merge;
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
