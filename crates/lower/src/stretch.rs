//! From items by way of a plan to a schedule: each a value, and a function from one to the next. In debug
//! builds each is verified.
//!
//! Two choices of a schedule are items: sums of products that go to the kernel of matrices, and copies of what
//! is packed. A plan is made of the items with them, and knows no sizes and no processor.

use crate::items::Items;
use crate::plan::{Plan, plan};
use crate::schedule::{Given, Processor, Schedule, with_copies, with_products};
use crate::typical::Typical;

/// A stretch of a block, in all its forms but the last one.
#[derive(Clone)]
pub(crate) struct Stretch<'a> {
    pub(crate) items: Items<'a>,
    pub(crate) plan: Plan,
    pub(crate) schedule: Schedule,
}

/// What items are done as by a kind of processor, with these typical sizes, in a loop of control flow or not.
pub(crate) fn stretch<'a>(
    items: Items<'a>,
    processor: &Processor,
    typical: &Typical,
    in_loop: bool,
) -> Stretch<'a> {
    let contractions = (processor.contractions)(&items, typical, &processor.machine);
    let res = scheduled(with_products(items, &contractions), processor, typical, in_loop);
    let copies = (processor.packed)(res.given(processor, typical, in_loop), &res.schedule);
    if copies.is_empty() {
        return res;
    }
    scheduled(with_copies(res.items, &copies), processor, typical, in_loop)
}

fn scheduled<'a>(
    items: Items<'a>,
    processor: &Processor,
    typical: &Typical,
    in_loop: bool,
) -> Stretch<'a> {
    let plan = plan(&items);
    let mut res = Stretch { items, plan, schedule: Schedule::default() };
    res.schedule = (processor.schedule)(res.given(processor, typical, in_loop));
    if cfg!(debug_assertions) {
        res.verify().unwrap_or_else(|it| panic!("compiler bug: {it}\n{}", res.items));
    }
    res
}

impl<'a> Stretch<'a> {
    fn given<'s>(
        &'s self,
        processor: &'s Processor,
        typical: &'s Typical,
        in_loop: bool,
    ) -> Given<'s, 'a> {
        let Stretch { items, plan, .. } = self;
        Given { items, plan, typical, machine: &processor.machine, in_loop }
    }

    /// Whether all of it is as it must be.
    pub(crate) fn verify(&self) -> Result<(), String> {
        self.items.verify().map_err(|it| format!("items: {it}"))?;
        self.plan.verify(&self.items).map_err(|it| format!("plan: {it}"))?;
        self.schedule.verify(&self.items, &self.plan).map_err(|it| format!("schedule: {it}"))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use base::Name;

    use super::Stretch;

    /// The first stretch of a program, which stays for good.
    pub(crate) fn first(text: &str) -> Stretch<'static> {
        let program: ir::Program = text.parse().unwrap_or_else(|it| panic!("{it}"));
        let noted = crate::nests(
            Box::leak(Box::new(program)),
            &[Name::new("main")],
            None,
            &crate::schedule::CPU,
            Some(Vec::new()),
        );
        let stretch = noted.1.unwrap_or_default().remove(0).1;
        assert_eq!(stretch.verify(), Ok(()));
        stretch
    }

    /// Two loops: `i0` is a sum by rows, `i1` and `i2` read it; `i3` is a statement that is no nest.
    pub(crate) fn example() -> Stretch<'static> {
        first(
            "def main[x0, x1](x2: [x0][x1]Real) -> (x3: [x0]Real, x4: [x0][x1]Real) {
                x5: [x0]Real = sum 1 x2
                x6: [x1][x0]Real = replicate [x1] x5
                x7: [x0][x1]Real = transpose x6 (1, 0)
                x8: [x0][x1]Real = div x2 x7
                x9: [x0]Real = sort x5
                give x9, x8 }",
        )
    }

    /// What is found wrong in the example when it was changed.
    #[track_caller]
    pub(crate) fn wrong(change: impl FnOnce(&mut Stretch<'static>), message: &str) {
        let mut stretch = example();
        change(&mut stretch);
        match stretch.verify() {
            Ok(()) => panic!("nothing is found"),
            Err(found) => assert_eq!(found, message),
        }
    }
}
