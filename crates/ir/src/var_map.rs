//! What passes know of variables, by their number.
//!
//! A pass looks up several facts for every operand that it meets, and trees of ordered keys were a fifth of what it
//! did. The order of a table like this one means nothing, so there is no way to go through it.

use rustc_hash::FxHashMap;

use crate::term::Var;

/// A table by variables.
#[derive(Clone, Debug)]
pub struct VarMap<T>(FxHashMap<Var, T>);

impl<T> Default for VarMap<T> {
    fn default() -> VarMap<T> {
        VarMap(FxHashMap::default())
    }
}

impl<T> VarMap<T> {
    /// What is known of a variable.
    #[inline]
    pub fn get(&self, var: Var) -> Option<&T> {
        self.0.get(&var)
    }

    /// Whether anything is.
    #[inline]
    pub fn contains(&self, var: Var) -> bool {
        self.0.contains_key(&var)
    }

    /// Says it, in the place of what was said before.
    #[inline]
    pub fn insert(&mut self, var: Var, value: T) {
        self.0.insert(var, value);
    }

    /// Forgets it.
    pub fn remove(&mut self, var: Var) {
        self.0.remove(&var);
    }

    /// What is known of a variable, to be changed; the default if that is nothing.
    #[inline]
    pub fn entry(&mut self, var: Var) -> &mut T
    where
        T: Default,
    {
        self.0.entry(var).or_default()
    }
}
