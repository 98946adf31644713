//! Claims, their answers, and reports of them.

use std::collections::BTreeSet;
use std::fmt;

use crate::expr::Var;
use crate::ids::{LoopId, Site};

/// What is claimed. The numbers are those of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Claim {
    /// P1: each element that is read or returned has been written.
    Coverage,
    /// P2: an operation reads the same elements of the same values as in the program before.
    Correspondence,
    /// P3: no element is read before it is written, or after it is overwritten.
    Order,
    /// P4: accesses are inside their buffers, and live values are disjoint.
    Place,
    /// P5: the addresses that the files compute are those of the program.
    Files,
}

impl Claim {
    /// All claims, in order.
    pub const ALL: [Self; 5] = [
        Self::Coverage,
        Self::Correspondence,
        Self::Order,
        Self::Place,
        Self::Files,
    ];

    /// Returns the number, as the documentation and the options have it.
    #[must_use]
    pub const fn number(self) -> &'static str {
        match self {
            Self::Coverage => "P1",
            Self::Correspondence => "P2",
            Self::Order => "P3",
            Self::Place => "P4",
            Self::Files => "P5",
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}

/// The answer to one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds for all iterations, cores, elements and extents.
    Proved(By),
    /// It does not hold, for the values of the witness.
    Refuted(Box<Witness>),
    /// It is not decided. This is never taken for a proof.
    Unknown(Reason),
}

/// Returns the answer to two claims together: refuted before undecided before proved, and the solver before the form.
pub(crate) fn both(a: Verdict, b: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Refuted(_) => 4,
        Verdict::Unknown(_) => 3,
        Verdict::Proved(By::Solver) => 2,
        Verdict::Proved(By::Cache) => 1,
        Verdict::Proved(By::Form) => 0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}

/// How a claim was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// Both sides have the same normal form.
    Form,
    /// The solver of integer sets.
    Solver,
    /// An equal claim was decided before.
    Cache,
}

/// Why a claim is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Reason {
    /// The offset of a window is no affine expression of counters.
    #[error("the offset of a window is no affine expression of induction variables")]
    Offset,
    /// A branch depends on data.
    #[error("a branch that depends on more than induction variables")]
    Condition,
    /// A loop carries a tensor that is computed from itself in a way that is no sum of parts.
    #[error("a carried tensor that is neither inserted into nor a sum of parts")]
    Recurrence,
    /// A loop carries tensors, and the program before has no loop of this count and these types.
    #[error(
        "a loop that carries tensors, without a loop of its count and types in the program before"
    )]
    LoopsDiffer,
    /// Several elements of the program before have the same operands.
    #[error("the element of the program before is not determined")]
    Undetermined,
    /// No law to combine parts of this operation.
    #[error("no law that combines parts of '{0}'")]
    Law(String),
    /// An operation that the program before does not have, with these attributes and element types.
    #[error("the program before has no '{0}' with its attributes and element types")]
    NewOperation(String),
    /// An operation without a counterpart. The program before has operations with the same name, attributes and element
    /// types, but each of them has another counterpart.
    #[error("an additional '{0}': those of the program before are other operations")]
    Additional(String),
    /// An operation that is not modelled.
    #[error("'{0}' is not modelled")]
    Operation(String),
    /// An arrangement of elements that is not modelled.
    #[error("the arrangement of elements of {0} is not modelled")]
    Arrangement(String),
    /// Something that is not modelled, which may have the elements in question, or have written them.
    #[error("{0} may have the elements")]
    Elsewhere(String),
    /// A dynamic extent where the claim is not affine in it.
    #[error("a dynamic extent {0}")]
    Dynamic(String),
    /// The budget of the solver.
    #[error("the budget of {0} operations of the solver")]
    Budget(u64),
    /// A number above 2^62.
    #[error("a number above 2^62")]
    TooLarge,
    /// The file does not have what the claim needs, for a reason that is no address.
    #[error("{0}")]
    File(String),
    /// The operation reads what is itself undecided.
    #[error("it reads a tensor that is undecided")]
    Follows(Site),
}

/// The values for which a claim does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The counters of the loops, outermost first: iterations that are complete.
    pub counters: Vec<(LoopId, i64)>,
    /// Values of the dynamic extents, in elements.
    pub params: Vec<i64>,
    /// The core.
    pub core: Option<i64>,
    /// The point of the iteration space, or the element.
    pub point: Vec<i64>,
    /// What does not hold, with both numbers: a sentence without a period.
    pub message: String,
    /// The other end: its operation, and the text of the note there.
    pub notes: Vec<(Site, String)>,
    /// The same for operations of the program before the pass, whose sites are numbered apart.
    pub before: Vec<(Site, String)>,
}

/// The answer to one claim about one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// The operation.
    pub site: Site,
    /// What the claim is about: `operand 1`, `result 0`, `sdsc_3.json tensor 1`.
    pub subject: String,
    /// The answer.
    pub verdict: Verdict,
}

/// What a proof takes for granted, by the numbers of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// A1: executions run one after the other; all cores finish one before the next.
    Sequential,
    /// A2: arguments and results do not overlap.
    DisjointArguments,
    /// A3: an element of an operation depends on the operands that its indexing maps name, and on nothing else.
    IndexingMaps,
    /// A4: reductions may be reassociated by the laws of their combiners.
    Reassociation,
    /// A5: indices of gathers are inside the table.
    IndicesInside,
    /// A6: a dynamic extent is a multiple of its granularity within bounds.
    Granularity,
    /// A7: parts of one sum in device memory are combined by the card.
    PartsOfCores,
    /// A8: terms with a factor 0 are finite, and vanish.
    FiniteTerms,
    /// A9: casts between 16 and 32 bits permute elements only within blocks of 64, and no core or window divides a
    /// block.
    WholeBlocks,
}

/// The answers to all claims about a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answers, in the order of the operations.
    pub findings: Vec<Finding>,
    /// What was used of what is taken for granted.
    pub assumptions: BTreeSet<Assumption>,
    /// Reductions whose terms are added up in another order.
    pub reassociated: usize,
    /// Operations that the claims are about.
    pub operations: usize,
    /// Operations without instances, for which every claim holds of nothing: a loop without iterations, or an extent 0.
    pub empty: usize,
    /// Operations without a counterpart that no result depends on: there is no claim about them.
    pub unused: usize,
}

impl Report {
    /// Adds an answer.
    pub fn add(&mut self, claim: Claim, site: Site, subject: impl Into<String>, verdict: Verdict) {
        self.findings.push(Finding {
            claim,
            site,
            subject: subject.into(),
            verdict,
        });
    }

    /// Returns whether every claim is proved.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.all(|finding| matches!(finding.verdict, Verdict::Proved(_)))
    }

    /// Returns the claims that do not hold, in order.
    pub fn refuted(&self) -> impl Iterator<Item = (&Finding, &Witness)> {
        self.findings
            .iter()
            .filter_map(|finding| match &finding.verdict {
                Verdict::Refuted(witness) => Some((finding, &**witness)),
                _ => None,
            })
    }

    /// Returns the claims that are not decided, in order.
    pub fn unknown(&self) -> impl Iterator<Item = (&Finding, &Reason)> {
        self.findings
            .iter()
            .filter_map(|finding| match &finding.verdict {
                Verdict::Unknown(reason) => Some((finding, reason)),
                _ => None,
            })
    }

    /// Writes the budget of the solver into the answers that it has ended: failures of the solver do not know it.
    pub(crate) fn set_budget(&mut self, operations: u64) {
        for finding in &mut self.findings {
            if let Verdict::Unknown(Reason::Budget(budget)) = &mut finding.verdict {
                *budget = operations;
            }
        }
    }

    /// Adds the answers of another report.
    pub fn extend(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.assumptions.extend(other.assumptions);
        self.reassociated += other.reassociated;
        self.operations = self.operations.max(other.operations);
        self.empty = self.empty.max(other.empty);
        self.unused += other.unused;
    }
}

impl Witness {
    /// Returns the values as text: `iteration (1, 2), core 5, point [3, 64]`.
    #[must_use]
    pub fn values(&self) -> String {
        let mut parts = Vec::new();
        let list = |numbers: &mut dyn Iterator<Item = i64>| {
            let numbers: Vec<_> = numbers.map(|number| number.to_string()).collect();
            numbers.join(", ")
        };
        if !self.params.is_empty() {
            parts.push(format!(
                "extents ({})",
                list(&mut self.params.iter().copied())
            ));
        }
        if !self.counters.is_empty() {
            let counters = list(&mut self.counters.iter().map(|(_, counter)| *counter));
            parts.push(format!("iteration ({counters})"));
        }
        if let Some(core) = self.core {
            parts.push(format!("core {core}"));
        }
        if !self.point.is_empty() {
            parts.push(format!("point [{}]", list(&mut self.point.iter().copied())));
        }
        parts.join(", ")
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn value(&self, var: Var) -> Option<i64> {
        match var {
            Var::Counter(id) => {
                let entry = self.counters.iter().find(|(at, _)| *at == id);
                entry.map(|(_, counter)| *counter)
            }
            Var::Core => self.core,
            Var::Point(at) | Var::Element(at) => self.point.get(at as usize).copied(),
            _ => None,
        }
    }
}
