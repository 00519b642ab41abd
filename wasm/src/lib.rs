//! Cotan in WebAssembly: a text goes in, what `main` is comes out, or the errors.
//!
//! A host asks for room by `room`, writes a program there, calls `run` and reads `result` and `result_length`.
//! All memory is this module's, so that nothing here is unsafe but the names that the host calls by.
#![allow(
    unsafe_code,
    reason = "names that a host calls by must be what they are; no other module has them"
)]

use std::cell::RefCell;

use cotan::{Backend, Compiler, Options, Style};

thread_local! {
    static PROGRAM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RESULT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for a program of so many bytes of UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    PROGRAM.with_borrow_mut(|it| {
        *it = vec![0; length];
        it.as_mut_ptr()
    })
}

/// Runs the program that is in the room.
#[unsafe(no_mangle)]
pub extern "C" fn run() {
    run_by(Backend::Auto);
}

/// As `run`, by compiled code, which is not here: says so.
#[unsafe(no_mangle)]
pub extern "C" fn run_native() {
    run_by(Backend::Native);
}

/// The result of the last run, in UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn result() -> *const u8 {
    RESULT.with_borrow(|it| it.as_ptr())
}

/// How many bytes that has.
#[unsafe(no_mangle)]
pub extern "C" fn result_length() -> usize {
    RESULT.with_borrow(String::len)
}

fn run_by(backend: Backend) {
    let text = PROGRAM.with_borrow(|it| String::from_utf8_lossy(it).into_owned());
    let options = Options { backend, ..Options::default() };
    let program = Compiler::new(options).compile("main.cot", &text);
    let answer = program.and_then(|mut it| it.call("main", &[]));
    let told = match answer {
        Ok(answer) => answer.to_text(),
        Err(report) => report.render(Style::Plain),
    };
    RESULT.set(told);
}
