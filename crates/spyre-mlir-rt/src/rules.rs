//! Rules: rewrites of one operation, in tables, and the walk that applies them.
//!
//! A [`Rule`] has the names of the operations that it begins at, and a function that builds the replacement of such an
//! operation before it. The function only builds: the walk replaces the results, erases the operation, and erases what
//! a rule has built that does not apply after all. So a rule sees no state of the walk, and a table of rules can be
//! read, documented and extended. A pass has a table in public; another pass takes it together with a table of its
//! own ([`RuleSet::new`]), as patterns in C++ are collected by `populate...Patterns`.
//!
//! [`apply_rules`] visits each operation that a rule begins at once, from the first to the last or the other way round,
//! and operations inside of another before that. It folds nothing and erases no unused operations.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, ValueLike};
use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::ir::{self, At, Op, OpBuilder, Parts, Val};
use crate::panics;
use crate::pass::{Failed, PassRun};

/// The most rules in a row of which each begins at an operation that the previous one has built.
const MOST_STEPS: usize = 64;

/// A rewrite of one operation. `S` is what the rules of a table know about the function, if anything.
pub struct Rule<S: 'static = ()> {
    /// The name, for the documentation and for messages.
    pub name: &'static str,
    /// The names of the operations that it begins at.
    pub operations: &'static [&'static str],
    /// The rewrite in one line of markdown, for the page of the pass.
    pub summary: &'static str,
    /// The function.
    pub apply: RuleFunction<S>,
}

/// The function of a rule.
///
/// It builds operations before the given one. It changes, moves and erases no others.
///
/// # Errors
/// The rule begins at the operation and cannot rewrite it, and the operation must not stay as it is.
pub type RuleFunction<S = ()> =
    for<'p> fn(&Rewriter<'p, S>, Op<'p>) -> Result<Rewritten<'p>, Refusal<'p>>;

/// The result of a rule.
#[derive(Debug)]
pub enum Rewritten<'p> {
    /// The rule does not apply to the operation, and the next one is tried.
    No,
    /// Values of the same types that replace the results, in order; `None` for a result without uses.
    By(Vec<Option<Val<'p>>>),
}

impl<'p> Rewritten<'p> {
    /// Returns the result of a rule that replaces the only result of an operation.
    #[must_use]
    pub fn by(value: Val<'p>) -> Self {
        Self::By(vec![Some(value)])
    }
}

impl<'p> From<Option<Val<'p>>> for Rewritten<'p> {
    /// Converts the value that replaces the only result; `None` where the rule does not apply.
    fn from(value: Option<Val<'p>>) -> Self {
        value.map_or(Self::No, Self::by)
    }
}

/// The reason why an operation cannot be rewritten, with notes at other places that take part in it.
#[derive(Debug)]
pub struct Refusal<'p> {
    /// The reason, without the name of the pass.
    pub reason: String,
    notes: Vec<(Location<'p>, String)>,
}

impl<'p> Refusal<'p> {
    /// Adds a note at a value.
    #[must_use]
    pub fn note(mut self, at: Val<'p>, note: impl Into<String>) -> Self {
        self.notes.push((at.location(), note.into()));
        self
    }

    /// Returns a diagnostic with the notes.
    pub fn annotate(self, diagnostic: Diagnostic<'p>) -> Diagnostic<'p> {
        let notes = self.notes.into_iter();
        notes.fold(diagnostic, |diagnostic, (at, note)| {
            diagnostic.note(at, note)
        })
    }
}

impl From<String> for Refusal<'_> {
    fn from(reason: String) -> Self {
        Self {
            reason,
            notes: Vec::new(),
        }
    }
}

impl From<&str> for Refusal<'_> {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

/// The context in which rules are applied.
pub struct Rewriter<'p, S: 'static = ()> {
    context: &'p Context,
    state: &'p S,
    /// The name of the rule that runs, for messages.
    rule: Cell<&'static str>,
}

impl<'p, S> Rewriter<'p, S> {
    /// Returns the rewriter with a state that all rules read.
    #[must_use]
    pub fn new(context: &'p Context, state: &'p S) -> Self {
        Self {
            context,
            state,
            rule: Cell::new(""),
        }
    }

    /// Returns the MLIR context.
    #[must_use]
    pub fn context(&self) -> &'p Context {
        self.context
    }

    /// Returns the state that the pass has computed for its rules.
    #[must_use]
    pub fn state(&self) -> &'p S {
        self.state
    }

    /// Returns the builder of operations before the one that is rewritten, with its location.
    #[must_use]
    pub fn before(&self, op: Op<'p>) -> OpBuilder<'p> {
        OpBuilder::before(self.context, op)
    }
}

/// The replacement of an operation, built before it.
#[derive(Debug)]
pub struct Replacement<'p> {
    /// The name of the rule that built it.
    pub rule: &'static str,
    /// The values that replace the results, in order; `None` for a result without uses.
    pub values: Vec<Option<Val<'p>>>,
    /// The operations that were built, in order.
    pub built: Vec<Op<'p>>,
}

impl<'p> Replacement<'p> {
    /// Replaces the results of the operation by the values. The operation stays.
    ///
    /// # Panics
    /// If there is no value of its type for a result that has uses: a mistake in the rule.
    pub fn replace_results(&self, op: Op<'p>) {
        let count = op.result_count();
        assert_eq!(self.values.len(), count, "a rule replaces every result");
        for (result, value) in ir::results(op).zip(&self.values) {
            match value {
                Some(value) => {
                    let (from, to) = (result.r#type(), value.r#type());
                    assert!(
                        from == to,
                        "a result of type {from} is replaced by a value of type {to}"
                    );
                    ir::replace_all_uses(result, *value);
                }
                None => assert!(
                    ir::uses(result).is_empty(),
                    "a result with uses is replaced by no value"
                ),
            }
        }
    }
}

/// Rules by the operations that they begin at.
pub struct RuleSet<S: 'static = ()> {
    by_operation: FxHashMap<&'static str, Vec<&'static Rule<S>>>,
}

impl<S> RuleSet<S> {
    /// Returns the rules of some tables. Of the rules that begin at an operation, those of the first table are tried
    /// first, and those of one table in its order.
    #[must_use]
    pub fn new(tables: &[&'static [Rule<S>]]) -> Self {
        let mut by_operation: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for rule in tables.iter().copied().flatten() {
            for operation in rule.operations {
                by_operation.entry(*operation).or_default().push(rule);
            }
        }
        Self { by_operation }
    }

    /// Returns whether a rule begins at operations of this name.
    #[must_use]
    pub fn begins_at(&self, op: Op<'_>) -> bool {
        self.by_operation.contains_key(ir::name(op))
    }

    /// Builds the replacement of an operation before it, by the first rule that applies; `None` if there is none, and
    /// then nothing is built. The operation stays.
    ///
    /// # Errors
    /// A rule refuses the operation. Parts of its replacement may have been built.
    ///
    /// # Panics
    /// If the operation is in no block, or a rule panics.
    pub fn rewrite<'p>(
        &self,
        rewriter: &Rewriter<'p, S>,
        op: Op<'p>,
    ) -> Result<Option<Replacement<'p>>, Refusal<'p>> {
        let Some(rules) = self.by_operation.get(ir::name(op)) else {
            return Ok(None);
        };
        let mark = Mark::before(op);
        for rule in rules {
            rewriter.rule.set(rule.name);
            match (rule.apply)(rewriter, op)? {
                Rewritten::By(values) => {
                    return Ok(Some(Replacement {
                        rule: rule.name,
                        values,
                        built: mark.built(op),
                    }));
                }
                // Rules count the uses of values, and an operation without users is a use of its operands.
                Rewritten::No => mark.built(op).into_iter().rev().for_each(ir::erase),
            }
        }
        Ok(None)
    }
}

/// An operation without operands and results, after which a rule builds: the C API of MLIR returns the next operation
/// of a block, and not the previous one. It is of the dialect that every context has, and is erased when it is dropped.
struct Mark<'p>(Op<'p>);

impl<'p> Mark<'p> {
    fn before(op: Op<'p>) -> Self {
        let parts = Parts {
            name: "builtin.unrealized_conversion_cast",
            operands: &[],
            results: &[],
            attributes: &[],
            regions: Vec::new(),
        };
        Self(ir::build(At::Before(op), op.location(), parts))
    }

    /// Returns the operations between the mark and the operation that it is before.
    fn built(&self, op: Op<'p>) -> Vec<Op<'p>> {
        let first = self.0.next_in_block();
        let rest = std::iter::successors(first, |built| built.next_in_block());
        rest.take_while(|built| *built != op).collect()
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        ir::erase(self.0);
    }
}

/// The order in which [`apply_rules`] visits the operations that a rule begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Operands before users: a rule finds operands that are rewritten. Operations that rules build are not visited.
    FirstToLast,
    /// Users before operands: a rule finds users that are rewritten. Operations that rules build are visited next.
    LastToFirst,
}

/// Applies rules to the operations inside of the operation of a pass, and returns how many were replaced. For each,
/// `on_replaced` is called when its results have no uses left, before it is erased. If none was replaced, the pass has
/// changed nothing.
///
/// # Errors
/// A rule refuses an operation or panics, or rules begin at operations of each other without an end. The error is
/// reported at the operation; the operations before it in the order have been replaced.
pub fn apply_rules<'p, S>(
    run: &'p PassRun<'p>,
    state: &'p S,
    rules: &RuleSet<S>,
    order: Order,
    mut on_replaced: impl FnMut(Op<'p>, &Replacement<'p>),
) -> Result<usize, Failed> {
    let rewriter = Rewriter::new(run.context(), state);
    let mut worklist = Vec::new();
    push_inner(rules, order, run.operation(), 0, &mut worklist);
    if order == Order::FirstToLast {
        worklist.reverse();
    }
    let mut count = 0;
    while let Some((op, steps)) = worklist.pop() {
        if steps > MOST_STEPS {
            let message = format!(
                "{}: after {MOST_STEPS} rules, each at an operation that the previous one has built, rule '{}' has built '{}', \
                 at which one begins",
                run.argument(),
                rewriter.rule.get(),
                ir::name(op)
            );
            return Err(Diagnostic::error(op.location(), message).into());
        }
        let Some(replacement) = replace(run, &rewriter, rules, op)? else {
            continue;
        };
        on_replaced(op, &replacement);
        ir::erase(op);
        count += 1;
        if order == Order::LastToFirst {
            for built in replacement.built {
                push(rules, order, built, steps + 1, &mut worklist);
            }
        }
    }
    if count == 0 {
        run.preserve_analyses();
    }
    Ok(count)
}

/// Appends the operations inside of another that a rule begins at. In the order from the first to the last, an
/// operation follows those inside of it; in the other order, it is before them.
fn push_inner<'p, S>(
    rules: &RuleSet<S>,
    order: Order,
    op: Op<'p>,
    steps: usize,
    worklist: &mut Vec<(Op<'p>, usize)>,
) {
    for inner in ir::blocks(op).flat_map(ir::operations) {
        push(rules, order, inner, steps, worklist);
    }
}

/// Appends an operation and those inside of it that a rule begins at, as [`push_inner`].
fn push<'p, S>(
    rules: &RuleSet<S>,
    order: Order,
    op: Op<'p>,
    steps: usize,
    worklist: &mut Vec<(Op<'p>, usize)>,
) {
    let is_begun = rules.begins_at(op);
    if is_begun && order == Order::LastToFirst {
        worklist.push((op, steps));
    }
    push_inner(rules, order, op, steps, worklist);
    if is_begun && order == Order::FirstToLast {
        worklist.push((op, steps));
    }
}

/// Builds the replacement of an operation and replaces its results; `None` if no rule applies. A refusal and a panic
/// of a rule are reported at the operation.
fn replace<'p, S>(
    run: &'p PassRun<'p>,
    rewriter: &Rewriter<'p, S>,
    rules: &RuleSet<S>,
    op: Op<'p>,
) -> Result<Option<Replacement<'p>>, Failed> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let replacement = rules.rewrite(rewriter, op);
        if let Ok(Some(replacement)) = &replacement {
            replacement.replace_results(op);
        }
        replacement
    }));
    match outcome {
        Ok(Ok(replacement)) => Ok(replacement),
        Ok(Err(refusal)) => {
            let message = format!("{}: {}", run.argument(), refusal.reason);
            let diagnostic = Diagnostic::error(op.location(), message);
            Err(refusal.annotate(diagnostic).into())
        }
        Err(payload) => {
            let message = format!(
                "internal error: rule '{}' of pass '{}' panicked: {}",
                rewriter.rule.get(),
                run.argument(),
                panics::text(payload.as_ref())
            );
            panics::note(op, &message);
            Err(Diagnostic::error(op.location(), message).into())
        }
    }
}
