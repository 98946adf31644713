//! Dynamic extents.

use spyre_plan::Target;
use spyre_sdsc::model::DimBounds;
use spyre_sdsc::{Allocation, Expr, OpSpec};
use spyre_sim::Machine;

use crate::common::{Files, Placed, f16_bytes, f16_values, integers, loop_over_rows, matrix};

#[test]
fn loops_over_a_runtime_size() {
    let files = Files::from_nodes(&[loop_over_rows(128)]);
    let bundle = files.read().unwrap();
    let placed = Placed::f16(&[512, 128]);
    let values = integers(512 * 128, 8);
    for size in [64, 320, 512] {
        let mut machine = Machine::new(Target::CARD);
        machine
            .add_input(&placed.host, &placed.device, &f16_bytes(&values))
            .unwrap();
        let output = machine.add_output(placed.bytes());
        machine.add_size(size);
        machine.run(&bundle).unwrap();
        assert!(machine.report().is_clean(), "{}", machine.report());
        let mut bytes = vec![0; 512 * 128 * 2];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        let actual = f16_values(&bytes);
        let done = size as usize * 128;
        assert!(actual[..done].iter().zip(&values).all(|(a, b)| *a == -b));
        assert_eq!(machine.report().is_clean(), size == 512);
        assert_eq!(machine.stats().iterations, size as u64 / 64);
    }
    // Not a multiple of the granularity, and too large.
    for size in [32, 576, 0] {
        let mut machine = Machine::new(Target::CARD);
        machine.add_output(placed.bytes());
        machine.add_output(placed.bytes());
        machine.add_size(size);
        let error = machine.run(&bundle).unwrap_err().to_string();
        assert!(
            error.contains("positive multiple of 64 up to 512"),
            "{error}"
        );
    }
}

#[test]
fn runtime_sizes() {
    // Rows known when the bundle runs: memory is as large as they are.
    let bounds = DimBounds {
        max: 512,
        granularity: 64,
    };
    let argument = |index| matrix(512, 128, Allocation::argument(index));
    let op = OpSpec::pointwise("neg")
        .with_dim("c0", Expr::symbol("s"), 1)
        .with_dim("c1", Expr::int(128), 1)
        .with_runtime_size("s", bounds)
        .with_input(argument(0))
        .with_output(argument(1));
    let bundle = Files::from_nodes(&[op.into()]).read().unwrap();
    for rows in [64, 192, 512] {
        let values = integers(rows as usize * 128, 2);
        let placed = Placed::f16(&[rows, 128]);
        let mut machine = Machine::new(Target::CARD);
        machine
            .add_input(&placed.host, &placed.device, &f16_bytes(&values))
            .unwrap();
        let output = machine.add_output(placed.bytes());
        machine.add_size(rows as i64);
        machine.run(&bundle).unwrap();
        let mut bytes = vec![0; values.len() * 2];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        assert!(machine.report().is_clean(), "{}", machine.report());
        let expected: Vec<f32> = values.iter().map(|value| -value).collect();
        assert_eq!(f16_values(&bytes), expected, "{rows} rows");
    }
}
