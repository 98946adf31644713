//! Relations on small examples, and the errors of arguments that do not fit.

use std::cell::Cell;
use std::rc::Rc;

use spyre_isl::{Basic, Context, Div, Failure, Operation, Point, Relation, Shape};

const SET: Shape = Shape {
    params: 0,
    ins: 0,
    outs: 1,
};
const MAP: Shape = Shape {
    params: 0,
    ins: 1,
    outs: 1,
};

/// Returns the set of the integers from `first` to `last`.
fn interval(context: &Context, first: i64, last: i64) -> Relation {
    let basic = Basic {
        inequalities: vec![vec![-first, 1], vec![last, -1]],
        ..Basic::universe(SET)
    };
    Relation::from_basic(context, &basic).unwrap()
}

/// Returns the relation of an input to `scale * input + offset`.
fn affine(context: &Context, scale: i64, offset: i64) -> Relation {
    let basic = Basic {
        equalities: vec![vec![offset, scale, -1]],
        ..Basic::universe(MAP)
    };
    Relation::from_basic(context, &basic).unwrap()
}

/// Returns the relation of an input to its quotient and remainder by `divisor`, as stick and element in a stick.
fn digits(divisor: i64) -> Basic {
    let shape = Shape { outs: 2, ..MAP };
    Basic {
        divs: vec![Div {
            numerator: vec![0, 1],
            denominator: divisor,
        }],
        equalities: vec![vec![0, 0, -1, 0, 1], vec![0, 1, 0, -1, -divisor]],
        ..Basic::universe(shape)
    }
}

fn internal<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
    match result {
        Err(Failure::Internal(message) | Failure::TooLarge(message)) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn quotients_are_rounded_down() {
    let context = Context::new(0);
    let digits = Relation::from_basic(&context, &digits(64)).unwrap();
    for (input, quotient, remainder) in [(130, 2, 2), (63, 0, 63), (-1, -1, 63), (-64, -1, 0)] {
        let point = digits.fix_in(0, input).unwrap().sample().unwrap().unwrap();
        assert_eq!(
            (point.ins, point.outs),
            (vec![input], vec![quotient, remainder])
        );
    }
    assert!(digits.is_single_valued().unwrap());
    assert!(digits.is_injective().unwrap());
    assert!(
        !digits
            .project_out_outs(0, 1)
            .unwrap()
            .is_injective()
            .unwrap()
    );
}

#[test]
fn composition_is_first_self() {
    let context = Context::new(0);
    let doubled = affine(&context, 2, 0);
    let next = affine(&context, 1, 1);
    let doubled_then_next = doubled.then(&next).unwrap();
    assert!(doubled_then_next.is_equal(&affine(&context, 2, 1)).unwrap());
    let next_then_doubled = next.then(&doubled).unwrap();
    assert!(next_then_doubled.is_equal(&affine(&context, 2, 2)).unwrap());
    let identity = Relation::identity(&context, 0, 1).unwrap();
    let there_and_back = doubled.then(&doubled.reverse().unwrap()).unwrap();
    assert!(there_and_back.is_equal(&identity).unwrap());
    // Odd numbers have no half.
    let back_and_there = doubled.reverse().unwrap().then(&doubled).unwrap();
    assert!(back_and_there.is_subset(&identity).unwrap());
    assert!(!identity.is_subset(&back_and_there).unwrap());
}

#[test]
fn the_last_writer_is_a_lexmax() {
    // Windows of 4 elements, 3 apart: { e -> t : 3 t <= e < 3 t + 4 }.
    let context = Context::new(0);
    let basic = Basic {
        inequalities: vec![vec![0, 1, -3], vec![3, -1, 3]],
        ..Basic::universe(MAP)
    };
    let writers = Relation::from_basic(&context, &basic).unwrap();
    assert!(!writers.is_single_valued().unwrap());
    let last = writers.lexmax().unwrap();
    assert!(last.is_single_valued().unwrap());
    let expected = Basic {
        divs: vec![Div {
            numerator: vec![0, 1],
            denominator: 3,
        }],
        equalities: vec![vec![0, 0, 1, -1]],
        ..Basic::universe(MAP)
    };
    let expected = Relation::from_basic(&context, &expected).unwrap();
    assert!(last.is_equal(&expected).unwrap());
    let earlier = writers.subtract(&last).unwrap();
    let point = earlier.restrict_domain(&interval(&context, 0, 9)).unwrap();
    let point = point.sample().unwrap().unwrap();
    assert_eq!((point.ins, point.outs), (vec![0], vec![-1]));
}

#[test]
fn samples_are_the_smallest_pairs() {
    let context = Context::new(0);
    // { [n] -> [x] : 3 <= n <= 8, n <= 2 x }
    let shape = Shape { params: 1, ..SET };
    let basic = Basic {
        inequalities: vec![vec![-3, 1, 0], vec![8, -1, 0], vec![0, -1, 2]],
        ..Basic::universe(shape)
    };
    let set = Relation::from_basic(&context, &basic).unwrap();
    let expected = Point {
        params: vec![3],
        ins: vec![],
        outs: vec![2],
    };
    assert_eq!(set.sample().unwrap(), Some(expected));
    assert_eq!(set.fix_param(0, 9).unwrap().sample().unwrap(), None);
    // No smallest pair, and any pair is one of the relation.
    let point = affine(&context, 1, 5).sample().unwrap().unwrap();
    assert_eq!(point.outs[0], point.ins[0] + 5);
}

#[test]
fn parameters_are_restricted_and_removed() {
    let context = Context::new(0);
    let shape = Shape { params: 1, ..SET };
    // { [n] -> [x] : 0 <= x < n }
    let basic = Basic {
        inequalities: vec![vec![0, 0, 1], vec![-1, 1, -1]],
        ..Basic::universe(shape)
    };
    let set = Relation::from_basic(&context, &basic).unwrap();
    let params = Basic {
        inequalities: vec![vec![4, -1]],
        ..Basic::universe(Shape { outs: 0, ..shape })
    };
    let params = Relation::from_basic(&context, &params).unwrap();
    let restricted = set.restrict_params(&params).unwrap();
    let points = restricted.project_params_out(0, 1).unwrap();
    assert!(points.is_equal(&interval(&context, 0, 3)).unwrap());
    assert_eq!(points.shape(), SET);
    let wider = points.insert_params(0, 1).unwrap();
    assert!(!wider.is_subset(&set).unwrap());
    assert!(restricted.is_subset(&wider).unwrap());
}

#[test]
fn order_is_lexicographic() {
    let context = Context::new(0);
    let before = Relation::lt(&context, 0, 2).unwrap();
    let identity = Relation::identity(&context, 0, 2).unwrap();
    let not_after = Relation::le(&context, 0, 2).unwrap();
    assert!(before.is_disjoint(&identity).unwrap());
    assert!(
        not_after
            .is_equal(&before.union(&identity).unwrap())
            .unwrap()
    );
    let fixed = |ins: [i64; 2], outs: [i64; 2]| {
        let pair = before.fix_in(0, ins[0]).unwrap().fix_in(1, ins[1]).unwrap();
        let pair = pair
            .fix_out(0, outs[0])
            .unwrap()
            .fix_out(1, outs[1])
            .unwrap();
        !pair.is_empty().unwrap()
    };
    assert!(fixed([1, 9], [2, 0]) && fixed([1, 1], [1, 2]));
    assert!(!fixed([2, 0], [1, 9]) && !fixed([1, 1], [1, 1]));
}

#[test]
fn addresses_have_64_bits() {
    let context = Context::new(0);
    let address = (1 << 40) + 64;
    let relation = affine(&context, 1 << 36, address);
    let point = relation.fix_in(0, 16).unwrap().sample().unwrap().unwrap();
    assert_eq!(point.outs, [(1 << 40) + address]);
    assert_eq!(
        interval(&context, i64::MIN + 1, i64::MAX)
            .sample()
            .unwrap()
            .unwrap()
            .outs,
        [i64::MIN + 1]
    );
    // 4 times the largest number.
    let beyond = interval(&context, i64::MAX - 1, i64::MAX);
    let beyond = affine(&context, 4, 0).restrict_domain(&beyond).unwrap();
    let message = internal(beyond.range().unwrap().sample());
    assert!(message.contains("too large"), "{message}");
    // The context is usable afterwards.
    assert!(!beyond.is_empty().unwrap());
}

/// Returns a relation that takes isl thousands of operations to find.
fn hard(context: &Context) -> Result<Relation, Failure> {
    let mut union = Relation::from_basic(context, &digits(7))?;
    for divisor in [3, 5, 11, 13] {
        let digits = Relation::from_basic(context, &digits(divisor))?;
        union = union
            .union(&digits)?
            .subtract(&digits.then(&Relation::lt(context, 0, 2)?)?)?;
    }
    Ok(union)
}

#[test]
fn the_budget_ends_a_decision_and_starts_again() {
    assert!(hard(&Context::new(0)).is_ok());
    let context = Context::new(2_000);
    let small = interval(&context, 0, 3);
    assert_eq!(hard(&context).err(), Some(Failure::Budget));
    assert_eq!(small.subtract(&small).err(), Some(Failure::Budget));
    // A message can still show the relation.
    assert_eq!(small.to_string(), "{ [] -> [o0] : 0 <= o0 <= 3 }");
    context.reset();
    assert!(small.subtract(&small).unwrap().is_empty().unwrap());
}

#[test]
fn the_budget_ends_at_the_same_operation_each_time() {
    let least = |_| {
        let is_enough = |budget: &u64| hard(&Context::new(*budget)).is_ok();
        (1..40).map(|exponent| 1 << exponent).find(is_enough)
    };
    let budgets: Vec<Option<u64>> = (0..2).map(least).collect();
    assert!(budgets[0].is_some());
    assert_eq!(budgets[0], budgets[1]);
}

#[test]
fn rows_come_out_as_they_went_in() {
    let context = Context::new(0);
    let digits = Relation::from_basic(&context, &digits(64)).unwrap();
    let basics = digits.basics().unwrap();
    assert_eq!(basics.len(), digits.count_basics());
    let again = Relation::from_union(&context, digits.shape(), &basics).unwrap();
    assert!(again.is_equal(&digits).unwrap());
    let empty = Relation::empty(&context, MAP).unwrap();
    assert_eq!(empty.basics().unwrap(), []);
    assert!(
        Relation::from_union(&context, MAP, &[])
            .unwrap()
            .is_empty()
            .unwrap()
    );
}

#[test]
fn existentials_come_out_as_quotients() {
    // { x : exists a, b >= 0 : x = 6 a + 10 b }: a and b are not functions of x.
    let context = Context::new(0);
    let basic = Basic {
        locals: 2,
        equalities: vec![vec![0, -1, 6, 10]],
        inequalities: vec![vec![0, 0, 1, 0], vec![0, 0, 0, 1]],
        ..Basic::universe(SET)
    };
    let sums = Relation::from_basic(&context, &basic).unwrap();
    let basics = sums.basics().unwrap();
    assert!(basics.iter().all(|basic| basic.locals == 0), "{basics:?}");
    let again = Relation::from_union(&context, SET, &basics).unwrap();
    let values = |relation: &Relation| -> Vec<i64> {
        let is_in = |&x: &i64| !relation.fix_out(0, x).unwrap().is_empty().unwrap();
        (-2..24).filter(is_in).collect()
    };
    assert_eq!(values(&sums), [0, 6, 10, 12, 16, 18, 20, 22]);
    assert_eq!(values(&again), values(&sums));
}

#[test]
fn dimensions_are_moved_and_multiplied() {
    let context = Context::new(0);
    let digits = Relation::from_basic(&context, &digits(10)).unwrap();
    let moved = digits.move_outs_to_ins(0, 1).unwrap();
    assert_eq!(
        moved.shape(),
        Shape {
            params: 0,
            ins: 2,
            outs: 1
        }
    );
    let point = moved.fix_in(0, 47).unwrap().sample().unwrap().unwrap();
    assert_eq!((point.ins, point.outs), (vec![47, 4], vec![7]));
    let back = moved.move_ins_to_outs(1, 1).unwrap();
    let point = back.fix_in(0, 47).unwrap().sample().unwrap().unwrap();
    assert_eq!(point.outs, [7, 4]);
    let product = affine(&context, 2, 0)
        .flat_product(&affine(&context, 3, 1))
        .unwrap();
    let point = product.fix_in(0, 5).unwrap().fix_in(1, 6).unwrap();
    assert_eq!(point.sample().unwrap().unwrap().outs, [10, 19]);
    assert_eq!(
        product.project_out_ins(0, 1).unwrap().shape(),
        Shape {
            params: 0,
            ins: 1,
            outs: 2
        }
    );
    let inserted = affine(&context, 2, 0)
        .insert_ins(0, 2)
        .unwrap()
        .insert_outs(1, 1)
        .unwrap();
    assert_eq!(
        inserted.shape(),
        Shape {
            params: 0,
            ins: 3,
            outs: 2
        }
    );
    let point = inserted.fix_in(2, 4).unwrap().fix_out(1, -9).unwrap();
    let point = point
        .fix_in(0, 1)
        .unwrap()
        .fix_in(1, 2)
        .unwrap()
        .sample()
        .unwrap()
        .unwrap();
    assert_eq!(point.outs, [8, -9]);
}

#[test]
fn restrictions_keep_and_remove_points() {
    let context = Context::new(0);
    let doubled = affine(&context, 2, 0);
    let small = interval(&context, 0, 4);
    let kept = doubled.restrict_domain(&small).unwrap();
    assert!(kept.domain().unwrap().is_equal(&small).unwrap());
    let kept = kept.restrict_range(&small).unwrap();
    assert!(
        kept.domain()
            .unwrap()
            .is_equal(&interval(&context, 0, 2))
            .unwrap()
    );
    let removed = doubled
        .restrict_domain(&small)
        .unwrap()
        .subtract_range(&small)
        .unwrap();
    assert!(
        removed
            .domain()
            .unwrap()
            .is_equal(&interval(&context, 3, 4))
            .unwrap()
    );
    let removed = doubled.restrict_domain(&small).unwrap();
    let removed = removed.subtract_domain(&interval(&context, 1, 9)).unwrap();
    assert!(
        removed
            .range()
            .unwrap()
            .is_equal(&interval(&context, 0, 0))
            .unwrap()
    );
    let halves = interval(&context, 0, 3)
        .union(&interval(&context, 4, 9))
        .unwrap();
    assert_eq!(
        (
            halves.count_basics(),
            halves.coalesce().unwrap().count_basics()
        ),
        (2, 1)
    );
    assert!(halves.intersect(&small).unwrap().is_equal(&small).unwrap());
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    let context = Context::new(0);
    let set = interval(&context, 0, 3);
    let map = affine(&context, 2, 0);
    let message = internal(set.union(&map));
    assert_eq!(
        message,
        "a relation with 0 parameters, 0 inputs and 1 outputs does not fit one with 0 parameters, 1 inputs and 1 outputs"
    );
    internal(map.is_subset(&set));
    internal(map.then(&set));
    internal(map.restrict_domain(&map));
    assert_eq!(
        internal(map.fix_in(1, 0)),
        "there are 1 dimensions, and no 1 from 1 on"
    );
    internal(map.project_out_outs(0, 2));
    internal(map.move_ins_to_outs(usize::MAX, 2));
    let other = interval(&Context::new(0), 0, 3);
    assert_eq!(internal(set.union(&other)), "relations of two contexts");
    let short = Basic {
        equalities: vec![vec![0, 1]],
        ..Basic::universe(MAP)
    };
    assert_eq!(
        internal(Relation::from_basic(&context, &short)),
        "row 0 has 2 columns, and its relation has 3"
    );
    internal(Relation::from_basic(&context, &digits(0)));
    let mut cyclic = digits(4);
    cyclic.divs[0].numerator = vec![0, 1, 0, 0, 1];
    assert_eq!(
        internal(Relation::from_basic(&context, &cyclic)),
        "quotient 0 is column 4, and its numerator has column 4"
    );
}

#[test]
fn an_optimum_that_is_unbounded_is_an_error() {
    let context = Context::new(0);
    let message = internal(Relation::lt(&context, 0, 1).unwrap().lexmax());
    assert!(message.contains("unbounded"), "{message}");
    assert!(Relation::lt(&context, 0, 1).unwrap().lexmin().is_ok());
}

#[test]
fn a_question_is_answered_once() -> Result<(), Failure> {
    let context = Context::new(0);
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    context.listen(move |question| {
        let is_sum = question.operation == Operation::Union;
        counted.set(counted.get() + usize::from(is_sum));
    });
    let shape = Shape {
        params: 0,
        ins: 0,
        outs: 1,
    };
    let point = |value: i64| {
        let basic = Basic {
            equalities: vec![vec![-value, 1]],
            ..Basic::universe(shape)
        };
        Relation::from_basic(&context, &basic)
    };
    let sum = point(1)?.union(&point(2)?)?;
    let again = point(1)?.union(&point(2)?)?;
    assert_eq!(count.get(), 1);
    assert!(again.is_equal(&sum)?);
    // A question of other relations is another one, also where the answer is the same.
    let exchanged = point(2)?.union(&point(1)?)?;
    let other = point(1)?.union(&point(3)?)?;
    assert_eq!(count.get(), 3);
    assert!(exchanged.is_equal(&sum)?);
    assert!(!other.is_equal(&sum)?);
    assert_eq!(
        other.subtract(&sum)?.sample()?.map(|point| point.outs),
        Some(vec![3])
    );
    Ok(())
}

#[test]
fn an_answer_from_memory_takes_nothing_from_the_budget() -> Result<(), Failure> {
    let context = Context::new(20_000);
    let line = Relation::lt(&context, 0, 4)?;
    for _ in 0..10_000 {
        assert!(line.then(&line)?.is_subset(&line)?);
    }
    Ok(())
}
