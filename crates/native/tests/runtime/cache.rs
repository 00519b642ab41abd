//! The cache: hits, damage, other processes, other compilers.

use std::fs;
use std::path::Path;
use std::process::Command;

use native::{Input, Unavailable};

use crate::*;

/// A program of its own for each number.
fn text(number: i64) -> String {
    format!("{PRELUDE}\nENTRY(0) {{ results[0].i = args[0].i + {number}; return 0; }}")
}

fn sum(cache: &Cache, number: i64) -> i64 {
    let toolchain = Toolchain::find().unwrap();
    let borders = vec![border(&[INT], &[INT])];
    let module = Module::build(&toolchain, cache, &text(number), borders).unwrap();
    let f = Function::new(Arc::new(module), 0, 1, 1 << 20, Stop::default());
    f.call(&[Input::Int(1)]).unwrap().words()[0].int()
}

fn libraries(cache: &Cache) -> Vec<PathBuf> {
    let files = fs::read_dir(cache.folder()).unwrap().map(|it| it.unwrap().path());
    files.filter(|it| it.extension().is_some_and(|it| it == "so")).collect()
}

#[test]
fn what_was_compiled_is_found_again() {
    let cache = Cache::at(folder("again"));
    assert_eq!(sum(&cache, 1), 2);
    let first = libraries(&cache);
    let made = first[0].metadata().unwrap().len();
    assert_eq!(sum(&cache, 1), 2);
    assert_eq!(libraries(&cache), first);
    assert_eq!(first[0].metadata().unwrap().len(), made);
    assert_eq!(sum(&cache, 2), 3);
    assert_eq!(cache.state().entries, 2);
}

#[test]
fn damaged_and_foreign_entries_are_made_anew() {
    let cache = Cache::at(folder("damaged"));
    sum(&cache, 7);
    let path = &libraries(&cache)[0];
    let good = fs::read(path).unwrap();
    let other = {
        let cache = Cache::at(folder("other"));
        sum(&cache, 8);
        fs::read(&libraries(&cache)[0]).unwrap()
    };
    let flipped: Vec<u8> =
        good.iter().enumerate().map(|(i, it)| if i == 4000 { !it } else { *it }).collect();
    let bad: [&[u8]; 5] = [b"", b"no library", &good[..good.len() / 2], &flipped, &other];
    for content in bad {
        // A new file: the old one may still be in memory.
        fs::remove_file(path).unwrap();
        fs::write(path, content).unwrap();
        assert_eq!(sum(&cache, 7), 8);
        assert!(fs::read(path).unwrap() != content, "it was not made anew");
    }
}

#[test]
fn the_oldest_entries_go_first() {
    let cache = Cache::at(folder("old"));
    sum(&cache, 1);
    let one = cache.state().bytes;
    let cache = cache.with_most_bytes(3 * one + one / 2);
    for number in 2..20 {
        assert_eq!(sum(&cache, number), number + 1);
    }
    assert!(cache.state().bytes <= 3 * one + one / 2, "{:?}", cache.state());
    assert!(cache.state().entries >= 2);
}

#[test]
fn processes_and_threads_share_a_folder() {
    let path = folder("shared_by_many");
    // The test below, in other processes; in this one it does nothing.
    let processes: Vec<_> = (0..3)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["cache::use_the_folder_that_the_environment_names", "--exact"])
                .env("COTAN_TEST_FOLDER", &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let cache = Cache::at(path.clone());
            std::thread::spawn(move || (0..4).for_each(|it| assert_eq!(sum(&cache, it), it + 1)))
        })
        .collect();
    threads.into_iter().for_each(|it| it.join().unwrap());
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(Cache::at(path).state().entries, 4);
}

#[test]
fn use_the_folder_that_the_environment_names() {
    let Some(path) = std::env::var_os("COTAN_TEST_FOLDER") else { return };
    let cache = Cache::at(path.into());
    (0..4).for_each(|it| assert_eq!(sum(&cache, it), it + 1));
}

#[test]
fn a_text_that_is_no_c_is_an_error_with_its_reason() {
    let toolchain = Toolchain::find().unwrap();
    let cache = Cache::at(folder("no_c"));
    let failed = Module::build(&toolchain, &cache, "int f( {", Vec::new()).err().unwrap();
    assert!(matches!(&failed, Unavailable::Compiler { said, .. } if said.contains("error")));
    assert_eq!(fs::read_dir(cache.folder()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let path = folder("open");
    fs::create_dir_all(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    let cache = Cache::at(path.clone());
    assert!(matches!(cache.usable(), Err(Unavailable::Files { .. })));
    assert_eq!(sum(&cache, 1), 2, "there is another folder for it");
    assert_eq!(fs::read_dir(path).unwrap().count(), 0);
}

/// Whether an entry is made anew after something is done to it. The old file stays open, so that no new
/// one has its number.
fn is_made_anew(name: &str, number: i64, change: impl Fn(&Path)) -> bool {
    use std::os::unix::fs::MetadataExt;
    let cache = Cache::at(folder(name));
    assert_eq!(sum(&cache, number), number + 1);
    let path = &libraries(&cache)[0];
    let old = fs::File::open(path).unwrap();
    change(path);
    assert_eq!(sum(&cache, number), number + 1);
    old.metadata().unwrap().ino() != path.metadata().unwrap().ino()
}

#[test]
fn an_entry_that_others_may_write_to_is_not_loaded() {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(is_made_anew("writable", 5, open));
    assert!(!is_made_anew("untouched", 5, |_| {}), "nothing was wrong with it");
}

#[test]
fn what_another_user_owns_is_not_loaded() {
    use std::os::unix::fs::chown;
    const NOBODY: u32 = 65534;
    let probe = folder("probe_of_owner");
    fs::create_dir_all(&probe).unwrap();
    if chown(&probe, Some(NOBODY), None).is_err() {
        let line = "\nNOT CHECKED: only root can give files to another user\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return;
    }
    assert!(is_made_anew("of_another", 11, |path| chown(path, Some(NOBODY), None).unwrap()));
    // Nor is anything in a folder of theirs, whoever owns it.
    let theirs = folder("theirs");
    let cache = Cache::at(theirs.clone());
    assert_eq!(sum(&cache, 12), 13);
    let entry = libraries(&cache)[0].clone();
    fs::write(&entry, "not a library").unwrap();
    chown(&theirs, Some(NOBODY), None).unwrap();
    assert!(matches!(cache.usable(), Err(Unavailable::Files { .. })));
    assert_eq!(sum(&cache, 12), 13, "made in another folder");
    assert_eq!(fs::read_to_string(&entry).unwrap(), "not a library", "nothing is written there");
}

#[test]
fn what_is_there_in_a_folder_that_others_may_write_to_is_not_loaded() {
    use std::os::unix::fs::PermissionsExt;
    let path = folder("opened_later");
    let cache = Cache::at(path.clone());
    assert_eq!(sum(&cache, 6), 7);
    let entry = libraries(&cache)[0].clone();
    let time = std::time::SystemTime::UNIX_EPOCH;
    fs::File::options().append(true).open(&entry).unwrap().set_modified(time).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(sum(&cache, 6), 7, "made in another folder");
    assert_eq!(entry.metadata().unwrap().modified().unwrap(), time, "nobody has used it");
}

#[test]
fn pipes_folders_and_links_in_place_of_an_entry_are_no_entries() {
    let cache = Cache::at(folder("strange"));
    assert_eq!(sum(&cache, 9), 10);
    let path = &libraries(&cache)[0];
    let elsewhere = folder("strange_elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::copy(path, elsewhere.join("linked")).unwrap();
    fs::remove_file(path).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    assert_eq!(sum(&cache, 9), 10);
    assert!(path.metadata().unwrap().is_file(), "in place of the pipe");
    fs::remove_file(path).unwrap();
    fs::create_dir(path).unwrap();
    assert_eq!(sum(&cache, 9), 10);
    assert!(path.metadata().unwrap().is_file(), "in place of the folder");
    fs::remove_file(path).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("linked"), path).unwrap();
    assert_eq!(sum(&cache, 9), 10);
    assert!(path.symlink_metadata().unwrap().is_file(), "in place of the link");
}

#[test]
fn only_files_of_ours_are_counted_and_removed() {
    let path = folder("with_others");
    let cache = Cache::at(path.clone()).with_most_bytes(1);
    fs::create_dir_all(&path).unwrap();
    let others = ["thesis.c", "libm.so", "a.note", "0123456789abcdef0123456789abcdef.txt"];
    for name in others {
        fs::write(path.join(name), "not of Cotan").unwrap();
    }
    assert_eq!(cache.state().bytes, 0);
    assert_eq!(sum(&cache, 1), 2);
    for name in others {
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), "not of Cotan");
    }
    assert_eq!(cache.state().bytes, 0, "one byte is less than an entry");
}

#[test]
fn what_a_dead_process_left_is_removed() {
    let cache = Cache::at(folder("left"));
    cache.usable().unwrap();
    // A process that has ended, in the form that names of unfinished files have.
    let mut ended = Command::new("true").spawn().unwrap();
    let number = ended.id();
    ended.wait().unwrap();
    let own = native::unfinished_name();
    let prefix = own.rsplitn(3, '-').last().unwrap();
    let left = [format!("{prefix}-{number}-0.0.o"), format!("{prefix}-{number}-1.so")];
    let alive = format!("{prefix}-{}-999999.0.o", std::process::id());
    for name in left.iter().chain([&alive]) {
        fs::write(cache.folder().join(name), "half").unwrap();
    }
    assert_eq!(sum(&cache, 1), 2);
    for name in &left {
        assert!(!cache.folder().join(name).exists(), "{name}");
    }
    assert!(cache.folder().join(alive).exists(), "somebody is writing it");
}

#[test]
fn the_reason_why_a_library_does_not_load_is_told() {
    let toolchain = Toolchain::find().unwrap();
    let text =
        "long missing_everywhere(void); long ct_entry_0(void) { return missing_everywhere(); }";
    let text = format!("{text}\nlong (*volatile now)(void) = missing_everywhere;");
    let failed = Module::build(&toolchain, &Cache::at(folder("reason")), &text, Vec::new());
    let failed = failed.err().unwrap().to_string();
    assert!(failed.contains("missing_everywhere"), "{failed}");
}
