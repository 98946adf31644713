//! Formats of other sizes, and rounding.

use half::{bf16, f16};
use spyre_layout::{DeviceFormat, Dl16, HostType};
use spyre_plan::Target;
use spyre_sdsc::{Allocation, OpSpec};
use spyre_sim::{Machine, Rounding};

use crate::common::{Files, Placed, f16_bytes, matrix, space, tensor};
use crate::values::{assert_same, special};

#[test]
fn formats_of_two_sizes() {
    // From 16 to 32 bits: another number of elements per stick. Groups of four come to the first and the second stick in turn.
    let op = space(OpSpec::pointwise("dl16tofp32"), 8, 128, 2)
        .with_input(matrix(8, 128, Allocation::argument(0)))
        .with_output(tensor(
            DeviceFormat::IeeeFp32,
            &[4, 8, 32],
            &["floor(c1/32)", "c0", "Mod(c1, 32)"],
            Allocation::argument(1),
        ));
    let bundle = Files::from_nodes(&[op.into()]).read().unwrap();
    let (from, to) = (
        Placed::f16(&[8, 128]),
        Placed::new(HostType::F32, &[8, 128]),
    );
    let values: Vec<f32> = special(1024, 0);
    let mut machine = Machine::new(Target::CARD);
    machine
        .add_input(&from.host, &from.device, &f16_bytes(&values))
        .unwrap();
    let output = machine.add_output(to.bytes());
    machine.run(&bundle).unwrap();
    let mut bytes = vec![0; 4096];
    machine
        .fetch(output, &to.host, &to.device, &mut bytes)
        .unwrap();
    assert!(machine.report().is_clean(), "{}", machine.report());
    let actual: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    let in_order: Vec<f32> = values
        .chunks(64)
        .flat_map(|stick| {
            let groups = |first| stick.chunks(4).skip(first).step_by(2).flatten().copied();
            groups(0).chain(groups(1)).collect::<Vec<f32>>()
        })
        .collect();
    assert_same(&actual, &in_order, "dl16tofp32");
}

#[test]
fn rounding_rules() {
    let op = || {
        let argument = |index| matrix(1, 64, Allocation::argument(index));
        space(OpSpec::pointwise("add"), 1, 64, 1)
            .with_input(argument(0))
            .with_input(argument(1))
            .with_output(argument(2))
    };
    let bundle = Files::from_nodes(&[op().into()]).read().unwrap();
    // 1 and 2^-9, 2^-10 and 2^-11: f16 has 10 bits of fraction, DL16 9 and bf16 7.
    let sum = |rounding: Rounding, host: HostType, b: f32| {
        let placed = Placed::new(host, &[1, 64]);
        let encode = |value: f32| match host {
            HostType::Bf16 => bf16::from_f32(value).to_le_bytes(),
            _ => f16::from_f32(value).to_le_bytes(),
        };
        let mut machine = Machine::new(Target::CARD).with_rounding(rounding);
        for value in [1.0, b] {
            machine
                .add_input(&placed.host, &placed.device, &encode(value).repeat(64))
                .unwrap();
        }
        let output = machine.add_output(placed.bytes());
        machine.run(&bundle).unwrap();
        let mut bytes = vec![0; 128];
        machine
            .fetch(output, &placed.host, &placed.device, &mut bytes)
            .unwrap();
        let first = [bytes[0], bytes[1]];
        match host {
            HostType::Bf16 => bf16::from_le_bytes(first).to_f32(),
            _ => f16::from_le_bytes(first).to_f32(),
        }
    };
    let powers = [9, 10, 11].map(|power| 2_f32.powi(-power));
    assert_eq!(
        powers.map(|b| sum(Rounding::F16, HostType::F16, b)),
        [1.0 + powers[0], 1.0 + powers[1], 1.0]
    );
    assert_eq!(
        powers.map(|b| sum(Rounding::Dl16, HostType::F16, b)),
        [1.0 + powers[0], 1.0, 1.0]
    );
    assert_eq!(
        powers.map(|b| sum(Rounding::Bf16, HostType::Bf16, b)),
        [1.0, 1.0, 1.0]
    );
    // Memory holds codes of the rule: 1 is exponent 31 in DL16.
    let placed = Placed::f16(&[1, 64]);
    let mut machine = Machine::new(Target::CARD).with_rounding(Rounding::Dl16);
    let one = machine
        .add_input(&placed.host, &placed.device, &f16_bytes(&[1.0; 64]))
        .unwrap();
    assert_eq!(
        machine.bytes(one).unwrap().0[..2],
        Dl16::ONE.to_bits().to_le_bytes()
    );
}
