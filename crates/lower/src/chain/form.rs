//! Linear forms of states, and the operations that compute their factors.

use std::collections::{BTreeMap, BTreeSet};

use ir::Prim;
use loops::{Atom, Block, Node, Value, Var};

use super::var_of;

/// `sum factors[s] * s + constant`.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    factors: BTreeMap<Var, Atom>,
    constant: Option<Atom>,
    /// Whether there is a `scale` in it: only derivatives have that.
    pub(super) is_derivative: bool,
}

/// The forms of what a step computes of the states; nothing for what is not linear in them.
pub(super) struct Forms(BTreeMap<Var, Option<Form>>);

impl Forms {
    /// The form of an operand.
    pub(super) fn of(&self, atom: Atom) -> Option<Form> {
        match var_of(atom).and_then(|it| self.0.get(&it)) {
            Some(known) => known.clone(),
            None => Some(Form { constant: Some(atom), ..Form::default() }),
        }
    }

    /// Whether an operand depends on no state.
    fn is_constant(&self, atom: Atom) -> bool {
        var_of(atom).is_none_or(|it| !self.0.contains_key(&it))
    }
}

/// Makes the operations for factors.
pub(super) struct Maker {
    first: usize,
    /// One for every new variable, a real.
    pub(super) reals: Vec<()>,
    /// The operations.
    pub(super) made: Block,
}

const ONE: Atom = Atom::Real(1.0);

impl Maker {
    /// New variables are numbered from there on.
    pub(super) fn new(first: usize) -> Maker {
        Maker { first, reals: Vec::new(), made: Vec::new() }
    }

    /// What the variables of a step are, as forms of these states.
    pub(super) fn forms(&mut self, body: &Block, states: &BTreeSet<Var>) -> Forms {
        let one = |it: &Var| Form { factors: BTreeMap::from([(*it, ONE)]), ..Form::default() };
        let mut forms = Forms(states.iter().map(|it| (*it, Some(one(it)))).collect());
        for node in body {
            let Node::Let { var, value } = node else { continue };
            let mut depends = false;
            node.uses(&mut |it| depends |= forms.0.contains_key(&it));
            if depends {
                let form = self.value(value, &forms);
                forms.0.insert(*var, form);
            }
        }
        forms
    }

    fn value(&mut self, value: &Value, forms: &Forms) -> Option<Form> {
        match value {
            Value::Atom(atom) => forms.of(*atom),
            Value::ScaleAdd(x, y, z) => {
                let product = self.product(*x, *y, forms)?;
                let other = forms.of(*z)?;
                Some(self.plus(&product, &other))
            }
            Value::Prim(Prim::Scale, args) => {
                let [x, y] = args[..] else { return None };
                self.product(x, y, forms)
            }
            Value::Prim(Prim::Add, args) => {
                let [x, y] = args[..] else { return None };
                let (x, y) = (forms.of(x)?, forms.of(y)?);
                Some(self.plus(&x, &y))
            }
            Value::Prim(Prim::Sub, args) => {
                let [x, y] = args[..] else { return None };
                let (x, y) = (forms.of(x)?, forms.of(y)?);
                let y = self.neg(&y);
                Some(self.plus(&x, &y))
            }
            Value::Prim(Prim::Neg, args) => {
                let [x] = args[..] else { return None };
                let x = forms.of(x)?;
                Some(self.neg(&x))
            }
            Value::Prim(..) | Value::Load { .. } | Value::Part { .. } => None,
        }
    }

    /// A `scale` of which one factor depends on no state.
    fn product(&mut self, x: Atom, y: Atom, forms: &Forms) -> Option<Form> {
        let (factor, of) = if forms.is_constant(x) {
            (x, y)
        } else if forms.is_constant(y) {
            (y, x)
        } else {
            return None;
        };
        let of = forms.of(of)?;
        let mut res =
            self.each(
                &of,
                |it, x| {
                    if x == ONE { factor } else { it.prim(Prim::Scale, vec![factor, x]) }
                },
            );
        res.is_derivative = true;
        Some(res)
    }

    fn neg(&mut self, x: &Form) -> Form {
        self.each(x, |it, x| match x {
            Atom::Real(x) => Atom::Real(-x),
            Atom::Var(_) | Atom::Int(_) | Atom::Bool(_) => it.prim(Prim::Neg, vec![x]),
        })
    }

    fn plus(&mut self, x: &Form, y: &Form) -> Form {
        let mut res = x.clone();
        for (state, factor) in &y.factors {
            let sum = match (x.factors.get(state), *factor) {
                (Some(Atom::Real(x)), Atom::Real(y)) => Atom::Real(x + y),
                (Some(x), y) => self.prim(Prim::Add, vec![*x, y]),
                (None, y) => y,
            };
            res.factors.insert(*state, sum);
        }
        res.is_derivative |= y.is_derivative;
        res.constant = match (x.constant, y.constant) {
            (Some(x), Some(y)) => Some(self.prim(Prim::Add, vec![x, y])),
            (x, y) => x.or(y),
        };
        res
    }

    fn each(&mut self, x: &Form, mut by: impl FnMut(&mut Maker, Atom) -> Atom) -> Form {
        let factors = x.factors.iter().map(|(state, it)| (*state, by(self, *it))).collect();
        let constant = x.constant.map(|it| by(self, it));
        Form { factors, constant, ..x.clone() }
    }

    /// The value of a form; this state comes last.
    pub(super) fn sum(&mut self, form: &Form, last: Var) -> Atom {
        let mut res = form.constant;
        let others = form.factors.iter().filter(|it| *it.0 != last);
        for (state, factor) in others.chain(form.factors.get_key_value(&last)) {
            let state = Atom::Var(*state);
            res = Some(match (res, *factor == ONE) {
                (None, true) => state,
                (None, false) => self.prim(Prim::Scale, vec![*factor, state]),
                (Some(sum), true) => self.prim(Prim::Add, vec![sum, state]),
                (Some(sum), false) => self.make(Value::ScaleAdd(*factor, state, sum)),
            });
        }
        res.unwrap_or(Atom::Real(0.0))
    }

    fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        self.make(Value::Prim(prim, args))
    }

    fn make(&mut self, value: Value) -> Atom {
        let var = Var((self.first + self.reals.len()) as u32);
        self.reals.push(());
        self.made.push(Node::Let { var, value });
        Atom::Var(var)
    }
}
