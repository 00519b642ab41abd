//! Makes a case smaller while it shows the same fault: declarations are left out, expressions become
//! simple ones or parts of themselves, then lines and runs of tokens are left out.

use std::ops::Range;

use base::FileId;
use base::token::{TokenMode, tokenize};

use crate::case::Case;
use crate::edit::{has_clauses, terms};

/// The smallest case found that still `fails`; at most so many are tried.
pub fn shrink(case: &Case, tries: usize, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut left = tries;
    let mut attempt = |next: Case, best: &mut Case| {
        let is_smaller = next.to_text().len() < best.to_text().len();
        if left == 0 || !is_smaller {
            return false;
        }
        left -= 1;
        let does = fails(&next);
        if does {
            *best = next;
        }
        does
    };
    fewer_asks(&mut best, &mut attempt);
    loop {
        let before = best.to_text().len();
        without(&mut best, declarations, &mut attempt);
        if !has_clauses(&best.text) {
            simpler(&mut best, &mut attempt);
            for cuts in [lines as fn(&str) -> Vec<Range<usize>>, spaces, runs] {
                without(&mut best, cuts, &mut attempt);
            }
        }
        fewer_arguments(&mut best, &mut attempt);
        if best.to_text().len() == before {
            return best;
        }
    }
}

type Attempt<'a> = dyn FnMut(Case, &mut Case) -> bool + 'a;

fn fewer_asks(best: &mut Case, attempt: &mut Attempt<'_>) {
    for ask in best.asks.clone() {
        let one = Case { asks: vec![ask], ..best.clone() };
        if attempt(one, best) {
            return;
        }
    }
}

fn fewer_arguments(best: &mut Case, attempt: &mut Attempt<'_>) {
    for at in (0..best.arguments.len()).rev() {
        let mut next = best.clone();
        next.arguments.remove(at);
        attempt(next, best);
    }
}

/// Leaves out what `cuts` proposes, the last first, in the program and in what is asked.
fn without(best: &mut Case, cuts: fn(&str) -> Vec<Range<usize>>, attempt: &mut Attempt<'_>) {
    for range in cuts(&best.text).into_iter().rev() {
        if best.text.get(range.clone()).is_none() {
            continue;
        }
        let mut next = best.clone();
        next.text.replace_range(range, "");
        attempt(next, best);
    }
    for at in 0..best.asks.len() {
        for range in cuts(&best.asks[at]).into_iter().rev() {
            if best.asks[at].get(range.clone()).is_none() {
                continue;
            }
            let mut next = best.clone();
            next.asks[at].replace_range(range, "");
            attempt(next, best);
        }
    }
}

fn declarations(text: &str) -> Vec<Range<usize>> {
    let starts = ["def ", "type ", "data ", "test ", "bench "];
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        if starts.iter().any(|it| line.starts_with(it)) {
            found.push(at);
        }
        at += line.len();
    }
    let ends: Vec<usize> = found.iter().skip(1).copied().chain([text.len()]).collect();
    found.into_iter().zip(ends).map(|(from, to)| from..to).collect()
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut res = Vec::new();
    for line in text.split_inclusive('\n') {
        res.push(at..at + line.len());
        at += line.len();
    }
    res
}

/// Neighbouring tokens, long runs first (so last in the list).
fn runs(text: &str) -> Vec<Range<usize>> {
    let tokens = tokenize(FileId(0), text, TokenMode::Source);
    let mut res = Vec::new();
    for length in [1, 2, 3, 4, 6, 8, 12, 16, 32] {
        for window in tokens.windows(length) {
            let (first, last) = (window[0].span.range(), window[length - 1].span.range());
            res.push(first.start..last.end);
        }
    }
    res
}

/// Spaces and lines without anything.
fn spaces(text: &str) -> Vec<Range<usize>> {
    let spaces = text.match_indices("  ").map(|(at, it)| at..at + it.len() - 1);
    let breaks = text.match_indices("\n\n").map(|(at, _)| at..at + 1);
    spaces.chain(breaks).collect()
}

/// Values that may stand for any expression of their type.
const LEAVES: [&str; 5] = ["0.5", "x", "1", "true", "[0.5, 0.25]"];

/// Puts something simple, or a part of it, in the place of each expression, the longest first.
fn simpler(best: &mut Case, attempt: &mut Attempt<'_>) {
    for place in 0..=best.asks.len() {
        let mut at = 0;
        loop {
            // Anew every time: what was replaced has moved what follows.
            let text = part(best, place).clone();
            let mut ranges = terms(&text);
            ranges.sort_by_key(|it| std::cmp::Reverse(it.len()));
            let Some(range) = ranges.get(at) else { break };
            let term = &text[range.clone()];
            let inside = terms(term).into_iter().skip(1).map(|it| term[it].to_string());
            let inside = inside.filter(|it| it.len() > 3).take(6);
            let mut candidates = LEAVES.iter().map(ToString::to_string).chain(inside);
            let found = candidates.any(|new| {
                let mut next = best.clone();
                part(&mut next, place).replace_range(range.clone(), &new);
                attempt(next, best)
            });
            at += usize::from(!found);
        }
    }
}

/// The program, or one of the expressions.
fn part(case: &mut Case, place: usize) -> &mut String {
    match place.checked_sub(1) {
        Some(ask) => &mut case.asks[ask],
        None => &mut case.text,
    }
}
