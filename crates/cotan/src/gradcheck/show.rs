//! What a check found, as a table and as JSON.

use serde_json::json;

use super::{Gradcheck, Law, Outcome};

/// What the laws say, for people.
fn about(law: &str) -> &'static str {
    match law {
        "methods" => "agrees with forward",
        "differences" => "agrees with central differences",
        "adjoint" => "<J dx, dy> = <dx, J^T dy>",
        "linear_jvp" => "jvp is linear in the direction",
        _ => "vjp is linear in the cotangent",
    }
}

/// The laws of one name.
fn rows(check: &Gradcheck) -> Vec<(&'static str, Vec<&Law>)> {
    let mut res: Vec<(&'static str, Vec<&Law>)> = Vec::new();
    for law in &check.laws {
        match res.iter_mut().find(|it| it.0 == law.name) {
            Some(row) => row.1.push(law),
            None => res.push((law.name, vec![law])),
        }
    }
    res
}

pub(super) fn text(check: &Gradcheck) -> String {
    let points = if check.points == 1 { "1 point" } else { &format!("{} points", check.points) };
    let of_all = check.laws.iter().filter(|it| it.name == "adjoint");
    let methods: Vec<&str> = of_all.map(|it| it.method).collect();
    let title = format!("{}, {points}", check.function);
    let mut res = format!("{title:<34}");
    methods.iter().for_each(|it| res += &format!("{it:>12}"));
    res += "\n";
    let mut notes: Vec<String> = Vec::new();
    for (name, laws) in rows(check) {
        res += &format!("{:<34}", about(name));
        for method in &methods {
            let cell = match laws.iter().find(|it| it.method == *method) {
                None => "-".to_string(),
                Some(law) => match &law.outcome {
                    Outcome::Holds => format!("{:.0e}", law.worst),
                    Outcome::Fails { .. } => "FAILS".to_string(),
                    Outcome::Skipped(why) => {
                        let note = match why.contains("refuses") {
                            true => why.clone(),
                            false => format!("{}: not checked, {why}", about(name)),
                        };
                        if !notes.contains(&note) {
                            notes.push(note);
                        }
                        "skipped".to_string()
                    }
                },
            };
            res += &format!("{cell:>12}");
        }
        res += "\n";
    }
    notes.iter().for_each(|it| res += &format!("{it}\n"));
    for law in &check.laws {
        if let Outcome::Fails { at, what } = &law.outcome {
            res += &format!("\n{} fails for {}:\n  {what}\n", about(law.name), law.method);
            res += &format!("  where {at}\n");
        }
    }
    res
}

pub(super) fn json(check: &Gradcheck) -> String {
    let law = |it: &Law| {
        let (outcome, at, detail) = match &it.outcome {
            Outcome::Holds => ("holds", None, None),
            Outcome::Fails { at, what } => ("fails", Some(at.as_str()), Some(what.as_str())),
            Outcome::Skipped(why) => ("skipped", None, Some(why.as_str())),
        };
        // JSON has no infinity.
        let worst = Some(it.worst).filter(|it| it.is_finite());
        json!({
            "law": it.name,
            "method": it.method,
            "outcome": outcome,
            "worst": worst,
            "tolerance": it.tolerance,
            "at": at,
            "detail": detail,
        })
    };
    let laws: Vec<serde_json::Value> = check.laws.iter().map(law).collect();
    json!({
        "function": check.function,
        "points": check.points,
        "holds": check.holds(),
        "laws": laws,
    })
    .to_string()
}
