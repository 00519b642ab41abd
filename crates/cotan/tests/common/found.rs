//! What a comparison of many programs found.

use std::collections::BTreeMap;

use super::collected::wanted;

#[derive(Default)]
pub(crate) struct Found {
    pub(crate) agreed: usize,
    pub(crate) wrong: Vec<String>,
    /// By reason, the names of programs.
    pub(crate) refused: BTreeMap<String, Vec<String>>,
}

impl Found {
    pub(crate) fn refuse(&mut self, reason: String, name: &str) {
        self.refused.entry(reason).or_default().push(name.to_string());
    }

    /// All of it, in order.
    pub(crate) fn together(parts: Vec<Found>) -> Found {
        let mut all = Found::default();
        for part in parts {
            all.agreed += part.agreed;
            all.wrong.extend(part.wrong);
            for (reason, names) in part.refused {
                all.refused.entry(reason).or_default().extend(names);
            }
        }
        all
    }

    /// What was refused and why; fails if anything is wrong, or if few agree of all there are.
    pub(crate) fn report(self, least: usize) -> String {
        let Found { agreed, wrong, refused } = self;
        let mut report = String::new();
        for (reason, mut names) in refused {
            let count = names.len();
            names.dedup();
            report += &format!("{count} refused: {reason}\n  {}\n", names.join(", "));
        }
        if !wrong.is_empty() {
            panic!("{agreed} agree\n{report}\n{} wrong\n{}", wrong.len(), wrong.join("\n"));
        }
        assert!(agreed >= least || !wanted().is_empty(), "only {agreed} agree");
        report
    }
}
