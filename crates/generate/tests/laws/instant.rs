//! Instant code means what its loop nests mean: the same bits, the same failure at the same place with the same
//! numbers, in both precisions. In a build without the feature `instant` there is nothing to look at.

use eval::Value;

use super::Law;
use super::nests::Ran;

/// The code of loop nests, in both precisions.
pub(super) struct Instant {
    #[cfg(feature = "instant")]
    code: [made::Code; 2],
}

#[cfg(not(feature = "instant"))]
impl Instant {
    pub(super) fn new(_: &loops::Module) -> Law<Instant> {
        Ok(Instant {})
    }

    pub(super) fn compared(&self, _: &[i64], _: &[Value], _: impl Fn(bool) -> Ran) -> Law<()> {
        Ok(())
    }
}

#[cfg(feature = "instant")]
impl Instant {
    /// Makes it.
    pub(super) fn new(module: &loops::Module) -> Law<Instant> {
        Ok(Instant { code: [made::Code::new(module, false)?, made::Code::new(module, true)?] })
    }

    /// Runs it on flat arguments, and compares with what the interpreter of loop nests gives, in double and in
    /// single precision.
    pub(super) fn compared(
        &self,
        sizes: &[i64],
        args: &[Value],
        ran: impl Fn(bool) -> Ran,
    ) -> Law<()> {
        let ran = [false, true].map(ran);
        self.code.iter().zip(&ran).try_for_each(|(code, ran)| code.compared(sizes, args, ran))
    }
}

#[cfg(feature = "instant")]
mod made {
    use std::sync::Arc;

    use base::Stop;
    use eval::{Elems, Value};
    use loop_eval::{Ended, Value as Element};
    use native::{Border, Failed, Function, Input, Results, Width, Word};

    use super::super::nests::Ran;
    use super::super::{Law, broken};

    /// Steps after which a run is given up: more than the interpreter has time for.
    const STEPS: u64 = 1 << 22;
    const MEMORY: usize = 1 << 28;
    const LAW: &str = "instant code gives what loop nests give";

    /// Code of one precision.
    pub(super) struct Code {
        function: Function,
        is_single: bool,
        /// For messages.
        text: String,
    }

    /// What a call takes, flat.
    enum Flat {
        Real(f64),
        Int(i64),
        Bool(bool),
        Reals(Vec<f64>),
        Floats(Vec<f32>),
        Ints(Vec<i64>),
        Bools(Vec<bool>),
    }

    impl Code {
        pub(super) fn new(module: &loops::Module, is_single: bool) -> Law<Code> {
            let offsets = native::offsets();
            let how = instant::Options { single: is_single, most_steps: Some(STEPS), offsets };
            let code = match instant::compile(module, &how) {
                Ok(code) => code,
                Err(why) => {
                    return broken("instant code is made of everything", format!("{why:?}"));
                }
            };
            let width = if is_single { Width::Single } else { Width::Double };
            let border = |at: &usize| {
                let func = &module.funcs[*at];
                let params = func.params.iter().map(|it| func.ty(*it)).collect();
                let results = func.results.iter().map(|it| func.atom_type(*it)).collect();
                Border { params, results, width }
            };
            let borders = module.entries.iter().map(border).collect();
            let texts = module.texts.iter().map(|it| &**it);
            let loaded = native::Module::instant(&code, texts, borders).expect("there is memory");
            let function = Function::new(Arc::new(loaded), 0, 1, MEMORY, Stop::default());
            Ok(Code { function, is_single, text: module.text() })
        }

        pub(super) fn compared(&self, sizes: &[i64], args: &[Value], ran: &Ran) -> Law<()> {
            let sizes = sizes.iter().map(|it| Some(Flat::Int(*it)));
            let flat = sizes.chain(args.iter().map(|it| self.flat(it)));
            // Values of sum types at the border are left alone.
            let Some(flat) = flat.collect::<Option<Vec<Flat>>>() else { return Ok(()) };
            let inputs: Vec<Input<'_>> = flat.iter().map(Flat::input).collect();
            let found = self.function.call(&inputs);
            let odd = |what: String| {
                let precision = if self.is_single { "single" } else { "double" };
                broken(LAW, format!("{what}, {precision} precision\n{}", self.text))
            };
            match (ran, found) {
                // What is too long or too deep for one need not be for the other.
                (Err(Ended::Long | Ended::Deep | Ended::Wrong(_)), _)
                | (_, Err(Failed::Long | Failed::Recursion { .. })) => Ok(()),
                (Ok(ran), Ok(found)) => {
                    let pairs = ran.results.iter().zip(found.words());
                    for (number, (wanted, word)) in pairs.enumerate() {
                        if let Some(it) = self.difference(wanted, *word, &found) {
                            return odd(format!("result {number}: {it}"));
                        }
                    }
                    Ok(())
                }
                (
                    Err(Ended::Check(site, values)),
                    Err(Failed::Site { site: at, values: others }),
                ) => match (*site as usize, values) == (at, &others) {
                    true => Ok(()),
                    false => odd(format!("site {site} {values:?} and {at} {others:?}")),
                },
                (Err(Ended::Check(..)), Ok(_)) => odd("it fails, and code does not".into()),
                (ran, Err(failed)) => odd(format!("{:?} and {failed:?}", ran.as_ref().err())),
            }
        }

        /// An argument as a call takes it; none if it is of a sum type.
        fn flat(&self, value: &Value) -> Option<Flat> {
            Some(match value {
                Value::Real(it) if self.is_single => Flat::Real(f64::from(*it as f32)),
                Value::Real(it) => Flat::Real(*it),
                Value::Int(it) => Flat::Int(*it),
                Value::Bool(it) => Flat::Bool(*it),
                Value::Array(array) => match &array.elems {
                    Elems::Real(it) if self.is_single => {
                        Flat::Floats(it.iter().map(|it| *it as f32).collect())
                    }
                    Elems::Real(it) => Flat::Reals(it.to_vec()),
                    Elems::Int(it) => Flat::Ints(it.to_vec()),
                    Elems::Bool(it) => Flat::Bools(it.to_vec()),
                    Elems::Tuple(_)
                    | Elems::Boxed(_)
                    | Elems::Delta(_)
                    | Elems::Dual(..)
                    | Elems::Lanes(..) => return None,
                },
                Value::Tuple(_)
                | Value::Data(_)
                | Value::Str(_)
                | Value::Closure(_)
                | Value::Dual(..)
                | Value::Delta(_) => return None,
            })
        }

        /// The first element that differs. What nobody wrote may be anything.
        fn difference(
            &self,
            wanted: &loop_eval::Input,
            word: Word,
            found: &Results<'_>,
        ) -> Option<String> {
            let wanted = match wanted {
                loop_eval::Input::Scalar(it) => {
                    let found = match it {
                        Element::Real(_) => Element::Real(word.real()),
                        Element::Int(_) => Element::Int(word.int()),
                        Element::Bool(_) => Element::Bool(word.bool()),
                        Element::Unknown | Element::Box(_) | Element::Array(_) => return None,
                    };
                    return is_other(it, &found).then(|| format!("{it:?} and {found:?}"));
                }
                loop_eval::Input::Array(it) => it,
            };
            // Behind the elements of a result there may be others, which need not be the same.
            let elements = match wanted.iter().find(|it| !matches!(it, Element::Unknown))? {
                Element::Real(_) if self.is_single => self.elements(wanted, word, found, single),
                Element::Real(_) => self.elements(wanted, word, found, Element::Real),
                Element::Int(_) => self.elements(wanted, word, found, Element::Int),
                Element::Bool(_) => {
                    self.elements(wanted, word, found, |it: u8| Element::Bool(it != 0))
                }
                Element::Unknown | Element::Box(_) | Element::Array(_) => return None,
            };
            let Some(elements) = elements else { return Some("an array elsewhere".to_string()) };
            let mut pairs = wanted.iter().zip(&elements).enumerate();
            let (at, (wanted, found)) =
                pairs.find(|(_, (wanted, found))| is_other(wanted, found))?;
            Some(format!("element {at}: {wanted:?} and {found:?}"))
        }

        fn elements<T: native::Element>(
            &self,
            wanted: &[Element],
            word: Word,
            found: &Results<'_>,
            element: impl Fn(T) -> Element,
        ) -> Option<Vec<Element>> {
            let elements = found.array::<T>(word, wanted.len()).ok()?;
            Some(elements.iter().map(|it| element(*it)).collect())
        }
    }

    fn single(it: f32) -> Element {
        Element::Real(f64::from(it))
    }

    /// Whether bits differ, but for those of numbers that are none.
    fn is_other(wanted: &Element, found: &Element) -> bool {
        match (wanted, found) {
            (Element::Unknown, _) => false,
            (Element::Real(x), Element::Real(y)) => {
                x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan())
            }
            (Element::Int(x), Element::Int(y)) => x != y,
            (Element::Bool(x), Element::Bool(y)) => x != y,
            (Element::Real(_) | Element::Int(_) | Element::Bool(_), _) => true,
            (Element::Box(_) | Element::Array(_), _) => false,
        }
    }

    impl Flat {
        fn input(&self) -> Input<'_> {
            match self {
                Flat::Real(it) => Input::Real(*it),
                Flat::Int(it) => Input::Int(*it),
                Flat::Bool(it) => Input::Bool(*it),
                Flat::Reals(it) => Input::Reals(it),
                Flat::Floats(it) => Input::Floats(it),
                Flat::Ints(it) => Input::Ints(it),
                Flat::Bools(it) => Input::Bools(it),
            }
        }
    }
}
