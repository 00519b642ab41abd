//! The builder: the only way a pass makes statements. It computes the types of new binders from
//! `typing`, so they cannot be wrong, and simplifies nothing.
//!
//! Statements go to the innermost block that is open. An operation that is not well typed is a
//! bug of the pass, and a panic.
//!
//! A builder looks definitions and sum types up in a program that is given, or in one that is its own
//! and grows: then one definition may be begun while another is being made.

use base::Span;

use crate::op::Op;
use crate::term::{Atom, Binder, Block, Program, Spans, Stmt, Var};
use crate::types::Type;
use crate::typing;
use crate::var_map::VarMap;

/// Makes statements of one definition.
pub struct Builder<'p> {
    known: Known<'p>,
    here: Unfinished,
    poisoned: bool,
}

/// Where sum types and the signatures of definitions are looked up.
enum Known<'p> {
    Given(&'p Program),
    Growing(Box<Program>),
}

/// A definition whose statements are being made.
#[derive(Debug, Default)]
pub struct Unfinished {
    types: VarMap<Type>,
    next_var: u32,
    span: Option<Span>,
    spans: Spans,
    open: Vec<Vec<Stmt>>,
}

impl<'p> Builder<'p> {
    /// A builder whose first fresh variable has the number `next_var`. The program gives the sum
    /// types and the signatures of definitions.
    pub fn new(program: &'p Program, next_var: u32) -> Builder<'p> {
        let here = Unfinished { next_var, ..Unfinished::default() };
        Builder { known: Known::Given(program), here, poisoned: false }
    }

    /// A builder that owns its program, to which definitions and sum types are added while it is used.
    /// [`Builder::begin`] says whose statements it makes.
    pub fn growing(program: Program) -> Builder<'static> {
        let known = Known::Growing(Box::new(program));
        Builder { known, here: Unfinished::default(), poisoned: false }
    }

    /// The program that grows.
    pub fn program_mut(&mut self) -> &mut Program {
        match &mut self.known {
            Known::Growing(program) => program,
            Known::Given(_) => panic!("compiler bug: a program that is given does not grow"),
        }
    }

    /// The program as it has become.
    pub fn into_program(self) -> Program {
        match self.known {
            Known::Growing(program) => *program,
            Known::Given(program) => program.clone(),
        }
    }

    /// Begins another definition, whose first fresh variable has the number `next_var`; gives the one
    /// that waits until [`Builder::end`].
    #[must_use]
    pub fn begin(&mut self, next_var: u32) -> Unfinished {
        std::mem::replace(&mut self.here, Unfinished { next_var, ..Unfinished::default() })
    }

    /// Ends the definition begun last, and goes on with the one that waits: the number of the next
    /// fresh variable, and where the variables come from.
    pub fn end(&mut self, outer: Unfinished) -> (u32, Spans) {
        let done = std::mem::replace(&mut self.here, outer);
        assert!(done.open.is_empty(), "compiler bug: a block is still open");
        (done.next_var, done.spans)
    }

    /// From now on nothing is checked: an error of the user has been found, what is built is
    /// thrown away, and only further errors are looked for.
    pub fn poison(&mut self) {
        self.poisoned = true;
    }

    /// A new variable, at the current place of the source.
    pub fn fresh(&mut self, ty: Type) -> Var {
        let var = Var(self.here.next_var);
        self.here.next_var =
            self.here.next_var.checked_add(1).expect("compiler bug: out of variables");
        self.declare(var, ty);
        var
    }

    /// A variable that exists already: a parameter, or one that is captured.
    pub fn declare(&mut self, var: Var, ty: Type) {
        self.here.types.insert(var, ty);
        if let Some(span) = self.here.span {
            self.here.spans.0.entry(var).or_insert(span);
        }
    }

    /// The type of an atom, whose variable is one of this builder.
    #[track_caller]
    pub fn type_of(&self, atom: &Atom) -> Type {
        match typing::atom_type(&|var| self.here.types.get(var).cloned(), atom) {
            Ok(ty) => ty,
            Err(_) if self.poisoned => Type::Real,
            Err(message) => panic!("compiler bug: {message}"),
        }
    }

    /// The type of a variable, if it is one of this builder.
    pub fn find_type(&self, var: Var) -> Option<Type> {
        self.here.types.get(var).cloned()
    }

    /// The program that definitions and sum types are looked up in.
    pub fn program(&self) -> &Program {
        match &self.known {
            Known::Given(program) => program,
            Known::Growing(program) => program,
        }
    }

    /// The place of the source that new variables get.
    pub fn span(&self) -> Option<Span> {
        self.here.span
    }

    /// Sets the place of the source that new variables get; returns the previous one.
    pub fn set_span(&mut self, span: Option<Span>) -> Option<Span> {
        std::mem::replace(&mut self.here.span, span)
    }

    /// Whether the operation is well typed here.
    pub fn accepts(&self, op: &Op) -> bool {
        let lookup = |var: Var| self.here.types.get(var).cloned();
        let Ok(count) = typing::result_count(self.program(), op) else { return false };
        let results: Vec<Var> = (0..count as u32).map(|it| Var(self.here.next_var + it)).collect();
        typing::result_types(self.program(), &lookup, op, &results).is_ok()
    }

    /// Adds a statement; gives its results.
    pub fn emit(&mut self, op: Op) -> Vec<Atom> {
        let count = match typing::result_count(self.program(), &op) {
            Ok(count) => count,
            Err(_) if self.poisoned => 1,
            Err(message) => panic!("compiler bug: {message}: {op}"),
        };
        let results: Vec<Var> = (0..count).map(|_| self.fresh(Type::unit())).collect();
        self.bind(&results, op);
        results.into_iter().map(Atom::Var).collect()
    }

    /// Adds a statement that binds the given variables, which nothing else binds.
    pub fn bind(&mut self, results: &[Var], op: Op) {
        let lookup = |var: Var| self.here.types.get(var).cloned();
        let types = match typing::result_types(self.program(), &lookup, &op, results) {
            Ok(types) => types,
            Err(_) if self.poisoned => vec![Type::Real; results.len()],
            Err(message) => panic!("compiler bug: {message}: {op}"),
        };
        let binders = results.iter().zip(types).map(|(var, ty)| Binder { var: *var, ty });
        self.push(Stmt { binders: binders.collect(), op });
    }

    /// Adds a statement as it is, whose types are known to be right.
    pub fn push(&mut self, stmt: Stmt) {
        for binder in &stmt.binders {
            self.declare(binder.var, binder.ty.clone());
        }
        self.here.open.last_mut().expect("compiler bug: a statement outside of a block").push(stmt);
    }

    /// Adds a statement with exactly one result.
    pub fn one(&mut self, op: Op) -> Atom {
        let mut results = self.emit(op);
        assert!(results.len() == 1, "compiler bug: {} results instead of one", results.len());
        results.remove(0)
    }

    /// Adds a statement; gives its last result.
    pub fn last(&mut self, op: Op) -> Atom {
        self.emit(op).pop().expect("compiler bug: a statement without results")
    }

    /// Begins a block inside of the current one.
    pub fn open(&mut self) {
        self.here.open.push(Vec::new());
    }

    /// Ends the block begun last.
    pub fn close(&mut self, results: Vec<Atom>) -> Block {
        let stmts = self.here.open.pop().expect("compiler bug: no block is open");
        Block { stmts, results }
    }

    /// Opens a block that was ended, to add to it; gives its results.
    pub fn reopen(&mut self, block: Block) -> Vec<Atom> {
        self.here.open.push(block.stmts);
        block.results
    }

    /// How many statements the innermost open block has.
    pub fn n_statements(&self) -> usize {
        self.here.open.last().map_or(0, Vec::len)
    }

    /// The number of the next fresh variable.
    pub fn next_var(&self) -> u32 {
        self.here.next_var
    }

    /// Ends the work: the number of the next fresh variable, and where the variables come from.
    pub fn finish(self) -> (u32, Spans) {
        assert!(self.here.open.is_empty(), "compiler bug: a block is still open");
        (self.here.next_var, self.here.spans)
    }
}
