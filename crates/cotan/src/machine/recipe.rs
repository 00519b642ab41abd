//! All that is known of compiled code besides the code, so that who asks for the same again waits for
//! neither our passes nor the C compiler: `native::Cache` keeps it beside the library.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use eval::Precision;
use ir::{Binder, DataDecl, Def, Program, Var};
use loops::Site;
use native::emit::{EmitOptions, emit};
use native::{Border, Cache, Key, Module, Toolchain, Width};
use serde::{Deserialize, Serialize};

use super::{Refused, USE_INTERP, Wanted, unavailable};
use crate::bulk::{self, Bulk};
use crate::options::{Effort, Options};
use crate::spread::Spread;

/// Operations that take slow code longer than the C compiler takes for fast code.
const LONG: u64 = 1 << 25;

/// Lines of C that are compiled so soon that nobody minds.
const SHORT: usize = 2000;
/// Operations of the interpreter in the time that the C compiler takes for a line.
const PER_LINE: u64 = 1 << 16;

/// What is known of compiled code.
#[derive(Serialize, Deserialize)]
pub(super) struct Recipe {
    library: Key,
    /// Operations that the interpreter does while it is compiled; none if that takes no time.
    price: Option<u64>,
    /// Whether it was made in a hurry.
    pub(super) is_draft: bool,
    borders: Vec<Border>,
    pub(super) head: Head,
    /// A definition of the user's that calls itself.
    pub(super) recursive: Option<Name>,
    pub(super) spread: Spread,
    pub(super) datas: BTreeMap<Name, DataDecl>,
    pub(super) texts: Vec<Arc<str>>,
    pub(super) sites: Vec<Site>,
}

/// The entry point before it was lowered, without its body.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    pub(super) name: Name,
    pub(super) size_params: Vec<Var>,
    pub(super) params: Vec<Binder>,
    pub(super) results: Vec<Binder>,
}

impl Recipe {
    /// The code, from the cache or made now, and what is known of it.
    pub(super) fn follow(
        wanted: Wanted<'_>,
        options: Options,
        toolchain: &Toolchain,
        cache: &Cache,
    ) -> Result<(Recipe, Arc<Module>), Refused> {
        let key = name_of(wanted, options, toolchain);
        if let Some((recipe, module)) = key.and_then(|it| Recipe::kept(cache, it)) {
            // A program has one result, whether its code is there or not.
            affordable(wanted, recipe.price)?;
            return Ok((recipe, Arc::new(module)));
        }
        let (recipe, module) = Recipe::made(wanted, options, toolchain, cache)?;
        if let Some(key) = key
            && let Ok(bytes) = serde_json::to_vec(&recipe)
        {
            cache.keep_note(key, bytes);
        }
        Ok((recipe, Arc::new(module)))
    }

    fn kept(cache: &Cache, key: Key) -> Option<(Recipe, Module)> {
        let recipe: Recipe = serde_json::from_slice(&cache.note(key)?).ok()?;
        let module = Module::kept(cache, recipe.library, recipe.borders.clone()).ok()?;
        Some((recipe, module))
    }

    fn made(
        wanted: Wanted<'_>,
        options: Options,
        toolchain: &Toolchain,
        cache: &Cache,
    ) -> Result<(Recipe, Module), Refused> {
        let mode = bulk::mode_of(options.via);
        let bulk = bulk::compile(wanted.program, wanted.entry, mode).map_err(|it| Refused {
            span: it.span,
            reason: it.reason,
            help: USE_INTERP,
            by_compiler: false,
            price: None,
        })?;
        let draft = draft(&bulk, options.effort);
        let effort = match options.effort {
            Effort::Fitting | Effort::Once if draft.is_some() => native::Effort::Quick,
            Effort::Fitting | Effort::Once if wanted.only_short => return Err(long()),
            Effort::Fitting | Effort::Once | Effort::Full => native::Effort::Full,
            Effort::Quick => native::Effort::Quick,
        };
        let (toolchain, is_draft) = (&toolchain.clone().with_effort(effort), draft.is_some());
        let arranged = || bulk::loops_of(&bulk.program, &bulk.entry, wanted.typical);
        let lowered = draft.unwrap_or_else(arranged);
        let real = match options.precision {
            Precision::F64 => native::emit::Precision::F64,
            Precision::F32 => native::emit::Precision::F32,
        };
        let text = emit(&lowered, &EmitOptions { real, vector: true, draft: is_draft });
        let price = price(&text);
        affordable(wanted, price)?;
        let borders = borders(&lowered, options.precision);
        let module = Module::build(toolchain, cache, &text, borders.clone());
        let module = module.map_err(unavailable)?;
        let def = bulk.program.defs.get(&bulk.entry).expect("an entry point is a definition");
        let recipe = Recipe {
            library: Key::new(toolchain, &text),
            price,
            is_draft,
            borders,
            head: Head::new(def),
            recursive: recursive(wanted.program, &lowered),
            spread: bulk.spread,
            datas: bulk.program.datas.clone(),
            texts: lowered.texts,
            sites: lowered.sites,
        };
        Ok((recipe, module))
    }
}

/// Loops as they come, for an entry point that nobody calls often, unless the text tells that it takes
/// long: most are done before fast code would be there.
fn draft(bulk: &Bulk, effort: Effort) -> Option<loops::Module> {
    let def = bulk.program.defs.get(&bulk.entry)?;
    let is_constant = def.params.is_empty() && def.size_params.is_empty();
    match effort {
        Effort::Once => {}
        Effort::Fitting if is_constant => {}
        Effort::Fitting | Effort::Full | Effort::Quick => return None,
    }
    let loops = bulk::plain_loops_of(&bulk.program, &bulk.entry);
    let work = loops::work(&loops, 0);
    work.is_none_or(|it| it <= LONG).then_some(loops)
}

/// What it takes to compile a text, in operations of the interpreter. Lines are counted and not time, so
/// that it does not depend on the machine who computes a result.
fn price(text: &str) -> Option<u64> {
    let lines = text.lines().count();
    (lines > SHORT).then_some(lines as u64 * PER_LINE)
}

fn affordable(wanted: Wanted<'_>, price: Option<u64>) -> Result<(), Refused> {
    match price {
        Some(_) if wanted.only_cheap => {
            let reason = "the interpreter may be done before the C compiler is".to_string();
            Err(Refused { span: None, reason, help: USE_INTERP, by_compiler: false, price })
        }
        Some(_) | None => Ok(()),
    }
}

/// The first definition of a text that a function that calls itself was made of: that is called as the
/// definition is, and something behind it.
fn recursive(program: &Program, module: &loops::Module) -> Option<Name> {
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let written = |it: &loops::Func| {
        let end = it.name.find(|it| !is_of_name(it)).unwrap_or(it.name.len());
        Name::from(it.name[..end].to_string())
    };
    let functions = module.funcs.iter().filter(|it| it.recursive);
    functions.map(written).find(|it| program.defs.contains_key(it))
}

fn long() -> Refused {
    let reason = "it takes more steps than a draft is worth".to_string();
    Refused { span: None, reason, help: USE_INTERP, by_compiler: false, price: None }
}

impl Head {
    fn new(def: &Def) -> Head {
        let Def { name, size_params, params, results, .. } = def;
        Head {
            name: name.clone(),
            size_params: size_params.clone(),
            params: params.clone(),
            results: results.clone(),
        }
    }
}

/// All that code depends on. Texts, and not the program, since they say where its parts come from, which
/// errors tell; but the entry point itself, since the types of an expression depend on its arguments.
fn name_of(wanted: Wanted<'_>, options: Options, toolchain: &Toolchain) -> Option<Key> {
    let entry = wanted.program.defs.get(wanted.entry)?.to_string();
    let (Options { precision, effort, .. }, mode) = (options, bulk::mode_of(options.via));
    let rest = format!("{:?} {precision:?} {effort:?} {mode:?}", wanted.typical);
    let texts = wanted.sources.texts().map(str::as_bytes);
    let parts: Vec<&[u8]> = [entry.as_bytes(), rest.as_bytes()].into_iter().chain(texts).collect();
    Key::of_note(toolchain, &parts)
}

/// What the entry points of a module take and give.
fn borders(module: &loops::Module, precision: Precision) -> Vec<Border> {
    let width = match precision {
        Precision::F64 => Width::Double,
        Precision::F32 => Width::Single,
    };
    let border = |at: &usize| {
        let func = &module.funcs[*at];
        Border {
            params: func.params.iter().map(|it| func.ty(*it)).collect(),
            results: func.results.iter().map(|it| func.atom_type(*it)).collect(),
            width,
        }
    };
    module.entries.iter().map(border).collect()
}
