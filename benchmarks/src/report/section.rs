//! A section of a document in the place of an older one.

/// The document with a section, which begins with a line `## NAME`: instead of the one of the same name, or in
/// front of all others.
pub fn with_section(document: &str, section: &str) -> String {
    let section = section.trim();
    let title = section.lines().next().unwrap_or_default();
    let is_title = |line: &str| line.starts_with("## ");
    let lines: Vec<&str> = document.lines().collect();
    let first = lines.iter().position(|it| is_title(it)).unwrap_or(lines.len());
    let old = lines.iter().position(|it| *it == title);
    let start = old.unwrap_or(first);
    let end = match old {
        Some(old) => {
            let behind = lines[old + 1..].iter().position(|it| is_title(it));
            behind.map_or(lines.len(), |it| old + 1 + it)
        }
        None => first,
    };
    let mut res: Vec<&str> = lines[..start].to_vec();
    res.extend(section.lines());
    if end < lines.len() {
        res.push("");
    }
    res.extend(&lines[end..]);
    res.join("\n") + "\n"
}

#[test]
fn a_section_takes_the_place_of_the_old_one_or_comes_first() {
    let old = "# R\n\n## A\n\nold\n\n## B\n\nb\n";
    assert_eq!(with_section(old, "\n## A\n\nnew\n"), "# R\n\n## A\n\nnew\n\n## B\n\nb\n");
    assert_eq!(with_section(old, "## B\n\nnew"), "# R\n\n## A\n\nold\n\n## B\n\nnew\n");
    assert_eq!(with_section("# R\n\n## B\n", "## A"), "# R\n\n## A\n\n## B\n");
    assert_eq!(with_section("# R", "## A"), "# R\n## A\n");
}
