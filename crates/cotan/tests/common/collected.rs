//! All examples, programs and code blocks of the book, with the expressions that their tests compare.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use cotan::{Precision, Via};

use super::methods::compared;
use super::sources;

/// The folders of programs with tests, and their precision.
const FOLDERS: [(&str, Precision); 7] = [
    ("language", Precision::F64),
    ("prims", Precision::F64),
    ("hazards", Precision::F64),
    ("peers", Precision::F64),
    ("reverse", Precision::F64),
    ("bulk", Precision::F64),
    ("single", Precision::F32),
];

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    let programs = FOLDERS.into_iter().flat_map(|(folder, it)| programs(folder, it));
    examples().into_iter().chain(programs).chain(book()).collect()
}

/// A program, and expressions in its scope.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) precision: Precision,
    /// The method of what is compared with the interpreter.
    #[allow(dead_code, reason = "not every test chooses a method")]
    pub(crate) via: Via,
    pub(crate) questions: Vec<String>,
}

/// Programs with more questions than this are asked one of so many.
const FEW: usize = 6;
const ONE_OF: usize = 5;

/// The cases with fewer questions, unless they are to be asked whole: which ones is up to the program.
pub(crate) fn thinned(mut cases: Vec<Case>, is_whole: bool) -> Vec<Case> {
    for case in &mut cases {
        if case.questions.len() > FEW && case.name.contains('/') && !is_whole {
            let first = case.text.len() % ONE_OF;
            case.questions = case.questions.iter().skip(first).step_by(ONE_OF).cloned().collect();
        }
    }
    cases
}

/// The part of a name that the caller asks for.
pub(crate) fn wanted() -> String {
    std::env::var("CASE").unwrap_or_default()
}

/// Looks at each case that is wanted and gives what was found, in order. Every core takes the next
/// case, and the longest ones come first.
pub(crate) fn each<T: Send>(mut cases: Vec<Case>, look: impl Fn(&Case) -> T + Sync) -> Vec<T> {
    let wanted = wanted();
    cases.retain(|it| it.name.contains(&wanted));
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|&it| std::cmp::Reverse(cases[it].text.len()));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(&it) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((it, look(&cases[it])));
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(1, |it| it.get());
    let mut found = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            found.extend(other.join().expect("panics are caught"));
        }
        found
    });
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1).collect()
}

/// The programs of a folder.
fn programs(folder: &str, precision: Precision) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(folder);
    let entries = std::fs::read_dir(root).expect("the folder is there");
    let mut paths: Vec<_> = entries
        .map(|it| it.expect("readable").path())
        .filter(|it| it.extension().is_some_and(|it| it == "cot"))
        .collect();
    paths.sort();
    let case = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("readable");
        let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let questions = compared(&text);
        Case { name: format!("{folder}/{stem}"), text, precision, via: Via::Auto, questions }
    };
    paths.iter().map(|it| case(it)).collect()
}

pub(crate) fn examples() -> Vec<Case> {
    let case = |it: sources::Source| {
        let mut questions = compared(&it.text);
        questions.push(it.header("derivative").to_string());
        Case { name: it.name, text: it.text, precision: Precision::F64, via: Via::Auto, questions }
    };
    sources::examples().into_iter().map(case).collect()
}

/// The programs of the book and of README.md: what their tests compare.
fn book() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "md") => paths.push(path),
                false => {}
            }
        }
    }
    paths.sort();
    paths.iter().flat_map(|path| blocks(path)).collect()
}

/// The whole programs of one page, in the order in which they stand.
fn blocks(path: &Path) -> Vec<Case> {
    let page = std::fs::read_to_string(path).expect("readable");
    let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let marked = page.split("```").skip(1).step_by(2).filter_map(|it| it.split_once('\n'));
    let programs = marked.filter(|it| it.0.split(' ').next() == Some("cotan"));
    let case = |text: &str| Case {
        name: format!("docs/{stem}"),
        text: text.to_string(),
        precision: Precision::F64,
        via: Via::Auto,
        questions: compared(text),
    };
    programs.map(|it| case(it.1)).collect()
}
