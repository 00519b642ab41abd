//! Leaves out of our C what a program does not use: the C compiler reads faster, and so do people.
//!
//! Functions and macros whose names begin with `ct_` go unless code, or something that stays, names
//! them. Everything else stays. Names that are put together by macros count as all the names that they
//! may become.

use std::collections::HashMap;

/// The part of `prelude` that `code` needs.
pub(crate) fn needed(prelude: &str, code: &str) -> String {
    let items = items(prelude);
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (k, item) in items.iter().enumerate() {
        by_name.entry(item.name.unwrap_or_default()).or_default().push(k);
    }
    let mut kept = vec![false; items.len()];
    let mut open: Vec<usize> = by_name.remove("").unwrap_or_default();
    let mut texts = vec![code];
    while let Some(text) = texts.pop() {
        names(text, &mut |it| open.extend(by_name.remove(it).unwrap_or_default()));
        for k in open.drain(..) {
            kept[k] = true;
            texts.push(items[k].text);
        }
    }
    items.iter().zip(kept).filter(|it| it.1).map(|it| it.0.text).collect()
}

/// Some lines, and what they define if they may go.
struct Item<'a> {
    text: &'a str,
    name: Option<&'a str>,
}

fn items(text: &str) -> Vec<Item<'_>> {
    let mut res = Vec::new();
    let (mut start, mut end) = (0, 0);
    // Comments belong to what stands below them.
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        end += line.len();
        if line.starts_with("//") {
            continue;
        }
        let name = defined(line);
        if line.starts_with('#') {
            let mut last = line;
            while last.ends_with("\\\n")
                && let Some(line) = lines.next()
            {
                end += line.len();
                last = line;
            }
        } else if name.is_some() {
            let mut depth = depth(line);
            let mut inside = line.contains('{');
            while (depth > 0 || !inside)
                && let Some(line) = lines.next()
            {
                end += line.len();
                depth += self::depth(line);
                inside |= line.contains('{');
            }
        }
        res.push(Item { text: &text[start..end], name });
        start = end;
    }
    res.push(Item { text: &text[start..end], name: None });
    res
}

/// By how much braces are deeper after a line.
fn depth(line: &str) -> i32 {
    let count = |brace: char| line.matches(brace).count() as i32;
    count('{') - count('}')
}

/// The function or macro that a line defines, if its name is one of ours.
fn defined(line: &str) -> Option<&str> {
    const FUNCTIONS: [&str; 3] = ["CT_INLINE ", "CT_COLD ", "static "];
    let name = match line.strip_prefix("#define ") {
        Some(rest) => identifiers(rest).next()?.0,
        None if FUNCTIONS.iter().any(|it| line.starts_with(it)) => {
            let called = identifiers(line).filter(|it| it.1.starts_with('('));
            called.map(|it| it.0).find(|it| *it != "__attribute__")?
        }
        None => return None,
    };
    name.starts_with(OURS).then_some(name)
}

const OURS: &str = "ct_";

/// Macros that make names of their argument, and what they put behind it.
const PASTING: [&str; 6] = ["F", "CT_R", "CT_R1", "CT_N", "THROUGH", "THROUGH2"];
const ENDINGS: [&str; 6] = ["d", "d1", "f", "f1", "l", "w"];

/// Our names in a text, and those that they may become.
fn names(text: &str, found: &mut dyn FnMut(&str)) {
    let mut pasted = false;
    for (name, rest) in identifiers(text) {
        if pasted {
            ENDINGS.iter().for_each(|it| found(&format!("{OURS}{name}_{it}")));
        } else if name.starts_with(OURS) {
            found(name);
        }
        pasted = rest.starts_with('(') && PASTING.contains(&name);
    }
}

/// The words of a text, each with what follows it.
fn identifiers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let part = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
        let (_, from) = rest.split_at(rest.bytes().position(|it| part(&it))?);
        let end = from.bytes().position(|it| !part(&it)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        rest = after;
        Some((word, after))
    })
}

#[cfg(test)]
mod tests {
    use super::needed;

    #[test]
    fn what_is_named_stays_with_all_it_names() {
        let prelude = "\
#if CT_W
#define ct_exp CT_R(exp)
#define ct_log CT_R(log)
#endif
// Of two.
CT_INLINE double ct_exp_d(double x) {
  return ct_twice_d1(x) + 1;
}
// Goes.
CT_INLINE double ct_log_d(double x) { return x; }
static __attribute__((noinline)) ct_twice
ct_twice_d1(double x) {
  return 2 * x;
}
CT_INLINE T F(sin)(T x) { return F(ma)(x); }
CT_INLINE double ct_ma_f(double x) { return x; }
CT_INLINE double ct_mb_f(double x) { return x; }
CT_MACRO(ct_twice)
";
        let kept = needed(prelude, "y = ct_exp(1);");
        let gone = ["// Goes.", "ct_log", "ct_mb_f"];
        assert!(gone.iter().all(|it| !kept.contains(it)), "{kept}");
        let lines = prelude.lines().filter(|line| gone.iter().all(|it| !line.contains(it)));
        assert_eq!(kept.lines().collect::<Vec<_>>(), lines.collect::<Vec<_>>());
    }
}
