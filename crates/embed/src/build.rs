//! The work of a build script: export, compile, link, and write the Rust module.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bind::{Arrays, Derives, Disk, Files, Interface, Remembered, Style, identifier};
use cotan::{CFunction, CGives, Compiler, Exported, Nowhere, Options, Precision};
use quote::quote;

use crate::call;
use crate::support;

/// A program to be built into a crate.
#[derive(Clone, Debug)]
pub struct Build {
    path: PathBuf,
    precision: Precision,
    wrt: Vec<String>,
    only: Vec<String>,
    is_native: bool,
}

/// What was made of a program: C sources and the Rust module that calls them.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The name of the module.
    pub module: String,
    /// The module.
    pub rust: String,
    /// Names and contents of the C sources and their header.
    pub files: Vec<(String, String)>,
    /// The flags that they are compiled with.
    pub flags: Vec<String>,
}

/// Why a program could not be built into a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Build {
    /// The program in this file, whose path is relative to the `Cargo.toml` of the crate.
    pub fn new(path: impl AsRef<Path>) -> Build {
        let path = path.as_ref().to_path_buf();
        let (wrt, only) = (Vec::new(), Vec::new());
        Build { path, precision: Precision::F64, wrt, only, is_native: false }
    }

    /// Reals are `f32`.
    pub fn f32(mut self) -> Build {
        self.precision = Precision::F32;
        self
    }

    /// Derivatives are by the parameters of these names only.
    pub fn wrt<'a>(mut self, params: impl IntoIterator<Item = &'a str>) -> Build {
        self.wrt.extend(params.into_iter().map(str::to_owned));
        self
    }

    /// Only these definitions and their derivatives; all others are left out.
    pub fn only<'a>(mut self, definitions: impl IntoIterator<Item = &'a str>) -> Build {
        self.only.extend(definitions.into_iter().map(str::to_owned));
        self
    }

    /// For the processor of this machine, which is faster and may run on no other.
    pub fn native(mut self) -> Build {
        self.is_native = true;
        self
    }

    /// Builds it; a program that has errors fails the build script with its messages.
    pub fn compile(&self) {
        if let Err(error) = self.try_compile() {
            panic!("{error}");
        }
    }

    /// As [`Build::compile`], with what is wrong as an error.
    #[allow(
        clippy::disallowed_methods,
        clippy::print_stdout,
        reason = "a build script reads files, is told where to write, and talks to Cargo"
    )]
    pub fn try_compile(&self) -> Result<(), Error> {
        let path = self.path.display();
        println!("cargo::rerun-if-changed={path}");
        let unreadable = |it: std::io::Error| Error(format!("{path} cannot be read: {it}"));
        let text = std::fs::read_to_string(&self.path).map_err(unreadable)?;
        let folder = std::env::var("OUT_DIR");
        let folder = folder.map_err(|_| Error("OUT_DIR is not set: no build script".to_owned()))?;
        let files = Arc::new(Remembered::new(Arc::new(Disk::default())));
        let made = self.embedded_with(&text, files.clone());
        for (file, _) in files.record().texts {
            println!("cargo::rerun-if-changed={file}");
        }
        made?.compile(Path::new(&folder), cc::Build::new())?;
        println!("cargo::rustc-link-lib=m");
        Ok(())
    }

    /// What a text becomes, without files.
    pub fn embedded(&self, text: &str) -> Result<Embedded, Error> {
        self.embedded_with(text, Arc::new(Nowhere))
    }

    fn embedded_with(&self, text: &str, files: Arc<dyn Files>) -> Result<Embedded, Error> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let module = identifier(&stem).name;
        let name = self.path.display().to_string();
        let options = Options { precision: self.precision, ..Options::default() };
        let told = |it: cotan::Report| Error(format!("{name} has errors\n\n{it}"));
        let compiler = Compiler::new(options).with_files(files.clone());
        let program = compiler.compile(&name, text).map_err(told)?;
        let wrt: Vec<&str> = self.wrt.iter().map(String::as_str).collect();
        let exported = program.export_c(&stem, &wrt).map_err(told)?;
        let interface = cotan::with_deep_stack(|| Interface::with_files(&name, text, &*files))
            .map_err(Error)?;
        self.wanted(&interface)?;
        let (rust, made) = self.rust(&interface, &exported, &module)?;
        let is_wanted = |file: &str| match file.strip_suffix(".c") {
            Some(function) => made.iter().any(|it| it == function),
            None => file.ends_with(".h"),
        };
        let files = exported.files.into_iter().filter(|it| is_wanted(&it.0)).collect();
        let flags = exported.flags.split(' ').filter(|it| self.is_native || *it != "-march=native");
        let flags = flags.map(str::to_owned).collect();
        Ok(Embedded { module: module.to_string(), rust, files, flags })
    }

    /// Fails on definitions that are asked for and not there.
    fn wanted(&self, interface: &Interface) -> Result<(), Error> {
        let all = interface.definitions();
        match self.only.iter().find(|it| !all.contains(it)) {
            None => Ok(()),
            Some(it) => {
                let all = all.join("`, `");
                Err(Error(format!("there is no definition `{it}`; there are `{all}`")))
            }
        }
    }

    /// The module, and the C functions that it calls.
    fn rust(
        &self,
        interface: &Interface,
        exported: &Exported,
        module: &proc_macro2::Ident,
    ) -> Result<(String, Vec<String>), Error> {
        let real = match self.precision {
            Precision::F64 => quote!(f64),
            Precision::F32 => quote!(f32),
        };
        let style = Style { real, arrays: Arrays::Pairs };
        let is_wanted =
            |it: &&CFunction| self.only.is_empty() || self.only.contains(&it.definition);
        let mut taken: Vec<String> = interface.definitions();
        let (mut made, mut used, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        let mut left_out: Vec<String> =
            exported.skipped.iter().map(|it| format!("- {}: {}", it.name, it.reason)).collect();
        for c in exported.interface.iter().filter(is_wanted) {
            let function = interface.definition(&c.definition).map_err(Error)?;
            let name = match c.gives {
                CGives::Value => c.definition.clone(),
                CGives::ValueAndGradient => fresh(&mut taken, "value_and_grad", &c.definition),
                CGives::Transposed => fresh(&mut taken, "vjp", &c.definition),
            };
            match call::function(interface, &function, c, &identifier(&name).name, &style) {
                Ok(tokens) => {
                    calls.push(tokens);
                    made.push(c.name.clone());
                    used.push(function);
                }
                Err(why) => {
                    left_out.push(format!("- {name}: {why}; handles and `program!` take it"));
                }
            }
        }
        // Who names a definition gets it, or is told why not.
        for name in &self.only {
            let own = exported.interface.iter().filter(|it| it.definition == *name);
            if !own.into_iter().any(|it| it.gives == CGives::Value && made.contains(&it.name)) {
                let start = format!("- {name}: ");
                let why = left_out.iter().find_map(|it| it.strip_prefix(&start));
                let why = why.unwrap_or("C has no type for what it takes or gives");
                return Err(Error(format!("`{name}` cannot be built in: {why}")));
            }
        }
        let derives =
            Derives { attributes: quote!(#[derive(Clone, Debug, PartialEq)]), rename: None, style };
        let types = interface.declarations(&used, &derives).map_err(Error)?;
        let support = support::support();
        let doc = match left_out.is_empty() {
            true => format!("The Cotan program `{}`.", self.path.display()),
            false => {
                format!(
                    "The Cotan program `{}`. Left out:\n{}",
                    self.path.display(),
                    left_out.join("\n")
                )
            }
        };
        let module = quote! {
            #[doc = #doc]
            #[allow(dead_code, non_snake_case, non_camel_case_types, unreachable_patterns, unused_mut, unused_parens, unused_variables, clippy::all)]
            pub mod #module {
                #support
                #types
                #(#calls)*
            }
        };
        Ok((module.to_string(), made))
    }
}

impl Embedded {
    /// Writes all files into a folder, and makes the library `cotan_MODULE` of the C there, by a C compiler
    /// that may have been set up otherwise than a build script's.
    #[allow(clippy::disallowed_methods, reason = "a build script writes files")]
    pub fn compile(&self, folder: &Path, mut compiler: cc::Build) -> Result<(), Error> {
        let write = |name: &str, content: &str| {
            let path = folder.join(name);
            let failed = |it| Error(format!("{} cannot be written: {it}", path.display()));
            std::fs::write(&path, content).map_err(failed).map(|()| path.clone())
        };
        // Vectors are passed between functions of one file only.
        compiler.warnings(false).flag_if_supported("-Wno-psabi").include(folder).out_dir(folder);
        for flag in &self.flags {
            compiler.flag(flag);
        }
        for (name, content) in &self.files {
            let path = write(name, content)?;
            if name.ends_with(".c") {
                compiler.file(path);
            }
        }
        write(&format!("{}.rs", self.module), &self.rust)?;
        let library = format!("cotan_{}", self.module);
        compiler.try_compile(&library).map_err(|it| Error(format!("the C compiler: {it}")))
    }
}

/// A name for a derivative that no definition has.
fn fresh(taken: &mut Vec<String>, operator: &str, of: &str) -> String {
    let mut res = format!("{operator}_{of}");
    while taken.contains(&res) {
        res.push('_');
    }
    taken.push(res.clone());
    res
}
