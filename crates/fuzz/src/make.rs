//! Makes inputs: of a seed and a number always the same one.

use std::collections::BTreeSet;

use base::FileId;
use base::token::{TokenKind, TokenMode, tokenize};
use cotan::{ArgumentData, Backend, Compiled, Compiler, Options, Precision};

use crate::case::Case;
use crate::corpus::Corpus;
use crate::target::{Kind, MEMORY, gives_compiled};
use crate::{edit, generate, mutate, typed};
use ::generate::Random;
use testing::texts;

/// Programs that are compiled together.
const TOGETHER: usize = 8;

/// Changed programs that are tried before one is given up.
const TRIES: usize = 8;

/// How a candidate is told to whoever watches, before it is checked: checking may not end.
pub type Note<'a> = &'a dyn Fn(&Case);

/// The input with this number.
pub fn make(kind: Kind, seed: u64, number: u64, corpus: &Corpus, note: Note<'_>) -> Case {
    let mut random = Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ kind as u64);
    let way = random.bits() % 1024;
    let case = match kind {
        Kind::Text | Kind::Check => Case::of_text(any_text(&mut random, corpus)),
        Kind::Evaluate => evaluated(&mut random, corpus, note),
        Kind::Compile => {
            let many = if random.once_in(16) { 1 } else { TOGETHER };
            together(&mut random, corpus, many, note)
        }
        Kind::Build => built(&mut random, corpus, note),
    };
    Case { way, ..case }
}

/// A program that is almost right, or no program at all.
pub fn any_text(random: &mut Random, corpus: &Corpus) -> String {
    match random.below(10) {
        0 => texts::token_soup(random, 200),
        1 | 2 => generate::program(random),
        3 => {
            let program = generate::program(random);
            texts::changed(random, &program, &corpus.texts)
        }
        4..=6 => {
            let slice = corpus.slice(random);
            edit::edited(random, &slice.text)
        }
        _ => {
            let example = random.pick(&corpus.texts).clone();
            let part = mutate::some_items(random, &example);
            texts::changed(random, &part, &corpus.texts)
        }
    }
}

/// Derivatives of a function of three reals, which `typed` makes.
const DERIVATIVES: &[&str] = &[
    "value_and_grad(f)([0.3, -0.7, 1.1])",
    "jvp(f)([0.3, -0.7, 1.1], [0.6, -0.4, 0.9])",
    "vjp(\\x => (f(x), x * f(x)))([0.3, -0.7, 1.1])((1.0, [0.6, -0.4, 0.9]))",
    "{ let (y, push, pull) = linearise(f)([0.3, -0.7, 1.1]); push(pull(y)) + sum(pull(0.5)) }",
    "hvp(f)([0.3, -0.7, 1.1], [0.6, -0.4, 0.9])",
    "grad(\\x => jvp(f)(x, [0.6, -0.4, 0.9]))([0.3, -0.7, 1.1])",
    "hessian(f)([0.3, -0.7, 1.1])",
];

/// A program that checks, with something to evaluate.
fn evaluated(random: &mut Random, corpus: &Corpus, note: Note<'_>) -> Case {
    let precision = if random.once_in(8) { Precision::F32 } else { Precision::F64 };
    for _ in 0..TRIES {
        let mut case = candidate(random, corpus);
        case.precision = precision;
        note(&case);
        let Some(mut program) = compiled(&case) else { continue };
        if case.asks.is_empty() {
            ask_definition(random, &mut program, &mut case);
        }
        if !case.asks.is_empty() {
            return case;
        }
    }
    Case::of_text(String::new())
}

fn candidate(random: &mut Random, corpus: &Corpus) -> Case {
    if random.once_in(4) {
        let mut case = Case::of_text(typed::function(random));
        case.asks = vec![random.pick(DERIVATIVES).to_string()];
        if random.once_in(2) {
            case.text = edit::edited(random, &case.text);
        }
        return case;
    }
    let slice = corpus.slice(random);
    let mut case = Case::of_text(edit::edited(random, &slice.text));
    // The side of a test, changed as well now and then; else a definition is asked for later.
    case.asks = slice.sides.iter().take(2).cloned().collect();
    if random.once_in(3)
        && let Some(ask) = case.asks.first_mut()
    {
        *ask = edit::edited(random, ask);
    }
    if slice.sides.is_empty()
        && let Some(def) = slice.def
    {
        case.arguments.push((def, String::new()));
    }
    case
}

/// Asks for the value or a derivative of the definition that a candidate names, at random arguments.
fn ask_definition(random: &mut Random, program: &mut Compiled, case: &mut Case) {
    let Some((def, _)) = case.arguments.pop() else { return };
    let Some(made) = program.random_arguments(&def, random.below(64)) else { return };
    let json = |it: &ArgumentData| match it {
        ArgumentData::Json(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ArgumentData::Npy(_) | ArgumentData::Array(_) | ArgumentData::Table(_) => String::new(),
        ArgumentData::Reals(_) | ArgumentData::Parts(_) | ArgumentData::Data(_) => String::new(),
    };
    let names: Vec<&str> = made.iter().map(|it| it.name.as_str()).collect();
    let names = names.join(", ");
    let asks = [
        format!("{def}({names})"),
        format!("value_and_grad({def})({names})"),
        format!("grad({def})({names})"),
        format!("hessian({def})({names})"),
        format!("jacobian({def})({names})"),
    ];
    // Of what gives no reals there is only the value to ask for.
    let gives = program.type_of(&def).unwrap_or_default();
    let gives_reals = gives.rsplit("->").next().is_some_and(|it| it.contains("Real"));
    // Some clauses are no derivatives, on purpose: then second ones have no one meaning.
    let n_asks = match (gives_reals, edit::has_clauses(&case.text)) {
        (false, _) => 1,
        (true, true) => 3,
        (true, false) => asks.len(),
    };
    case.asks = vec![asks[random.below(n_asks)].clone()];
    case.arguments = made.iter().map(|it| (it.name.clone(), json(&it.data))).collect();
}

fn compiled(case: &Case) -> Option<Compiled> {
    let options = Options { memory: MEMORY, backend: Backend::Interp, ..Options::default() };
    Compiler::new(options).compile("fuzz.cot", &case.text).ok()
}

/// Programs whose values are known to be there, as one: the C compiler takes longer to begin than for
/// all of them.
fn together(random: &mut Random, corpus: &Corpus, many: usize, note: Note<'_>) -> Case {
    let mut res = Case::of_text(String::new());
    let mut asks = Vec::new();
    for _ in 0..TRIES * many {
        if asks.len() == many {
            break;
        }
        let mut case = evaluated(random, corpus, note);
        case.precision = res.precision;
        case.asks.truncate(1);
        note(&case);
        let Some(ask) = case.asks.first() else { continue };
        // An error would hide the others; programs with errors are compiled by themselves.
        if many == 1 || gives_compiled(&case, ask) {
            let renamed = renamed(&case, asks.len());
            res.text += &renamed.text;
            res.arguments.extend(renamed.arguments);
            asks.extend(renamed.asks);
        }
    }
    if asks.len() == 1 {
        res.asks = asks;
    } else if !asks.is_empty() {
        res.asks = vec![format!("({})", asks.join(", "))];
    }
    res
}

/// The case with a number behind every name that it defines.
fn renamed(case: &Case, number: usize) -> Case {
    let mut own: BTreeSet<String> = case.arguments.iter().map(|it| it.0.clone()).collect();
    own.extend(defined(&case.text));
    let rename = |text: &str| {
        let mut res = String::new();
        let mut end = 0;
        for token in tokenize(FileId(0), text, TokenMode::Source) {
            let range = token.span.range();
            res += &text[end..range.end];
            end = range.end;
            if own.contains(token.text(text)) {
                res += &format!("_{number}");
            }
        }
        res + &text[end..]
    };
    let arguments = case.arguments.iter();
    Case {
        precision: case.precision,
        way: case.way,
        asks: case.asks.iter().map(|it| rename(it)).collect(),
        arguments: arguments
            .map(|(name, json)| (format!("{name}_{number}"), json.clone()))
            .collect(),
        text: rename(&case.text),
    }
}

/// The names after `def`, `type` and `data`, and the constructors.
fn defined(text: &str) -> BTreeSet<String> {
    let tokens = tokenize(FileId(0), text, TokenMode::Source);
    let mut res = BTreeSet::new();
    let mut in_data = false;
    for pair in tokens.windows(2) {
        let word = pair[1].text(text).to_string();
        let kind = pair[0].kind;
        if kind == TokenKind::Test || kind == TokenKind::Bench {
            in_data = false;
        }
        if [TokenKind::Def, TokenKind::Type, TokenKind::Data].contains(&kind) {
            in_data = kind == TokenKind::Data;
            res.insert(word);
        } else if in_data && (kind == TokenKind::Assign || kind == TokenKind::Pipe) {
            res.insert(word);
        }
    }
    res
}

/// A program whose definitions become C for others.
fn built(random: &mut Random, corpus: &Corpus, note: Note<'_>) -> Case {
    for _ in 0..TRIES {
        let slice = corpus.slice(random);
        let Some(def) = slice.def else { continue };
        let mut case = Case::of_text(edit::edited(random, &slice.text));
        note(&case);
        let Some(mut program) = compiled(&case) else { continue };
        let Some(made) = program.random_arguments(&def, random.below(64)) else { continue };
        for it in made {
            if let ArgumentData::Json(bytes) = it.data {
                case.arguments.push((it.name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        case.asks = vec![def];
        return case;
    }
    Case::of_text(String::new())
}
