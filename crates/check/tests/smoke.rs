//! Whole programs through the checker: what it accepts verifies, what it refuses it explains.

use base::{FileId, SourceMap};

fn check(text: &str) -> Result<check::Checked, String> {
    let mut sources = SourceMap::new();
    let prelude_id = sources.add("<prelude>", check::PRELUDE);
    let file = sources.add("test.cot", text);
    let (prelude, errors) = syntax::parse(prelude_id, check::PRELUDE);
    assert!(errors.is_empty(), "{}", format!("{errors:#?}{sources:?}"));
    let (module, mut errors) = syntax::parse(file, text);
    let (checked, more) = check::check(&prelude, &module);
    errors.extend(more);
    if errors.is_empty() {
        ir::verify::verify(&checked.program, ir::Dialect::Source)
            .unwrap_or_else(|it| panic!("{it:?}"));
        return Ok(checked);
    }
    let _ = FileId(0);
    Err(format!("{errors:#?}{sources:?}"))
}

#[test]
fn the_prelude_checks() {
    check("").unwrap_or_else(|it| panic!("{it}"));
}

#[test]
fn print_one() {
    let text = std::env::var("COTAN_TEXT").unwrap_or_default();
    match check(&text) {
        Ok(checked) => {
            for def in &checked.defs {
                println!(
                    "{}: {}",
                    def.name,
                    check::show_scheme(checked.scheme(&def.name).unwrap())
                );
                if std::env::var("SHOW").is_ok() {
                    println!("{}", checked.program.defs[&def.name]);
                }
            }
        }
        Err(text) => println!("{text}"),
    }
}
