//! The C compiler as a process: what reaches it, what becomes of it, and what if the system fails us.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use emit::Effort;
use native::{Ahead, Input, Key, Unavailable, Wanted, with_fault};

use crate::*;

/// A program that is taken for a compiler. Another process writes it: what a process has open to write
/// to, it may hand on to a child of another thread, and then nobody can run it.
fn fake(folder: &Path, script: &str) -> Toolchain {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join("fake-cc");
    let (write, text) =
        ("printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"", format!("#!/bin/sh\n{script}\n"));
    let written = Command::new("sh").args(["-c", write]).arg(&path).arg(text).status();
    assert!(written.unwrap().success());
    Toolchain::named(path.to_str().unwrap()).unwrap()
}

fn build(toolchain: &Toolchain, cache: &Cache, number: i64) -> Result<i64, String> {
    let text = format!("{PRELUDE}\nENTRY(0) {{ results[0].i = args[0].i + {number}; return 0; }}");
    let borders = vec![border(&[INT], &[INT])];
    let module = Module::build(toolchain, cache, &text, borders).map_err(|it| it.to_string())?;
    let f = Function::new(Arc::new(module), 0, 1, 1 << 20, Stop::default());
    let results = f.call(&[Input::Int(1)]).map_err(|it| format!("{it:?}"))?;
    Ok(results.words()[0].int())
}

#[test]
fn a_compiler_that_hangs_is_given_up_with_all_that_it_started() {
    let place = folder("hangs");
    let pid = place.join("pid");
    let script = format!("sleep 1000 & echo $! > {}; wait", pid.display());
    let toolchain = fake(&place, &script).with_patience(Duration::from_millis(300));
    let failed = build(&toolchain, &Cache::at(place.join("cache")), 1).unwrap_err();
    assert!(failed.contains("given up") && failed.contains("COTAN_CC_TIMEOUT"), "{failed}");
    assert!(failed.contains("0.3"), "{failed}");
    assert_ends(&pid);
}

/// Waits for the end of the process whose number is in a file: a killed one is gone very soon.
fn assert_ends(pid: &Path) {
    let number = fs::read_to_string(pid).unwrap();
    let state = Path::new("/proc").join(number.trim()).join("stat");
    let lives = || fs::read_to_string(&state).is_ok_and(|it| !it.contains(") Z "));
    let mut looked = 0;
    while lives() {
        looked += 1;
        assert!(looked < 10_000_000, "the process {number} goes on");
        std::thread::yield_now();
    }
}

/// The compiler has started what it starts when somebody else has the answer.
#[test]
fn a_compiler_that_nobody_wants_ends_at_once_and_leaves_nothing() {
    let place = folder("unwanted");
    let (pid, ready, kept) = (place.join("pid"), place.join("ready"), place.join("cache"));
    fs::create_dir_all(&place).unwrap();
    assert!(Command::new("mkfifo").arg(&ready).status().unwrap().success());
    let script =
        format!("sleep 1000 & echo $! > {}; echo > {}; wait", pid.display(), ready.display());
    for effort in [Effort::Full, Effort::Quick] {
        let (toolchain, cache) =
            (fake(&place, &script).with_effort(effort), Cache::at(kept.clone()));
        let work = move |it: &Wanted| build(&toolchain.with_wanted(it), &cache, 1);
        let ahead = Ahead::begin(work).unwrap();
        fs::read(&ready).unwrap();
        drop(ahead);
        assert_ends(&pid);
        assert_eq!(fs::read_dir(&kept).unwrap().count(), 0, "{effort:?}");
    }
}

#[test]
fn what_is_wanted_is_made_ahead_and_kept() {
    let cache = Cache::at(folder("ahead"));
    let place = cache.clone();
    let work = move |it: &Wanted| build(&Toolchain::find().unwrap().with_wanted(it), &place, 2);
    assert_eq!(Ahead::begin(work).unwrap().wait(), Ok(3));
    assert_eq!(cache.state().entries, 1);
}

/// After an hour, unless somebody waits for it or nobody wants it.
#[test]
fn what_is_to_begin_later_begins_when_it_is_waited_for() {
    let hour = std::time::Duration::from_secs(3600);
    assert!(Ahead::begin(move |it: &Wanted| it.after(hour)).unwrap().wait());
    let (said, heard) = std::sync::mpsc::channel();
    drop(Ahead::begin(move |it: &Wanted| said.send(it.after(hour)).unwrap()).unwrap());
    assert!(!heard.recv().unwrap());
}

/// Nobody waits for passes before the compiler, and no compiler begins behind them.
#[test]
fn a_compiler_that_nobody_wants_does_not_begin() {
    let place = folder("unwanted_before");
    let cache = Cache::at(place.clone());
    let (go, passes) = std::sync::mpsc::channel::<()>();
    let (said, heard) = std::sync::mpsc::channel();
    let work = move |it: &Wanted| {
        passes.recv().unwrap();
        said.send(build(&Toolchain::find().unwrap().with_wanted(it), &cache, 3)).unwrap();
    };
    drop(Ahead::begin(work).unwrap());
    go.send(()).unwrap();
    assert!(heard.recv().unwrap().unwrap_err().contains("nobody wants"));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn a_signal_that_ends_us_ends_the_compiler() {
    let place = folder("killed");
    let (pid, ready) = (place.join("pid"), place.join("ready"));
    fs::create_dir_all(&place).unwrap();
    assert!(Command::new("mkfifo").arg(&ready).status().unwrap().success());
    let script =
        format!("sleep 1000 & echo $! > {}; echo > {}; wait", pid.display(), ready.display());
    fake(&place, &script);
    // The test below, in another process.
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["compiler::compile_in_the_folder_that_the_environment_names", "--exact"])
        .env("COTAN_TEST_COMPILE_IN", &place)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Blocks until the compiler has started what it starts.
    fs::read(&ready).unwrap();
    process.kill().unwrap();
    process.wait().unwrap();
    assert_ends(&pid);
}

#[test]
fn compile_in_the_folder_that_the_environment_names() {
    let Some(place) = std::env::var_os("COTAN_TEST_COMPILE_IN").map(PathBuf::from) else { return };
    let toolchain = Toolchain::named(place.join("fake-cc").to_str().unwrap()).unwrap();
    let _ = build(&toolchain, &Cache::at(place.join("cache")), 1);
}

#[test]
fn the_environment_has_no_options_for_the_compiler() {
    let place = folder("environment");
    let seen = place.join("seen");
    fake(&place, &format!("env > {}; exit 1", seen.display()));
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["compiler::compile_in_the_folder_that_the_environment_names", "--exact"])
        .env("COTAN_TEST_COMPILE_IN", &place)
        .envs(
            ["CFLAGS", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX"]
                .map(|it| (it, "/evil")),
        )
        .envs(
            ["COMPILER_PATH", "LD_RUN_PATH", "CCC_OVERRIDE_OPTIONS", "GCC_ANY"]
                .map(|it| (it, "/evil")),
        )
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let seen = fs::read_to_string(seen).unwrap();
    assert!(!seen.contains("evil"), "{seen}");
    assert!(seen.contains("PATH="), "{seen}");
}

#[test]
fn cc_may_name_programs_only() {
    for given in ["cc -O0", "cc -ffast-math", "cc @options", "cc -fplugin=x.so"] {
        let refused = Toolchain::named(given).err().unwrap();
        assert!(matches!(refused, Unavailable::Compiler { .. }), "{given}");
    }
    // As `ccache cc`.
    assert!(Toolchain::named("env cc").is_ok());
}

/// Builds, and keeps a note beside what was built, which is there as a whole or not at all.
fn build_with_note(toolchain: &Toolchain, cache: &Cache) -> Result<i64, String> {
    let res = build(toolchain, cache, 7);
    let key = Key::of_note(toolchain, &[b"7"]).unwrap();
    cache.keep_note(key, b"known".to_vec());
    assert!(cache.note(key).is_none_or(|it| it == b"known"));
    res
}

/// A thread that does not start is none: whoever calls does all the work.
#[test]
fn a_thread_that_does_not_start_is_not_missed() {
    let square = "
static void task(void *env, int64_t i, ct_ctx *ctx) { ((double *)env)[i] = (double)i * i; (void)ctx; }
ENTRY(0) {
  double *y = alloc(ctx, 8 * args[0].i);
  ctx->host->parallel(ctx->host->self, args[0].i, task, y, ctx);
  results[0].p = y;
  return ctx->code;
}";
    let mut failed = BTreeSet::new();
    for at in 0..4 {
        // More than there are, so that some have to be started.
        let n_threads = 8 + 2 * at as usize;
        let f = function_with(square, border(&[INT], &[REALS]), n_threads, 1 << 26);
        let (res, fault) = with_fault(at, || f.call(&[Input::Int(100)]));
        failed.extend(fault);
        let Ok(results) = res else {
            assert_ne!(fault, Some("start a thread"));
            continue;
        };
        let y: &[f64] = results.array(results.words()[0], 100).unwrap();
        assert!(y.iter().enumerate().all(|(i, it)| *it == (i * i) as f64), "{fault:?}");
    }
    assert!(failed.contains("start a thread"), "{failed:?}");
}

/// Every call of the system fails once, in turn: there is a result, and it is right, or an error that says
/// what could not be done; nothing is left behind, and all goes well afterwards.
#[test]
fn every_call_of_the_system_may_fail() {
    for effort in [Effort::Full, Effort::Quick] {
        let place = folder(&format!("faults_{effort:?}"));
        let cache = Cache::at(place.clone());
        let toolchain = Toolchain::find().unwrap().with_effort(effort);
        let mut failed = BTreeSet::new();
        for at in 0.. {
            let _ = fs::remove_dir_all(&place);
            let (res, fault) = with_fault(at, || build_with_note(&toolchain, &cache));
            let Some(fault) = fault else {
                assert_eq!(res, Ok(8));
                break;
            };
            failed.insert(fault);
            match res {
                Ok(it) => assert_eq!(it, 8, "{fault}"),
                Err(said) => {
                    let told = said.contains("a test lets this fail") || said.contains("Memory");
                    assert!(told, "{fault}: {said}");
                }
            }
            let files = fs::read_dir(&place)
                .map_or(Vec::new(), |it| it.map(|it| it.unwrap().file_name()).collect());
            let left = files.iter().any(|it| it.to_str().unwrap().starts_with("unfinished"));
            assert!(!left || fault == "remove", "{fault}: {files:?}");
            assert_eq!(build_with_note(&toolchain, &cache), Ok(8), "after {fault}");
            let key = Key::of_note(&toolchain, &[b"7"]).unwrap();
            assert_eq!(cache.note(key).as_deref(), Some(&b"known"[..]), "after {fault}");
        }
        for what in [
            "make a folder",
            "open a folder",
            "create",
            "write",
            "start a process",
            "read",
            "load",
            "rename",
            "remove",
        ] {
            assert!(failed.contains(what), "{what} is not tried: {failed:?}");
        }
    }
}

/// Calls of the system fail where an entry is kept already: the old one stays.
#[test]
fn an_entry_outlives_calls_of_the_system_that_fail() {
    let place = folder("faults_kept");
    let cache = Cache::at(place);
    let toolchain = Toolchain::find().unwrap();
    assert_eq!(build(&toolchain, &cache, 3), Ok(4));
    for at in 0.. {
        let (res, fault) = with_fault(at, || build(&toolchain, &cache, 3));
        assert_eq!(res.unwrap_or(4), 4);
        assert_eq!(cache.state().entries, 1);
        if fault.is_none() {
            break;
        }
    }
}
