//! Code that is in memory and in no file: put there, made known to the functions it calls, and then only run.

use std::ffi::CString;
use std::mem::offset_of;
use std::ptr::NonNull;

use instant::{Code, Offsets};

use crate::abi::{self, Context, Entry, MOST_VALUES};
use crate::failure::Unavailable;
use crate::load::{Border, Module};
use crate::runtime::address_of;
use crate::system::attempt;

/// Pages with code.
pub(crate) struct Pages {
    start: NonNull<u8>,
    len: usize,
}

/// The texts of a program as C has them, where nothing moves them.
pub(crate) struct Texts {
    _texts: Vec<CString>,
    table: Box<[usize]>,
}

// SAFETY: the pages belong to whoever has the value, and nobody writes to them any more.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

/// Where code finds what it needs in the context of a call.
pub fn offsets() -> Offsets {
    Offsets {
        top: offset_of!(Context, top) as i32,
        stack_low: offset_of!(Context, stack_low) as i32,
        stop: offset_of!(Context, stop) as i32,
        code: offset_of!(Context, code) as i32,
        values: offset_of!(Context, values) as i32,
        n_values: offset_of!(Context, n_values) as i32,
        steps: offset_of!(Context, steps) as i32,
        most_values: MOST_VALUES,
        recursion: abi::RECURSION,
        stopped: abi::STOPPED,
        long: abi::LONG,
        site: abi::SITE,
    }
}

impl Module {
    /// Code that was made in this process, of a module with these texts, for the precision of the borders.
    pub fn instant<'a>(
        code: &Code,
        texts: impl Iterator<Item = &'a str>,
        borders: Vec<Border>,
    ) -> Result<Module, Unavailable> {
        let texts = Texts::new(texts);
        let mut bytes = code.bytes.clone();
        for link in &code.links {
            let address = address_of(link.callee, &texts).ok_or_else(unknown)?;
            let place = bytes.get_mut(link.at..link.at + 8).ok_or_else(unknown)?;
            place.copy_from_slice(&address.to_ne_bytes());
        }
        let pages = Pages::new(&bytes)?;
        let entries = code.entries.iter().zip(borders).map(|(at, border)| {
            let start = pages.start.as_ptr().wrapping_add(*at);
            // SAFETY: the code has a function of this type there.
            let entry = unsafe { std::mem::transmute::<*mut u8, Entry>(start) };
            (entry, border)
        });
        let entries = entries.collect();
        Ok(Module::in_memory(entries, code.stack, pages, texts))
    }
}

fn unknown() -> Unavailable {
    Unavailable::Load { reason: "it calls what there is not".to_string() }
}

impl Texts {
    fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Texts {
        // What stands behind a zero is not said.
        let up_to_zero = |it: &str| it.split('\0').next().unwrap_or_default().to_string();
        let texts = texts.map(up_to_zero).chain(["?".to_string()]);
        let texts: Vec<CString> =
            texts.map(|it| CString::new(it).expect("there is no zero in it")).collect();
        let table = texts.iter().map(|it| it.as_ptr().expose_provenance()).collect();
        Texts { _texts: texts, table }
    }

    /// Where the table of their addresses is.
    pub(crate) fn address(&self) -> usize {
        self.table.as_ptr().expose_provenance()
    }
}

impl Pages {
    fn new(bytes: &[u8]) -> Result<Pages, Unavailable> {
        let len = bytes.len().max(1);
        let failed = || Unavailable::Memory { bytes: len };
        attempt("reserve memory").map_err(|_| failed())?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping at a place of the system's choice touches nothing of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
        let start = NonNull::new(start).filter(|it| it.as_ptr() != libc::MAP_FAILED);
        let pages = Pages { start: start.ok_or_else(failed)?.cast(), len };
        // SAFETY: the mapping is new, as long, and can be written to.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pages.start.as_ptr(), bytes.len()) };
        let protection = libc::PROT_READ | libc::PROT_EXEC;
        // SAFETY: the mapping is ours and whole; nobody writes to it from here on.
        let done = unsafe { libc::mprotect(pages.start.as_ptr().cast(), len, protection) };
        match done {
            0 => Ok(pages),
            _ => Err(Unavailable::Load {
                reason: "the system does not let memory be code".to_string(),
            }),
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and whole, and no code of it runs: who calls it keeps its module.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.len) };
    }
}
