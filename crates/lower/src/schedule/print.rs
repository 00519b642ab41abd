//! A schedule as text, for `cotan stages` and tests: what was chosen, then the loops, then what is memory.

use std::fmt::{self, Display};

use super::{Memory, Nested, Run, Schedule, Sum, Target};
use crate::items::{letter, list};
use crate::plan::Class;

impl Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes = |it: &[Class]| list(it.iter().map(|it| format!("c{it}")));
        let chosen = [("chunks", &self.batches), ("vectors", &self.vectors)];
        for (title, chosen) in chosen.iter().filter(|it| !it.1.is_empty()) {
            writeln!(f, "{title}: {}", classes(chosen))?;
        }
        if !self.order.is_empty() {
            writeln!(f, "from outside to inside: {}", classes(&self.order))?;
        }
        for (item, is_chunked) in &self.products {
            let place = if *is_chunked { "in chunks" } else { "as a whole" };
            writeln!(f, "product i{item}: {place}")?;
        }
        for (item, class) in &self.rowwise {
            writeln!(f, "row by row: i{item} along c{class}")?;
        }
        nested(f, &self.nesting, 0)?;
        self.memory.fmt(f)
    }
}

/// `i0[b, a] in memory`: along the second axis of its domain, then along the first.
impl Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = |axes: &[usize]| list(axes.iter().copied().map(letter));
        for (item, array) in &self.arrays {
            let of = if array.local { " of the chunk" } else { "" };
            write!(f, "i{item}[{}] in memory{of}", letters(&array.axes))?;
            match array.depth {
                0 => writeln!(f)?,
                depth => writeln!(f, ", made at depth {depth}")?,
            }
        }
        for (item, target) in &self.targets {
            match target {
                Target::GoesOn(other) => writeln!(f, "i{item} goes on in i{other}")?,
                Target::InPlace => writeln!(f, "i{item} adds in place")?,
                Target::Copy => writeln!(f, "i{item} adds in a copy")?,
            }
        }
        for (item, sum) in &self.sums {
            match sum {
                Sum::Variable => writeln!(f, "i{item} added up in a variable")?,
                Sum::Array { axes, apart } => {
                    let apart = if *apart { ", apart" } else { "" };
                    writeln!(f, "i{item} added up along [{}]{apart}", letters(axes))?;
                }
            }
        }
        Ok(())
    }
}

fn nested(f: &mut fmt::Formatter<'_>, all: &[Nested], depth: usize) -> fmt::Result {
    let indent = 2 * depth;
    for it in all {
        match it {
            Nested::Item(item) => writeln!(f, "{:indent$}i{item}", "")?,
            Nested::Loop { class, run, inside, .. } => {
                let word = match run {
                    Run::Chunks => "chunks",
                    Run::Vectors => "vector",
                    Run::Steps => "for",
                    Run::Unrolled => "unroll",
                };
                writeln!(f, "{:indent$}{word} c{class} {{", "")?;
                nested(f, inside, depth + 1)?;
                writeln!(f, "{:indent$}}}", "")?;
            }
        }
    }
    Ok(())
}
