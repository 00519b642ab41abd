//! Patterns: bindings become projections, matches become one-level case distinctions.
//!
//! A match is written from its decision tree (`decide.rs`). Bodies that the tree takes at several
//! leaves are written once, as functions, unless they are small; a match whose tree would be too
//! large tries its arms one by one. So the code is never much longer than the match.

use std::collections::BTreeMap;

use base::Name;
use ir::{Arm, Atom, Block, ControlOp, FunctionOp, Op};

use crate::elaborate::Elaborate;
use crate::elaborate::decide::{Node, Part, Step, Tree, decide, literal_of};
use crate::error::PatternError;
use crate::typed::{Expr, Kind, LocalId, Pattern, PatternKind};
use crate::types::Type;

impl Elaborate<'_> {
    /// Binds the variables of a pattern that always matches.
    pub(super) fn bind_pattern(&mut self, pattern: &Pattern, value: Atom) {
        match &pattern.kind {
            PatternKind::Wildcard
            | PatternKind::Int(_)
            | PatternKind::Bool(_)
            | PatternKind::Str(_) => {}
            PatternKind::Local(local) => self.bind(*local, value),
            PatternKind::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if !matches!(part.kind, PatternKind::Wildcard) {
                        let part_value = self.b.one(Op::Proj { tuple: value.clone(), index });
                        self.bind_pattern(part, part_value);
                    }
                }
            }
            PatternKind::Con(con, parts) => {
                let fields = self.con_fields(con, &pattern.ty);
                let results = fields.iter().map(|it| Atom::Var(it.var)).collect();
                let body = Block { stmts: Vec::new(), results };
                let arms = vec![Arm { con: con.clone(), fields, body }];
                let values =
                    self.b.emit(Op::Control(ControlOp::Match { value, arms, otherwise: None }));
                for (part, value) in parts.iter().zip(values) {
                    self.bind_pattern(part, value);
                }
            }
        }
    }

    /// Fresh binders for the fields of a constructor of the type.
    fn con_fields(&mut self, con: &Name, ty: &Type) -> Vec<ir::Binder> {
        let ty = self.resolve(ty);
        let cons = self.c.table.constructors(&ty).unwrap_or_default();
        let fields =
            cons.into_iter().find(|(it, _)| it == con).map(|(_, it)| it).unwrap_or_default();
        let types: Vec<ir::Type> = fields.iter().map(|it| self.ty(it)).collect();
        types.into_iter().map(|ty| ir::Binder { var: self.b.fresh(ty.clone()), ty }).collect()
    }

    pub(super) fn matching(&mut self, value: &Expr, arms: &[(Pattern, Expr)]) -> Atom {
        let value = self.expr(value);
        match decide(self, arms) {
            Some(tree) => self.by_tree(value, arms, &tree),
            None => self.one_by_one(&value, arms),
        }
    }

    fn by_tree(&mut self, value: Atom, arms: &[(Pattern, Expr)], tree: &Tree<'_>) -> Atom {
        let mut bodies = Vec::new();
        for ((pattern, body), uses) in arms.iter().zip(&tree.uses) {
            let shared = *uses > 1 && !is_small(body);
            bodies.push(match shared {
                true => Body::Shared(self.shared(pattern, body)),
                false => Body::InPlace(body),
            });
        }
        self.node(&tree.root, &bodies, BTreeMap::from([(0, value)]))
    }

    /// A body that several leaves of the tree take, as a function of the variables of its pattern.
    fn shared(&mut self, pattern: &Pattern, body: &Expr) -> Atom {
        let mut locals = Vec::new();
        variables(pattern, &mut locals);
        locals.sort_unstable();
        let types: Vec<Type> = locals.iter().map(|it| self.info[it.0].ty.clone()).collect();
        self.lambda(&types, |this, params| {
            for (local, param) in locals.into_iter().zip(params) {
                this.bind(local, param);
            }
            this.expr(body)
        })
    }

    fn node(
        &mut self,
        node: &Node<'_>,
        bodies: &[Body<'_>],
        mut parts: BTreeMap<Part, Atom>,
    ) -> Atom {
        for (of, index, part) in &node.projections {
            let projection = Op::Proj { tuple: parts[of].clone(), index: *index };
            let atom = self.b.one(projection);
            parts.insert(*part, atom);
        }
        match &node.step {
            Step::Take { arm, bound } => match &bodies[*arm] {
                Body::InPlace(body) => {
                    for (local, part) in bound {
                        self.bind(*local, parts[part].clone());
                    }
                    self.expr(body)
                }
                Body::Shared(function) => {
                    let args = bound.iter().map(|(_, part)| parts[part].clone()).collect();
                    self.b.one(Op::Function(FunctionOp::Apply(function.clone(), args)))
                }
            },
            Step::Con { value, ty, cases, otherwise } => {
                let mut arms = Vec::new();
                for (con, numbers, inner) in cases {
                    let fields = self.con_fields(con, ty);
                    let mut parts = parts.clone();
                    parts.extend(
                        numbers.iter().copied().zip(fields.iter().map(|it| Atom::Var(it.var))),
                    );
                    let body = self.node_block(inner, bodies, parts);
                    arms.push(Arm { con: con.clone(), fields, body });
                }
                let value = parts[value].clone();
                let otherwise =
                    otherwise.as_ref().map(|it| self.node_block(it, bodies, parts.clone()));
                self.b.one(Op::Control(ControlOp::Match { value, arms, otherwise }))
            }
            Step::Literal { value, literal, then, otherwise } => {
                let cond = self.is_literal(&parts[value], literal);
                let then = self.node_block(then, bodies, parts.clone());
                let otherwise = self.node_block(otherwise, bodies, parts.clone());
                self.b.one(Op::Control(ControlOp::If { cond, then, otherwise }))
            }
        }
    }

    fn node_block(
        &mut self,
        node: &Node<'_>,
        bodies: &[Body<'_>],
        parts: BTreeMap<Part, Atom>,
    ) -> Block {
        self.open();
        let result = self.node(node, bodies, parts);
        self.close(vec![result])
    }

    fn is_literal(&mut self, value: &Atom, literal: &Atom) -> Atom {
        match literal {
            Atom::Bool(true) => value.clone(),
            Atom::Bool(false) | Atom::Var(_) | Atom::Int(_) | Atom::Real(_) | Atom::Str(_) => {
                self.b.one(Op::Equal(value.clone(), literal.clone()))
            }
        }
    }

    /// A match whose tree would be too large: every arm by itself, and the next one where it does
    /// not fit. The code is as long as the patterns are.
    fn one_by_one(&mut self, value: &Atom, arms: &[(Pattern, Expr)]) -> Atom {
        let Some(last) = arms.iter().position(|(it, _)| always_matches(it)) else {
            self.errors.push(PatternError::TooInvolved(self.span).into());
            self.b.poison();
            return Atom::Int(0);
        };
        let (pattern, body) = &arms[last];
        let attempt = |this: &mut Self, pattern, body, next: Option<&Atom>| {
            this.attempt(vec![(value.clone(), pattern)], body, next)
        };
        if last == 0 {
            return attempt(self, pattern, body, None);
        }
        let mut next = self.lambda(&[], |this, _| attempt(this, pattern, body, None));
        for (pattern, body) in arms[1..last].iter().rev() {
            next = self.lambda(&[], |this, _| attempt(this, pattern, body, Some(&next)));
        }
        attempt(self, &arms[0].0, &arms[0].1, Some(&next))
    }

    /// The body if all patterns match, otherwise what comes next.
    fn attempt(
        &mut self,
        mut tests: Vec<(Atom, &Pattern)>,
        body: &Expr,
        next: Option<&Atom>,
    ) -> Atom {
        while let Some((value, pattern)) = tests.pop() {
            let cond = match &pattern.kind {
                PatternKind::Wildcard => continue,
                PatternKind::Local(local) => {
                    self.bind(*local, value);
                    continue;
                }
                PatternKind::Tuple(inner) => {
                    for (index, part) in inner.iter().enumerate().rev() {
                        if !matches!(part.kind, PatternKind::Wildcard) {
                            let tuple = value.clone();
                            tests.push((self.b.one(Op::Proj { tuple, index }), part));
                        }
                    }
                    continue;
                }
                PatternKind::Con(con, inner) => {
                    let fields = self.con_fields(con, &pattern.ty);
                    let atoms = fields.iter().map(|it| Atom::Var(it.var));
                    tests.extend(atoms.zip(inner).rev());
                    self.open();
                    let result = self.attempt(tests, body, next);
                    let block = self.close(vec![result]);
                    let arms = vec![Arm { con: con.clone(), fields, body: block }];
                    let ty = self.resolve(&pattern.ty);
                    let all = self.c.table.constructors(&ty).map_or(0, |it| it.len());
                    let otherwise = (all > 1).then(|| self.next_block(next));
                    return self.b.one(Op::Control(ControlOp::Match { value, arms, otherwise }));
                }
                PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Str(_) => {
                    let literal = literal_of(pattern).expect("a literal");
                    self.is_literal(&value, &literal)
                }
            };
            self.open();
            let result = self.attempt(tests, body, next);
            let then = self.close(vec![result]);
            let otherwise = self.next_block(next);
            return self.b.one(Op::Control(ControlOp::If { cond, then, otherwise }));
        }
        self.expr(body)
    }

    fn next_block(&mut self, next: Option<&Atom>) -> Block {
        let next = next.expect("the last arm matches everything").clone();
        self.open();
        let result = self.b.one(Op::Function(FunctionOp::Apply(next, Vec::new())));
        self.close(vec![result])
    }
}

/// The body of an arm.
enum Body<'t> {
    /// Written where it is taken.
    InPlace(&'t Expr),
    /// Written once, as a function.
    Shared(Atom),
}

fn variables(pattern: &Pattern, res: &mut Vec<LocalId>) {
    match &pattern.kind {
        PatternKind::Local(local) => res.push(*local),
        PatternKind::Tuple(parts) | PatternKind::Con(_, parts) => {
            parts.iter().for_each(|it| variables(it, res));
        }
        PatternKind::Wildcard => {}
        PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Str(_) => {}
    }
}

/// Whether no test is in the pattern, not even one that always succeeds.
fn always_matches(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Local(_) => true,
        PatternKind::Tuple(parts) => parts.iter().all(always_matches),
        PatternKind::Con(..) => false,
        PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Str(_) => false,
    }
}

/// Whether a body may be written several times: a few operations, without another match.
fn is_small(body: &Expr) -> bool {
    fn left(expr: &Expr, budget: usize) -> Option<usize> {
        let budget = budget.checked_sub(1)?;
        match &expr.kind {
            Kind::Int(_) | Kind::Real(_) | Kind::Bool(_) | Kind::Str(_) => Some(budget),
            Kind::Size(_) | Kind::Local(_) | Kind::Def(_) | Kind::Con(_) => Some(budget),
            Kind::Builtin(_) | Kind::Error => Some(budget),
            Kind::Tuple(parts) | Kind::Array(parts) | Kind::CallCon(_, parts) => all(parts, budget),
            Kind::Prim(_, parts) | Kind::CallDef(_, parts, _) => all(parts, budget),
            Kind::CallBuiltin { args, .. } => all(args, budget),
            Kind::Proj(value, _) => left(value, budget),
            Kind::Apply(function, args) => all(args, left(function, budget)?),
            Kind::Index(array, indices) => all(indices, left(array, budget)?),
            Kind::Equal(a, b) | Kind::Close(a, b) => left(b, left(a, budget)?),
            Kind::Derive(_, function) | Kind::TangentMap(function) => left(function, budget),
            Kind::Poly(..)
            | Kind::Lambda(..)
            | Kind::Opened(..)
            | Kind::IndexAxis(..)
            | Kind::Slice { .. } => None,
            Kind::If(..) | Kind::Match(..) | Kind::Block(..) | Kind::Build(..) => None,
        }
    }
    fn all(exprs: &[Expr], budget: usize) -> Option<usize> {
        exprs.iter().try_fold(budget, |budget, it| left(it, budget))
    }
    left(body, SMALL).is_some()
}

/// As many operations as are written several times rather than once, as a function.
const SMALL: usize = 16;
