//! All that is known of compiled code besides the code, so that who asks for the same again waits for
//! neither our passes nor the C compiler: `native::Cache` keeps it beside the library.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Name;
use emit::{EmitOptions, emit};
use eval::Precision;
use ir::{Binder, DataDecl, Def, Program, Var};
use loops::Site;
use native::{Border, Cache, Key, Module, Toolchain, Width};
use serde::{Deserialize, Serialize};

use super::code::unavailable;
use super::patience::price;
use super::{Refused, USE_INTERP, Wanted, Why};
use crate::flattening::Flattening;
use crate::options::{Effort, Options};
use crate::parts::{UNTOLD, untold};
use crate::pipeline::{self, Resolved};
use crate::pipelines::MIXED;
use crate::tuning::LONG_RUN;

/// What is known of compiled code.
#[derive(Serialize, Deserialize)]
pub(super) struct Recipe {
    library: Key,
    /// Whether it was made in a hurry.
    pub(super) is_draft: bool,
    /// Operations of the interpreter that take as long as making it.
    price: u64,
    /// Operations of a run, where the text tells.
    work: Option<u64>,
    /// Whether the interpreter has tried so many operations, and would again, in vain.
    in_vain: bool,
    borders: Vec<Border>,
    pub(super) head: Head,
    /// Of functions that call themselves: the definitions of the user's that they were made of.
    pub(super) recursive: BTreeMap<usize, Name>,
    pub(super) flattening: Flattening,
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
        let known = key.and_then(|it| Recipe::known(cache, it));
        if let Some(recipe) = &known
            && !recipe.in_vain
        {
            // What is kept costs nothing; but whether it was kept must not show in a result.
            wanted.patience.allows(recipe.price, recipe.work)?;
        }
        let in_vain = wanted.interpreted_in_vain();
        let (recipe, module, is_new) = match known.and_then(|it| it.with_module(cache)) {
            Some((recipe, module)) => (recipe, module, false),
            None => {
                let (recipe, module) = Recipe::made(wanted, options, toolchain, cache)?;
                (recipe, module, true)
            }
        };
        let is_news = in_vain && !recipe.in_vain;
        let recipe = Recipe { in_vain: in_vain || recipe.in_vain, ..recipe };
        if let Some(key) = key.filter(|_| is_new || is_news)
            && let Ok(bytes) = serde_json::to_vec(&recipe)
        {
            toolchain.while_wanted(|| cache.keep_note(key, bytes));
        }
        Ok((recipe, Arc::new(module)))
    }

    /// Code that is kept, of an entry point that something else was tried for in vain, and would be again.
    #[cfg(feature = "instant")]
    pub(super) fn in_vain(
        wanted: Wanted<'_>,
        options: Options,
        toolchain: &Toolchain,
        cache: &Cache,
    ) -> Option<(Recipe, Arc<Module>)> {
        let known = Recipe::known(cache, name_of(wanted, options, toolchain)?)?;
        let (recipe, module) = Some(known).filter(|it| it.in_vain)?.with_module(cache)?;
        Some((recipe, Arc::new(module)))
    }

    /// Says of code that is kept that something else was tried for in vain.
    pub(super) fn note_in_vain(
        wanted: Wanted<'_>,
        options: Options,
        toolchain: &Toolchain,
        cache: &Cache,
    ) {
        let Some(key) = name_of(wanted, options, toolchain) else { return };
        if let Some(recipe) = Recipe::known(cache, key).filter(|it| !it.in_vain)
            && let Ok(bytes) = serde_json::to_vec(&Recipe { in_vain: true, ..recipe })
        {
            cache.keep_note(key, bytes);
        }
    }

    fn known(cache: &Cache, key: Key) -> Option<Recipe> {
        serde_json::from_slice(&cache.note(key)?).ok()
    }

    fn with_module(self, cache: &Cache) -> Option<(Recipe, Module)> {
        let module = Module::kept(cache, self.library, self.borders.clone()).ok()?;
        Some((self, module))
    }

    fn made(
        wanted: Wanted<'_>,
        options: Options,
        toolchain: &Toolchain,
        cache: &Cache,
    ) -> Result<(Recipe, Module), Refused> {
        let Lowered { resolved, module: lowered, is_draft, effort } =
            Lowered::new(wanted, options)?;
        let toolchain = &toolchain.clone().with_effort(effort);
        let real = match options.precision {
            Precision::F64 => emit::Precision::F64,
            Precision::F32 => emit::Precision::F32,
        };
        let text = emit(&lowered, &EmitOptions { real, vector: true, draft: is_draft });
        let (price, work) = (price(&text, is_draft), loops::work(&lowered, 0));
        wanted.patience.allows(price, work)?;
        let borders = borders(&lowered, options.precision);
        let module = wanted.watch.compiling(&text, || {
            Module::build(toolchain, cache, &text, borders.clone()).map_err(unavailable)
        })?;
        let recipe = Recipe {
            library: Key::new(toolchain, &text),
            is_draft,
            price,
            work,
            in_vain: false,
            borders,
            head: Head::of(&resolved),
            recursive: recursive(wanted.program, &lowered),
            flattening: resolved.flattening,
            datas: resolved.program.datas.clone(),
            texts: lowered.texts,
            sites: lowered.sites,
        };
        Ok((recipe, module))
    }
}

/// The loop nests of an entry point, and how they came to be.
pub(super) struct Lowered {
    pub(super) resolved: Resolved,
    pub(super) module: loops::Module,
    /// Whether they are as they come.
    pub(super) is_draft: bool,
    /// How much work code of them is worth.
    effort: emit::Effort,
}

impl Lowered {
    pub(super) fn new(wanted: Wanted<'_>, options: Options) -> Result<Lowered, Refused> {
        let resolved = Lowered::resolved(wanted, options)?;
        let draft = draft(&resolved, options.effort, |_| LONG_RUN);
        Lowered::of(resolved, draft, wanted, options)
    }

    fn resolved(wanted: Wanted<'_>, options: Options) -> Result<Resolved, Refused> {
        // What has nothing to differentiate is compiled by any method.
        let steps = options.via.compiled().unwrap_or(MIXED);
        let resolved =
            pipeline::resolve_with(steps, wanted.program, wanted.entry, options.checkpoints);
        let resolved = resolved.map_err(|it| Refused {
            span: it.span,
            reason: it.reason,
            help: USE_INTERP,
            why: Why::Program,
        })?;
        if let Some(span) = untold(&resolved.program) {
            let reason = UNTOLD.to_string();
            return Err(Refused { span, reason, help: USE_INTERP, why: Why::Program });
        }
        Ok(resolved)
    }

    /// The loops of a draft, unless it is not worth one: it does more than so many operations.
    #[cfg(feature = "instant")]
    pub(super) fn draft(
        wanted: Wanted<'_>,
        options: Options,
        most: impl Fn(&loops::Module) -> u64,
    ) -> Result<Option<Lowered>, Refused> {
        let resolved = Lowered::resolved(wanted, options)?;
        match draft(&resolved, options.effort, most) {
            None => Ok(None),
            draft @ Some(_) => Lowered::of(resolved, draft, wanted, options).map(Some),
        }
    }

    fn of(
        resolved: Resolved,
        draft: Option<loops::Module>,
        wanted: Wanted<'_>,
        options: Options,
    ) -> Result<Lowered, Refused> {
        let effort = match options.effort {
            Effort::Fitting | Effort::Once if draft.is_some() => emit::Effort::Quick,
            Effort::Fitting | Effort::Once if wanted.only_short => return Err(long()),
            Effort::Fitting | Effort::Once | Effort::Full => emit::Effort::Full,
            Effort::Quick => emit::Effort::Quick,
        };
        let is_draft = draft.is_some();
        let arranged = || pipeline::loops_of(&resolved.program, &resolved.entry, wanted.typical);
        let module = draft.unwrap_or_else(arranged);
        Ok(Lowered { resolved, module, is_draft, effort })
    }
}

/// Loops as they come, for an entry point that nobody calls often, unless the text tells that it takes
/// more than so many operations: most are done before fast code would be there.
fn draft(
    resolved: &Resolved,
    effort: Effort,
    most: impl Fn(&loops::Module) -> u64,
) -> Option<loops::Module> {
    let def = resolved.program.defs.get(&resolved.entry)?;
    let is_constant = def.params.is_empty() && def.size_params.is_empty();
    match effort {
        Effort::Once => {}
        Effort::Fitting if is_constant => {}
        Effort::Fitting | Effort::Full | Effort::Quick => return None,
    }
    let loops = pipeline::draft_of(&resolved.program, &resolved.entry);
    let work = loops::work(&loops, 0);
    work.is_none_or(|it| it <= most(&loops)).then_some(loops)
}

/// The definitions of a text that functions that call themselves were made of: a function is called as
/// its definition is, and something behind it.
pub(super) fn recursive(program: &Program, module: &loops::Module) -> BTreeMap<usize, Name> {
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let written = |it: &loops::Func| {
        let end = it.name.find(|it| !is_of_name(it)).unwrap_or(it.name.len());
        Name::from(it.name[..end].to_string())
    };
    let functions = module.funcs.iter().enumerate().filter(|it| it.1.recursive);
    let named = functions.map(|(at, it)| (at, written(it)));
    named.filter(|it| program.defs.contains_key(&it.1)).collect()
}

fn long() -> Refused {
    let reason = "it takes more steps than a draft is worth".to_string();
    Refused { span: None, reason, help: USE_INTERP, why: Why::Program }
}

impl Head {
    pub(super) fn of(resolved: &Resolved) -> Head {
        let def = resolved.program.defs.get(&resolved.entry);
        let def = def.expect("an entry point is a definition");
        let Def { name, size_params, params, results, .. } = &**def;
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
    let Options { precision, effort, via, checkpoints, .. } = options;
    let typical = wanted.typical;
    let rest = format!("{typical:?} {precision:?} {effort:?} {} {checkpoints:?}", via.name());
    let texts = wanted.sources.texts().map(str::as_bytes);
    let parts: Vec<&[u8]> = [entry.as_bytes(), rest.as_bytes()].into_iter().chain(texts).collect();
    Key::of_note(toolchain, &parts)
}

/// What the entry points of a module take and give.
pub(super) fn borders(module: &loops::Module, precision: Precision) -> Vec<Border> {
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
