//! Makes a case smaller while it shows the same fault: declarations, then lines, then runs of tokens,
//! then brackets around something are left out.

use std::ops::Range;

use base::FileId;
use base::token::{TokenMode, tokenize};

use crate::case::Case;
use crate::edit::has_clauses;

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
        let all = [declarations as fn(&str) -> Vec<Range<usize>>, lines, runs, terms];
        let n_kinds = if has_clauses(&best.text) { 1 } else { all.len() };
        for cuts in all.into_iter().take(n_kinds) {
            without(&mut best, cuts, &mut attempt);
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

/// What stands before a bracket with the bracket itself, so that its content stays; the partner is
/// left out by the next round.
fn terms(text: &str) -> Vec<Range<usize>> {
    let spaces = text.match_indices("  ").map(|(at, it)| at..at + it.len() - 1);
    let breaks = text.match_indices("\n\n").map(|(at, _)| at..at + 1);
    spaces.chain(breaks).collect()
}
