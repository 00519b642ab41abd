//! The cheapest set of values that separates what is needed from what cannot be computed again: a
//! minimal cut, by the theorem of Ford and Fulkerson the greatest flow.

use std::collections::VecDeque;

/// A value of a step.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// What keeping it costs; nothing if it cannot be kept.
    pub(super) cost: Option<u64>,
    /// What it is computed of; none if it is not computed again.
    pub(super) operands: Option<Vec<usize>>,
    /// Whether it is needed.
    pub(super) is_needed: bool,
}

const SOURCE: usize = 0;
const SINK: usize = 1;
const WITHOUT_END: u64 = u64::MAX / 4;

/// Edges with what they can still carry; an edge and its way back are neighbours.
struct Network {
    to: Vec<usize>,
    rest: Vec<u64>,
    from: Vec<Vec<usize>>,
}

impl Network {
    fn new(n_nodes: usize) -> Network {
        Network { to: Vec::new(), rest: Vec::new(), from: vec![Vec::new(); n_nodes] }
    }

    fn edge(&mut self, from: usize, to: usize, capacity: u64) {
        for (from, to, rest) in [(from, to, capacity), (to, from, 0)] {
            self.from[from].push(self.to.len());
            self.to.push(to);
            self.rest.push(rest);
        }
    }

    /// Adds the shortest way that still carries something; false if there is none.
    fn augment(&mut self) -> bool {
        let mut by = vec![usize::MAX; self.from.len()];
        let mut open = VecDeque::from([SOURCE]);
        while let Some(node) = open.pop_front() {
            for &edge in &self.from[node] {
                let to = self.to[edge];
                if self.rest[edge] > 0 && by[to] == usize::MAX && to != SOURCE {
                    by[to] = edge;
                    open.push_back(to);
                }
            }
        }
        if by[SINK] == usize::MAX {
            return false;
        }
        let mut way = Vec::new();
        let mut node = SINK;
        while node != SOURCE {
            way.push(by[node]);
            node = self.to[by[node] ^ 1];
        }
        let flow = way.iter().map(|it| self.rest[*it]).min().unwrap_or(0);
        for edge in way {
            self.rest[edge] -= flow;
            self.rest[edge ^ 1] += flow;
        }
        true
    }

    /// The nodes from which the sink can be reached.
    fn reaches_sink(&self) -> Vec<bool> {
        let mut reaches = vec![false; self.from.len()];
        reaches[SINK] = true;
        let mut open = vec![SINK];
        while let Some(node) = open.pop() {
            for &edge in &self.from[node] {
                let before = self.to[edge];
                if self.rest[edge ^ 1] > 0 && !reaches[before] {
                    reaches[before] = true;
                    open.push(before);
                }
            }
        }
        reaches
    }
}

/// Which values to keep: of the cheapest sets the one after which the least is computed. None if what
/// cannot be kept would have to be.
pub(super) fn cheapest(nodes: &[Node]) -> Option<Vec<bool>> {
    let (enter, leave) = (|it: usize| 2 + 2 * it, |it: usize| 3 + 2 * it);
    let mut network = Network::new(2 + 2 * nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        network.edge(enter(at), leave(at), node.cost.unwrap_or(WITHOUT_END));
        match &node.operands {
            Some(operands) => {
                operands.iter().for_each(|it| network.edge(leave(*it), enter(at), WITHOUT_END));
            }
            None => network.edge(SOURCE, enter(at), WITHOUT_END),
        }
        if node.is_needed {
            network.edge(leave(at), SINK, WITHOUT_END);
        }
    }
    while network.augment() {}
    let reaches = network.reaches_sink();
    let keeps = |at: usize| reaches[leave(at)] && !reaches[enter(at)];
    let res: Vec<bool> = (0..nodes.len()).map(keeps).collect();
    let can = res.iter().zip(nodes).all(|(is_kept, it)| !is_kept || it.cost.is_some());
    (can && !reaches[SOURCE]).then_some(res)
}
