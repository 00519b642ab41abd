//! One case file as data: text to [`Case`] and back.
//!
//! A line `-- name arguments` in the first column starts a section. A line of the content that
//! itself starts with `-- ` (a Cotan comment) is written `\-- `; one backslash is taken away.

use std::fmt;

/// A case: what it shows, what goes in, what comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The lines of the header, `#` and one space removed.
    pub about: Vec<String>,
    /// The content of the section `input`; empty if there is none.
    pub input: String,
    /// All other sections, in order.
    pub sections: Vec<Section>,
}

/// A command and what it should print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The command with its arguments, `grad f 0.5`.
    pub command: String,
    /// The lines below it, without the newline at the end.
    pub expected: String,
    /// The line of the file the command stands in, from 1.
    pub line: usize,
}

/// Sections that state what is true, not what we print.
const FACTS: [&str; 5] = ["run", "eval", "grad", "jvp", "close"];

impl Section {
    /// Whether it is a fact: compared with a tolerance and never rewritten.
    pub fn is_fact(&self) -> bool {
        let name = self.command.split(' ').next().unwrap_or("");
        FACTS.contains(&name)
    }
}

impl Case {
    /// Reads a case; the error is a sentence about what is wrong with the file.
    pub fn parse(text: &str) -> Result<Case, String> {
        let mut case = Case { about: Vec::new(), input: String::new(), sections: Vec::new() };
        let mut lines = text.lines().enumerate().peekable();
        while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with('#')) {
            let about = line.trim_start_matches('#');
            case.about.push(about.strip_prefix(' ').unwrap_or(about).to_string());
        }
        let mut inputs = 0;
        while let Some((index, line)) = lines.next() {
            let Some(command) = line.strip_prefix("-- ") else {
                return Err(format!("line {}: expected `-- command`, found `{line}`", index + 1));
            };
            let mut content = Vec::new();
            while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("-- ")) {
                content.push(unescape(line));
            }
            let content = content.join("\n");
            if command.trim() == "input" {
                case.input = content;
                inputs += 1;
            } else {
                let command = command.trim().to_string();
                case.sections.push(Section { command, expected: content, line: index + 1 });
            }
        }
        case.complaint(inputs).map_or(Ok(case), Err)
    }

    /// Why this case could not fail, or says nothing.
    fn complaint(&self, inputs: usize) -> Option<String> {
        if self.about.iter().all(|it| it.trim().is_empty()) {
            return Some("the file must start with `# a sentence that says the idea`".to_string());
        }
        if inputs > 1 {
            return Some("there are two sections `-- input`".to_string());
        }
        if self.sections.is_empty() {
            return Some("no section besides the input: this case cannot fail".to_string());
        }
        let empty = self.sections.iter().find(|it| it.is_fact() && it.expected.trim().is_empty());
        empty.map(|it| format!("line {}: a fact is written by hand, not left empty", it.line))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.about {
            writeln!(f, "{}", format!("# {line}").trim_end())?;
        }
        if !self.input.is_empty() {
            write_section(f, "input", &self.input)?;
        }
        self.sections.iter().try_for_each(|it| write_section(f, &it.command, &it.expected))
    }
}

fn write_section(f: &mut fmt::Formatter<'_>, command: &str, content: &str) -> fmt::Result {
    writeln!(f, "-- {command}")?;
    if content.is_empty() {
        return Ok(());
    }
    content.split('\n').try_for_each(|line| writeln!(f, "{}", escape(line)))
}

fn escape(line: &str) -> String {
    let dashes = line.trim_start_matches('\\');
    if dashes.starts_with("-- ") { format!("\\{line}") } else { line.to_string() }
}

fn unescape(line: &str) -> String {
    let dashes = line.trim_start_matches('\\');
    if dashes.starts_with("-- ") && dashes.len() < line.len() {
        line[1..].to_string()
    } else {
        line.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# An idea.\n# Oracle: a pen.\n-- input\n\\-- a comment\ndef f = 1\n\n-- eval f\n1\n-- print\ndef f\n";

    #[test]
    fn what_is_printed_reads_back() {
        let case = Case::parse(TEXT).unwrap();
        assert_eq!(case.input, "-- a comment\ndef f = 1\n");
        assert_eq!(case.sections.len(), 2);
        assert!(case.sections[0].is_fact() && !case.sections[1].is_fact());
        assert_eq!(case.sections[1].line, 9);
        assert_eq!(Case::parse(&case.to_string()), Ok(case.clone()));
        assert!(case.to_string().contains("\\-- a comment"));
    }

    #[test]
    fn a_case_that_cannot_fail_is_refused() {
        for text in ["", "# An idea.\n", "# An idea.\n-- input\n1\n", "-- print\n1\n"] {
            assert!(Case::parse(text).is_err(), "{text:?}");
        }
        assert!(Case::parse("# An idea.\n-- eval f\n\n").unwrap_err().contains("line 2"));
        assert!(Case::parse("# An idea.\nstray\n-- print\n1\n").unwrap_err().contains("stray"));
        assert!(Case::parse("# An idea.\n-- input\n-- input\n-- p\n1\n").is_err());
    }
}
