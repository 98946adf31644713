//! Faults in kernels: each is an edit of the text of a kernel that the conversion has written, and the table in
//! `docs/KtirChecks.md` has the rules of the check and the outcome of the run that find it.
//!
//! With `SPYRE_BLESS=1` the table is rewritten.

use std::collections::BTreeMap;
use std::fs;

use melior::Context;
use melior::ir::Module;
use melior::ir::operation::OperationLike as _;
use spyre_exec::compare;
use spyre_exec::ktir::{CoreOrder, KernelRunError};
use spyre_ktir_check::Severity;
use spyre_mlir_rt::diagnostic;

use crate::kernels::{Planned, root};

/// An edit of the text of a kernel. Panics where the text has no such place.
type Edit = fn(&str) -> String;

/// The head of the table.
const HEAD: &str = "| fault | kernel | check | run |\n|---|---|---|---|\n";

/// Replaces the nth place of a text.
fn replace(text: &str, nth: usize, from: &str, to: &str) -> String {
    let (at, _) = text
        .match_indices(from)
        .nth(nth)
        .unwrap_or_else(|| panic!("'{from}' {nth} is in\n{text}"));
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

/// Replaces all places of a text.
fn replace_all(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "'{from}' is in\n{text}");
    text.replace(from, to)
}

/// Edits the nth line with an operation.
fn line(text: &str, (name, nth): (&str, usize), edit: impl Fn(&str) -> String) -> String {
    let mut number = 0;
    let mut is_edited = false;
    let lines = text.lines().map(|line| {
        if !line.contains(name) {
            return line.to_owned();
        }
        number += 1;
        match number - 1 == nth {
            true => {
                is_edited = true;
                edit(line)
            }
            false => line.to_owned(),
        }
    });
    let lines: Vec<_> = lines.collect();
    assert!(is_edited, "'{name}' {nth} is in\n{text}");
    lines.join("\n")
}

const VIEW: &str = "ktdp.construct_memory_view";
const TILE: &str = "ktdp.construct_access_tile";
const CORE: &str = "ktdp.get_compute_tile_id";

/// Replaces the strides of a view.
fn strides(text: &str, view: usize, to: &str) -> String {
    line(text, (VIEW, view), |line| {
        let (before, rest) = line.split_once("strides: [").expect("a view has strides");
        let (_, after) = rest.split_once(']').expect("a list ends");
        format!("{before}strides: [{to}]{after}")
    })
}

/// Replaces the number of the core in all operations by that of an operation on it and a number.
fn core_everywhere(text: &str, operation: &str, number: i64) -> String {
    let text = replace_all(text, "arith.muli %0,", "arith.muli %core,");
    line(&text, (CORE, 0), |line| {
        format!("{line}\n%number = arith.constant {number} : index\n%core = {operation} : index")
    })
}

/// Lets the cores of the nth access have the parts of each other.
fn core_swapped(text: &str, nth: usize) -> String {
    line(text, ("arith.muli %0,", nth), |line| {
        let last = "%last = arith.constant 3 : index\n%core = arith.subi %last, %0 : index";
        format!("{last}\n{}", line.replace("%0,", "%core,"))
    })
}

/// Replaces the last bound of the nth loop.
fn bound(text: &str, nth: usize, by: i64) -> String {
    line(text, ("scf.for", nth), |line| {
        let (before, rest) = line.split_once(" to %c").expect("a loop has a bound");
        let (bound, after) = rest.split_once(' ').expect("a loop has a step");
        let bound: i64 = bound.parse().expect("the bound is a constant");
        format!(
            "%bound = arith.constant {} : index\n{before} to %bound {after}",
            bound + by
        )
    })
}

/// Returns the name of the result of the nth line with an operation.
fn result<'t>(text: &'t str, name: &str, nth: usize) -> &'t str {
    let lines = text.lines().filter(|line| line.contains(name));
    let line = lines.map(str::trim_start).nth(nth);
    let line = line.unwrap_or_else(|| panic!("'{name}' {nth} is in\n{text}"));
    line.split([' ', '=']).next().expect("a line has a word")
}

const FAULTS: [(&str, &str, Edit); 24] = [
    ("row stride of a load", "add_mul", |text| {
        strides(text, 0, "16384, 32, 1")
    }),
    ("stick stride of a load", "add_mul", |text| {
        strides(text, 0, "20480, 64, 1")
    }),
    ("stick stride of the store", "add_mul", |text| {
        strides(text, 3, "20480, 64, 1")
    }),
    (
        "the same wrong strides in all views, a bijection",
        "add_mul, untiled",
        |text| {
            (0..4).fold(text.to_owned(), |text, view| {
                strides(&text, view, "64, 1024, 1")
            })
        },
    ),
    ("position of one operand", "add_mul", |text| {
        let position = result(text, "arith.muli %0,", 1).to_owned();
        line(text, (TILE, 1), |line| {
            replace(line, 0, &format!("{position},"), "%c0,")
        })
    }),
    ("cores swapped on one load", "add_mul", |text| {
        core_swapped(text, 1)
    }),
    ("cores swapped on the store", "add_mul", |text| {
        core_swapped(text, 3)
    }),
    ("cores permuted everywhere: no fault", "add_mul", |text| {
        core_everywhere(text, "arith.subi %number, %0", 3)
    }),
    ("two cores on one part", "add_mul", |text| {
        core_everywhere(text, "arith.remui %0, %number", 3)
    }),
    ("one core more, on the first part", "add_mul", |text| {
        let text = replace(text, 0, "grid = [4]", "grid = [5]");
        core_everywhere(&text, "arith.remui %0, %number", 4)
    }),
    ("loop one iteration short", "add_mul", |text| {
        bound(text, 1, -1)
    }),
    ("loop one iteration long", "add_mul", |text| {
        bound(text, 1, 1)
    }),
    ("set of a tile smaller than its type", "add_mul", |text| {
        line(text, (TILE, 0), |line| {
            replace(line, 0, "-d1 + 31", "-d1 + 15")
        })
    }),
    (
        "`coordinate_set` smaller than the view",
        "add_mul",
        |text| {
            line(text, (VIEW, 0), |line| {
                replace(line, 0, "-d1 + 127", "-d1 + 63")
            })
        },
    ),
    ("the output over an input", "add_mul", |text| {
        line(text, ("arith.addi %arg3", 0), |line| {
            replace(line, 0, "%arg3", "%arg0")
        })
    }),
    ("maximum from 0", "softmax", |text| {
        replace(text, 0, "0xFC00 : f16", "0.0 : f16")
    }),
    ("sum from 1", "softmax", |text| {
        replace(text, 0, "0.000000e+00 : f32", "1.0 : f32")
    }),
    ("map of a broadcast", "softmax", |text| {
        replace(
            text,
            0,
            "affine_map<(d0, d1) -> (d0)>",
            "affine_map<(d0, d1) -> (d1 mod 32)>",
        )
    }),
    ("divided by the maximum", "softmax", |text| {
        let (before, _) = text.split_once("arith.divf").expect("a division");
        let start = before
            .rfind("linalg.generic")
            .expect("a division is in an operation");
        let (head, tail) = text.split_at(start);
        let from = tail.split_once("ins(").expect("operands").1;
        let from = from
            .split([',', ' '])
            .nth(2)
            .expect("two operands")
            .to_owned();
        format!(
            "{head}{}",
            replace(tail, 0, &format!(", {from} :"), ", %reduced :")
        )
    }),
    ("one init of two sums", "layer_norm", |text| {
        let init = result(text, "tensor.splat", 0).to_owned();
        line(text, ("linalg.reduce", 1), |line| {
            let (before, rest) = line.split_once("outs(").expect("an init");
            let (_, after) = rest.split_once(' ').expect("an init has a type");
            format!("{before}outs({init} {after}")
        })
    }),
    ("accumulator not carried", "matmul_k", |text| {
        let product = result(text, "arith.truncf", 0).to_owned();
        line(text, ("scf.yield", 0), |line| {
            let (before, rest) = line.split_once('%').expect("a value");
            let (_, after) = rest.split_once(' ').expect("a type");
            format!("{before}{product} {after}")
        })
    }),
    ("K of the left operand not advanced", "matmul_k", |text| {
        line(text, ("arith.muli %arg4,", 0), |line| {
            replace(line, 0, "%arg4", "%c0")
        })
    }),
    ("product from 1", "matmul_k", |text| {
        replace(text, 0, "0.000000e+00 : f32", "1.0 : f32")
    }),
    ("stick of the right operand", "matmul_k", |text| {
        line(text, (TILE, 2), |line| {
            replace(line, 0, "[%c0, %c0, %c0]", "[%c1, %c0, %c0]")
        })
    }),
];

/// Returns the rules that the check finds broken, and what the run finds.
fn findings(context: &Context, planned: &Planned, text: &str) -> (String, String) {
    let (module, reported) = diagnostic::collect(context, || Module::parse(context, text));
    let module = module.filter(|module| module.as_operation().verify());
    let Some(module) = module else {
        let message = reported
            .first()
            .map(|it| it.message.clone())
            .unwrap_or_default();
        let rule = message
            .split(['(', ')'])
            .find(|word| word.starts_with("KT"));
        return (rule.unwrap_or("verifier").to_owned(), "refused".to_owned());
    };
    let options = spyre_ktir_check::Options::default();
    let report = spyre_ktir_check::check(module.as_operation(), text, &options);
    let broken = report
        .findings
        .iter()
        .filter(|it| it.rule.severity != Severity::Remark);
    let mut rules: Vec<String> = broken.map(|finding| finding.rule.to_string()).collect();
    rules.sort_by_key(|rule| (rule.len(), rule.clone()));
    rules.dedup();
    (rules.join(", "), outcome(context, planned, &module))
}

/// Returns what a run of a kernel finds. The second order of cores is for a kernel that has the results in the first one.
fn outcome(context: &Context, planned: &Planned, module: &Module<'_>) -> String {
    let words = [
        " loads coordinate",
        " stores coordinate",
        " accesses element",
        " reads index",
    ];
    let orders = [
        (CoreOrder::Forward, "results"),
        (CoreOrder::Reverse, "order of cores"),
    ];
    for (order, difference) in orders {
        let results = match planned.run_in(context, module, order) {
            Err(err) => return format!("refused: {err}"),
            Ok(Err(KernelRunError::Fault(message))) => {
                let word = words.into_iter().find(|word| message.contains(word));
                return word.map_or(message.clone(), |word| word.trim().to_owned());
            }
            Ok(Err(KernelRunError::Argument { reason, .. })) => return reason,
            Ok(Err(err)) => return format!("error: {err}"),
            Ok(Ok(results)) => results,
        };
        let pairs = planned.expected.iter().zip(&results);
        let agree = |(a, b)| compare(a, b, 0).is_ok_and(|it| it.agrees());
        if !pairs.into_iter().all(agree) {
            return difference.to_owned();
        }
    }
    String::new()
}

#[test]
fn faults_are_found_by_the_check_or_the_run() {
    let context = spyre_exec::context();
    let mut kernels: BTreeMap<&str, Planned> = BTreeMap::new();
    let mut table = HEAD.to_owned();
    for (fault, kernel, edit) in FAULTS {
        let planned = kernels.entry(kernel).or_insert_with(|| {
            let (name, form) = match kernel.split_once(", ") {
                Some((name, _)) => (name, "coarse-tile=false"),
                None => (kernel, "plan=false"),
            };
            let options = format!("{form} target={{cores=4}}");
            let planned = Planned::example(&context, name, &options).expect("it is converted");
            let right = findings(&context, &planned, &planned.text);
            assert_eq!(
                right,
                (String::new(), String::new()),
                "{kernel} without a fault"
            );
            planned
        });
        let (check, run) = findings(&context, planned, &edit(&planned.text));
        let is_found = !check.is_empty() || !run.is_empty();
        assert_eq!(
            is_found,
            !fault.ends_with(": no fault"),
            "{fault}: '{check}', '{run}'"
        );
        let cell = match kernel.split_once(", ") {
            Some((name, form)) => format!("`{name}`, {form}"),
            None => format!("`{kernel}`"),
        };
        table.push_str(&format!("| {fault} | {cell} | {check} | {run} |\n"));
    }
    let path = format!("{}/docs/KtirChecks.md", root());
    let page = fs::read_to_string(&path).expect("the page can be read");
    let (before, rest) = page.split_once(HEAD).expect("the page has the table");
    let after = rest.find("\n\n").map_or("", |end| &rest[end + 1..]);
    let expected = format!("{before}{table}{after}");
    if std::env::var_os("SPYRE_BLESS").is_some() {
        fs::write(&path, &expected).expect("the page can be written");
        return;
    }
    println!("{table}");
    assert!(
        page == expected,
        "SPYRE_BLESS=1 writes the table to the page"
    );
}
