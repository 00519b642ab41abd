//! A module as one piece of code: its functions one after the other, and where the loader writes addresses.

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExternalName, UserExternalName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, FinalizedRelocTarget};
use cranelift_frontend::FunctionBuilderContext;
use loops::{Func, Module};

use crate::function::{Body, Name};
use crate::{Callee, Options, Refused};

/// Machine code of a module. It may stand anywhere.
#[derive(Clone, Debug)]
pub struct Code {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where each entry point begins.
    pub entries: Vec<usize>,
    /// Where eight bytes are to be the address of something.
    pub links: Vec<Linked>,
    /// The stack that all functions need, one of them twice.
    pub stack: usize,
}

/// Eight bytes that are to be an address.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// Where they are.
    pub at: usize,
    /// Whose address.
    pub callee: Callee,
}

/// Stack that a function has besides its frame: the way back, and what it hands over.
const CALL: usize = 64;
/// Stack for functions of the runtime.
const RUNTIME: usize = 64 << 10;
/// Functions begin at multiples of this.
const ALIGNMENT: usize = 16;

/// Makes code of a module.
pub fn compile(module: &Module, options: &Options) -> Result<Code, Refused> {
    debug_assert_eq!(loops::verify(module), Ok(()));
    let isa = isa()?;
    // Who looks at the stack has to know what all need, which is known when all are done.
    let sizes = module.funcs.iter().map(|it| it.vars.len());
    let mut stack = RUNTIME + sizes.map(|it| CALL + 16 * it).sum::<usize>();
    loop {
        let image = Image::new(module, options, &isa, stack)?;
        if image.frames + RUNTIME <= stack {
            return Ok(Code { stack, ..image.code });
        }
        stack = image.frames + RUNTIME;
    }
}

fn isa() -> Result<OwnedTargetIsa, Refused> {
    let odd = |it: &dyn ToString| Refused::Processor(it.to_string());
    accepted(std::env::consts::ARCH)?;
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "none"),
        ("regalloc_algorithm", "backtracking"),
        ("is_pic", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        // Who calls looks at how much stack there is.
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(|it| odd(&it))?;
    }
    let builder = cranelift_native::builder().map_err(|it| odd(&it))?;
    builder.finish(settings::Flags::new(flags)).map_err(|it| odd(&it))
}

/// Whether code is made for a processor: how functions reach each other is written for this one.
fn accepted(processor: &str) -> Result<(), Refused> {
    match processor {
        "x86_64" => Ok(()),
        other => Err(Refused::Processor(other.to_string())),
    }
}

/// Code in the making.
struct Image {
    code: Code,
    /// Where each function begins, as far as they are made.
    starts: Vec<usize>,
    /// Four bytes that are to be the distance to a function.
    calls: Vec<(usize, usize, i64)>,
    /// The frames of all functions.
    frames: usize,
}

impl Image {
    fn new(
        module: &Module,
        options: &Options,
        isa: &OwnedTargetIsa,
        stack: usize,
    ) -> Result<Image, Refused> {
        let code = Code { bytes: Vec::new(), entries: Vec::new(), links: Vec::new(), stack: 0 };
        let mut image = Image { code, starts: Vec::new(), calls: Vec::new(), frames: 0 };
        let (mut context, mut builder) = (Context::new(), FunctionBuilderContext::new());
        let mut largest = 0;
        for (number, func) in module.funcs.iter().enumerate() {
            let body = Body::new(&mut context.func, &mut builder, isa, module, func, *options);
            body.function(number, stack);
            image.starts.push(image.code.bytes.len());
            largest = image.add(&mut context, isa, func)?.max(largest);
        }
        for number in &module.entries {
            let func = &module.funcs[*number];
            let body = Body::new(&mut context.func, &mut builder, isa, module, func, *options);
            body.entry(*number);
            image.code.entries.push(image.code.bytes.len());
            image.add(&mut context, isa, func)?;
        }
        // What calls itself is on the stack once more when somebody looks.
        image.frames += largest;
        image.resolve();
        Ok(image)
    }

    /// The function of the context, behind all others; gives the size of its frame.
    fn add(
        &mut self,
        context: &mut Context,
        isa: &OwnedTargetIsa,
        func: &Func,
    ) -> Result<usize, Refused> {
        let refused = |it: String| Refused::Function(func.name.to_string(), it);
        let res = context.compile(&**isa, &mut ControlPlane::default());
        res.map_err(|it| refused(format!("{:?}", it.inner)))?;
        let compiled = context.compiled_code().expect("it was compiled just now");
        let start = self.code.bytes.len();
        self.code.bytes.extend_from_slice(compiled.buffer.data());
        let frame = compiled.buffer.frame_layout().map(|it| it.frame_to_fp_offset as usize);
        let frame = frame.ok_or_else(|| refused("its frame is unknown".to_string()))? + CALL;
        self.frames += frame;
        for reloc in compiled.buffer.relocs() {
            let at = start + reloc.offset as usize;
            let FinalizedRelocTarget::ExternalName(ExternalName::User(name)) = reloc.target else {
                return Err(refused(format!("it calls {:?}", reloc.target)));
            };
            let name: &UserExternalName = &context.func.params.user_named_funcs()[name];
            match (Name::of(name), reloc.kind) {
                (Some(Name::Function(number)), Reloc::X86CallPCRel4) => {
                    self.calls.push((at, number, reloc.addend));
                }
                (Some(Name::Outside(callee)), Reloc::Abs8) if reloc.addend == 0 => {
                    self.code.links.push(Linked { at, callee });
                }
                (name, kind) => return Err(refused(format!("it refers to {name:?} by {kind}"))),
            }
        }
        context.clear();
        self.code.bytes.resize(self.code.bytes.len().next_multiple_of(ALIGNMENT), 0);
        Ok(frame)
    }

    /// Fills in where functions are.
    fn resolve(&mut self) {
        for (at, number, addend) in &self.calls {
            let distance = self.starts[*number] as i64 + addend - *at as i64;
            let distance = i32::try_from(distance).expect("code is less than 2 GB");
            self.code.bytes[*at..*at + 4].copy_from_slice(&distance.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processors_are_refused_by_name() {
        for processor in ["aarch64", "arm", "riscv64", "x86"] {
            assert_eq!(accepted(processor), Err(Refused::Processor(processor.to_string())));
        }
        assert_eq!(accepted("x86_64"), Ok(()));
    }
}
