//! Machine code at once: `lower` (loop nests), `instant` (bytes), and the loader, without files and without a C
//! compiler. Nothing is kept: making it takes about as long as looking for it.

use std::sync::Arc;

use base::Stop;
use eval::Precision;
use native::Module;

use super::code::{Machine, Parts, is_compiled_by, unavailable};
use super::recipe::{Head, Lowered, borders, recursive};
use super::{Patience, Refused, Wanted, Why};
use crate::backend::Backend;
use crate::options::{Effort, Options};
use crate::tuning::{LONG_RUN, NODE_OF_C};

/// Compiles an entry point.
pub(crate) fn compile(
    wanted: Wanted<'_>,
    options: Options,
    stop: &Stop,
) -> Result<Machine, Refused> {
    is_compiled_by(wanted, options)?;
    native::can_reserve(options.bytes()).map_err(unavailable)?;
    made(Lowered::new(wanted, options)?, wanted, options, stop)
}

/// Compiles an entry point that nobody calls often, unless its text tells that it takes long. If it is known to
/// come to C in the end, and that is kept, it is what C made.
pub(crate) fn draft(
    wanted: Wanted<'_>,
    options: Options,
    stop: &Stop,
) -> Result<Option<Machine>, Refused> {
    match options.effort {
        Effort::Once | Effort::Fitting => {}
        Effort::Full | Effort::Quick => return Ok(None),
    }
    is_compiled_by(wanted, options)?;
    native::can_reserve(options.bytes()).map_err(unavailable)?;
    let is_run_once = wanted.patience != Patience::Endless;
    if is_run_once && let Some(kept) = Machine::kept(wanted, options, stop) {
        return Ok(Some(kept));
    }
    let lowered = Lowered::draft(wanted, options, |it| LONG_RUN.max(n_nodes(it) * NODE_OF_C))?;
    lowered.map(|it| made(it, wanted, options, stop)).transpose()
}

fn made(
    lowered: Lowered,
    wanted: Wanted<'_>,
    options: Options,
    stop: &Stop,
) -> Result<Machine, Refused> {
    let Lowered { resolved, module: lowered, is_draft, .. } = lowered;
    let n_nodes = n_nodes(&lowered);
    let how = instant::Options {
        single: options.precision == Precision::F32,
        most_steps: is_draft.then_some(emit::DRAFT),
        offsets: native::offsets(),
    };
    let code = instant::compile(&lowered, &how).map_err(refused)?;
    let borders = borders(&lowered, options.precision);
    let texts = lowered.texts.iter().map(|it| &**it);
    let module = Module::instant(&code, texts, borders).map_err(unavailable)?;
    let parts = Parts {
        module: Arc::new(module),
        is_draft,
        head: Head::of(&resolved),
        recursive: recursive(wanted.program, &lowered),
        flattening: resolved.flattening,
        datas: resolved.program.datas.clone(),
        texts: lowered.texts,
        sites: lowered.sites,
        backend: Backend::Instant,
        more_steps: n_nodes * emit::LINE_OF_DRAFT,
    };
    Ok(Machine::of(parts, options, stop))
}

/// Statements of loop nests, of which each is about a line of C.
fn n_nodes(module: &loops::Module) -> u64 {
    let mut res = 0;
    for func in &module.funcs {
        loops::walk(&func.body, &mut |_| res += 1);
    }
    res
}

fn refused(why: instant::Refused) -> Refused {
    let reason = match why {
        instant::Refused::Processor(name) => {
            format!("instant code is made for the processors x86-64 only, and this is `{name}`")
        }
        instant::Refused::Function(name, why) => {
            format!("no instant code is made of `{name}`: {why}")
        }
    };
    let help = "use the back end `native`, or `auto`, which chooses";
    Refused { span: None, reason, help, why: Why::Program }
}
