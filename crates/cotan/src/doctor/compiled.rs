//! What compiled programs need: a C compiler that works, and a folder for what it made.

use emit::{Effort, flags_of};
use native::{Border, Cache, Key, Module, Toolchain, Unavailable, Width, vector_bits};

use super::Finding;
use crate::options::Options;

const NO_COMPILER: &str = match cfg!(feature = "instant") {
    true => {
        "instant code runs programs, several times slower; install a C compiler (gcc or clang), or name one \
             by the environment variable CC"
    }
    false => {
        "programs run in the interpreter, many times slower; install a C compiler (gcc or clang), or name \
              one by the environment variable CC"
    }
};
const NO_CACHE: &str = "programs are compiled again and again; set COTAN_CACHE to a folder of your own that \
                        can be written to";

/// Looks at everything, in the order in which it is needed.
pub(crate) fn examine(options: Options) -> Vec<Finding> {
    let cache = Cache::of_user();
    let toolchain = Toolchain::find();
    vec![
        compiler(&toolchain),
        trial("trial", Effort::Full, &toolchain, &cache),
        trial("drafts", Effort::Quick, &toolchain, &cache),
        patience(&toolchain),
        finding("vectors", vectors()),
        finding("threads", format!("{}", options.n_threads())),
        folder(&cache),
    ]
}

fn finding(what: &'static str, found: String) -> Finding {
    Finding { what, found, trouble: None }
}

fn missing(what: &'static str, why: &Unavailable, trouble: &'static str) -> Finding {
    Finding { what, found: why.to_string(), trouble: Some(trouble) }
}

fn compiler(toolchain: &Result<Toolchain, Unavailable>) -> Finding {
    let what = "C compiler";
    let version = |it: &Toolchain| Ok(format!("{}: {}", it.name(), it.version()?));
    match toolchain.as_ref().map_err(Unavailable::clone).and_then(version) {
        Ok(found) => finding(what, found),
        Err(why) => missing(what, &why, NO_COMPILER),
    }
}

/// How long the compiler may take.
fn patience(toolchain: &Result<Toolchain, Unavailable>) -> Finding {
    let seconds = toolchain.as_ref().map_or(0, |it| it.patience().as_secs());
    finding("given up", format!("after {seconds} s of compiling (COTAN_CC_TIMEOUT)"))
}

/// Compiles and loads a program.
fn trial(
    what: &'static str,
    effort: Effort,
    toolchain: &Result<Toolchain, Unavailable>,
    cache: &Cache,
) -> Finding {
    let Ok(toolchain) = toolchain else {
        return finding(what, "nothing to try".to_string());
    };
    let text = "long ct_entry_0(void *c, const void *a, void *r) { return c == a && a == r; }\n";
    let border = Border { params: Vec::new(), results: Vec::new(), width: Width::Double };
    let toolchain = &toolchain.clone().with_effort(effort);
    // What was kept says what the compiler could do then.
    cache.forget(Key::new(toolchain, text));
    match Module::build(toolchain, cache, text, vec![border]) {
        Ok(_) => {
            let flags = flags_of(effort)[0];
            finding(what, format!("a program was compiled by {flags} and loaded"))
        }
        Err(why) => missing(what, &why, NO_COMPILER),
    }
}

fn vectors() -> String {
    let bits = vector_bits();
    format!("{bits} bits: {} reals of 64 bits at once", bits / 64)
}

fn folder(cache: &Cache) -> Finding {
    let what = "cache";
    if let Err(why) = cache.usable() {
        return missing(what, &why, NO_CACHE);
    }
    let state = cache.state();
    let mib = |it: u64| it as f64 / f64::from(1 << 20);
    let (folder, entries) = (cache.folder().display(), state.entries);
    let (used, most) = (mib(state.bytes), mib(state.most_bytes));
    finding(what, format!("{folder}: {entries} programs, {used:.1} of {most:.0} MiB"))
}
