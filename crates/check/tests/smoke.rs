//! Whole programs through the checker: what it accepts verifies, what it refuses it explains.

use base::SourceMap;

fn check(text: &str) -> Result<check::Checked, String> {
    let mut sources = SourceMap::new();
    let prelude_id = sources.add("<prelude>", check::PRELUDE);
    let file = sources.add("test.cot", text);
    let (prelude, errors) = syntax::parse(prelude_id, check::PRELUDE);
    assert!(errors.is_empty(), "{errors:?}");
    let (module, mut errors) = syntax::parse(file, text);
    if !errors.is_empty() {
        return Err(format!("{errors:?}"));
    }
    let (checked, more) = check::check(&prelude, &module);
    errors.extend(more);
    if !errors.iter().any(base::Diagnostic::is_error) {
        ir::verify::verify(&checked.program, ir::Dialect::Source)
            .unwrap_or_else(|it| panic!("{it:?}"));
        return Ok(checked);
    }
    let mut res = String::new();
    for it in errors {
        res += &format!("{} {}\n", it.code.0, it.title);
        for l in &it.labels {
            res += &format!(
                "   {:?} `{}`: {}\n",
                sources.position(l.span),
                sources.snippet(l.span),
                l.text
            );
        }
        for h in &it.help {
            res += &format!("   help: {h}\n");
        }
    }
    Err(res)
}

#[test]
fn the_prelude_checks() {
    check("").unwrap_or_else(|it| panic!("{it}"));
}
