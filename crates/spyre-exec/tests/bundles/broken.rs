//! Broken bundles are detected.

use spyre_bundle_files::InMemory;
use spyre_sim::FaultKind as Fault;

use super::program::{Expected, Program, Written};
use super::tiles::add_mul;

/// Text `from` becomes `to`; the card reports a fault of this kind. `None` is only a wrong result, or a broken rule.
type Change<'c> = (&'c str, &'c str, Option<Fault>);

fn check_fault(written: &Written, files: &InMemory, to: &str, fault: Option<Fault>) {
    let wrong = written.run(files).expect_err(to);
    assert!(
        fault.is_none_or(|fault| wrong.faults.contains(&fault)),
        "{to}: {:?}",
        wrong.problems
    );
}

fn replace(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// Checks that every change of `bundle.mlir`, and then of other files, is detected.
fn check_changes(
    program: &Program<'_, impl Expected>,
    changes: &[Change<'_>],
    files: &[(&str, Change<'_>)],
) {
    let written = program.write(2);
    written.run(&written.files).expect("nothing is wrong yet");
    let text = changes.iter().map(|change| ("bundle.mlir", *change));
    for (file, (from, to, fault)) in text.chain(files.iter().copied()) {
        let changed = written.with(file, replace(&written.read(file), from, to));
        check_fault(&written, &changed, to, fault);
    }
}

#[test]
fn broken_tiles() {
    let text = add_mul("tensor<64x256xf16>");
    let program = Program::new(&text, |x, _, p| (x(0, p) + x(1, p)) * x(2, p));
    let broken: &[Change<'_>] = &[
        ("4096*d0", "2048*d0", None),
        ("16384*d1", "49152*d1", Some(Fault::OutOfRange)),
        ("16384*d1", "16448*d1", Some(Fault::Unaligned)),
        (
            "%arg_3_core_offset_2048 = arith.constant 2048",
            "%arg_3_core_offset_2048 = arith.constant 0",
            Some(Fault::TwoWriters),
        ),
        (
            "%arg_0_core_offset_2048 = arith.constant 2048",
            "%arg_0_core_offset_2048 = arith.constant 4096",
            Some(Fault::CoreStart),
        ),
        (
            "[-5, -6, -7, -8]",
            "[-5, -6, -8, -7]",
            Some(Fault::CoreStart),
        ),
        (
            "(%addr_4, %addr_5, %addr_6, %addr_7)",
            "(%addr_0, %addr_1, %addr_6, %addr_7)",
            None,
        ),
        (
            "(%addr_0, %addr_1, %addr_2, %addr_3)",
            "(%arg_3, %arg_3_core_2048, %addr_2, %addr_3)",
            Some(Fault::NeverWritten),
        ),
        (
            "%loop_bound_0 = arith.constant 2",
            "%loop_bound_0 = arith.constant 1",
            None,
        ),
        (
            "%loop_bound_1 = arith.constant 2",
            "%loop_bound_1 = arith.constant 3",
            Some(Fault::OutOfRange),
        ),
        ("sdsc_1.json", "sdsc_0.json", None),
    ];
    let files: &[(&str, Change<'_>)] = &[
        // The first of two tensors in memory; the slice of core 1; the operation; a gap; an address in LX.
        (
            "sdsc_1.json",
            (
                r#""[1, 0, 0]": "-6""#,
                r#""[1, 0, 0]": "-5""#,
                Some(Fault::CoreStart),
            ),
        ),
        (
            "sdsc_0.json",
            (r#""mb": 1,"#, r#""mb": 0,"#, Some(Fault::CoreStart)),
        ),
        (
            "sdsc_1.json",
            (r#""opFuncName": "mul""#, r#""opFuncName": "sub""#, None),
        ),
        (
            "sdsc_1.json",
            (
                r#""component_": "lx""#,
                r#""component_": "hbm""#,
                Some(Fault::OutOfRange),
            ),
        ),
        (
            "sdsc_0.json",
            (r#""mb_": 32"#, r#""mb_": 64"#, Some(Fault::CoreStart)),
        ),
    ];
    check_changes(&program, broken, files);
}

#[test]
fn broken_views() {
    let text = "!a = tensor<200x256xf16>
        !w = tensor<200x128xf16>
        !t = tensor<128x200xf16>
        func.func @program(%a: !a, %x: !t) -> !t {
          %w = tensor.extract_slice %a[0, 64] [200, 128] [1, 1] : !a to !w
          %t = spyre.permute %w [1, 0] : !w to !t
          %y = spyre.sub %t, %x : !t
          return %y : !t
        }";
    let program = Program::new(text, |x, _, p| x(0, &[p[1], p[0] + 64]) - x(1, p));
    let changes: &[Change<'_>] = &[
        // The start of the slice: another column, another row, inside a stick.
        (
            "%arg_0_slice_offset_25600 = arith.constant 25600",
            "%arg_0_slice_offset_25600 = arith.constant 0",
            None,
        ),
        (
            "%arg_0_slice_offset_25600 = arith.constant 25600",
            "%arg_0_slice_offset_25600 = arith.constant 25728",
            None,
        ),
        (
            "%arg_0_slice_offset_25600 = arith.constant 25600",
            "%arg_0_slice_offset_25600 = arith.constant 25602",
            Some(Fault::Unaligned),
        ),
        (
            "%arg_0_slice_25600_core_offset_25600 = arith.constant 25600",
            "%arg_0_slice_25600_core_offset_25600 = arith.constant 12800",
            Some(Fault::CoreStart),
        ),
        ("(%arg_0_slice_25600, ", "(%arg_0, ", Some(Fault::CoreStart)),
        // The result of the change of layout is not read.
        (
            "(%pool_addr_0, %pool_addr_8192, %arg_1,",
            "(%arg_0, %arg_0_slice_25600_core_25600, %arg_1,",
            Some(Fault::CoreStart),
        ),
    ];
    let files: &[(&str, Change<'_>)] = &[
        // The number of rows that the source lacks in its last stick.
        (
            "sdsc_0.json",
            (r#""-1": "56""#, r#""-1": "0""#, Some(Fault::CoreStart)),
        ),
        // The order of the dimensions in memory, in which the source and the result differ.
        (
            "sdsc_0.json",
            (r#""dsType_": "KERNEL""#, r#""dsType_": "OUTPUT""#, None),
        ),
        (
            "sdsc_0.json",
            (
                "\"out_\": 256\n          },",
                "\"out_\": 192\n          },",
                Some(Fault::NeverWritten),
            ),
        ),
    ];
    check_changes(&program, changes, files);
}

#[test]
fn broken_reductions() {
    let text = "!x = tensor<40x200xf16>
        !c = tensor<40x1xf16>
        func.func @program(%x: !x) -> !c {
          %y = spyre.max %x dims [1] keepdim : (!x) -> !c
          return %y : !c
        }";
    let program = Program::new(text, |x, _, p| {
        (0..200)
            .map(|j| x(0, &[p[0], j]))
            .fold(f32::NEG_INFINITY, f32::max)
    });
    let changes: &[Change<'_>] = &[(
        "%arg_1_core_offset_2560 = arith.constant 2560",
        "%arg_1_core_offset_2560 = arith.constant 5120",
        Some(Fault::CoreStart),
    )];
    let files: &[(&str, Change<'_>)] = &[
        // Less of the padding is masked, and more than it; the mask is the largest number.
        (
            "sdsc_0.json",
            ("                56\n", "                55\n", None),
        ),
        (
            "sdsc_0.json",
            ("                200,\n", "                10,\n", None),
        ),
        ("sdsc_0.json", ("56832", "24064", None)),
        (
            "sdsc_0.json",
            (r#""opFuncName": "max""#, r#""opFuncName": "min""#, None),
        ),
    ];
    check_changes(&program, changes, files);
}
