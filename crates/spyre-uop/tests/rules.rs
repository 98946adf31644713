//! The rules of graphs: each is broken here, and none by a recorded program.

mod lines;

use lines::nodes;
use spyre_uop::file::{self, Imported};

fn import(lines: &str) -> Result<Imported, String> {
    file::import(&nodes(lines)).map_err(|error| error.to_string())
}

/// Nodes that the cases begin with.
const BEFORE: &str = r#"
    Buffer f32 [2,3] [] {"slot":0}
    Buffer f32 [3,2] [] {"slot":1}
    Buffer i32 [2,3] [] {"slot":2}
    Const bool [] [] {"value":true}
    Const index [] [] {"value":1}
    Buffer i32 [] [] {"slot":5}
    Store void - [0,0] {}
    Range index [] [] {"bound":4,"axis_id":0,"axis_type":"LOOP"}
    Tuple void - [0,1] {}
    Param f32 [2,3] [] {"slot":0}
    Tuple void - [9] {}
    Expand f32 [2,3] [0] {"shape":[2,3]}
    Add index [] [4,7] {}
    Tuple void - [12] {}
"#;

/// A rule, a node after `BEFORE` that breaks it, and the error.
const BROKEN: &[(u32, &str, &str)] = &[
    (
        1,
        r#"Buffer f32 [9223372036854775807,2] [] {"slot":9}"#,
        "2^63 elements or more",
    ),
    (
        1,
        r#"Buffer f32 [0,9223372036854775807,2] [] {"slot":9}"#,
        "2^63 elements or more",
    ),
    (2, "Add f32 [2,3] [0] {}", "Add has 2 sources, and not 1"),
    (2, "Neg f32 [2,3] [0,0] {}", "Neg has 1 source, and not 2"),
    (
        2,
        "Stack f32 [0] [] {}",
        "Stack has 1 or more sources, and not 0",
    ),
    (
        2,
        "Store void - [0,0,0,0] {}",
        "Store has 2 to 3 sources, and not 4",
    ),
    (
        3,
        "Neg f32 [2,3] [14] {}",
        "no node 14 comes before node 14",
    ),
    (
        4,
        "Neg f32 [2,3] [6] {}",
        "Neg reads a tensor, and node #6 is an effect",
    ),
    (
        4,
        "Neg f32 [2,3] [8] {}",
        "Neg reads a tensor, and node #8 is a tuple of 2",
    ),
    (
        5,
        "Add f32 [2,3] [0,1] {}",
        "the operands of Add have shapes [2, 3] and [3, 2]",
    ),
    (
        5,
        "Where f32 [2,3] [3,0,0] {}",
        "the operands of Where have shapes [] and [2, 3]",
    ),
    (
        6,
        "Add f32 [2,3] [0,2] {}",
        "the operands of Add are f32 and i32",
    ),
    (
        7,
        "Xor f32 [2,3] [0,0] {}",
        "Xor takes integers and truth values, and not f32",
    ),
    (7, "Sqrt i32 [2,3] [2] {}", "Sqrt takes floats, and not i32"),
    (
        7,
        "Not i32 [2,3] [2] {}",
        "Not takes truth values, and not i32",
    ),
    (7, "Sub bool [] [3,3] {}", "Sub takes numbers, and not bool"),
    (
        7,
        "Threefry i32 [] [5,5] {}",
        "Threefry takes u64, and not i32",
    ),
    (
        7,
        "Where i32 [2,3] [2,2,2] {}",
        "the predicate of Where is i32, and not bool",
    ),
    (
        8,
        r#"Permute f32 [2,3] [0] {"perm":[0,0]}"#,
        "[0, 0] is no order of the axes of [2, 3]",
    ),
    (
        8,
        r#"Permute f32 [2,3] [0] {"perm":[0,2]}"#,
        "[0, 2] is no order",
    ),
    (
        9,
        r#"Flip f32 [2,3] [0] {"axes":[true]}"#,
        "there are 1 flags, but [2, 3] has 2 axes",
    ),
    (
        10,
        r#"Reshape f32 [5] [0] {"shape":[5]}"#,
        "[2, 3] and [5] have different numbers of elements",
    ),
    (
        11,
        r#"Expand f32 [4,3] [0] {"shape":[4,3]}"#,
        "[2, 3] differs from [4, 3] in more than axes with one element",
    ),
    (
        11,
        r#"Expand f32 [2] [0] {"shape":[2]}"#,
        "[2, 3] and [2] have different numbers of axes",
    ),
    (
        12,
        r#"Pad f32 [2,4] [0] {"offset":[0,2],"shape":[2,4]}"#,
        "[2, 3] at [0, 2] is not inside of [2, 4]",
    ),
    (
        12,
        r#"Pad f32 [2,4] [0] {"offset":[0,18446744073709551615],"shape":[2,4]}"#,
        "is not inside of",
    ),
    (
        13,
        r#"Shrink f32 [2,2] [0] {"offset":[0,2],"shape":[2,2]}"#,
        "[2, 2] at [0, 2] is not inside of [2, 3]",
    ),
    (
        14,
        "Index f32 [] [0,4,4,4] {}",
        "3 positions for the 2 axes of [2, 3]",
    ),
    (
        14,
        "Index f32 [3] [0,3] {}",
        "a position is an integer or a vector of integers, and not bool[]",
    ),
    (14, "Index f32 [3] [0,2] {}", "and not i32[2, 3]"),
    (
        15,
        "Stack f32 [2,2,3] [0,1] {}",
        "f32[2, 3] and f32[3, 2] are not stacked",
    ),
    (
        16,
        r#"Bitcast u8 [] [3] {"dtype":"u8"}"#,
        "the bytes of bool are not fixed",
    ),
    (
        16,
        r#"Bitcast index [2,3] [0] {"dtype":"index"}"#,
        "the bytes of index are not fixed",
    ),
    (
        16,
        r#"Bitcast i64 [2,1] [0] {"dtype":"i64"}"#,
        "3 elements of 32 bits are no whole elements of 64 bits",
    ),
    (
        16,
        r#"Bitcast i8 [] [5] {"dtype":"i8"}"#,
        "a scalar of 32 bits is none of 8 bits",
    ),
    (
        17,
        r#"Reduce f32 [2,3] [0] {"op":"Add","axes":[]}"#,
        "neither axes nor ranges",
    ),
    (
        17,
        r#"Reduce f32 [2,3] [0] {"op":"Add","axes":[1,0]}"#,
        "[1, 0] are not ascending axes of a tensor of rank 2",
    ),
    (
        17,
        r#"Reduce f32 [2,3] [0] {"op":"Add","axes":[2]}"#,
        "[2] are not ascending axes",
    ),
    (
        18,
        r#"Param f32 [] [] {"slot":"n"}"#,
        "a symbolic integer is a scalar integer, and not f32[]",
    ),
    (
        18,
        r#"Param i8 [] [] {"slot":"n","min":0,"max":128}"#,
        "no i8 is from 0 to 128",
    ),
    (
        18,
        r#"Param index [] [] {"slot":"n","min":1,"max":0}"#,
        "no index is from 1 to 0",
    ),
    (
        19,
        r#"Const bool [] [] {"value":1}"#,
        "1 is no constant of bool",
    ),
    (
        19,
        r#"Const i32 [] [] {"value":1.5}"#,
        "1.5 is no constant of i32",
    ),
    (
        19,
        r#"Const i32 [] [] {"value":"nan"}"#,
        "\"nan\" is no constant of i32",
    ),
    (
        19,
        r#"Const f32 [] [] {"value":true}"#,
        "true is no constant of f32",
    ),
    (
        20,
        r#"GetTuple f32 [2,3] [8] {"index":2}"#,
        "a tuple of 2 has no element 2",
    ),
    (
        20,
        r#"GetTuple f32 [2,3] [0] {"index":0}"#,
        "GetTuple reads a tuple, and node #0 is f32[2, 3]",
    ),
    (
        21,
        r#"Range index [] [] {"bound":9223372036854775808,"axis_id":0,"axis_type":"LOOP"}"#,
        "a range has 9223372036854775808 iterations",
    ),
    (
        22,
        "End void - [6,4] {}",
        "End closes a Range, and node #4 is Const",
    ),
    (
        22,
        r#"Reduce f32 [2,3] [0,4] {"op":"Add","axes":[]}"#,
        "Reduce closes a Range, and node #4 is Const",
    ),
    (
        22,
        "Function void - [13] {}",
        "the body of a Function depends on the iteration of #7",
    ),
    (
        23,
        "Store void - [11,0] {}",
        "node #11 is Expand, and no part of a buffer",
    ),
    (
        23,
        "Store void - [0,1] {}",
        "f32[3, 2] is stored to f32[2, 3]",
    ),
    (
        23,
        "Store void - [0,0,3] {}",
        "the gate of f32[2, 3] is bool[]",
    ),
    (
        24,
        "Load f32 [2,3] [0,0] {}",
        "a Load with an alternative has a gate",
    ),
    (
        24,
        "Load f32 [2,3] [0,1,3] {}",
        "the alternative of a Load of f32[2, 3] is f32[3, 2]",
    ),
    (
        24,
        "Load f32 [2,3] [0,0,3] {}",
        "the gate of f32[2, 3] is bool[]",
    ),
    (
        25,
        "After f32 [2,3] [11,6] {}",
        "node #11 is Expand, and no part of a buffer",
    ),
    (
        26,
        "Group void - [0] {}",
        "Group executes effects, and node #0 is f32[2, 3]",
    ),
    (
        26,
        "After f32 [2,3] [0,1] {}",
        "After executes effects, and node #1 is f32[3, 2]",
    ),
    (
        26,
        "End void - [0,7] {}",
        "End executes effects, and node #0 is f32[2, 3]",
    ),
    (
        27,
        r#"Copy f32 [3,2] [1] {"device":["a","b"]}"#,
        "the first axis of [3, 2] has no equal parts for 2 devices",
    ),
    (
        27,
        r#"Copy i32 [] [5] {"device":["a"]}"#,
        "the first axis of [] has no equal parts for 1 devices",
    ),
    (
        28,
        r#"Replicated f32 [2] [0] {"axis":2}"#,
        "there is no axis 2 in [2, 3]",
    ),
    (
        29,
        r#"Copy f32 [2,3] [0] {"device":[]}"#,
        "a tuple of no devices",
    ),
    (
        29,
        r#"Buffer f32 [2] [] {"slot":9,"device":["a","a"]}"#,
        "a tuple has device \"a\" twice",
    ),
    (
        31,
        "Function void - [6] {}",
        "the body of a call is Store, and no Tuple",
    ),
    (
        31,
        "Function void - [10] {}",
        "the body reads parameter 0, but gets 0 arguments",
    ),
    (
        31,
        "Function void - [10,1] {}",
        "parameter 0 is f32[2, 3], and its argument f32[3, 2]",
    ),
    (
        31,
        "Function void - [8,6] {}",
        "an argument is an effect, and no tensor",
    ),
    (
        32,
        r#"Buffer f32 [2] [] {"slot":0}"#,
        "buffer 0 is f32[2], and f32[2, 3] elsewhere",
    ),
    (34, "Neg f16 [2,3] [0] {}", "the result is f32, and not f16"),
    (
        37,
        "Linear void - [6,6] {}",
        "Linear has its effects in the order [#6, #6], and not in that of the graph",
    ),
    (
        34,
        "Neg f32 [3,2] [0] {}",
        "the shape is [2, 3], and not [3, 2]",
    ),
    (34, "Tuple void [] [0] {}", "the shape is null, and not []"),
];

#[test]
fn each_rule_can_be_broken() {
    for (rule, line, expected) in BROKEN {
        let error = import(&format!("{BEFORE}{line}")).expect_err(line);
        let place = "at nodes[14]";
        assert!(
            error.starts_with(place)
                && error.contains(&format!("[U{rule}] "))
                && error.contains(expected),
            "{line}: {error}"
        );
    }
}

#[test]
fn u30_the_most_loops() {
    let range =
        |id| format!(r#"Range index [] [] {{"bound":1,"axis_id":{id},"axis_type":"LOOP"}}"#);
    let mut lines: Vec<String> = (0..65).map(range).collect();
    lines.push("Add index [] [0,1] {}".to_owned());
    for range in 2..65 {
        lines.push(format!("Add index [] [{},{range}] {{}}", lines.len() - 1));
    }
    let error = import(&lines.join("\n")).expect_err("65 loops");
    assert_eq!(error, "at nodes[128]: [U30] Add is in more than 64 loops");
    assert!(import(&lines[..128].join("\n")).is_ok());
}

#[test]
fn u1_the_most_axes() {
    let line =
        |rank| format!(r#"Buffer f32 {:?} [] {{"slot":9}}"#, vec![1; rank]).replace(", ", ",");
    assert!(import(&line(64)).is_ok());
    let error = import(&line(65)).expect_err("65 axes");
    assert_eq!(
        error,
        "at nodes[0]: [U1] a tensor has 65 axes, and the most are 64"
    );
}

#[test]
fn long_axes_are_read_as_other_elements() {
    let lines = |to: &str, extent: u64| {
        format!(
            r#"Buffer f32 [9223372036854775807] [] {{"slot":0}}
            Bitcast {to} [{extent}] [0] {{"dtype":"{to}"}}"#
        )
    };
    assert!(import(&lines("i32", i64::MAX.cast_unsigned())).is_ok());
    for (to, rule) in [("u8", "[U1] "), ("f16", "[U1] "), ("f64", "[U16] ")] {
        let error = import(&lines(to, 1)).expect_err(to);
        assert!(
            error.starts_with(&format!("at nodes[1]: {rule}")),
            "{error}"
        );
    }
}

#[test]
fn u17_the_most_ranges() {
    let line = |count: usize| {
        format!(
            r#"Range index [] [] {{"bound":1,"axis_id":0,"axis_type":"REDUCE"}}
            Reduce index [] {} {{"op":"Add","axes":[]}}"#,
            format!("{:?}", vec![0; count + 1]).replace(", ", ",")
        )
    };
    assert!(import(&line(64)).is_ok());
    let error = import(&line(65)).expect_err("65 ranges");
    assert_eq!(
        error,
        "at nodes[1]: [U17] a reduction has 65 ranges, and the most are 64"
    );
}

#[test]
fn u22_the_other_ranges_stay_open() {
    let lines = r#"
        Range index [] [] {"bound":4,"axis_id":0,"axis_type":"LOOP"}
        Range index [] [] {"bound":4,"axis_id":1,"axis_type":"LOOP"}
        Add index [] [0,1] {}
        Reduce index [] [2,1] {"op":"Add","axes":[]}
        Tuple void - [3] {}
        Function void - [4] {}
    "#;
    let error = import(lines).expect_err("a range is open");
    assert_eq!(
        error,
        "at nodes[5]: [U22] the body of a Function depends on the iteration of #0"
    );
    assert!(import(&lines.replace("[2,1]", "[2,0,1]")).is_ok());
}

#[test]
fn u33_ids_differ() {
    let mut nodes = nodes(BEFORE);
    nodes[3].id = 2;
    let error = file::import(&nodes).expect_err("two nodes have one id");
    assert_eq!(
        error.to_string(),
        "at nodes[3].id: [U33] two nodes have the id 2"
    );
}

#[test]
fn arguments_are_those_of_the_operation() {
    let cases = [
        (
            r#"Add f32 [2,3] [0,0] {"perm":[0]}"#,
            ".arg.perm: Add has no such argument",
        ),
        (
            "Permute f32 [2,3] [0] {}",
            ".arg: Permute has the argument \"perm\"",
        ),
        (
            r#"Flip f32 [2,3] [0] {"axes":[true,1]}"#,
            ".arg.axes[1]: the flags of Flip are truth values",
        ),
        (
            r#"Reduce f32 [2,1] [0] {"op":"Add","axes":[true]}"#,
            ".arg.axes[0]: the axes of Reduce are natural numbers",
        ),
        (
            r#"Reduce f32 [2,1] [0] {"op":"Sub","axes":[1]}"#,
            ".arg.op: \"Sub\" is no reduction",
        ),
        (
            r#"Cast f8 [2,3] [0] {"dtype":"f8"}"#,
            ".arg.dtype: \"f8\" is no element type",
        ),
        (
            r#"Const f8 [] [] {"value":1}"#,
            ".dtype: \"f8\" is no element type",
        ),
        (
            r#"Binary u8 [1] [] {"data":"0"}"#,
            ".arg.data: bytes have two digits of base 16 each",
        ),
        (
            r#"Binary u8 [1] [] {"data":"+f"}"#,
            ".arg.data: bytes have two digits of base 16 each",
        ),
        (
            r#"Buffer f32 - [] {"slot":9}"#,
            ".shape: Buffer has a shape",
        ),
        (
            r#"Buffer f32 [1] [] {"slot":"a"}"#,
            ".arg.slot: a buffer has a number",
        ),
        (
            r#"Buffer f32 [1] [] {"slot":9,"addrspace":"global"}"#,
            ".arg.addrspace: \"global\" is no kind of memory",
        ),
        (
            r#"Param index [] [] {"slot":"n","min":0}"#,
            ".arg: Param has the argument \"max\"",
        ),
        (
            r#"Range index [] [] {"bound":1,"axis_id":0,"axis_type":"L"}"#,
            ".arg.axis_type: \"L\" is no kind of loop",
        ),
        (
            "Wmma f32 [2,3] [0] {}",
            ".op: Wmma is an operation of generated code, and no part of a program",
        ),
        ("Sum f32 [2,3] [0] {}", ".op: \"Sum\" is no operation"),
    ];
    for (line, expected) in cases {
        let error = import(&format!("{BEFORE}{line}")).expect_err(line);
        assert_eq!(error, format!("at nodes[14]{expected}"));
    }
    for name in spyre_uop::table::OUT_OF_SCOPE {
        let error = import(&format!("{name} void - [] {{}}")).expect_err(name);
        assert!(
            error.contains(name) && error.contains("generated code"),
            "{error}"
        );
    }
}

#[test]
fn every_rule_is_in_the_page_and_is_broken_here() {
    let page = include_str!("../../../docs/Dialects/UopConstraints.md");
    // The rest of the page lists the checks of the dialect.
    let (page, _) = page.split_once("## In the dialect").expect("a section");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("* **U")?.split("**").next());
    let rows: Vec<u32> = rows
        .map(|number| number.parse().expect("a number"))
        .collect();
    assert_eq!(rows, (1..=rows.len() as u32).collect::<Vec<_>>());
    // U38 and later rules are of optimisations.
    let prefixes = ["u30_", "u33_", "u35_", "u36_"];
    for rule in rows {
        let is_row = BROKEN.iter().any(|(broken, ..)| *broken == rule);
        assert!(
            is_row || prefixes.contains(&&*format!("u{rule}_")) || rule >= 38,
            "U{rule}"
        );
    }
}

#[test]
fn bodies_that_share_everything_are_refused_in_time() {
    // Each body is all of the nodes before it.
    let mut lines = vec![r#"Const f32 [] [] {"value":1}"#.to_owned()];
    for step in 0..20_000 {
        let last = lines.len() - if step == 0 { 1 } else { 3 };
        lines.push(format!("Neg f32 [] [{last}] {{}}"));
        lines.push(format!("Tuple void - [{}] {{}}", lines.len() - 1));
        lines.push(format!("Function void - [{}] {{}}", lines.len() - 1));
    }
    let error = import(&lines.join("\n")).expect_err("too much is shared");
    assert!(
        error.contains("[U31] the bodies of functions share nodes more than 64 times"),
        "{error}"
    );
}
