//! Runs the cases of a folder through the commands of a crate.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{Case, Section};
use crate::close;

/// What to do with a dump that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Report it.
    Compare,
    /// Rewrite the file, facts excepted.
    Bless,
}

/// A command: the first argument is the line of the section (`grad f 0.5`), the second the
/// input. The error is what went wrong when the command should have worked.
pub type Command<'a> = dyn Fn(&str, &str) -> Result<String, String> + 'a;

/// Runs every case below `dir` (from the root of the crate), in order of their names; panics
/// with file, section, expectation and outcome of each one that fails. `BLESS=1` rewrites dumps,
/// `CASE=word` picks cases by file name.
pub fn run_cases(dir: impl AsRef<Path>, command: &Command<'_>) {
    let bless = std::env::var("BLESS").is_ok_and(|it| it == "1");
    let mode = if bless { Mode::Bless } else { Mode::Compare };
    let filter = std::env::var("CASE").unwrap_or_default();
    if let Err(failures) = try_cases(dir.as_ref(), mode, &filter, command) {
        panic!("\n{}\n\n{} failed", failures.join("\n\n"), failures.len());
    }
}

/// As [`run_cases`], with the choices as arguments and the failures as a result. Gives the
/// number of sections that ran.
pub fn try_cases(
    dir: &Path,
    mode: Mode,
    filter: &str,
    command: &Command<'_>,
) -> Result<usize, Vec<String>> {
    let mut files = Vec::new();
    if let Err(error) = collect(dir, &mut files) {
        return Err(vec![format!("{}: {error}", dir.display())]);
    }
    if files.is_empty() {
        return Err(vec![format!("{}: no cases here: this test cannot fail", dir.display())]);
    }
    let mut failures = Vec::new();
    let mut ran = 0;
    for file in files.iter().filter(|it| stem(it).contains(filter)) {
        match run_file(file, mode, command) {
            Ok(count) => ran += count,
            Err(more) => failures.extend(more),
        }
    }
    if failures.is_empty() { Ok(ran) } else { Err(failures) }
}

fn stem(file: &Path) -> String {
    file.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

fn collect(dir: &Path, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries =
        fs::read_dir(dir)?.map(|it| Ok(it?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|it| it == "case") {
            into.push(path);
        }
    }
    Ok(())
}

fn run_file(file: &Path, mode: Mode, command: &Command<'_>) -> Result<usize, Vec<String>> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| vec![format!("{name}: {error}")])?;
    let mut case = Case::parse(&text).map_err(|error| vec![format!("{name}: {error}")])?;
    let mut failures = Vec::new();
    let mut blessed = false;
    for section in &mut case.sections {
        match run_section(section, &case.input, command) {
            Outcome::Same => {}
            Outcome::Differs(got) if mode == Mode::Bless && !section.is_fact() => {
                section.expected = got;
                blessed = true;
            }
            Outcome::Differs(got) => failures.push(format!(
                "{name}:{}: -- {}\nexpected:\n{}\ngot:\n{got}",
                section.line, section.command, section.expected
            )),
            Outcome::Failed(error) => {
                failures.push(format!("{name}:{}: -- {}\n{error}", section.line, section.command));
            }
        }
    }
    if blessed {
        fs::write(file, case.to_string()).map_err(|error| vec![format!("{name}: {error}")])?;
    }
    if failures.is_empty() { Ok(case.sections.len()) } else { Err(failures) }
}

enum Outcome {
    Same,
    Differs(String),
    Failed(String),
}

fn run_section(section: &Section, input: &str, command: &Command<'_>) -> Outcome {
    let got = match command(&section.command, input) {
        Ok(got) => got.trim_end_matches('\n').to_string(),
        Err(error) => return Outcome::Failed(error),
    };
    let same = if section.is_fact() {
        close::texts_close(&section.expected, &got, close::FACT)
    } else {
        section.expected.trim_end_matches('\n') == got
    };
    if same { Outcome::Same } else { Outcome::Differs(got) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for each test, with one case in it.
    fn folder(name: &str, case: Option<&str>) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("cotan-testing-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        if let Some(text) = case {
            fs::write(dir.join("idea.case"), text).unwrap();
        }
        dir
    }

    fn echo(command: &str, input: &str) -> Result<String, String> {
        match command {
            "same" | "eval" => Ok(format!("{input}\n")),
            other => Err(format!("no command `{other}`")),
        }
    }

    const WRONG: &str = "# An idea.\n-- input\n2.0\n-- same\nold\n-- eval\n3.0\n";

    #[test]
    fn a_wrong_section_is_shown_with_both_texts() {
        let dir = folder("wrong", Some(WRONG));
        let failures = try_cases(&dir, Mode::Compare, "", &echo).unwrap_err();
        assert_eq!(failures.len(), 2);
        let end = "idea.case:4: -- same\nexpected:\nold\ngot:\n2.0";
        assert!(failures[0].ends_with(end), "{}", failures[0]);
    }

    #[test]
    fn blessing_rewrites_dumps_and_leaves_facts_alone() {
        let dir = folder("bless", Some(WRONG));
        let failures = try_cases(&dir, Mode::Bless, "", &echo).unwrap_err();
        assert_eq!(failures.len(), 1, "the fact stays wrong");
        let text = fs::read_to_string(dir.join("idea.case")).unwrap();
        assert_eq!(text, WRONG.replace("old", "2.0"));
    }

    #[test]
    fn a_folder_that_cannot_fail_fails() {
        let dir = folder("empty", None);
        assert!(try_cases(&dir, Mode::Compare, "", &echo).is_err());
        assert!(try_cases(&dir.join("missing"), Mode::Compare, "", &echo).is_err());
    }

    #[test]
    fn the_filter_goes_by_file_name() {
        let dir = folder("filter", Some(WRONG));
        assert_eq!(try_cases(&dir, Mode::Compare, "other", &echo), Ok(0));
        assert!(try_cases(&dir, Mode::Compare, "ide", &echo).is_err());
    }

    #[test]
    fn an_unknown_command_is_a_failure() {
        let dir = folder("unknown", Some("# An idea.\n-- nonsense\n1\n"));
        let failures = try_cases(&dir, Mode::Bless, "", &echo).unwrap_err();
        assert!(failures[0].contains("no command `nonsense`"));
    }
}
