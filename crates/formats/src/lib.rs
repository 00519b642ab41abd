//! Files of several arrays: `.npz` archives, CSV tables and, by a feature, Parquet, from bytes to arrays and back. Reads any bytes,
//! and touches no file itself.

pub mod elements;
pub mod npz;
#[cfg(feature = "parquet")]
mod parquet;
mod records;
pub mod table;
mod zip;

pub use elements::{Elements, npy};
pub use npz::NpzError;
pub use table::{Table, TableError};
pub use zip::archive;
