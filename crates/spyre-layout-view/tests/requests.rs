//! Tests that tensors as users write them, sensible or not, are shown or refused.

use std::error::Error;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use spyre_layout_view::{ElementType, Numbers, Request, Shape, Subject, draw, explain};

/// Order, strides, device size and stride map, each if it is given.
type Lists = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// Explains or draws a tensor.
fn view(
    draws: bool,
    shape: &str,
    dtype: &str,
    (order, strides, size, stride_map): &Lists,
) -> Result<String, Box<dyn Error>> {
    let Shape(shape) = shape.parse::<Shape>()?;
    let numbers = |list: &Option<String>| {
        let list = list.as_ref().map(|list| list.parse::<Numbers>());
        list.transpose().map(|list| list.map(|Numbers(list)| list))
    };
    let request = Request {
        order: numbers(order)?,
        strides: numbers(strides)?,
        size: numbers(size)?,
        stride_map: numbers(stride_map)?,
        layout: None,
    };
    let subject = Subject::new(&shape, dtype.parse::<ElementType>()?, &request)?;
    match draws {
        true => Ok(draw(&subject, "#spyre.layout<...>")?),
        false => Ok(explain(&subject, "#spyre.layout<...>")?),
    }
}

/// Draws a list of numbers, as users write it, sensible or not.
fn list(separator: &'static str) -> impl Strategy<Value = String> {
    let number = prop_oneof![
        20 => (1i64..6).prop_map(|number| number.to_string()),
        10 => (0i64..5000).prop_map(|number| number.to_string()),
        1 => prop::sample::select(vec!["-1", "", "x", "?", "9223372036854775807", "9223372036854775808", "-9223372036854775808"])
            .prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|number| number.to_string()),
    ];
    (prop::collection::vec(number, 0..8), 0u8..12).prop_map(move |(numbers, brackets)| {
        let list = numbers.join(separator);
        match brackets {
            0 => format!("[{list}]"),
            1 => format!("[{list}"),
            _ => list,
        }
    })
}

#[test]
fn no_request_causes_a_panic() {
    let types = prop::sample::select(vec![
        "f16",
        "f32",
        "i8",
        "i64",
        "bool",
        "f64",
        "complex64",
        "nonsense",
    ]);
    let order = (1usize..6).prop_flat_map(|rank| {
        let dims: Vec<usize> = (0..rank).collect();
        let join = |dims: Vec<usize>| {
            dims.iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(",")
        };
        Just(dims).prop_shuffle().prop_map(join)
    });
    let order = prop_oneof![order, list(",")].boxed();
    let maybe = |list| prop::option::weighted(0.15, list);
    let numbers = || maybe(list(",").boxed());
    let lists = (maybe(order), numbers(), numbers(), numbers());
    let lines = (any::<bool>(), list("x"), types, lists);
    let (mut shown, mut refused) = (0, 0);
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(2000)
    });
    for _ in 0..2000 {
        let line = lines.new_tree(&mut runner).expect("a line").current();
        let (draws, shape, dtype, lists) = line;
        match view(draws, &shape, dtype, &lists) {
            Ok(text) => {
                assert!(text.ends_with('\n'));
                shown += 1;
            }
            Err(err) => {
                assert!(!err.to_string().is_empty());
                refused += 1;
            }
        }
    }
    // The samples have enough valid and enough invalid requests.
    assert!(
        shown > 200 && refused > 200,
        "{shown} shown, {refused} refused"
    );
}
