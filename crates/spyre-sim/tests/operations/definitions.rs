//! Which operations are defined.

use spyre_layout::DeviceFormat;
use spyre_plan::Target;
use spyre_sdsc::{Allocation, Bytes, OpSpec};
use spyre_sim::{Machine, functions};

use crate::common::{Files, dsc, matrix, space, tensor};

#[test]
fn what_is_defined_on_tensors_is_defined_here() {
    let page = include_str!("../../../../docs/Execution.md");
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `spyre."));
    let names = rows.filter_map(|row| row.split('`').next());
    // The operations from the sine on have no OpFunc: others are written for them.
    let names: Vec<&str> = names.take_while(|name| *name != "sin").collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let function = match name {
            "bitcast" | "copy" | "gather" => "identity",
            "restickify" => "ReStickifyOpHBM",
            other => other,
        };
        assert!(functions().any(|other| other == function), "{name}");
    }
}

#[test]
fn a_number_that_masks_no_integers() {
    let argument = |index| {
        let coordinates = ["floor(c1/32)", "c0", "Mod(c1, 32)"];
        let place = Allocation::argument(index);
        tensor(DeviceFormat::IeeeInt32, &[2, 4, 32], &coordinates, place)
    };
    let op = space(OpSpec::pointwise("add"), 4, 64, 1)
        .with_input(argument(0))
        .with_input(argument(1))
        .with_output(argument(2));
    let masked = |code: u32| {
        let files = Files::from_nodes(&[op.clone().into()]).change("sdsc_0.json", |sdsc| {
            let dsc_json = dsc(sdsc);
            dsc_json["coordinateMasking_"] = serde_json::json!({"out": [[60, 4]]});
            dsc_json["constantInfo_"] = serde_json::json!({"0": {
                "dataFormat_": "IEEE_FP32", "name_": "samv-maskvalue", "data_": {"data_": {"[0, 0, 0]": [code]}},
            }});
        });
        let mut machine = Machine::new(Target::CARD);
        for _ in 0..2 {
            machine.add_bytes(&[1; 4 * 64 * 4]);
        }
        let output = machine.add_output(Bytes(4 * 64 * 4));
        machine
            .run(&files.read().unwrap())
            .map_err(|err| err.to_string())?;
        Ok::<_, String>(machine.bytes(output).unwrap().0)
    };
    // Zero is zero; no file defines 1 in 32 bits.
    let bytes = masked(0).unwrap();
    assert_eq!((bytes[0], bytes[128 * 4 + 31 * 4]), (2, 0));
    let message = masked(1_f32.to_bits()).unwrap_err();
    assert!(
        message.contains("'add' is not defined on IEEE_INT32"),
        "{message}"
    );
}

#[test]
fn what_has_no_definition() {
    let names: Vec<&str> = functions().collect();
    assert!(names.contains(&"add") && !names.contains(&"fnms"));
    let bundle_of = |name: &str| {
        let argument = |index| matrix(8, 64, Allocation::argument(index));
        let op = space(OpSpec::pointwise(name), 8, 64, 1)
            .with_input(argument(0))
            .with_output(argument(1));
        Files::from_nodes(&[op.into()]).read().unwrap()
    };
    let refusal = |name: &str| {
        let mut machine = Machine::new(Target::CARD);
        machine.add_output(Bytes(1024));
        machine.add_output(Bytes(1024));
        machine.run(&bundle_of(name)).unwrap_err().to_string()
    };
    let error = refusal("leakyrelufwd");
    assert!(
        error.contains(
            "'leakyrelufwd' has no definition: no document defines the slope below 0, for which it has no constant"
        ),
        "{error}"
    );
    let error = refusal("qfp8ch");
    assert!(
        error.contains("qfp8ch (sdsc_0.json, bundle.mlir:5:3): 'qfp8ch' has no definition"),
        "{error}"
    );
    let mut machine = Machine::new(Target::CARD);
    let error = machine.run(&bundle_of("qfp8ch")).unwrap_err().to_string();
    assert_eq!(
        error,
        "the bundle has 2 parameters, and 0 arguments are bound"
    );
}
