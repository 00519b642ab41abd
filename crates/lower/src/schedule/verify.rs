//! What a schedule satisfies.
//!
//! 1. Each class has one place in the order, and each item that is computed one place in the loops: in
//!    one loop over each class of its domain and in no other; its kernel does the axes of a product.
//! 2. Chunks are outside of all other loops; there is one vector loop around an item at most, and the item
//!    can be done by vectors; what is unrolled has a number of steps that is known.
//! 3. An item comes after all it needs. If it shares a loop with what it reads, it reads that in the very
//!    step that computes it; what it needs as a whole is done before the loop, but for a scatter that goes
//!    on where another one was.
//! 4. What is read has memory along each axis of its result over which the reader is in another loop, from
//!    outside of that loop on; what is needed as a whole has it along all axes and outside of chunks. Scatters
//!    and rows side by side, which are memory in any case, and statements that are no nests have none of this.
//! 5. Each scatter adds somewhere: in place only what nobody reads from it on, or where another one added in the
//!    same loop.

use std::collections::BTreeSet;

use super::{Nested, Run, Schedule, Target, fits_vectors, nesting};
use crate::items::{Items, Work, item_of, letter};
use crate::plan::{Class, Plan};
use crate::view::View;

/// A loop: its number, its class, how it runs.
type Around = Vec<(usize, Class, Run)>;

impl Schedule {
    /// Whether a schedule for a plan is as it must be; else the first thing that is not.
    pub(crate) fn verify(&self, items: &Items<'_>, plan: &Plan) -> Result<(), String> {
        let mut places: Vec<(usize, Around)> = Vec::new();
        collect(&self.nesting, &mut Vec::new(), &mut 0, &mut places);
        let all: BTreeSet<usize> = places.iter().map(|it| it.0).collect();
        if all.len() != places.len() || !all.iter().eq(plan.reads.keys()) {
            return Err("the items in the loops are not those of the plan".into());
        }
        let classes: BTreeSet<Class> = self.order.iter().copied().collect();
        if classes.len() != self.order.len() || !classes.iter().eq(plan.sizes.keys()) {
            return Err("the classes in order are not those of the plan".into());
        }
        for (at, (item, around)) in places.iter().enumerate() {
            let failed = |it: String| format!("i{item}: {it}");
            self.loops(items, plan, *item, around).map_err(failed)?;
            let before = &places[..at];
            let of = |dep: usize| before.iter().find(|it| it.0 == dep).map(|it| &it.1);
            for dep in plan.needs(items, *item) {
                let other = of(dep).ok_or_else(|| failed(format!("it needs i{dep} before")))?;
                let shared: Vec<Class> =
                    around.iter().filter(|it| other.contains(it)).map(|it| it.1).collect();
                let views = plan.reads[item].iter().filter(|it| item_of(it) == Some(dep));
                let in_step = |class: &Class| {
                    views.clone().all(|it| nesting::in_step(items, plan, *item, it, *class))
                };
                let is_scatter = |it: usize| matches!(items[it].work, Work::Scatter { .. });
                let goes_on = is_scatter(dep) && is_scatter(*item);
                let whole = items[*item].whole.contains(&dep);
                if !shared.iter().all(in_step) || whole && !shared.is_empty() && !goes_on {
                    return Err(failed(format!("the loop it shares with i{dep} keeps it waiting")));
                }
                self.reach(items, plan, (dep, other), around).map_err(failed)?;
            }
        }
        self.targets(items, plan, &places)?;
        self.whole(items, plan)
    }

    /// Whether an item, in these loops, can be read in those.
    fn reach(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        (item, own): (usize, &Around),
        reader: &Around,
    ) -> Result<(), String> {
        let it = &items[item];
        if let Work::Flow(_) | Work::Scatter { .. } | Work::Rows { .. } = it.work {
            return Ok(());
        }
        let n_shared = own.iter().zip(reader).take_while(|it| it.0.0 == it.1.0).count();
        let array = self.memory.arrays.get(&item);
        let is_over =
            |class: Class| own[..n_shared].iter().any(|it| it.1 == class && it.2 != Run::Chunks);
        let missing = it.out.iter().find(|axis| {
            let has = array.is_some_and(|it| it.axes.contains(axis));
            !has && !is_over(plan.class(item, **axis))
        });
        if let Some(axis) = missing {
            return Err(format!("i{item} has no memory along {}", letter(*axis)));
        }
        let in_chunk = own[..n_shared].iter().any(|it| it.2 == Run::Chunks);
        if array.is_some_and(|it| it.depth > n_shared || it.local && !in_chunk) {
            return Err(format!("the memory of i{item} is not there"));
        }
        Ok(())
    }

    /// Whether scatters add where they may.
    fn targets(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        places: &[(usize, Around)],
    ) -> Result<(), String> {
        for (at, (item, around)) in places.iter().enumerate() {
            let Work::Scatter { into, .. } = &items[*item].work else { continue };
            let failed = |it: String| Err(format!("i{item}: {it}"));
            let outside = |it: &Around| it.first().map(|it| it.0);
            let is_open = |other: usize| {
                let mut before = places[..at].iter().filter(|it| it.0 == other);
                !around.is_empty() && before.any(|it| outside(&it.1) == outside(around))
            };
            let open = item_of(into).filter(|it| is_open(*it));
            match (self.memory.targets.get(item), open) {
                (None, _) => return failed("it adds nowhere".into()),
                (Some(Target::GoesOn(other)), open) if open == Some(*other) => {}
                (Some(Target::GoesOn(other)), _) => {
                    return failed(format!("it cannot go on in i{other}"));
                }
                (Some(Target::InPlace | Target::Copy), Some(other)) => {
                    return failed(format!("i{other} is not done where it adds"));
                }
                (Some(Target::Copy), None) => {}
                (Some(Target::InPlace), None) => {
                    let is_it = |view: &View| view.source == into.source;
                    let reads = |it: usize| views(items, plan, it).any(is_it);
                    if let Some((reader, _)) = places[at + 1..].iter().find(|it| reads(it.0)) {
                        return failed(format!("it changes what i{reader} reads"));
                    }
                    if items.results.iter().any(is_it) {
                        return failed("it changes what is given".into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether what is needed as a whole is all of it in memory.
    fn whole(&self, items: &Items<'_>, plan: &Plan) -> Result<(), String> {
        let needs_memory = |item: &usize| match items[*item].work {
            Work::Prim(_) | Work::Copy | Work::Gather { .. } | Work::Reduce(_) => true,
            Work::Product(_) => true,
            Work::Flow(_) | Work::Scatter { .. } | Work::Rows { .. } => false,
        };
        let is_whole = |item: usize| {
            let array = self.memory.arrays.get(&item);
            let all = |axes: &[usize]| items[item].out.iter().all(|it| axes.contains(it));
            items[item].out.is_empty() || array.is_some_and(|it| !it.local && all(&it.axes))
        };
        let mut computed = plan.external.iter().filter(|it| plan.reads.contains_key(it));
        match computed.find(|it| needs_memory(it) && !is_whole(**it)) {
            Some(item) => {
                Err(format!("i{item}: it is needed as a whole and has no memory for that"))
            }
            None => Ok(()),
        }
    }

    /// Whether an item is in the loops of its domain.
    fn loops(
        &self,
        items: &Items<'_>,
        plan: &Plan,
        item: usize,
        around: &Around,
    ) -> Result<(), String> {
        let (chunks, loops): (Around, Around) = around.iter().partition(|it| it.2 == Run::Chunks);
        let own: BTreeSet<Class> = loops.iter().map(|it| it.1).collect();
        let domain: BTreeSet<Class> = self.domain(items, plan, item).into_iter().collect();
        if own.len() != loops.len() || own != domain {
            return Err("the loops around are not those of its domain".into());
        }
        let whole = plan.whole_domain(items, item);
        let is_outside = around.iter().skip(1).all(|it| it.2 != Run::Chunks);
        if !is_outside || chunks.iter().any(|it| !whole.contains(&it.1)) {
            return Err("the chunks around are not of its domain, or not outside".into());
        }
        let vectors = loops.iter().filter(|it| it.2 == Run::Vectors);
        let by_vectors: Vec<Class> = vectors.map(|it| it.1).collect();
        let fits = by_vectors.iter().all(|it| fits_vectors(items, plan, item, *it));
        if by_vectors.len() > 1 || !fits {
            return Err("it is no work for vectors".into());
        }
        let is_counted = |it: &(usize, Class, Run)| {
            let is_part = chunks.iter().any(|chunk| chunk.1 == it.1);
            it.2 != Run::Unrolled || !is_part && plan.sizes[&it.1].as_constant().is_some()
        };
        match loops.iter().all(is_counted) {
            true => Ok(()),
            false => Err("it is in a loop that cannot be unrolled".into()),
        }
    }
}

/// All that an item shows to itself, arrays that it reads or changes anywhere included.
fn views<'s>(items: &'s Items<'_>, plan: &'s Plan, item: usize) -> impl Iterator<Item = &'s View> {
    let array = match &items[item].work {
        Work::Gather { array, .. } | Work::Scatter { into: array, .. } => Some(array),
        Work::Prim(_) | Work::Copy | Work::Reduce(_) | Work::Product(_) => None,
        Work::Rows { .. } | Work::Flow(_) => None,
    };
    plan.reads[&item].iter().chain(array)
}

/// The items with the loops around them, in the order in which they are done.
fn collect(
    all: &[Nested],
    around: &mut Around,
    n_loops: &mut usize,
    into: &mut Vec<(usize, Around)>,
) {
    for it in all {
        match it {
            Nested::Item(item) => into.push((*item, around.clone())),
            Nested::Loop { class, run, inside, .. } => {
                *n_loops += 1;
                around.push((*n_loops, *class, *run));
                collect(inside, around, n_loops, into);
                around.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Nested, Run, Schedule, Target};
    use crate::stretch::tests::{example, first, wrong};

    #[test]
    fn each_item_has_one_place() {
        wrong(
            |it| _ = it.schedule.nesting.pop(),
            "schedule: the items in the loops are not those of the plan",
        );
        wrong(
            |it| it.schedule.nesting.push(Nested::Item(2)),
            "schedule: the items in the loops are not those of the plan",
        );
        wrong(
            |it| _ = it.schedule.order.pop(),
            "schedule: the classes in order are not those of the plan",
        );
    }

    #[test]
    fn items_are_in_the_loops_of_their_domain() {
        let flat = (0..3).map(Nested::Item).collect();
        wrong(
            |it| it.schedule.nesting = flat,
            "schedule: i0: the loops around are not those of its domain",
        );
    }

    /// The loop over rows may be shared: a row is divided by its sum where that is known.
    #[test]
    fn what_is_added_up_is_read_behind_the_loop() {
        let class = |axis: usize| example().plan.class(1, axis);
        let (rows, columns) = (class(0), class(1));
        let over = |class, run, inside| Nested::Loop { class, run, items: vec![0, 1], inside };
        let inner = over(columns, Run::Steps, vec![Nested::Item(0), Nested::Item(1)]);
        let shared = vec![over(rows, Run::Steps, vec![inner]), Nested::Item(2)];
        wrong(
            |it| it.schedule.nesting = shared,
            "schedule: i1: the loop it shares with i0 keeps it waiting",
        );
        let each = |item| over(columns, Run::Steps, vec![Nested::Item(item)]);
        let late = vec![over(rows, Run::Steps, vec![each(1), each(0)]), Nested::Item(2)];
        wrong(|it| it.schedule.nesting = late, "schedule: i1: it needs i0 before");
        let by_vectors = vec![
            over(
                rows,
                Run::Vectors,
                vec![over(columns, Run::Vectors, vec![Nested::Item(0)]), each(1)],
            ),
            Nested::Item(2),
        ];
        wrong(|it| it.schedule.nesting = by_vectors, "schedule: i0: it is no work for vectors");
        let unrolled = vec![
            over(
                rows,
                Run::Steps,
                vec![over(columns, Run::Unrolled, vec![Nested::Item(0)]), each(1)],
            ),
            Nested::Item(2),
        ];
        wrong(
            |it| it.schedule.nesting = unrolled,
            "schedule: i0: it is in a loop that cannot be unrolled",
        );
        let inside = over(rows, Run::Chunks, vec![over(rows, Run::Steps, vec![each(0), each(1)])]);
        let chunks = vec![over(columns, Run::Steps, vec![inside]), Nested::Item(2)];
        wrong(
            |it| it.schedule.nesting = chunks,
            "schedule: i0: the loops around are not those of its domain",
        );
    }

    #[test]
    fn scatters_add_where_nobody_reads() {
        let stretch = || {
            first(
                "def main[x0](x1: [x0]Int, x2: [x0]Real) -> (x3: [x0]Real) {
                    x4: [x0]Real = exp x2
                    x5: [x0]Real = scatter x4 (x1) x2
                    x6: [x0]Real = scatter x5 (x1) x2
                    give x6 }",
            )
        };
        let targets = stretch().schedule.memory.targets;
        let expected = [(1, Target::InPlace), (2, Target::GoesOn(1))];
        assert_eq!(targets.into_iter().collect::<Vec<_>>(), expected);
        let found = |change: &dyn Fn(&mut Schedule)| {
            let mut stretch = stretch();
            change(&mut stretch.schedule);
            stretch.verify().unwrap_err()
        };
        let put =
            |item: usize, target: Target| found(&|it| _ = it.memory.targets.insert(item, target));
        assert_eq!(put(1, Target::GoesOn(0)), "schedule: i1: it cannot go on in i0");
        assert_eq!(put(2, Target::InPlace), "schedule: i2: i1 is not done where it adds");
        let without = found(&|it| _ = it.memory.targets.remove(&1));
        assert_eq!(without, "schedule: i1: it adds nowhere");
        // What was read again behind it.
        let again = first(
            "def main[x0](x1: [x0]Int, x2: [x0]Real) -> (x3: [x0]Real, x4: [x0]Real) {
                x5: [x0]Real = exp x2
                x6: [x0]Real = scatter x5 (x1) x2
                x7: [x0]Real = sort x5
                give x6, x7 }",
        );
        assert_eq!(again.schedule.memory.targets[&1], Target::Copy);
        let mut given = again;
        given.items.results.push(given.items.names[&ir::Var(5)].clone());
        given.schedule.memory.targets.insert(1, Target::InPlace);
        assert_eq!(given.verify().unwrap_err(), "schedule: i1: it changes what is given");
    }

    #[test]
    fn what_is_read_elsewhere_is_memory() {
        let arrays = example().schedule.memory.arrays;
        assert!(arrays.contains_key(&0), "{arrays:?}");
        wrong(
            |it| _ = it.schedule.memory.arrays.remove(&0),
            "schedule: i2: i0 has no memory along a",
        );
        let local = |it: &mut crate::stretch::Stretch<'_>| {
            it.schedule.memory.arrays.values_mut().for_each(|it| it.local = true);
        };
        wrong(local, "schedule: i2: the memory of i0 is not there");
    }
}
