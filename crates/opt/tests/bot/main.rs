//! Programs before and after `bot`: one for each rule of the paper's figures, and more. Each means
//! the same before and after, at the sizes 0, 1 and 3.

mod beyond;
mod conditions;
mod figure_10;
mod figure_11;
mod figure_9;
mod ragged;
mod run;
