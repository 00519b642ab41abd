//! The cache: hits, damage, other processes, other compilers.

use std::fs;
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
