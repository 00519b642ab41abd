//! What this machine has for the back end `native`, and what is missing.

#[cfg(feature = "native")]
mod compiled;

use crate::backend::{BACK_ENDS, chosen};
use crate::options::Options;

#[cfg(feature = "native")]
pub(crate) use compiled::examine as examine_native;

/// In a build without compiled code there is nothing to look at.
#[cfg(not(feature = "native"))]
pub(crate) fn examine_native(_: Options) -> Vec<Finding> {
    Vec::new()
}

/// What makes code without a C compiler.
pub(crate) fn examine_instant(_: Options) -> Vec<Finding> {
    let (found, trouble) = match cfg!(target_arch = "x86_64") {
        true => ("made in memory, without a C compiler", None),
        false => ("none for this processor", Some("the back end `instant` refuses every program")),
    };
    vec![Finding { what: "instant code", found: found.to_string(), trouble }]
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Doctor {
    /// In the order in which they are needed.
    pub findings: Vec<Finding>,
}

/// One thing that compiled programs need.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is.
    pub what: &'static str,
    /// What was found.
    pub found: String,
    /// If it is missing or unfit: what that means and what to do.
    pub trouble: Option<&'static str>,
}

impl Doctor {
    /// Looks at everything.
    pub fn examine(options: Options) -> Doctor {
        let findings = BACK_ENDS.iter().filter(|it| it.is_built);
        let findings = findings.flat_map(|it| (it.examine)(options)).collect();
        Doctor { findings }
    }

    /// Whether nothing is missing.
    pub fn is_well(&self) -> bool {
        self.findings.iter().all(|it| it.trouble.is_none())
    }

    /// A line for each thing.
    pub fn to_text(&self) -> String {
        let mut res = String::new();
        for Finding { what, found, trouble } in &self.findings {
            res += &format!("{what:<12}  {found}\n");
            if let Some(trouble) = trouble {
                res += &format!("{:<12}  {trouble}\n", "");
            }
        }
        res + &format!("{:<12}  {}\n", "back ends", chosen(self.is_well()))
    }

    /// `{"well":true,"findings":[{"what":"C compiler","found":"...","trouble":null}]}`
    pub fn to_json(&self) -> String {
        let findings = self.findings.iter().map(
            |it| serde_json::json!({ "what": it.what, "found": it.found, "trouble": it.trouble }),
        );
        let findings: Vec<serde_json::Value> = findings.collect();
        serde_json::json!({ "well": self.is_well(), "findings": findings }).to_string()
    }
}
