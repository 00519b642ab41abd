//! A plan as text, for `cotan stages` and tests: its classes with the axes that are of them, then what
//! becomes of each item. `c2` is a class, `i3.a` the first axis of item 3.

use std::fmt::{self, Display};

use super::Plan;
use crate::items::{letter, list};

impl Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (class, size) in &self.sizes {
            let axes = self.classes.iter().filter(|it| it.1 == class);
            let axes = axes.map(|((item, axis), _)| format!("i{item}.{}", letter(*axis)));
            writeln!(f, "c{class} < {size}: {}", list(axes))?;
        }
        for (item, weight) in &self.inline {
            writeln!(f, "i{item} in place, weight {weight}")?;
        }
        for (item, reads) in &self.reads {
            let whole = if self.external.contains(item) { " as a whole" } else { "" };
            write!(f, "i{item}{whole}")?;
            if !reads.is_empty() {
                write!(f, " reads {}", list(reads))?;
            }
            if let Some(readers) = self.readers.get(item) {
                write!(f, ", for {}", list(readers.iter().map(|it| format!("i{it}"))))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
