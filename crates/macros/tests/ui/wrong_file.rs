//! An unknown name, in a file.

macros::program!("wrong.cot");
