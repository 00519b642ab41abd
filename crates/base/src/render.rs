//! Diagnostics as text for a terminal, in the manner of rustc: code, title, excerpt with labels,
//! help. The only place that does so.
//!
//! Any span is fine: it is clamped to its text and to whole characters. A label whose text is
//! unknown is shown as a note. Control characters are made visible.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::{Diagnostic, FileId, Label, Severity, SourceFile, SourceMap};

/// For whom the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A file, a pipe or a test.
    Plain,
    /// A terminal that shows colours.
    Coloured,
}

/// More than anybody reads.
const MOST_SHOWN: usize = 100;

/// Bytes of excerpts, after which no further one is made: each has the lines from its first place
/// to its last, and a text may be one line of megabytes.
const MOST_EXCERPTS: usize = 4 << 20;

/// The diagnostics in order, a blank line between them, a newline at the end. Of very many, the
/// first are shown and the others counted.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let mut res = String::new();
    let (mut shown, mut excerpts) = (0, 0);
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        if excerpts > MOST_EXCERPTS {
            break;
        }
        if shown > 0 {
            res.push('\n');
        }
        res.push_str(&renderer.render(&[report(diagnostic, sources, &mut excerpts)]));
        res.push('\n');
        shown += 1;
    }
    if shown < diagnostics.len() {
        res.push_str(&format!("\n... and {} more\n", diagnostics.len() - shown));
    }
    res
}

fn report<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
    excerpts: &mut usize,
) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&diagnostic.title)).id(diagnostic.code.0);
    let mut res = Group::with_title(title);
    for file in files(diagnostic) {
        let labels = || diagnostic.labels.iter().enumerate().filter(|it| it.1.span.file == file);
        match sources.get(file) {
            Some(source) => res = res.element(snippet(source, labels(), excerpts)),
            None => {
                for (_, label) in labels().filter(|it| !it.1.text.is_empty()) {
                    res = res.element(Level::NOTE.message(visible(&label.text)));
                }
            }
        }
    }
    for help in &diagnostic.help {
        res = res.element(Level::HELP.message(visible(help)));
    }
    res
}

/// The texts that the labels point into, that of the primary one first.
fn files(diagnostic: &Diagnostic) -> Vec<FileId> {
    let mut res = Vec::new();
    for label in &diagnostic.labels {
        if !res.contains(&label.span.file) {
            res.push(label.span.file);
        }
    }
    res
}

/// The lines of one text from the first label to the last, whose bytes are added to `excerpts`. The
/// label with number 0 is primary.
fn snippet<'a>(
    source: &'a SourceFile,
    labels: impl Iterator<Item = (usize, &'a Label)>,
    excerpts: &mut usize,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = source.text.as_str();
    let spans: Vec<(usize, &Label, std::ops::Range<usize>)> =
        labels.map(|(index, label)| (index, label, clamp(text, label))).collect();
    let first = spans.iter().map(|it| it.2.start).min().unwrap_or(0);
    let last = spans.iter().map(|it| it.2.end).max().unwrap_or(text.len());
    let start = text[..first].rfind('\n').map_or(0, |it| it + 1);
    let end = text[last..].find('\n').map_or(text.len(), |it| last + it + 1);
    *excerpts += end - start;
    let (line, _) = source.position(start);
    let mut res = Snippet::source(&text[start..end]).path(visible(&source.name)).line_start(line);
    for (index, label, span) in spans {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(span.start - start..span.end - start);
        res = res.annotation(match label.text.is_empty() {
            true => annotation,
            false => annotation.label(visible(&label.text)),
        });
    }
    res
}

/// The span of a label, within the text and on the borders of characters.
fn clamp(text: &str, label: &Label) -> std::ops::Range<usize> {
    let mut start = (label.span.start as usize).min(text.len());
    let mut end = (label.span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// The text without characters that would steer a terminal; newlines stay.
fn visible(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => res.push('\n'),
            '\t' => res.push(' '),
            it if it.is_control() => res.extend(it.escape_unicode()),
            it => res.push(it),
        }
    }
    res
}
