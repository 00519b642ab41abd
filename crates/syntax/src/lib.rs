//! The surface language: text to AST and back. Parsing never fails; it returns what it
//! understood together with diagnostics.
//!
//! ```text
//! item  := 'import' ( string | name '.' name ) [ 'as' name ] [ '(' selected, ... ')' ]
//!        | [ 'pub' ] definition | 'test' string '=' expr | 'bench' string '=' expr
//!        | 'plot' string '=' expr
//! selected := ( name | Name ) [ 'as' ( name | Name ) ]
//! definition := 'def' name [ '(' params ')' ] [ ':' type ] '=' expr
//!        | 'type' Name [ '<' names '>' ] '=' ( '{' name ':' type, ... '}' | type )
//!        | 'data' Name [ '<' names '>' ] '=' [ '|' ] Con [ '(' types ')' ] { '|' Con ... }
//! param := pattern [ ':' type ]
//! expr  := '\' params '=>' expr | 'if' expr 'then' expr 'else' expr
//!        | 'build' name '<' expr { ',' name '<' expr } '=>' expr | operators
//! operators, loosest first: || ; && ; == != < <= > >= ~= (not chained) ; + - ; * / % ;
//!          prefix - ! ; ** (to the right) ; f(x) a[i, j] a[lo..hi] v.x p.0
//! primary := literal | name | Name '{' name [ ':' expr ], ... [ '..' expr ] '}'
//!        | '(' exprs ')' | '[' exprs ']' | block | 'match' expr '{' pattern '=>' expr, ... '}'
//! block := '{' { 'let' pattern [ ':' type ] '=' expr ';' } expr '}'
//! pattern := '_' | name | [ '-' ] int | 'true' | 'false' | string | '(' patterns ')'
//!        | Con [ '(' patterns ')' ] | Name '{' name [ ':' pattern ], ... '}'
//! type  := atype [ '->' type ] | '(' types ')' '->' type
//! atype := Name [ '<' args '>' ] | name | '[' [ size ] ']' atype | '(' types ')' | '_'
//! size  := sums, differences and products of names and integers, parentheses
//! ```
//!
//! A comma may stand after the last element of every list in brackets. The tree is at most
//! [`MAX_DEPTH`] levels deep, so that walking it needs a known amount of stack.

pub mod ast;
pub mod dump;
mod error;
mod parser;
mod print;

pub use parser::{MAX_DEPTH, parse, parse_expr, parse_type};
pub use print::{WIDTH, format};
