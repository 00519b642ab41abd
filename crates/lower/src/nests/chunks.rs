//! Batch dimensions: a loop outside of all others, in which items are computed for each step or added
//! up over all, runs in chunks. What is computed and read inside of a chunk has memory for a chunk
//! only; what is added up has an accumulator for each task.

use ir::Prim;
use loops::{Atom, ChunkAcc, Chunks, How, Kernel, Node, Place, Scalar, Value};

use super::{Chunk, Held, Nest, Nests, neutral};
use crate::context::scalar_of;
use crate::items::Work;
use crate::plan::Class;
use crate::schedule::{Nested, cost, reduction_over};

impl<'a> Nests<'_, 'a, '_> {
    pub(super) fn chunks(
        &mut self,
        nest: &mut Nest<'_, 'a>,
        class: Class,
        items: &[usize],
        inside: &[Nested],
    ) {
        let total = self.steps(nest, class);
        let mut accs = Vec::new();
        let mut own = std::collections::BTreeMap::new();
        for item in items {
            self.prepare(nest, *item);
            if let Work::Rows { .. } = nest.items[*item].work {
                self.rows_memory(nest, *item);
                continue;
            }
            if let Work::Scatter { into, .. } = &nest.items[*item].work {
                let sizes = into.sizes.clone();
                self.scatter_memory(nest, *item);
                let (outer, how, len) = (nest.held[item].clone(), How::Add, self.count(&sizes));
                let array = self.fresh_array(scalar_of(&nest.items[*item].elem));
                nest.held.insert(*item, Held { array, ..outer.clone() });
                accs.push((*item, outer.clone(), ChunkAcc { array, into: outer.array, len, how }));
                continue;
            }
            self.begin_memory(nest, *item);
            let Some(how) = reduction_over(nest.items, nest.plan, *item, class) else { continue };
            let (it, outer) = (&nest.items[*item], nest.held[item].clone());
            let elem = scalar_of(&it.elem);
            let sizes: Vec<ir::Size> = it.out.iter().map(|axis| it.axes[*axis].clone()).collect();
            let len = self.count(&sizes);
            let (array, at) = (outer.array, Place::new());
            let value = neutral(how, loops::Type::Scalar(elem));
            self.emit(Node::Kernel(Kernel::Fill { array, at, len, value }));
            let array = self.fresh_array(elem);
            own.insert(*item, Held { array, ..outer.clone() });
            accs.push((*item, outer.clone(), ChunkAcc { array, into: outer.array, len, how }));
        }
        let (start, len) = (self.fresh(Scalar::Int), self.fresh(Scalar::Int));
        let (first, n) = (Atom::Var(start), Atom::Var(len));
        nest.chunk = Some(Chunk { class, start: first, len: n, accs: own, room: Vec::new() });
        nest.scopes.push(Default::default());
        nest.loads.push(Vec::new());
        nest.checked.push(Vec::new());
        nest.n_loops += 1;
        let depth = std::mem::replace(&mut nest.depth, self.blocks.len());
        let (body, ()) = self.within(|it| it.level(nest, inside));
        nest.depth = depth;
        nest.n_loops -= 1;
        nest.scopes.pop();
        nest.loads.pop();
        nest.checked.pop();
        let room = nest.chunk.take().map_or(Vec::new(), |it| it.room);
        let room = room.iter().fold(ir::Size::constant(0), |sum, it| sum.add(it));
        let bytes = self.size(&room.scale(8).add(&ir::Size::constant(16)));
        let work = self.work(nest, class, items);
        let results: Vec<(usize, Held)> = accs.iter().map(|it| (it.0, it.1.clone())).collect();
        let accs = accs.into_iter().map(|it| it.2).collect();
        let chunks = Chunks { start, len, total, bytes, work, accs, body };
        self.emit(Node::Chunks(Box::new(chunks)));
        for (item, held) in results {
            nest.held.insert(item, held.clone());
            let is_scatter = matches!(nest.items[item].work, Work::Scatter { .. });
            if held.axes.is_empty() && !is_scatter {
                let elem = scalar_of(&nest.items[item].elem);
                let value = Value::Load { array: held.array, at: Place::new() };
                let value = self.bind(elem, value);
                if let Some(scope) = nest.scopes.last_mut() {
                    scope.insert(item, value);
                }
            }
        }
    }

    /// About how many nanoseconds a step of a loop takes: eight operations each, and 32 of products of
    /// matrices.
    fn work(&mut self, nest: &Nest<'_, 'a>, class: Class, items: &[usize]) -> Atom {
        let mut sum = ir::Size::constant(0);
        for item in items {
            let it = &nest.items[*item];
            let axes = (0..it.axes.len()).filter(|axis| nest.plan.class(*item, *axis) != class);
            let points =
                axes.fold(ir::Size::constant(1), |product, axis| product.mul(&it.axes[axis]));
            let is_product = matches!(it.work, Work::Product(_));
            let cost = if is_product { 1 } else { 4 * cost(&it.work) };
            sum = sum.add(&points.scale(cost));
        }
        let sum = self.size(&sum);
        let most = self.prim(Scalar::Int, Prim::Div, &[sum, Atom::Int(32)]);
        self.add(most, Atom::Int(1))
    }
}
