//! The questions that proofs ask the solver, decided a second time by the enumeration of points.
//!
//! A fault of the solver, of its bindings, or of the memory of its answers would make wrong proofs, and the execution of
//! small programs finds it where a program happens to show it. Here a sample of the questions themselves is compared.

mod again;
mod points;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use again::{Asked, Given, Outcome};
use spyre_isl::{Basic, Context, Operation, Relation, Shape};
use spyre_proof::places::{Limits, prove_places};
use spyre_proof::rewrite::prove_rewrite;
use spyre_proof_oracle::case::{Case, LIMITS};

/// The operations of the solver for one decision.
const BUDGET: u64 = 2_000_000;

/// Programs whose proofs are asked.
const CASES: u64 = 40;

/// One of so many questions is decided again.
const ONE_OF: usize = 3;

/// Returns a sample of the questions of the proofs about drawn programs: the same ones on every machine.
fn sample() -> Vec<Asked> {
    let asked = Rc::new(RefCell::new(Vec::new()));
    for number in 0..CASES {
        let context = Context::new(BUDGET);
        let mut count = 0_usize;
        let kept = Rc::clone(&asked);
        context.listen(move |question| {
            count += 1;
            if count.is_multiple_of(ONE_OF) {
                kept.borrow_mut().extend(Asked::of(question));
            }
        });
        let mut case = Case::draw(7, number);
        let mut findings = prove_rewrite(&context, &case.before, &case.after)
            .findings
            .len();
        for (_, mutant) in case.mutants(2) {
            findings += prove_rewrite(&context, &case.before, &mutant)
                .findings
                .len();
        }
        if let Some(planned) = &case.planned {
            let limits = Limits {
                scratchpad: LIMITS.scratchpad,
                pool: Some(LIMITS.pool),
                span: None,
                cores: 32,
            };
            findings += prove_places(&context, planned, &limits).findings.len();
        }
        assert!(findings > 0, "case {number} has claims");
    }
    asked.take()
}

#[test]
fn answers_agree_with_enumeration() {
    let asked = sample();
    let mut outcomes: BTreeMap<(Operation, String), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut right = Vec::new();
    for question in &asked {
        match question.again() {
            Ok(outcome) => {
                let entry = (question.operation, format!("{outcome:?}"));
                *outcomes.entry(entry).or_insert(0) += 1;
                if outcome == Outcome::Right {
                    right.push(question);
                }
            }
            Err(message) => wrong.push(format!("{message}: {question:?}")),
        }
    }
    println!("{} questions: {outcomes:#?}", asked.len());
    assert!(wrong.is_empty(), "{} are wrong: {}", wrong.len(), wrong[0]);
    assert!(right.len() > 50, "{} are certain", right.len());

    // The other answer to a decision of which all points are known is found to be wrong.
    let mut flipped = 0;
    for question in right {
        let Given::Truth(truth) = question.answer else {
            continue;
        };
        let other = Asked {
            answer: Given::Truth(!truth),
            ..question.clone()
        };
        assert!(other.again().is_err(), "{other:?}");
        flipped += 1;
    }
    assert!(flipped > 10, "{flipped} decisions are certain");
}

/// Returns the numbers from `first` to `last`.
fn interval(context: &Context, first: i64, last: i64) -> Relation {
    let shape = Shape {
        params: 0,
        ins: 0,
        outs: 1,
    };
    let basic = Basic {
        inequalities: vec![vec![-first, 1], vec![last, -1]],
        ..Basic::universe(shape)
    };
    Relation::from_basic(context, &basic).expect("rows of their shape")
}

#[test]
fn a_wrong_answer_is_found() {
    let context = Context::new(0);
    let asked = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&asked);
    context.listen(move |question| kept.borrow_mut().extend(Asked::of(question)));
    let (a, b) = (interval(&context, 0, 5), interval(&context, 3, 8));
    a.union(&b).expect("of one shape");
    a.intersect(&b).expect("of one shape");
    a.subtract(&b).expect("of one shape");
    a.is_subset(&b).expect("of one shape");
    a.sample().expect("numbers are small");
    let asked = asked.take();
    assert_eq!(asked.len(), 5);
    for at in 0..asked.len() {
        assert_eq!(asked[at].again(), Ok(Outcome::Right), "{:?}", asked[at]);
        // The answer to another question is wrong for this one.
        for (other, answer) in asked.iter().enumerate() {
            let is_kind =
                std::mem::discriminant(&asked[at].answer) == std::mem::discriminant(&answer.answer);
            if at == other || !is_kind {
                continue;
            }
            let wrong = Asked {
                answer: answer.answer.clone(),
                ..asked[at].clone()
            };
            assert!(wrong.again().is_err(), "{wrong:?}");
        }
    }
}
