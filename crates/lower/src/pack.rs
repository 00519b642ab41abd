//! What vectors read with gaps, again and again, is brought into order once.
//!
//! In a chunk, `x[i, j] - m[k, j]` with vectors along `i` would read `x` with gaps for every `k`. A copy
//! of the part of `x` that the chunk needs, contiguous along `i`, is made for all `k`.

use std::collections::{BTreeMap, BTreeSet};

use ir::Size;

use crate::context::Lower;
use crate::graph::Work;
use crate::plan::Plan;
use crate::tuning::PACKED_READS;
use crate::view::{Lin, Source, View};

impl Lower<'_, '_> {
    /// Adds copies; whether there are any.
    pub(crate) fn pack(&mut self, plan: &Plan) -> bool {
        let items: Vec<usize> = plan.reads.keys().copied().collect();
        let mut found = false;
        for item in items {
            for at in 0..self.graph.items[item].args.len() {
                if let Some(view) = self.packed(plan, item, at) {
                    self.graph.items[item].args[at] = view;
                    found = true;
                }
            }
        }
        found
    }

    /// A copy of what an argument shows.
    fn packed(&mut self, plan: &Plan, item: usize, at: usize) -> Option<View> {
        let it = &self.graph.items[item];
        if let Work::Product(_) | Work::Copy | Work::Scatter { .. } = it.work {
            return None;
        }
        let batch = plan.batch_of(&self.graph, item)?;
        let vector = plan.vector_of(&self.graph, item)?;
        let axis = (0..it.axes.len()).find(|axis| plan.class(item, *axis) == vector)?;
        let view = self.resolve(&it.args[at]);
        let Source::Memory(_) = view.source else { return None };
        let along = |lin: &Lin| lin.terms.iter().any(|term| term.0 == axis);
        let gaps = view.map.iter().rev().skip(1).any(along);
        let varies: BTreeSet<usize> = view.varies().collect();
        let others = (0..it.axes.len()).filter(|axis| !varies.contains(axis));
        let often: f64 = others.map(|axis| self.estimate(&it.axes[axis])).product();
        if batch != vector || !gaps || often < PACKED_READS {
            return None;
        }
        let axes: Vec<usize> = varies.into_iter().collect();
        let sizes: Vec<Size> = axes.iter().map(|axis| it.axes[*axis].clone()).collect();
        let place: BTreeMap<usize, usize> = axes.iter().copied().zip(0..).collect();
        let own = view.mapped(sizes.clone(), &|axis| Lin::axis(place[&axis]));
        let (elem, all) = (view.elem, it.axes.clone());
        let out = (0..sizes.len()).collect();
        let copy = self.push(Work::Copy, sizes, out, vec![own], elem);
        Some(copy.mapped(all, &|at| Lin::axis(axes[at])))
    }
}
