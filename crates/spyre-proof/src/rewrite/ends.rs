//! What the simulation ends with: results of the function, and tensors of loops that are equal by hypothesis.

use spyre_isl::{Point, Relation};

use super::witness::{TRIES, singleton};
use super::{LoopPair, Simulation, laws, sum};
use crate::claim::{By, Claim, Reason, Verdict, Witness};
use crate::contents::{Pieces, Source, is_inserted_into};
use crate::program::{Def, Extent, LoopId, Program, Value, ValueId};

/// What an element is, if that is known.
type Named = Option<(Source, Vec<i64>)>;

/// Returns the type of a tensor as text: `[64, S] f16`.
fn type_of(program: &Program, value: &Value) -> String {
    let extents = value.shape.iter().map(|extent| match extent {
        Extent::Fixed(extent) => extent.to_string(),
        Extent::Dynamic(param) => program.params[param.index()].name.clone(),
    });
    let extents: Vec<_> = extents.collect();
    format!("[{}] {}", extents.join(", "), value.element)
}

/// Returns the tensors of loops of both programs that are computed from themselves: loops in the order of the text,
/// with equal counts, depths and types.
pub(super) fn loop_pairs(before: &Program, after: &Program) -> Vec<LoopPair> {
    let recurrent = |program: &Program, id: LoopId| {
        let carried = program.of_loop(id).carried.iter().enumerate();
        let numbers = carried
            .filter(|(_, of)| !is_inserted_into(program, of.yielded, of.argument))
            .map(|(at, _)| at);
        numbers.collect::<Vec<_>>()
    };
    let loops = |program: &Program| {
        let all = (0..program.loops.len()).map(LoopId::new);
        let recurrences = all.map(|id| (id, recurrent(program, id)));
        recurrences
            .filter(|(_, tensors)| !tensors.is_empty())
            .collect::<Vec<_>>()
    };
    let (first, mut next) = (loops(before), 0);
    let mut pairs = Vec::new();
    for (id, tensors) in loops(after) {
        let same = |(other, others): &(LoopId, Vec<usize>)| {
            let [a, b] = [(before, *other), (after, id)];
            let depth = |(program, id): (&Program, LoopId)| {
                let mut depth = 0;
                let mut at = program.of_loop(id).parent;
                while let Some(parent) = at {
                    depth += 1;
                    at = program.of_loop(parent).parent;
                }
                depth
            };
            let bounds = |(program, id): (&Program, LoopId)| {
                let of = program.of_loop(id);
                (
                    program.trips(id),
                    program
                        .trips(id)
                        .is_none()
                        .then_some((of.lower, of.upper, of.step)),
                )
            };
            let types = |(program, id): (&Program, LoopId), tensors: &[usize]| {
                let of = tensors
                    .iter()
                    .map(|at| program.of_loop(id).carried[*at].argument);
                let of = of.map(|value| program.value(value));
                of.map(|of| (of.shape.clone(), of.element.clone()))
                    .collect::<Vec<_>>()
            };
            depth(a) == depth(b) && bounds(a) == bounds(b) && types(a, others) == types(b, &tensors)
        };
        if let Some(at) = first[next..].iter().position(same) {
            let (other, others) = &first[next + at];
            pairs.extend(
                others
                    .iter()
                    .zip(&tensors)
                    .map(|(a, b)| ((*other, *a), (id, *b))),
            );
            next += at + 1;
        }
    }
    pairs
}

/// What is claimed of a tensor that two loops carry: it is equal before the first iteration, and at the end of each.
pub(super) const ENDS: [&str; 2] = ["initial", "yielded"];

/// Returns the subject of the claim about one end of a tensor that a loop carries.
pub(super) fn subject(end: &str, number: usize) -> String {
    format!("{end} tensor {number} of the loop")
}

/// Returns whether two shapes may be equal: a dynamic extent may have become its largest value.
fn may_be_equal(a: &[Extent], b: &[Extent]) -> bool {
    let differ = |(a, b): (&Extent, &Extent)| match (a, b) {
        (Extent::Fixed(a), Extent::Fixed(b)) => a != b,
        _ => false,
    };
    a.len() == b.len() && !a.iter().zip(b).any(differ)
}

impl Simulation<'_> {
    /// Checks that loops that are equal by hypothesis start from equal tensors, and yield equal ones.
    pub(super) fn check_loops(&mut self) {
        let mut pairs: Vec<_> = self
            .pairs
            .iter()
            .map(|(after, before)| (*before, *after))
            .collect();
        pairs.sort_unstable();
        for ((before, a), (after_loop, b)) in pairs {
            let site = self.after.program().of_loop(after_loop).site;
            let first = self.before.program().of_loop(before).carried[a];
            let second = self.after.program().of_loop(after_loop).carried[b];
            let ends = [
                (
                    ENDS[0],
                    [first.init, first.result],
                    [second.init, second.result],
                ),
                (
                    ENDS[1],
                    [first.yielded, first.argument],
                    [second.yielded, second.argument],
                ),
            ];
            for (what, before, after) in ends {
                self.context.reset();
                let compared = self.compared(before, after, &format!("the {what} tensor {b}"));
                let verdict = compared.unwrap_or_else(Verdict::Unknown);
                if what == ENDS[0] && !matches!(verdict, Verdict::Proved(_)) {
                    self.unequal.insert((after_loop, b));
                }
                self.report
                    .add(Claim::Correspondence, site, subject(what, b), verdict);
            }
        }
    }

    /// Checks that arguments of one number have one type: equal elements of arguments are the hypothesis of all claims.
    pub(super) fn check_arguments(&mut self) {
        let (before, after) = (self.before.program(), self.after.program());
        let arguments = |program: &'_ Program| {
            let values = program.values.iter();
            let numbers = values.filter_map(|value| match value.def {
                Def::Argument(number) => Some((number, value.clone())),
                _ => None,
            });
            numbers.collect::<Vec<_>>()
        };
        let of_before = arguments(before);
        for (number, value) in arguments(after) {
            let mut same = of_before.iter();
            let Some((_, other)) = same.find(|(of, _)| *of == number) else {
                continue; // A pass has added it: no operation of the program before reads it.
            };
            let is_equal =
                value.element == other.element && may_be_equal(&value.shape, &other.shape);
            if !is_equal {
                let message = format!(
                    "argument {number} is {}, before: {}",
                    type_of(after, &value),
                    type_of(before, other)
                );
                let witness = Witness {
                    message,
                    before: vec![(other.site, "before, it is this one".to_owned())],
                    ..Witness::default()
                };
                let verdict = Verdict::Refuted(Box::new(witness));
                let subject = format!("argument {number}");
                self.report
                    .add(Claim::Correspondence, value.site, subject, verdict);
            }
        }
    }

    /// Checks that results are equal.
    pub(super) fn check_results(&mut self) {
        let (before, after) = (self.before.program(), self.after.program());
        for (at, (first, second)) in before.results.iter().zip(&after.results).enumerate() {
            self.context.reset();
            let subject = format!("result {at}");
            let compared = self.compared([*first; 2], [*second; 2], &subject);
            let verdict = compared.unwrap_or_else(Verdict::Unknown);
            let site = after.value(*second).site;
            self.report
                .add(Claim::Correspondence, site, subject, verdict);
        }
    }

    /// Compares two tensors, each as the elements of another one, which has its shape and may be in more loops.
    fn compared(
        &mut self,
        before: [ValueId; 2],
        after: [ValueId; 2],
        what: &str,
    ) -> Result<Verdict, Reason> {
        let values = [
            self.before.program().value(before[0]),
            self.after.program().value(after[0]),
        ];
        if values[0].shape != values[1].shape {
            if may_be_equal(&values[0].shape, &values[1].shape) {
                let reason = format!("of {what} has become its largest value");
                return Ok(Verdict::Unknown(Reason::Dynamic(reason)));
            }
            return Ok(Verdict::Refuted(Box::new(Witness {
                message: format!("{what} has another shape than before"),
                before: vec![(values[0].site, "before, it is this one".to_owned())],
                ..Witness::default()
            })));
        }
        let first = self.before.contents.lifted(before[0], before[1])?;
        let first = self
            .before
            .resolved(&first, |(id, at)| Some(Source::Carried(id, at)))?;
        let raw = self.after.contents.lifted(after[0], after[1])?;
        let second = self.resolved(&raw)?;
        let equal = second.iter().filter_map(|(source, relation)| {
            let other = first.get(source)?;
            let equal = || Ok(relation.intersect(other)?.domain()?);
            Some(equal())
        });
        let equal = sum(equal)?;
        let all = self.after.contents.space.all_elements(after[1])?;
        let rest = match equal {
            Some(equal) => all.subtract(&equal)?,
            None => all,
        };
        if rest.is_empty()? {
            return Ok(Verdict::Proved(By::Solver));
        }
        self.difference(&rest, [&first, &second, &raw], [before[0], after[1]], what)
    }

    /// Returns the operation that combines results of a reduction, where one of two sources is the operation and the
    /// other the reduction: they may be equal, by a law that the table of operations does not apply.
    fn law_between(&self, a: &Source, b: &Source) -> Option<String> {
        let name = |source: &Source| match source {
            Source::Result(id, _) => Some(&self.before.program().statement(*id).key.name),
            _ => None,
        };
        let (a, b) = (name(a)?, name(b)?);
        [(a, b), (b, a)].into_iter().find_map(|(sum, operation)| {
            let law = laws::reduction(sum)?;
            (law.combiner == operation).then(|| operation.clone())
        })
    }

    /// Returns whether a tensor that a loop of the program before carries is equal to one of the program after by hypothesis.
    pub(super) fn is_paired(&self, id: LoopId, number: usize) -> bool {
        self.pairs.values().any(|before| *before == (id, number))
    }

    /// Returns whether two sources are different operations of the program before that compute the same function: some
    /// of their elements may be equal.
    fn has_two_names(&self, is: &Source, was: &Source) -> bool {
        let (Source::Result(is, _), Source::Result(was, _)) = (is, was) else {
            return false;
        };
        let before = self.before.program();
        is != was && before.statement(*is).key == before.statement(*was).key
    }

    /// Returns the first of some elements that is another one than before, and both; the last one that was looked at, if
    /// the first ones are equal numbers.
    fn differing(
        &self,
        [first, second]: [&Pieces; 2],
        mut elements: Relation,
    ) -> Result<Option<(Point, Named, Named)>, Reason> {
        let mut differing = None;
        for _ in 0..TRIES {
            let Some(point) = elements.sample()? else {
                break;
            };
            let was = self.source_at(first, &point)?;
            // Of several names, the one of the same operation: its elements differ.
            let same = second.filtered(|source| was.as_ref().is_some_and(|(was, _)| was == source));
            let is = match self.source_at(&same, &point)? {
                None => self.source_at(second, &point)?,
                is => is,
            };
            let is_equal = self.are_equal_numbers(is.as_ref(), was.as_ref());
            elements = elements.subtract(&singleton(&self.context, &point.params, &point.outs)?)?;
            differing = Some((point, is, was));
            if !is_equal {
                break;
            }
        }
        Ok(differing)
    }

    /// Returns whether two elements are constants of one number.
    fn are_equal_numbers(
        &self,
        a: Option<&(Source, Vec<i64>)>,
        b: Option<&(Source, Vec<i64>)>,
    ) -> bool {
        let number = |of: Option<&(Source, Vec<i64>)>| {
            let (source, at) = of?;
            self.number(source, at)
        };
        number(a).is_some_and(|a| number(b) == Some(a))
    }

    /// Returns the verdict about elements that are not found to be equal.
    fn difference(
        &self,
        rest: &Relation,
        [first, second, raw]: [&Pieces; 3],
        [before, like]: [ValueId; 2],
        what: &str,
    ) -> Result<Verdict, Reason> {
        let loops = &self.after.program().value(like).loops;
        let domain = match (first.domain()?, second.domain()?) {
            (Some(first), Some(second)) => first.intersect(&second)?.intersect(rest)?,
            _ => Relation::empty(&self.context, rest.shape())?,
        };
        if let Some((point, is, was)) = self.differing([first, second], domain)? {
            let mut witness = self.witness_at(&point, loops);
            if self.are_equal_numbers(is.as_ref(), was.as_ref()) {
                return Ok(Verdict::Unknown(Reason::Undetermined));
            }
            if let (Some((is, _)), Some((was, _))) = (&is, &was)
                && let Some(law) = self.law_between(is, was)
            {
                return Ok(Verdict::Unknown(Reason::Law(law)));
            }
            if let (Some((is, _)), Some((was, _))) = (&is, &was)
                && (self.has_two_names(is, was) || self.is_unnamed(is) || self.is_unnamed(was))
            {
                return Ok(Verdict::Unknown(Reason::Undetermined));
            }
            // A pass may unroll a loop of the program before, and then its tensors have no counterpart.
            if let Some((Source::Carried(id, number), _)) = &was
                && !self.is_paired(*id, *number)
            {
                return Ok(Verdict::Unknown(Reason::LoopsDiffer));
            }
            let text = |source: &Option<(Source, Vec<i64>)>| {
                source.as_ref().map_or_else(
                    || "nothing".to_owned(),
                    |(source, at)| self.describe(source, at),
                )
            };
            witness.message = format!("{what} is {}, before: {}", text(&is), text(&was));
            let site = was.as_ref().and_then(|(source, _)| self.site_of(source));
            let site = site.unwrap_or(self.before.program().value(before).site);
            witness
                .before
                .push((site, "before, the element is computed here".to_owned()));
            return Ok(Verdict::Refuted(Box::new(witness)));
        }
        let partial = self.partial(raw)?;
        if let Some(partial) = partial
            && let Some(point) = partial.intersect(rest)?.sample()?
        {
            let mut witness = self.witness_at(&point, loops);
            let (text, site) = self.missing_term(raw, &point)?;
            witness.message = format!("{what} {text}");
            witness
                .before
                .extend(site.map(|site| (site, "the sum before".to_owned())));
            return Ok(Verdict::Refuted(Box::new(witness)));
        }
        Ok(Verdict::Unknown(self.reason(raw, rest)?))
    }
}
