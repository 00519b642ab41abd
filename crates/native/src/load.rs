//! Loaded code and its entry points.

use libloading::Library;
use loops::Type;
use serde::{Deserialize, Serialize};

use crate::abi::Entry;
use crate::cache::{Cache, Key};
use crate::failure::Unavailable;
#[cfg(feature = "instant")]
use crate::mapped::{Pages, Texts};
use crate::toolchain::Toolchain;

/// Compiled code in memory. It may be called from several threads at once.
pub struct Module {
    pub(crate) entries: Vec<(Entry, Border)>,
    /// The stack that its functions need, but for recursion.
    pub(crate) stack: usize,
    /// Keeps the code in memory.
    _code: Loaded,
}

/// Where code is.
#[allow(dead_code, reason = "what is in it is only kept")]
enum Loaded {
    /// In a file.
    Library(Library),
    /// In memory only, with the texts that it knows.
    #[cfg(feature = "instant")]
    Pages(Pages, Texts),
}

/// What an entry point takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Border {
    /// Of each parameter.
    pub params: Vec<Type>,
    /// Of each result.
    pub results: Vec<Type>,
    /// What a real in an array is.
    pub width: Width,
}

/// What a real in an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Width {
    /// A `double`.
    Double,
    /// A `float`.
    Single,
}

impl Module {
    /// Compiles a text, or finds it in the cache, and loads it. `borders` are those of
    /// `ct_entry_0`, `ct_entry_1` and so on.
    pub fn build(
        toolchain: &Toolchain,
        cache: &Cache,
        text: &str,
        borders: Vec<Border>,
    ) -> Result<Module, Unavailable> {
        Module::with(cache.library(toolchain, text)?, borders)
    }

    /// Loads what was made of a text, if the cache has it still.
    pub fn kept(cache: &Cache, key: Key, borders: Vec<Border>) -> Result<Module, Unavailable> {
        Module::with(cache.kept(key)?, borders)
    }

    fn with(library: Library, borders: Vec<Border>) -> Result<Module, Unavailable> {
        let mut entries = Vec::with_capacity(borders.len());
        for (number, border) in borders.into_iter().enumerate() {
            let name = format!("ct_entry_{number}");
            // SAFETY: the text defines this symbol as a function of this type.
            let entry = unsafe { library.get::<Entry>(&name) };
            let entry = entry.map_err(|it| Unavailable::load(&it))?;
            entries.push((*entry, border));
        }
        // SAFETY: the text defines this symbol, if at all, as a number, which nobody writes to.
        let stack = unsafe { library.get::<*const i64>("ct_stack_need").map_or(0, |it| **it) };
        let stack = usize::try_from(stack).unwrap_or(0);
        Ok(Module { entries, stack, _code: Loaded::Library(library) })
    }

    #[cfg(feature = "instant")]
    pub(crate) fn in_memory(
        entries: Vec<(Entry, Border)>,
        stack: usize,
        pages: Pages,
        texts: Texts,
    ) -> Module {
        Module { entries, stack, _code: Loaded::Pages(pages, texts) }
    }
}
