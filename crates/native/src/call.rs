//! Calls of compiled code: arguments in, memory and stack for it, results or a failure out.

use std::marker::PhantomData;
use std::sync::Arc;

use base::Stop;
use loops::{Scalar, Type};
use smallvec::{SmallVec, smallvec};

use crate::abi::{self, Context, Host, MOST_VALUES, Slot, Surroundings};
use crate::arena::{Arena, Memory};
use crate::failure::Failed;
use crate::heap::{Heap, Pointer};
use crate::load::{Border, Module, Width};
use crate::results::{FEW, Owned, Ranges, Results, Word, Words};
use crate::{pool, product, tell};

/// What must be left of the stack for a call, besides what the code says it needs.
const SHALLOW: usize = 256 << 10;
/// What is kept free below the deepest frame, for functions of the system.
const MARGIN: usize = 64 << 10;
/// The most stack that a recursion gets, and the least.
const DEEP: usize = 1 << 30;
const LEAST: usize = 1 << 20;
/// The cache of a core, if nobody says more.
const L2_BYTES: i64 = 1 << 20;

/// An entry point that is ready to be called, from several threads at once if need be.
pub struct Function {
    module: Arc<Module>,
    entry: usize,
    host: Box<Host>,
    memory: usize,
    stop: Stop,
}

// SAFETY: the host and what it points to are owned, never change, and have nothing of a thread.
unsafe impl Send for Function {}
// SAFETY: as above; calls share nothing else.
unsafe impl Sync for Function {}

/// An argument. Arrays are as long as the size parameters say.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// A real.
    Real(f64),
    /// An integer, a text by its number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// An array of reals.
    Reals(&'a [f64]),
    /// An array of reals of single precision.
    Floats(&'a [f32]),
    /// An array of integers.
    Ints(&'a [i64]),
    /// An array of truth values.
    Bools(&'a [bool]),
    /// A value of a sum type, or an array of them, in a heap.
    Boxed(&'a Heap, Pointer),
}

/// When a call ends before its end.
#[derive(Clone, Copy)]
struct Until<'a> {
    /// When this asks for it.
    stop: &'a Stop,
    /// When a draft has taken so many steps more than it is worth.
    more_steps: i64,
}

impl Input<'_> {
    fn slot(&self) -> Slot {
        match self {
            Input::Real(it) => Slot::real(*it),
            Input::Int(it) => Slot::int(*it),
            Input::Bool(it) => Slot::int(i64::from(*it)),
            Input::Reals(it) => Slot::array(it),
            Input::Floats(it) => Slot::array(it),
            Input::Ints(it) => Slot::array(it),
            Input::Bools(it) => Slot::array(it),
            Input::Boxed(_, it) => it.0,
        }
    }

    fn fits(&self, ty: Type, width: Width) -> bool {
        match (self, ty) {
            (Input::Real(_), Type::Scalar(Scalar::Real)) => true,
            (Input::Int(_), Type::Scalar(Scalar::Int)) => true,
            (Input::Bool(_), Type::Scalar(Scalar::Bool)) => true,
            (Input::Reals(_), Type::Array(Scalar::Real)) => width == Width::Double,
            (Input::Floats(_), Type::Array(Scalar::Real)) => width == Width::Single,
            (Input::Ints(_), Type::Array(Scalar::Int)) => true,
            (Input::Bools(_), Type::Array(Scalar::Bool)) => true,
            (Input::Boxed(..), Type::Scalar(Scalar::Box) | Type::Array(Scalar::Box)) => true,
            (_, Type::Scalar(_) | Type::Array(_)) => false,
        }
    }

    fn ranges(&self, into: &mut Ranges) {
        fn range<T>(data: &[T]) -> (usize, usize) {
            let range = data.as_ptr_range();
            (range.start.addr(), range.end.addr())
        }
        match self {
            Input::Real(_) | Input::Int(_) | Input::Bool(_) => {}
            Input::Reals(it) => into.push(range(it)),
            Input::Floats(it) => into.push(range(it)),
            Input::Ints(it) => into.push(range(it)),
            Input::Bools(it) => into.push(range(it)),
            Input::Boxed(heap, _) => into.extend(heap.ranges()),
        }
    }
}

impl Function {
    /// An entry point of a module; calls use at most so many threads and bytes.
    pub fn new(
        module: Arc<Module>,
        entry: usize,
        threads: usize,
        memory: usize,
        stop: Stop,
    ) -> Function {
        let width = module.entries[entry].1.width;
        let host = host(width, threads.max(1), memory);
        Function { module, entry, host, memory, stop }
    }

    /// What it takes and gives.
    pub fn border(&self) -> &Border {
        &self.module.entries[self.entry].1
    }

    /// Calls it.
    pub fn call<'a>(&self, inputs: &[Input<'a>]) -> Result<Results<'a>, Failed> {
        self.call_until(inputs, &self.stop)
    }

    /// Calls it; it ends with [`Failed::Stopped`] soon after this asks.
    pub fn call_until<'a>(&self, inputs: &[Input<'a>], stop: &Stop) -> Result<Results<'a>, Failed> {
        self.call_within(inputs, Until { stop, more_steps: 0 })
    }

    /// Calls a draft, which may take so many steps more than it is worth.
    pub fn call_longer<'a>(
        &self,
        inputs: &[Input<'a>],
        more_steps: u64,
    ) -> Result<Results<'a>, Failed> {
        let more_steps = i64::try_from(more_steps).unwrap_or(i64::MAX);
        self.call_within(inputs, Until { stop: &self.stop, more_steps })
    }

    fn call_within<'a>(
        &self,
        inputs: &[Input<'a>],
        until: Until<'_>,
    ) -> Result<Results<'a>, Failed> {
        let mut words: Words = smallvec![Word(Slot::default()); self.border().results.len()];
        let arena = self.arena()?;
        self.called(&arena, inputs, &mut words, until)?;
        let mut others = Ranges::new();
        inputs.iter().for_each(|it| it.ranges(&mut others));
        Ok(Results { words, memory: Owned { arena, others }, arguments: PhantomData })
    }

    /// As `call_until`, of a function that gives one number. Nothing else is made of the call, so this is the
    /// shortest way.
    pub fn call_for_one(&self, inputs: &[Input<'_>], stop: &Stop) -> Result<Word, Failed> {
        let is_number = |it: &Type| matches!(it, Type::Scalar(it) if *it != Scalar::Box);
        if !matches!(&self.border().results[..], [it] if is_number(it)) {
            return Err(Failed::Malformed("the result is not one number"));
        }
        let mut words = [Word(Slot::default())];
        let arena = self.arena()?;
        self.called(&arena, inputs, &mut words, Until { stop, more_steps: 0 })?;
        Ok(words[0])
    }

    /// Memory for a call.
    #[inline]
    fn arena(&self) -> Result<Arena, Failed> {
        Arena::take(self.memory).map_err(|_| Failed::Memory { bytes: Some(self.memory) })
    }

    /// Calls it, with a word for each result, and memory that they may point into.
    fn called(
        &self,
        arena: &Arena,
        inputs: &[Input<'_>],
        words: &mut [Word],
        until: Until<'_>,
    ) -> Result<(), Failed> {
        let border = self.border();
        let fits = inputs.len() == border.params.len()
            && inputs.iter().zip(&border.params).all(|(it, ty)| it.fits(*ty, border.width));
        if !fits {
            return Err(Failed::Malformed("an argument is of another kind"));
        }
        let slots: SmallVec<[Slot; FEW]> = inputs.iter().map(Input::slot).collect();
        self.with_enough_stack(arena, &slots, words, until)
    }

    /// Runs on the stack there is, and a second time on a large one if a recursion was too deep: most
    /// are not, and a call leaves nothing behind that would be there twice.
    fn with_enough_stack(
        &self,
        arena: &Memory,
        slots: &[Slot],
        words: &mut [Word],
        until: Until<'_>,
    ) -> Result<(), Failed> {
        // Stack is memory too: what values may hold and a quarter of that, beside what the code needs where
        // it calls nothing again.
        let own = self.module.stack;
        let stack = (self.memory / 4).clamp(LEAST, DEEP).saturating_add(own);
        let mut run = |low| self.run(arena, slots, words, (low, until));
        let need = own.saturating_add(SHALLOW);
        // Asked once: a small call takes little longer than asking.
        let left = stacker::remaining_stack().unwrap_or(0);
        let res = if left >= need {
            run(lowest(left, stack))
        } else {
            let more = need.saturating_add(3 * SHALLOW);
            if Memory::reserve(more).is_err() {
                return Err(Failed::Memory { bytes: Some(more) });
            }
            stacker::grow(more, || run(stack_low(stack)))
        };
        if !matches!(res, Err(Failed::Recursion { .. })) || left > stack.saturating_add(MARGIN) {
            return res;
        }
        let large = stack.saturating_add(2 * MARGIN);
        // That it can be had is tried here: `stacker` would panic.
        match Memory::reserve(large) {
            Ok(memory) => drop(memory),
            Err(_) => return res,
        }
        until.stop.telling().again();
        stacker::grow(large, || run(stack_low(stack)))
    }

    fn run(
        &self,
        arena: &Memory,
        slots: &[Slot],
        words: &mut [Word],
        (stack_low, Until { stop, more_steps }): (*mut u8, Until<'_>),
    ) -> Result<(), Failed> {
        let start = arena.start();
        let mut context = Context {
            top: start,
            // SAFETY: an arena has at least the bytes of the limit.
            end: unsafe { start.add(self.memory.min(arena.len())) },
            stack_low,
            stop: stop.flag().as_ptr(),
            host: &raw const *self.host,
            escape: std::ptr::null_mut(),
            code: 0,
            values: [0; MOST_VALUES],
            n_values: 0,
            steps: -more_steps,
            telling: stop.telling(),
        };
        let entry = self.module.entries[self.entry].0;
        // SAFETY: the entry point takes and gives as many slots as its border says, which `call` has
        // compared; arrays are as long as sizes say, which the caller promises. It writes to the arena
        // only, which is ours alone until it is dropped. It does not unwind: failures are codes.
        unsafe { entry(&raw mut context, slots.as_ptr(), words.as_mut_ptr().cast()) };
        failure(&context)
    }
}

/// What the code of a context says.
fn failure(context: &Context) -> Result<(), Failed> {
    let known = usize::try_from(context.n_values).unwrap_or(0).min(MOST_VALUES);
    let values = &context.values[..known];
    match context.code {
        0 => Ok(()),
        abi::MEMORY => {
            let bytes = values.first().and_then(|it| usize::try_from(*it).ok());
            Err(Failed::Memory { bytes })
        }
        abi::RECURSION => {
            let function = values.first().and_then(|it| usize::try_from(*it).ok());
            Err(Failed::Recursion { function: function.unwrap_or(0) })
        }
        abi::STOPPED => Err(Failed::Stopped),
        abi::LONG => Err(Failed::Long),
        code => match usize::try_from(code - abi::SITE) {
            Ok(site) => Err(Failed::Site { site, values: values.to_vec() }),
            Err(_) => Err(Failed::Malformed("a failure without a name")),
        },
    }
}

/// The lowest address that a frame of this thread may have, if it gets so many bytes at most.
pub(crate) fn stack_low(most: usize) -> *mut u8 {
    lowest(stacker::remaining_stack().unwrap_or(SHALLOW), most)
}

/// The same, where so much of the stack is left.
fn lowest(left: usize, most: usize) -> *mut u8 {
    let here = 0u8;
    let here = (&raw const here).addr();
    std::ptr::without_provenance_mut(here - left.saturating_sub(MARGIN).min(most).min(here))
}

fn host(width: Width, threads: usize, memory: usize) -> Box<Host> {
    let alone = |inside| Surroundings { threads: 1, memory, inside };
    let inside = Box::new(one_host(width, Box::new(alone(None))));
    let surroundings = Surroundings { threads, memory, inside: Some(inside) };
    Box::new(one_host(width, Box::new(surroundings)))
}

fn one_host(width: Width, surroundings: Box<Surroundings>) -> Host {
    Host {
        parallel: pool::parallel,
        product: match width {
            Width::Double => product::double,
            Width::Single => product::single,
        },
        threads: surroundings.threads as i64,
        l2_bytes: L2_BYTES,
        tell: tell::tell,
        surroundings: Box::into_raw(surroundings),
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: it was made from a box in `one_host`, and nobody else frees it.
        drop(unsafe { Box::from_raw(self.surroundings.cast_mut()) });
    }
}
