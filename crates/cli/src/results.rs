//! `--out FILE`: writes a result as a file, in the format that its ending names.

use std::path::{Path, PathBuf};

use cotan::{Answer, Report};

use crate::files;

/// A file for a result.
#[derive(Clone, Debug)]
pub(crate) struct Out {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Npy,
    Npz,
    Csv,
}

/// Reads the path for clap; the ending decides.
pub(crate) fn out(text: &str) -> Result<Out, String> {
    let path = PathBuf::from(text);
    let ending = Path::new(text).extension().unwrap_or_default().to_ascii_lowercase();
    let kind = match ending.to_str() {
        Some("npy") => Kind::Npy,
        Some("npz") => Kind::Npz,
        Some("csv") => Kind::Csv,
        _ => return Err("write a name that ends in .npz, .npy or .csv".to_string()),
    };
    Ok(Out { path, kind })
}

impl Out {
    /// Writes it beside its place and moves it there.
    pub(crate) fn write(&self, answer: &Answer) -> Result<(), Report> {
        let content = match self.kind {
            Kind::Npy => answer.to_npy()?,
            Kind::Npz => answer.to_npz()?,
            Kind::Csv => answer.to_csv()?.into_bytes(),
        };
        files::replace_bytes(&self.path, &content)
    }
}
