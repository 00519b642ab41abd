//! A file that is not there.

macros::program!("nowhere.cot", grad(loss));
