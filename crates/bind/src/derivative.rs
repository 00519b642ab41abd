//! Derivatives that are asked for: `grad(loss, w)` and the like, as Cotan.

/// The operators, each with what it gives.
pub const OPERATORS: &[(&str, &str)] = &[
    ("grad", "gradient"),
    ("value_and_grad", "value and gradient"),
    ("jvp", "directional derivative"),
    ("vjp", "pull-back"),
    ("jacobian", "Jacobian"),
    ("hessian", "Hessian"),
    ("hvp", "product of the Hessian with a direction"),
];

/// A derivative of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// One of [`OPERATORS`].
    pub operator: String,
    /// The definition.
    pub of: String,
    /// The parameters that it is by; all if there are none.
    pub by: Vec<String>,
}

/// A derivative as an expression.
pub(crate) struct Derived {
    pub(crate) params: Vec<String>,
    pub(crate) body: String,
}

impl Asked {
    /// What it is, in words.
    pub(crate) fn noun(&self) -> &'static str {
        let found = OPERATORS.iter().find(|it| it.0 == self.operator);
        found.map_or("derivative", |it| it.1)
    }

    /// It over the parameters of the definition, and behind them the directions or the cotangent.
    pub(crate) fn text(&self, params: &[String]) -> Result<Derived, String> {
        let Asked { operator, of, by } = self;
        if !OPERATORS.iter().any(|it| it.0 == operator) {
            let all: Vec<&str> = OPERATORS.iter().map(|it| it.0).collect();
            return Err(format!("`{operator}` is no derivative; there are {}", all.join(", ")));
        }
        if params.is_empty() {
            return Err(format!("`{of}` has no parameters to differentiate by"));
        }
        if let Some(wrong) = by.iter().find(|it| !params.contains(it)) {
            let all = params.join("`, `");
            return Err(format!("`{of}` has no parameter `{wrong}`; there are `{all}`"));
        }
        let chosen = params.iter().filter(|it| by.is_empty() || by.contains(it));
        let chosen: Vec<&str> = chosen.map(String::as_str).collect();
        let free = |name: String| if params.contains(&name) { name + "_" } else { name };
        let more: Vec<String> = match operator.as_str() {
            "jvp" | "hvp" => chosen.iter().map(|it| free(format!("d{it}"))).collect(),
            "vjp" => vec![free("dy".to_owned())],
            _ => Vec::new(),
        };
        let by = chosen.join(", ");
        let function = format!("{operator}(\\{by} => {of}({}))", params.join(", "));
        let directions = more.join(", ");
        let body = match operator.as_str() {
            "jvp" | "hvp" if more.len() > 1 => format!("{function}(({by}), ({directions}))"),
            "jvp" | "hvp" => format!("{function}({by}, {directions})"),
            "vjp" => format!("{function}({by})({directions})"),
            _ => format!("{function}({by})"),
        };
        let params = params.iter().cloned().chain(more).collect();
        Ok(Derived { params, body })
    }
}
