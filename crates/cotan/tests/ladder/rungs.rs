//! All rungs in order, from the bottom of the ladder to its top.

use crate::ladder::krawiec_delta::Unshared;
use crate::ladder::krawiec_shared::Shared;
use crate::ladder::krawiec_vectors::Vectors;
use crate::ladder::programs::Subject;
use crate::ladder::smeding_arrays::Arrays;
use crate::ladder::smeding_cayley::Cayley;
use crate::ladder::smeding_contributions::Contributions;
use crate::ladder::smeding_naive::Naive;
use crate::ladder::smeding_staged::Stages;

/// A rung by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Krawiec et al., section 5.
    Vectors,
    /// Section 6.
    Unshared,
    /// Section 7.
    Shared,
    /// Smeding and Vakar, section 5.
    Naive,
    /// Section 6.
    Staged,
    /// Section 7.
    Cayley,
    /// Section 8.
    Arrays,
    /// Section 9.
    Contributions,
}

pub(crate) const LADDER: [Step; 8] = [
    Step::Vectors,
    Step::Unshared,
    Step::Shared,
    Step::Naive,
    Step::Staged,
    Step::Cayley,
    Step::Arrays,
    Step::Contributions,
];

impl Step {
    /// The gradient, and the operations it took; `None` if they are beyond the budget.
    pub(crate) fn gradient(self, subject: &Subject, budget: u64) -> (Option<Vec<f64>>, u64) {
        match self {
            Step::Vectors => subject.gradient::<Vectors>(budget),
            Step::Unshared => subject.gradient::<Unshared>(budget),
            Step::Shared => subject.gradient::<Shared>(budget),
            Step::Naive => subject.gradient::<Naive>(budget),
            Step::Staged => subject.gradient::<Stages>(budget),
            Step::Cayley => subject.gradient::<Cayley>(budget),
            Step::Arrays => subject.gradient::<Arrays>(budget),
            Step::Contributions => subject.gradient::<Contributions>(budget),
        }
    }

    /// Whether the cost is exponential in the worst case.
    pub(crate) fn is_exponential(self) -> bool {
        matches!(self, Step::Unshared | Step::Naive)
    }
}
