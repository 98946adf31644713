//! Answers that are given once.
//!
//! Each relation has a number, and relations with equal rows have equal ones: columns of a row have positions and no
//! names. A question with equal numbers is the same function of the same arguments, so its answer is the one given
//! before. The layers of a model ask the same questions about other tensors, so each layer after the first few costs
//! looking them up.
//!
//! An answer that is looked up takes nothing from the budget. What a program asks, and in which order, is the same on
//! every machine, so a decision still ends at the same place.

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::context::{Context, Failure};
use crate::handle::{Handle, Map, RawContext};
use crate::relation::Relation;
use crate::rows::{Basic, Point, Shape};

/// The answers that are kept: enough for all statements of a block that differ, and a bound for programs in which no
/// two are equal.
const MOST: usize = 1 << 16;

/// What isl is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// [`Relation::identity`].
    Identity,
    /// [`Relation::universe`].
    Universe,
    /// [`Relation::empty`].
    Empty,
    /// [`Relation::lt`].
    Before,
    /// [`Relation::le`].
    NotAfter,
    /// [`Relation::union`].
    Union,
    /// [`Relation::intersect`].
    Intersection,
    /// [`Relation::subtract`].
    Difference,
    /// [`Relation::coalesce`].
    Coalescence,
    /// [`Relation::then`].
    Composition,
    /// [`Relation::flat_product`].
    Product,
    /// [`Relation::reverse`].
    Reversal,
    /// [`Relation::domain`].
    Domain,
    /// [`Relation::range`].
    Range,
    /// [`Relation::restrict_domain`].
    RestrictedDomain,
    /// [`Relation::restrict_range`].
    RestrictedRange,
    /// [`Relation::subtract_domain`].
    SubtractedDomain,
    /// [`Relation::subtract_range`].
    SubtractedRange,
    /// [`Relation::restrict_params`].
    RestrictedParams,
    /// [`Relation::lexmin`].
    Least,
    /// [`Relation::lexmax`].
    Greatest,
    /// [`Relation::fix_in`], [`Relation::fix_out`] and [`Relation::fix_param`]: kind, position, value.
    Fixed,
    /// Projections: kind, first, count.
    Projection,
    /// Insertions of dimensions: kind, first, count.
    Insertion,
    /// Dimensions that become those of another kind: kind, first, count.
    Moved,
    /// [`Relation::is_empty`].
    IsEmpty,
    /// [`Relation::is_equal`].
    IsEqual,
    /// [`Relation::is_subset`].
    IsSubset,
    /// [`Relation::is_disjoint`].
    IsDisjoint,
    /// [`Relation::is_single_valued`].
    IsSingleValued,
    /// [`Relation::is_injective`].
    IsInjective,
    /// [`Relation::sample`].
    Sample,
}

/// An answer of isl.
#[derive(Clone, Debug)]
pub enum Answer<'a> {
    /// A relation.
    Relation(&'a Relation),
    /// The answer to a decision.
    Truth(bool),
    /// The smallest pair, if there is one.
    Sample(Option<&'a Point>),
}

/// What isl was asked, and its answer.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The operation.
    pub operation: Operation,
    /// Its operands.
    pub operands: &'a [&'a Relation],
    /// The answer.
    pub answer: Answer<'a>,
}

/// A function that is called with each question that isl has answered.
pub(crate) type Listener = Box<dyn FnMut(&Question<'_>)>;

/// What a question is, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    operation: Operation,
    operands: [u64; 2],
    numbers: [i64; 3],
}

/// A relation that is kept.
struct Entry {
    number: u64,
    map: Handle<Map>,
    shape: Shape,
}

/// The answers of a context.
#[derive(Default)]
pub(crate) struct Memo {
    next: u64,
    rows: FxHashMap<Basic, Entry>,
    relations: FxHashMap<Key, Entry>,
    /// The relations by the hash of their rows.
    equal: FxHashMap<(u32, Shape), Vec<Entry>>,
    truths: FxHashMap<Key, bool>,
    samples: FxHashMap<Key, Option<Point>>,
    listener: Option<Listener>,
}

impl fmt::Debug for Memo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Memo").finish_non_exhaustive()
    }
}

impl Memo {
    pub(crate) fn set_listener(&mut self, listener: Listener) {
        self.listener = Some(listener);
    }

    /// Returns the number of the next relation, after it has forgotten all answers if they are too many. Numbers are
    /// not used again, so no question that comes has an answer of another one.
    fn number(&mut self) -> u64 {
        let kept = self.rows.len() + self.relations.len() + self.truths.len() + self.samples.len();
        if kept >= MOST {
            self.rows.clear();
            self.relations.clear();
            self.equal.clear();
            self.truths.clear();
            self.samples.clear();
        }
        self.next += 1;
        self.next
    }
}

fn key(operation: Operation, operands: &[&Relation], numbers: [i64; 3]) -> Key {
    let number = |at: usize| operands.get(at).map_or(0, |operand| operand.number());
    Key {
        operation,
        operands: [number(0), number(1)],
        numbers,
    }
}

/// # Questions
impl Context {
    /// Returns the relation of some rows.
    pub(crate) fn of_rows(&self, basic: &Basic) -> Result<Relation, Failure> {
        let answer = self
            .memo
            .borrow()
            .rows
            .get(basic)
            .map(|entry| self.kept(entry));
        if let Some(answer) = answer {
            return answer;
        }
        let map = self.raw.isl_map_from_basic_map(basic.import(self)?)?;
        let relation = self.numbered(map, basic.shape)?;
        let entry = self.entry(&relation)?;
        self.memo.borrow_mut().rows.insert(basic.clone(), entry);
        Ok(relation)
    }

    /// Returns the relation that an operation has as its result, of the given shape; `numbers` are its operands that
    /// are no relations.
    pub(crate) fn relation(
        &self,
        operation: Operation,
        operands: &[&Relation],
        numbers: [i64; 3],
        shape: Shape,
        compute: impl FnOnce(&RawContext) -> Result<Handle<Map>, Failure>,
    ) -> Result<Relation, Failure> {
        let key = key(operation, operands, numbers);
        let answer = self
            .memo
            .borrow()
            .relations
            .get(&key)
            .map(|entry| self.kept(entry));
        if let Some(answer) = answer {
            return answer;
        }
        let map = compute(&self.raw)?;
        let relation = self.numbered(map, shape)?;
        let entry = self.entry(&relation)?;
        self.memo.borrow_mut().relations.insert(key, entry);
        self.tell(operation, operands, Answer::Relation(&relation));
        Ok(relation)
    }

    /// Returns the answer to a decision.
    pub(crate) fn truth(
        &self,
        operation: Operation,
        operands: &[&Relation],
        decide: impl FnOnce(&RawContext) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        let key = key(operation, operands, [0; 3]);
        let answer = self.memo.borrow().truths.get(&key).copied();
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let answer = decide(&self.raw)?;
        self.memo.borrow_mut().truths.insert(key, answer);
        self.tell(operation, operands, Answer::Truth(answer));
        Ok(answer)
    }

    /// Returns a pair of a relation.
    pub(crate) fn sample(
        &self,
        of: &Relation,
        find: impl FnOnce(&RawContext) -> Result<Option<Point>, Failure>,
    ) -> Result<Option<Point>, Failure> {
        let key = key(Operation::Sample, &[of], [0; 3]);
        let answer = self.memo.borrow().samples.get(&key).cloned();
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let answer = find(&self.raw)?;
        self.memo.borrow_mut().samples.insert(key, answer.clone());
        self.tell(Operation::Sample, &[of], Answer::Sample(answer.as_ref()));
        Ok(answer)
    }

    /// Returns the relation of a map, with the number of a relation that has the same rows, or with a new one.
    fn numbered(&self, map: Handle<Map>, shape: Shape) -> Result<Relation, Failure> {
        let hash = self.raw.hash(&map);
        let mut memo = self.memo.borrow_mut();
        for entry in memo.equal.get(&(hash, shape)).into_iter().flatten() {
            if self.raw.isl_map_plain_is_equal(&entry.map, &map)? {
                return self.kept(entry);
            }
        }
        let number = memo.number();
        let entry = Entry {
            number,
            map: self.raw.isl_map_copy(&map)?,
            shape,
        };
        memo.equal.entry((hash, shape)).or_default().push(entry);
        Ok(Relation::new(self, shape, map, number))
    }

    fn entry(&self, relation: &Relation) -> Result<Entry, Failure> {
        Ok(Entry {
            number: relation.number(),
            map: relation.map()?,
            shape: relation.shape(),
        })
    }

    fn kept(&self, entry: &Entry) -> Result<Relation, Failure> {
        let map = self.raw.isl_map_copy(&entry.map)?;
        Ok(Relation::new(self, entry.shape, map, entry.number))
    }

    /// Tells the listener a question. It may ask questions of its own, which it is not told.
    fn tell(&self, operation: Operation, operands: &[&Relation], answer: Answer<'_>) {
        let listener = self.memo.borrow_mut().listener.take();
        if let Some(mut listener) = listener {
            listener(&Question {
                operation,
                operands,
                answer,
            });
            self.memo.borrow_mut().listener = Some(listener);
        }
    }
}

/// The answers of a context, which its clones share.
pub(crate) type Shared = RefCell<Memo>;
