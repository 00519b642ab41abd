//! What every layer shares: spans, names, the one tokeniser, diagnostics as data, one renderer, the wish to
//! stop, and what programs say while they run.

pub mod diagnostic;
pub mod literal;
pub mod name;
pub mod render;
pub mod repair;
pub mod shown;
pub mod span;
pub mod stop;
pub mod tell;
pub mod token;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use name::{Mark, Name};
pub use repair::{Edit, Repair};
pub use span::{FileId, SourceFile, SourceMap, Span};
pub use stop::Stop;
pub use tell::{Listener, Said, Saying};
