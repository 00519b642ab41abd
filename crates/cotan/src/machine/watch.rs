//! Who wants to know that the C compiler is at work: it may take seconds, and the library has no clock and no
//! terminal.

use std::fmt;
use std::sync::Arc;

/// What the C compiler begins with, or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiling {
    /// It begins with so many lines of C.
    Begins(usize),
    /// It has ended.
    Ends,
}

/// Is told when the C compiler begins and ends; nobody, by default.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn(Compiling) + Send + Sync>>);

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(somebody)" } else { "Watch(nobody)" })
    }
}

impl Watch {
    /// Has a function told.
    pub fn new(told: impl Fn(Compiling) + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(told)))
    }

    /// Tells it.
    pub fn tell(&self, what: Compiling) {
        self.0.iter().for_each(|it| it(what));
    }

    /// Does what the C compiler does for a text, and tells.
    pub(super) fn compiling<T>(&self, text: &str, compile: impl FnOnce() -> T) -> T {
        self.tell(Compiling::Begins(text.lines().count()));
        let res = compile();
        self.tell(Compiling::Ends);
        res
    }
}
