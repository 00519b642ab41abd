//! Changes that often leave a program well typed: a literal, an operator or a function for another of
//! its kind, a term for another term, a term in a construct around it.

use std::ops::Range;

use base::FileId;
use base::token::{Token, TokenKind, TokenMode, tokenize};

use ::generate::Random;

/// What may stand for each other.
const FAMILIES: &[&[&str]] = &[
    &["+", "-", "*", "/", "**", "%"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["&&", "||"],
    &["true", "false"],
    &["then", "then"],
    &[
        "sin",
        "cos",
        "exp",
        "log",
        "sqrt",
        "tanh",
        "abs",
        "sigmoid",
        "softplus",
        "floor",
        "sign",
        "erf",
        "lgamma",
        "log1p",
        "expm1",
        "tan",
        "atan",
        "asin",
        "sinh",
        "round",
        "stop_gradient",
    ],
    &["sum", "product", "maximum", "minimum", "mean", "norm", "logsumexp"],
    &["sort", "reverse", "sin", "exp"],
    &["min", "max", "atan2", "pow"],
    &["dot", "matvec", "matmul", "outer"],
    &["argmax", "argmin", "length"],
    &["grad", "value_and_grad", "jacobian", "hessian"],
    &["jvp", "hvp"],
    &["map", "filter"],
    &["fold", "scan"],
    &["zip", "concat"],
    &["Real", "Int"],
];

const REALS: &[&str] = &[
    "0.0", "1.0", "0.5", "2.0", "3.25", "1e-3", "7.5", "1e8", "1e-9", "1e200", "(-1.0)", "(-0.0)",
    "(-2.5)",
];

const INTS: &[&str] = &["0", "1", "2", "3", "5", "(-1)", "9223372036854775807", "4"];

/// The derivative operators.
pub(crate) const OPERATORS: &[&str] =
    &["grad", "jvp", "vjp", "value_and_grad", "jacobian", "hessian", "hvp", "linearise"];

/// Constructs around a term, which is `#`.
const AROUND: &[&str] = &[
    "sin(#)",
    "(# + #)",
    "(# * #)",
    "(-#)",
    "(#)[0]",
    "[#, #]",
    "sum([#, #])",
    "stop_gradient(#)",
    "sum(#)",
    "transpose(#)",
    "(build i < 3 => #)",
    "(build i < 2 => real(i) * #)",
    "(if # > 0.0 then # else 1.0)",
    "grad(\\z => z * z * #)(0.5)",
    "jvp(\\z => sin(z) * #)(0.5, 1.0)",
    "vjp(\\z => [z, z * #])(0.5)([1.0, 2.0])",
    "{ let (y, push, pull) = linearise(\\z => sin(z) * #)(0.5); push(y) + pull(0.5) * pull(y) }",
    "iterate(2, \\z => sin(z) * #, 0.3)",
    "fold(\\s, e => s * 0.5 + e * #, 0.1, [1.0, 2.0])",
    "sum(scan(\\s, e => s * e + #, 0.1, [1.0, 2.0]))",
    "sum(map(\\z => z * #, [1.0, 2.0]))",
    "sum(filter(\\z => z < #, [1.0, 2.0]))",
    "while(\\(k, _) => k < 2, \\(k, w) => (k + 1, w * #), (0, 0.7)).1",
    "grad(\\z => grad(\\y => y * y * z * #)(0.3))(0.4)",
    "match Some(#) { Some(z) => z, None => # }",
    "{ let z = #; z * z }",
    "sum(gather([0.5, #], [1, 1, 0]))",
    "sort([#, 0.3, #])[1]",
    "product([#, 0.0, 2.0])",
    "hvp(\\v => v[0] ** 2.0 * v[1] * #)([1.0, 2.0], [0.5, 0.1])[0]",
];

/// Whether a program has clauses of custom derivatives. One that is no derivative any more, by itself or
/// by what it calls, has no one meaning to compare with, so such programs stay as they are.
pub fn has_clauses(text: &str) -> bool {
    text.contains("with vjp(") || text.contains("with jvp(")
}

/// A text with one to three changes.
pub fn edited(random: &mut Random, text: &str) -> String {
    let mut text = text.to_string();
    if has_clauses(&text) {
        return text;
    }
    for _ in 0..=random.below(3) {
        text = changed(random, &text);
    }
    text
}

fn changed(random: &mut Random, text: &str) -> String {
    let tokens = tokenize(FileId(0), text, TokenMode::Source);
    match random.below(8) {
        0 | 1 => literal(random, text, &tokens),
        2..=4 => of_family(random, text, &tokens),
        5 => {
            let (old, new) = (term(random, text, &tokens), term(random, text, &tokens));
            let new = text[new].to_string();
            replaced(text, old, &new)
        }
        _ => {
            let at = term(random, text, &tokens);
            let around = random.pick(AROUND).replace('#', &text[at.clone()]);
            replaced(text, at, &around)
        }
    }
}

fn replaced(text: &str, at: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..at.start], &text[at.end..])
}

fn literal(random: &mut Random, text: &str, tokens: &[Token]) -> String {
    let is_number = |it: &&Token| it.kind == TokenKind::Int || it.kind == TokenKind::Real;
    let numbers: Vec<&Token> = tokens.iter().filter(is_number).collect();
    if numbers.is_empty() {
        return text.to_string();
    }
    let chosen = *random.pick(&numbers);
    let new = if chosen.kind == TokenKind::Int { random.pick(INTS) } else { random.pick(REALS) };
    replaced(text, chosen.span.range(), new)
}

fn of_family(random: &mut Random, text: &str, tokens: &[Token]) -> String {
    let family = |it: &Token| FAMILIES.iter().find(|all| all.contains(&it.text(text)));
    let known: Vec<(&Token, &&[&str])> =
        tokens.iter().filter_map(|it| Some((it, family(it)?))).collect();
    if known.is_empty() {
        return text.to_string();
    }
    let (token, family) = *random.pick(&known);
    let new = *random.pick(family);
    replaced(text, token.span.range(), new)
}

/// All places that look like expressions.
pub fn terms(text: &str) -> Vec<Range<usize>> {
    let tokens = tokenize(FileId(0), text, TokenMode::Source);
    let place = |at: usize| Some(tokens[at].span.range().start..end_of_term(&tokens, at)?);
    (0..tokens.len()).filter_map(place).collect()
}

/// A place that looks like an expression: a literal, a name or something in brackets, with what is
/// called, indexed or selected.
fn term(random: &mut Random, text: &str, tokens: &[Token]) -> Range<usize> {
    for _ in 0..20 {
        let at = random.below(tokens.len());
        let follows_dot = at > 0 && tokens[at - 1].kind == TokenKind::Dot;
        if let Some(end) = end_of_term(tokens, at).filter(|_| !follows_dot) {
            return tokens[at].span.range().start..end;
        }
    }
    text.len()..text.len()
}

fn end_of_term(tokens: &[Token], at: usize) -> Option<usize> {
    let mut last = if opens(tokens[at].kind) { closing(tokens, at)? } else { at };
    if last == at && !is_leaf(tokens[at].kind) {
        return None;
    }
    while let Some(next) = tokens.get(last + 1) {
        let touches = next.span.range().start == tokens[last].span.range().end;
        if touches && opens(next.kind) {
            last = closing(tokens, last + 1)?;
        } else if touches && next.kind == TokenKind::Dot && last + 2 < tokens.len() {
            last += 2;
        } else {
            break;
        }
    }
    Some(tokens[last].span.range().end)
}

fn opens(kind: TokenKind) -> bool {
    kind == TokenKind::LParen || kind == TokenKind::LBracket
}

fn is_leaf(kind: TokenKind) -> bool {
    let leaves = [TokenKind::Ident, TokenKind::Int, TokenKind::Real, TokenKind::True];
    leaves.contains(&kind) || kind == TokenKind::False || kind == TokenKind::Upper
}

/// The bracket that closes the one here.
fn closing(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        if opens(token.kind) || token.kind == TokenKind::LBrace {
            depth += 1;
        }
        let closes = [TokenKind::RParen, TokenKind::RBracket, TokenKind::RBrace];
        if closes.contains(&token.kind) {
            depth -= 1;
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}
