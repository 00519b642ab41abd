//! Threads: tasks are claimed by whoever comes first, the caller among them.
//!
//! A caller offers its job to workers and starts working itself. When nothing is left to claim it takes
//! the offer back from those who have not come, and waits for those who have; so it never waits for a
//! thread that has not started. A worker that finds nothing looks a while longer, then sleeps.
//! Which thread runs a task changes nothing: chunks and the order of their sums are fixed before.

use std::ffi::c_void;
use std::hint::spin_loop;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};

use base::tell::Telling;

use crate::abi::{Context, Host, Surroundings, Task};
use crate::arena::Memory;
use crate::call::stack_low;
use crate::system::attempt;
use crate::tuning::{CALLER_LOOKS, KEPT_BY_WORKER, WORKER_LOOKS};

/// Stack of a worker. Only what is used costs anything.
const STACK: usize = 256 << 20;
/// The most workers.
const MOST: usize = 255;

/// Tasks of one caller, on its stack.
struct Job {
    task: Task,
    env: *mut c_void,
    /// What tasks see as their host, and what they are told by the caller.
    host: *const Host,
    stop: *const i32,
    telling: *const Telling,
    memory: usize,
    n_tasks: i64,
    /// The next task that nobody has claimed.
    next: AtomicI64,
    /// Tasks from here on need not run: an earlier one failed.
    end: AtomicI64,
    /// Workers that have come and gone.
    left: AtomicUsize,
    /// The failure of the lowest task so far.
    failure: Mutex<Option<(i64, Box<Context>)>>,
}

/// A thread that waits for jobs.
struct Worker {
    /// Null: free. `BUSY`: at work. Else a job that is offered.
    offer: AtomicPtr<Job>,
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

/// The workers of the process. They are never given up: references to them are for good.
static WORKERS: Mutex<Vec<&'static Worker>> = Mutex::new(Vec::new());

fn busy() -> *mut Job {
    ptr::without_provenance_mut(1)
}

/// `host->parallel`.
///
/// # Safety
/// `myself` is that of a host of ours, `task` may be called with `env` and any number below `n_tasks`,
/// on any thread, and `caller` is the context of the calling thread.
pub(crate) unsafe extern "C" fn parallel(
    myself: *mut c_void,
    n_tasks: i64,
    task: Task,
    env: *mut c_void,
    caller: *mut Context,
) {
    // SAFETY: as promised above; the context is not used by anybody else meanwhile.
    let (surroundings, caller) = unsafe { (&*myself.cast::<Surroundings>(), &mut *caller) };
    let job = Job {
        task,
        env,
        host: surroundings.inside.as_ref().map_or(caller.host, |it| &raw const **it),
        stop: caller.stop,
        telling: caller.telling,
        memory: surroundings.memory,
        n_tasks,
        next: AtomicI64::new(0),
        end: AtomicI64::new(n_tasks),
        left: AtomicUsize::new(0),
        failure: Mutex::new(None),
    };
    let helpers = surroundings.threads.min(usize::try_from(n_tasks).unwrap_or(0)).saturating_sub(1);
    let asked = if helpers == 0 { Vec::new() } else { offer(&job, helpers) };
    let own = Context { host: job.host, code: 0, n_values: 0, ..*caller };
    job.work(own);
    let came = asked.iter().filter(|it| !it.take_back(&job)).count();
    job.wait(came);
    let failure = job.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, failed)) = failure {
        caller.code = failed.code;
        caller.values = failed.values;
        caller.n_values = failed.n_values;
    }
}

/// Offers a job to free workers; gives those that it was offered to.
fn offer(job: &Job, helpers: usize) -> Vec<&'static Worker> {
    let workers = workers(helpers);
    let job = ptr::from_ref(job).cast_mut();
    let take = |worker: &&&'static Worker| {
        let free = ptr::null_mut();
        worker.offer.compare_exchange(free, job, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    };
    let asked: Vec<&'static Worker> = workers.iter().filter(take).take(helpers).copied().collect();
    for worker in &asked {
        if worker.asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = worker.thread.get()
        {
            thread.unpark();
        }
    }
    asked
}

/// The workers there are, at least so many if the system allows it.
fn workers(wanted: usize) -> Vec<&'static Worker> {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    while workers.len() < wanted.min(MOST) {
        let worker = Worker {
            offer: AtomicPtr::new(ptr::null_mut()),
            asleep: AtomicBool::new(false),
            thread: OnceLock::new(),
        };
        let worker: &'static Worker = Box::leak(Box::new(worker));
        let builder = thread::Builder::new().name("cotan".to_string()).stack_size(STACK);
        let started = attempt("start a thread").and_then(|()| builder.spawn(|| worker.run()));
        match started {
            Ok(handle) => {
                let _ = worker.thread.set(handle.thread().clone());
                workers.push(worker);
            }
            // The caller does everything itself.
            Err(_) => break,
        }
    }
    workers.clone()
}

impl Worker {
    /// Takes jobs for ever.
    fn run(&self) {
        let mut arena: Option<Memory> = None;
        loop {
            let job = self.next_job(&mut arena);
            // SAFETY: the caller keeps the job until all workers that took it have left it.
            let job = unsafe { &*job };
            if arena.as_ref().is_none_or(|it| it.len() < job.memory) {
                arena = Memory::reserve(job.memory).ok();
            }
            if let Some(memory) = &arena {
                job.work(job.context(memory));
            }
            // The last that we know of the job.
            job.left.fetch_add(1, Ordering::Release);
            self.offer.store(ptr::null_mut(), Ordering::Release);
        }
    }

    /// Waits until there is one, and takes it.
    fn next_job(&self, arena: &mut Option<Memory>) -> *mut Job {
        let mut looked = 0;
        loop {
            let job = self.offer.load(Ordering::Relaxed);
            let taken =
                || self.offer.compare_exchange(job, busy(), Ordering::Acquire, Ordering::Relaxed);
            if !job.is_null() && taken().is_ok() {
                return job;
            }
            looked += 1;
            if looked < WORKER_LOOKS {
                spin_loop();
                continue;
            }
            self.asleep.store(true, Ordering::SeqCst);
            if self.offer.load(Ordering::SeqCst).is_null() {
                if let Some(memory) = arena {
                    memory.trim(KEPT_BY_WORKER);
                }
                thread::park();
            }
            self.asleep.store(false, Ordering::SeqCst);
            looked = 0;
        }
    }

    /// Whether it has not come for the job, and now will not.
    fn take_back(&self, job: &Job) -> bool {
        let (job, free) = (ptr::from_ref(job).cast_mut(), ptr::null_mut());
        self.offer.compare_exchange(job, free, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

impl Job {
    /// The context of a worker.
    fn context(&self, memory: &Memory) -> Context {
        let start = memory.start();
        Context {
            top: start,
            // SAFETY: the memory has at least so many bytes.
            end: unsafe { start.add(self.memory.min(memory.len())) },
            // Of a worker, all there is: it has no more than every thread has.
            stack_low: stack_low(usize::MAX),
            stop: self.stop,
            host: self.host,
            escape: ptr::null_mut(),
            code: 0,
            values: Default::default(),
            n_values: 0,
            steps: 0,
            telling: self.telling,
        }
    }

    /// Claims tasks and runs them until none is left. Every one begins with all of the memory.
    fn work(&self, fresh: Context) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.n_tasks || number >= self.end.load(Ordering::Relaxed) {
                return;
            }
            let mut context = fresh;
            // SAFETY: as promised to `parallel`; a task catches its failures itself.
            unsafe { (self.task)(self.env, number, &raw mut context) };
            if context.code != 0 {
                self.fail(number, context);
            }
        }
    }

    /// Remembers the failure of the lowest task. All lower ones have been claimed, and are finished.
    fn fail(&self, number: i64, context: Context) {
        self.end.fetch_min(number, Ordering::Relaxed);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|it| number < it.0) {
            *failure = Some((number, Box::new(context)));
        }
    }

    /// Waits until so many workers have left.
    fn wait(&self, came: usize) {
        let mut looked = 0;
        while self.left.load(Ordering::Acquire) < came {
            looked += 1;
            match looked < CALLER_LOOKS {
                true => spin_loop(),
                false => thread::yield_now(),
            }
        }
    }
}
