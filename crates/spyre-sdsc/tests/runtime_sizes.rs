//! Runtime sizes that cores divide (specification, section 8, item 3): addresses against the coordinates.

mod common;

use common::run::run;
use common::*;
use proptest::prelude::*;
use spyre_sdsc::bundle::ParamBinding;
use spyre_sdsc::model::DimBounds;
use spyre_sdsc::{Allocation, ArgIndex, BundleOptions, Bytes, Expr, LoopSpec, OpSpec, TensorArg};

/// `exp` of up to `max` rows and `columns`, the rows over `row_slices` cores and the columns over `column_slices`.
fn exp_of(bounds: DimBounds, columns: u64, row_slices: u64, column_slices: u64) -> OpSpec {
    let buffer = |index| matrix(bounds.max, columns, Allocation::argument(index));
    OpSpec::pointwise("exp")
        .with_dim("c0", Expr::symbol("s0"), row_slices)
        .with_dim("c1", Expr::int(columns as i64), column_slices)
        .with_runtime_size("s0", bounds)
        .with_input(buffer(0))
        .with_output(buffer(1))
}

/// The byte of the element at a point of the iteration space, by the coordinates alone.
fn byte_of(tensor: &TensorArg, row: u64, column: u64) -> u64 {
    let value = |symbol: &spyre_sdsc::Symbol| match symbol.as_str() {
        "c0" => Some(row as i64),
        "c1" => Some(column as i64),
        _ => None,
    };
    let mut element = 0;
    for (coordinate, size) in tensor.device_coordinates.iter().zip(&tensor.device_size) {
        let position = coordinate.eval(value).expect("a coordinate has a value");
        assert!((position as u64) < *size, "outside the buffer");
        element = element * size + position as u64;
    }
    element * tensor.format.bytes_per_element().get()
}

/// Kernel argument A lies at (A + 1) * 2^40; the size is `size`.
fn launch(size: u64) -> impl Fn(&ParamBinding) -> u64 {
    move |binding| match binding {
        ParamBinding::Kernel(arg) => (u64::from(arg.get()) + 1) << 40,
        ParamBinding::Dimension { .. } | ParamBinding::LoopDimension { .. } => size,
        ParamBinding::Pool => panic!("no pool is passed"),
    }
}

#[test]
fn the_text() {
    let op = exp_of(bounds(512, 32), 128, 2, 1);
    let text = compile(&[op.into()]).mlir_text();
    // Core 1 starts at row s0 / 2, and a row has 64 elements of 2 bytes.
    let lines = [
        "#map_0 = affine_map<(d0)[s0] -> (s0 + 64*d0)>",
        "%arg_0_sym_0_1_times_64 = affine.apply #map_0(%sym_0_1)[%arg_0]",
        "%arg_1_sym_0_1_times_64 = affine.apply #map_0(%sym_0_1)[%arg_1]",
        "sdscbundle.sdsc_execute (%sym_0_1, %arg_0, %arg_0_sym_0_1_times_64, %arg_1, %arg_1_sym_0_1_times_64) \
         {sdsc_filename=\"sdsc_0.json\", \"symbol_ids\"=[-1, -2, -3, -4, -5]}",
    ];
    for line in lines {
        assert!(text.lines().any(|l| l.trim() == line), "{line} in\n{text}");
    }
}

/// A core has its share of the largest size, and its share of the granularity.
#[test]
fn the_size_of_a_core() {
    let op = exp_of(bounds(512, 32), 128, 4, 1);
    let bundle = compile(&[op.into()]);
    let text = bundle
        .sdsc_files()
        .first()
        .map(|file| serde_json::to_value(file.sdsc()).expect("a file is JSON"))
        .expect("an operation has a file");
    let mut values = Vec::new();
    collect(&text, "symbolicDimInfo_", &mut values);
    // The part between memories and the part of the elements are the same.
    let share = serde_json::json!({"maxSize_": 128, "granularity_": 8});
    assert_eq!(values.len(), 2, "{values:?}");
    for info in values {
        let of_dims: Vec<_> = info.as_object().expect("an object").values().collect();
        assert_eq!(of_dims, [&share]);
    }
}

/// The values of a key, anywhere.
fn collect<'j>(json: &'j serde_json::Value, key: &str, matches: &mut Vec<&'j serde_json::Value>) {
    match json {
        serde_json::Value::Object(entries) => {
            for (name, value) in entries {
                if name == key {
                    matches.push(value);
                }
                collect(value, key, matches);
            }
        }
        serde_json::Value::Array(values) => {
            for value in values {
                collect(value, key, matches);
            }
        }
        _ => {}
    }
}

#[test]
fn bundles_of_one_size_share_declarations_and_not_symbols() {
    let op = || exp_of(bounds(512, 32), 128, 4, 2).into();
    let text = compile(&[op(), op()]).mlir_text();
    // Cores 1, 2 and 3 of the rows, for either half of the columns and either argument.
    assert_eq!(text.matches("affine.apply").count(), 12);
    let last = executes(&text)[1];
    // The size, then eight cores of two tensors, after the 17 symbols of the first.
    assert!(
        last.contains("\"symbol_ids\"=[-18, -19") && last.ends_with("-34]}"),
        "{last}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For any size at launch, each core starts at the first element of its part.
    #[test]
    fn cores_start_at_their_part(
        (row_log, column_log) in (0_u32..4, 0_u32..3),
        parts in 1_u64..5,
        sticks in 1_u64..3,
        offset_rows in 0_u64..3,
        offset in prop::sample::select(vec![0_u64, 4096]),
        in_pool in any::<bool>(),
        trips in 1_i64..3,
    ) {
        let (row_slices, column_slices) = (1_u64 << row_log, 1_u64 << column_log);
        let granularity = row_slices * 2;
        let bounds = bounds(granularity * parts, granularity);
        let columns = column_slices * sticks * 64;
        let mut op = exp_of(bounds, columns, row_slices, column_slices);
        // The input is a window of rows of a larger buffer, with an offset in its argument; the loop continues along
        // columns.
        op.args[0].device_size = vec![columns / 64 * trips as u64, bounds.max + offset_rows + 1, 64];
        op.args[0].device_coordinates[1] = parse(&format!("c0 + {offset_rows}"));
        op.args[0].allocation = Allocation::Hbm { arg: ArgIndex::new(0), offset: Bytes(offset) };
        let step = columns / 64 * (bounds.max + offset_rows + 1) * 64;
        op.args[0].advance = Some(parse(&format!("{step}*t")));
        op.tiled_levels = vec![vec!["t".into()]];
        if in_pool {
            op.args[1].allocation = Allocation::pool(256);
        }
        let (input, output) = (op.args[0].clone(), op.args[1].clone());
        let options = BundleOptions { pool_size: Bytes(1 << 20), ..BundleOptions::default() };
        let bundle = compile_bundle(&[LoopSpec::new(trips, vec![op.into()]).into()], &options)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        for part in 1..=parts {
            let size = granularity * part;
            let executed = run(&bundle, launch(size));
            prop_assert_eq!(executed.len(), trips as usize);
            for (iteration, execution) in executed.iter().enumerate() {
                for core in 0..row_slices * column_slices {
                    // The first dimension is the fastest digit of a core's number.
                    let row = core % row_slices * (size / row_slices);
                    let column = core / row_slices * (columns / column_slices);
                    let moved = iteration as u64 * step * 2;
                    let expected = (1 << 40) + offset + byte_of(&input, row, column) + moved;
                    prop_assert_eq!(execution.starts[0][core as usize], expected, "input, core {}", core);
                    let base = if in_pool { (1 << 40) + 256 } else { 2 << 40 };
                    let expected = base + byte_of(&output, row, column);
                    prop_assert_eq!(execution.starts[1][core as usize], expected, "output, core {}", core);
                }
            }
        }
    }

    /// The same along the stick, where each part is whole sticks.
    #[test]
    fn cores_start_at_their_sticks(column_log in 1_u32..3, parts in 1_u64..4, half_rows in 1_u64..5) {
        let rows = 2 * half_rows;
        let slices = 1_u64 << column_log;
        let granularity = slices * 64;
        let bounds = bounds(granularity * parts, granularity);
        let buffer = |index| matrix(rows, bounds.max, Allocation::argument(index));
        let op = OpSpec::pointwise("neg")
            .with_dim("c0", Expr::int(rows as i64), 1)
            .with_dim("c1", Expr::symbol("s0"), slices)
            .with_runtime_size("s0", bounds)
            .with_input(buffer(0))
            .with_output(buffer(1));
        let bundle = compile(&[op.into()]);
        for part in 1..=parts {
            let size = granularity * part;
            let executed = run(&bundle, launch(size));
            for core in 0..slices {
                let expected = (2 << 40) + byte_of(&buffer(1), 0, core * (size / slices));
                prop_assert_eq!(executed[0].starts[1][core as usize], expected);
            }
        }
    }
}

#[test]
fn splits_that_no_address_can_say() {
    let error = |op: OpSpec| compile_error(&[op.into()], &BundleOptions::default());
    // Every size is a multiple of 2, and 4 cores share it.
    let message = error(exp_of(bounds(512, 2), 128, 4, 1));
    assert!(
        message.contains(
            "runtime size s0 is a multiple of 2, which is not 4 parts of whole elements along mb"
        ),
        "{message}"
    );
    // Half of 64 elements is half a stick.
    let mut op = exp_of(bounds(512, 32), 512, 1, 2);
    op.iteration_space[0].extent = Expr::int(512);
    op.iteration_space[1].extent = Expr::symbol("s0");
    op.symbolic_dim_bounds = Default::default();
    let message = error(op.with_runtime_size("s0", bounds(512, 64)));
    assert!(
        message.contains(
            "runtime size s0 is a multiple of 64, which is not 2 parts of whole sticks along out"
        ),
        "{message}"
    );
    // An element along the stick is 3 rows of 2 bytes on from the one before, on average.
    let mut op = exp_of(bounds(3, 3), 512, 1, 4);
    op.iteration_space[0].extent = Expr::int(3);
    op.iteration_space[1].extent = Expr::symbol("s0");
    op.symbolic_dim_bounds = Default::default();
    let message = error(op.with_runtime_size("s0", bounds(512, 256)));
    assert!(
        message.contains(
            "6 bytes per element of runtime size s0 are not divisible into 4 slices along out"
        ),
        "{message}"
    );
    // A third of 128 bytes per row is no number of bytes.
    let message = error(exp_of(bounds(510, 3), 64, 3, 1));
    assert!(
        message.contains(
            "128 bytes per element of runtime size s0 are not divisible into 3 slices along mb"
        ),
        "{message}"
    );
}

#[test]
fn a_size_is_not_divided_and_tiled() {
    let tiled = |level: &str, advance: &str| {
        let mut op = exp_of(bounds(512, 32), 64, 2, 1);
        for arg in &mut op.args {
            arg.advance = Some(parse(advance));
        }
        op.tiled_levels = vec![vec![level.into()]];
        compile_error(
            &[LoopSpec::new(2, vec![op.into()]).into()],
            &BundleOptions::default(),
        )
    };
    let message = tiled("c0", "4096*mb");
    assert!(
        message.contains("operand 0 is divided over cores along mb")
            && message.ends_with("and tiled along it"),
        "{message}"
    );
    // A tensor with no other dimension can only be tiled along this one.
    let mut op = OpSpec::pointwise("exp")
        .with_dim("c0", Expr::symbol("s0"), 2)
        .with_runtime_size("s0", bounds(512, 128));
    for index in 0..2 {
        let line = tensor(index, &[16, 64], &["floor(c0/64)", "Mod(c0, 64)"]);
        let line = line.advancing(parse("512*t"));
        op = if index == 0 {
            op.with_input(line)
        } else {
            op.with_output(line)
        };
    }
    op.tiled_levels = vec![vec!["t".into()]];
    let message = compile_error(
        &[LoopSpec::new(2, vec![op.into()]).into()],
        &BundleOptions::default(),
    );
    assert!(
        message.contains("operand 0 is divided over cores along out"),
        "{message}"
    );
}

#[test]
fn sizes_that_cores_cannot_divide() {
    // In the scratchpad no address shows it.
    let mut op = exp_of(bounds(512, 2), 128, 4, 1);
    for arg in &mut op.args {
        arg.allocation = Allocation::lx(0);
    }
    let message = compile_error(&[op.into()], &BundleOptions::default());
    let part =
        "runtime size s0 is a multiple of 2, which is not 4 parts of whole elements along mb";
    assert!(message.contains(part), "{message}");
    for impossible in [bounds(512, 0), bounds(0, 1), bounds(500, 32)] {
        let op = exp_of(impossible, 128, 1, 1);
        let message = compile_error(&[op.into()], &BundleOptions::default());
        let part =
            "symbolic_dim_bounds must have a positive granularity and a positive multiple of it";
        assert!(message.contains(part), "{message}");
        let body = vec![add(64, 128, 1).into()];
        let spec = LoopSpec::over_runtime_size("s0", 1, impossible, source(1), body);
        let message = compile_error(&[spec.into()], &BundleOptions::default());
        let part =
            "count_symbol_bounds must have a positive granularity and a positive multiple of it";
        assert!(message.contains(part), "{message}");
    }
}
