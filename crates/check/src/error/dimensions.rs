//! E0407: arrays of different numbers of dimensions meet, and what may have been meant.

use base::{Code, Diagnostic, Span};

use crate::types::{ShowSize, Size, SizeAtom, Type};

/// `left op right` of two arrays; shapes that do not match are not stretched.
pub(super) fn operands(symbol: &str, left: &(Type, Span), right: &(Type, Span)) -> Diagnostic {
    let res = differ()
        .label(left.1, format!("this is `{}`", left.0))
        .label(right.1, format!("this is `{}`", right.0));
    let (left, right) = (sizes(&left.0), sizes(&right.0));
    let write = |a: &str, b: &str| match symbol.starts_with(char::is_alphabetic) {
        true => format!("{symbol}({a}, {b})"),
        false => format!("{a} {symbol} {b}"),
    };
    match left.len() > right.len() {
        true => meant(res, &left, &right, &write),
        false => meant(res, &right, &left, &|a, b| write(b, a)),
    }
}

/// The mask of a `select` that has fewer dimensions than what it selects from.
pub(super) fn mask(span: Span, mask: &Type, of: &Type) -> Diagnostic {
    let res = differ().label(span, format!("this mask is `{mask}`, the values are `{of}`"));
    meant(res, &sizes(of), &sizes(mask), &|m, v| format!("select({v}, {m}, ...)"))
}

fn differ() -> Diagnostic {
    Diagnostic::error(Code("E0407"), "arrays of different numbers of dimensions")
}

/// The sizes of an array, outside in.
fn sizes(mut ty: &Type) -> Vec<Size> {
    let mut res = Vec::new();
    while let Type::Array(size, elem) = ty {
        res.push(size.clone());
        ty = elem;
    }
    res
}

/// The two ways to say it, as far as the sizes allow them: the smaller array with every row of
/// the larger, or its elements with the rows.
fn meant(
    mut res: Diagnostic,
    large: &[Size],
    small: &[Size],
    write: &dyn Fn(&str, &str) -> String,
) -> Diagnostic {
    let outer = large.len().saturating_sub(small.len());
    if fit(&large[outer..], small) {
        let mut way = write("row", "v");
        for depth in (0..outer).rev() {
            let (array, elem) = (name("m", depth), name("m", depth + 1));
            let elem = if depth + 1 == outer { "row".to_string() } else { elem };
            way = format!("map(\\{elem} => {way}, {array})");
        }
        res = res.help(format!("for the smaller array `v` with every row of `m`, write `{way}`"));
    }
    if fit(large, small) {
        let index: Vec<String> = (0..small.len()).map(|it| name("i", it)).collect();
        let shown = |size: &Size, depth: usize| match size.as_constant() {
            Some(size) => size.to_string(),
            None if depth == 0 => "length(v)".to_string(),
            None => ShowSize(size).to_string(),
        };
        let bounds: Vec<String> = index
            .iter()
            .zip(small)
            .enumerate()
            .map(|(depth, (index, size))| format!("{index} < {}", shown(size, depth)))
            .collect();
        let at = index.join(", ");
        let way = write(&format!("m[{at}]"), &format!("v[{at}]"));
        let way = format!("build {} => {way}", bounds.join(", "));
        res = res.help(format!("for each number of `v` with its own row of `m`, write `{way}`"));
    }
    res
}

fn name(letter: &str, depth: usize) -> String {
    if depth == 0 { letter.to_string() } else { format!("{letter}{}", depth + 1) }
}

/// Whether sizes at the same places are equal, or may turn out to be.
fn fit(large: &[Size], small: &[Size]) -> bool {
    let open = |size: &Size| size.vars().iter().any(|it| matches!(it, SizeAtom::Var(_)));
    large.iter().zip(small).all(|(a, b)| a == b || open(&a.sub(b)))
}
