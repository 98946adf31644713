//! Contexts: the memory and the budget of isl, and the questions that it has answered.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use crate::failure::Failure;
use crate::handle::{Handle, Map, RawContext};
use crate::memo::{Entry, Key, Memo};
use crate::operation::Operation;
use crate::relation::Relation;
use crate::rows::{Basic, Point, Shape};

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
type Listener = Box<dyn FnMut(&Question<'_>)>;

/// Where relations live. Clones are the same context, and relations of two contexts cannot be combined.
///
/// isl keeps the last error and the count of operations in the context, so a context stays in its thread.
#[derive(Clone)]
pub struct Context {
    // Has relations, so it is freed before the context of isl.
    memo: Rc<RefCell<Memo>>,
    listener: Rc<RefCell<Option<Listener>>>,
    pub(crate) raw: Rc<RawContext>,
    budget: u64,
}

impl Context {
    /// Returns a context without relations. `budget` is the number of isl's operations that one decision may take, 0
    /// for any number. Afterwards each method returns [`Failure::Budget`], until [`Context::reset`].
    ///
    /// # Panics
    /// When there is no memory.
    #[must_use]
    pub fn new(budget: u64) -> Self {
        Self {
            memo: Rc::default(),
            listener: Rc::default(),
            raw: Rc::new(RawContext::new(budget)),
            budget,
        }
    }

    /// Returns the number of isl's operations that one decision may take, 0 for any number.
    #[must_use]
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Starts the count of operations again: the budget is that of each decision, and not of all.
    pub fn reset(&self) {
        self.raw.reset_operations();
    }

    /// Calls a function with each question that isl answers from now on, but not with those that are answered from
    /// memory. It may not keep relations, which keep the context and so the function: tests keep their rows.
    pub fn listen(&self, listener: impl FnMut(&Question<'_>) + 'static) {
        *self.listener.borrow_mut() = Some(Box::new(listener));
    }

    /// Fails unless `other` is the same context.
    pub(crate) fn check_same(&self, other: &Self) -> Result<(), Failure> {
        if Rc::ptr_eq(&self.raw, &other.raw) {
            Ok(())
        } else {
            Err(Failure::Internal("relations of two contexts".to_owned()))
        }
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
        let map = self.raw.isl_map_from_basic_map(basic.import(&self.raw)?)?;
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
        let listener = self.listener.borrow_mut().take();
        if let Some(mut listener) = listener {
            listener(&Question {
                operation,
                operands,
                answer,
            });
            *self.listener.borrow_mut() = Some(listener);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").finish_non_exhaustive()
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
