//! Items as text, for `cotan stages` and tests.
//!
//! Axes of a domain are letters in order. `@x3` is a variable of the loops, `x3` one of the program,
//! `i3` the result of item 3 and `i3.1` the second one of a statement that is no nest.

use std::fmt::{self, Display};

use ir::{Prim, Reduction};
use loops::{Atom, How};

use super::{Before, Check, Early, Item, Items, Work};
use crate::view::{Lin, Source, View};

impl Display for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.before.iter().try_for_each(|it| writeln!(f, "{it}"))?;
        for (number, item) in self.all.iter().enumerate() {
            write!(f, "i{number}{item}")?;
            if let Some(array) = self.room.nests.get(&number) {
                write!(f, ", in @{array}")?;
            }
            let flows = self.room.flows.iter().filter(|it| it.0.0 == number);
            for ((_, result), array) in flows {
                write!(f, ", result {result} in @{array}")?;
            }
            writeln!(f)?;
        }
        for (var, view) in &self.names {
            writeln!(f, "{var} is {}", seen(view))?;
        }
        if self.goes_on {
            writeln!(f, "goes on")?;
        }
        if !self.results.is_empty() {
            writeln!(f, "gives {}", list(self.results.iter().map(seen)))?;
        }
        Ok(())
    }
}

/// What has to hold, or `@x3 = ...`.
impl Display for Before {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prim = |prim: Prim, args: &[Atom]| {
            format!("{}({})", prim.name(), list(args.iter().map(|it| atom(*it))))
        };
        match self {
            Before::Check(Check::Bounded(size)) => write!(f, "check {size} is a size of arrays"),
            Before::Check(Check::Natural(size)) => write!(f, "check 0 <= {size}"),
            Before::Check(Check::Slice { from, to, of }) => {
                write!(f, "check 0 <= {from} <= {to} <= {of}")
            }
            Before::Check(Check::Index { index, size, .. }) => {
                write!(f, "check 0 <= {} < {size}", atom(*index))
            }
            Before::Check(Check::Greatest { rows, size }) if rows.is_empty() => {
                write!(f, "check 0 < {size}")
            }
            Before::Check(Check::Greatest { rows, size }) => {
                write!(f, "check 0 < {size}, or no rows of {}", list(rows))
            }
            Before::Check(Check::Prim(it, args)) => {
                write!(f, "check {} has a value", prim(*it, args))
            }
            Before::Is(var, Early::Prim(it, args, _)) => write!(f, "@{var} = {}", prim(*it, args)),
            Before::Is(var, Early::Size(size)) => write!(f, "@{var} = {size}"),
            Before::Is(var, Early::Last(size)) => write!(f, "@{var} = last below {size}"),
            Before::Is(var, Early::Element(view)) => write!(f, "@{var} = {view}"),
            Before::Is(var, Early::Any(sizes)) => write!(f, "@{var} = any of {}", list(sizes)),
        }
    }
}

impl Display for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&letters(&self.out))?;
        let axis = |(axis, size)| format!("{} < {size}", letter(axis));
        if !self.axes.is_empty() {
            write!(f, " over {}", list(self.axes.iter().enumerate().map(axis)))?;
        }
        let args = list(&self.args);
        match &self.work {
            Work::Prim(prim) => write!(f, " = {}({args})", prim.name()),
            Work::Copy => write!(f, " = {args}"),
            Work::Gather { array, .. } => write!(f, " = gather({}; {args})", seen(array)),
            Work::Reduce(it) => write!(f, " = {}({args})", in_words(*it)),
            Work::Scatter { into, how: How::Set, .. } => {
                write!(f, " = update({}; {args})", seen(into))
            }
            Work::Scatter { into, .. } => write!(f, " = scatter({}; {args})", seen(into)),
            Work::Product(it) => {
                let [left, right, inner] = it.axes().map(letter);
                let scaled = if it.scaled { "scaled " } else { "" };
                write!(f, " = {scaled}product({args}), {left} by {right} over {inner}")
            }
            Work::Rows { sizes, inside } => {
                let inside = if *inside { ", innermost" } else { "" };
                write!(f, " = rows({args}) of {}{inside}", list(sizes))
            }
            Work::Flow(stmt) => {
                let text = stmt.to_string();
                let first = text.lines().next().unwrap_or_default();
                write!(f, ": {}", first.trim_end_matches(" {").trim())
            }
        }?;
        if self.whole.is_empty() {
            return Ok(());
        }
        write!(f, ", after {}", list(self.whole.iter().map(|it| format!("i{it}"))))
    }
}

impl Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Source::Memory(var) => write!(f, "@{var}")?,
            Source::Iota => {}
            Source::Same(it) => return f.write_str(&atom(it)),
            Source::Item(item, 0) => write!(f, "i{item}")?,
            Source::Item(item, result) => write!(f, "i{item}.{result}")?,
        }
        match self.map.as_slice() {
            [] => Ok(()),
            map => write!(f, "[{}]", list(map)),
        }
    }
}

impl Display for Lin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |(of, factor): (String, i64)| match factor {
            1 => of,
            -1 => format!("-{of}"),
            _ => format!("{factor} * {of}"),
        };
        let own = self.terms.iter().map(|it| (letter(it.0), it.1));
        let offset = self.offset.iter().map(|it| (atom(it.0), it.1));
        let parts: Vec<String> = own.chain(offset).map(times).collect();
        f.write_str(if parts.is_empty() { "0".into() } else { parts.join(" + ") }.as_str())
    }
}

/// A view with the sizes that it has.
fn seen(view: &View) -> String {
    let axis = |(axis, size)| format!("{} < {size}", letter(axis));
    match view.sizes.as_slice() {
        [] => view.to_string(),
        sizes => format!("{view} for {}", list(sizes.iter().enumerate().map(axis))),
    }
}

fn letters(axes: &[usize]) -> String {
    if axes.is_empty() {
        String::new()
    } else {
        format!("[{}]", list(axes.iter().copied().map(letter)))
    }
}

pub(crate) fn letter(axis: usize) -> String {
    match u8::try_from(axis) {
        Ok(it @ 0..26) => char::from(b'a' + it).to_string(),
        Ok(_) | Err(_) => format!("axis_{axis}"),
    }
}

fn atom(atom: Atom) -> String {
    match atom {
        Atom::Var(it) => format!("@{it}"),
        Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) => atom.to_string(),
    }
}

fn in_words(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "sum",
        Reduction::Product => "product of all",
        Reduction::Maximum => "maximum",
        Reduction::Minimum => "minimum",
    }
}

/// With commas.
pub(crate) fn list(parts: impl IntoIterator<Item = impl Display>) -> String {
    parts.into_iter().map(|it| it.to_string()).collect::<Vec<_>>().join(", ")
}
