//! What to do about an error, in the words of the command line: the library speaks of methods, back ends and
//! arguments, and here they are options.

use cotan::{Diagnostic, Report};

/// What the library says, and how it is said here.
const WORDS: &[(&str, &str)] = &[
    ("the method `", "`--via "),
    ("the back end `", "`--backend "),
    ("raise the memory limit", "raise the limit by `--memory`"),
    ("lower the memory limit", "lower the limit by `--memory`"),
];

/// What is added to help that begins so.
const MORE: &[(&str, &str)] = &[
    ("install a C compiler", "; `cotan doctor` says what was found"),
    ("write the call as an expression", ": cotan eval FILE 'f(...)'"),
    ("give arguments at which", " by `--arg`"),
];

/// The report with options in its help.
pub(crate) fn with_options(report: &Report) -> Report {
    let mut report = report.clone();
    report.diagnostics.iter_mut().for_each(advise);
    report
}

fn advise(diagnostic: &mut Diagnostic) {
    let parameter = match diagnostic.title.split('`').collect::<Vec<&str>>()[..] {
        ["the parameter ", name, " got no value"] => Some(name.to_owned()),
        _ => None,
    };
    for help in &mut diagnostic.help {
        for (words, option) in WORDS {
            *help = help.replace(words, option);
        }
        if let Some((_, more)) = MORE.iter().find(|it| help.starts_with(it.0)) {
            help.push_str(more);
        }
        if let Some(name) = &parameter {
            help.push_str(&format!(": --arg {name}=... or --arg {name}=@file"));
        }
    }
}
