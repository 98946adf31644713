//! Written bundles compute what their programs say.
//!
//! A bundle's files are read again, without the crates that wrote them, and run on a model of the card whose memory
//! is poisoned. The last test breaks a bundle in several ways, to see that this finds it.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use spyre_layout::{Coord, DeviceFormat, DeviceTensor, Layout};
use support::BundleText;
use support::machine::{Fault, Machine};
use tempfile::TempDir;

/// Sticks of a column of 64 below each other; sticks of a row beside each other; one element in each stick.
#[derive(Clone, Copy)]
enum Order {
    Columns,
    Rows,
    Sparse,
}

/// A tensor of two dimensions.
#[derive(Clone, Copy)]
struct Tensor {
    shape: [u64; 2],
    order: Order,
    format: DeviceFormat,
}

const fn f16(rows: u64, columns: u64) -> Tensor {
    Tensor {
        shape: [rows, columns],
        order: Order::Columns,
        format: DeviceFormat::Sen169Fp16,
    }
}

impl Tensor {
    const fn rows(self) -> Self {
        Self {
            order: Order::Rows,
            ..self
        }
    }

    const fn sparse(self) -> Self {
        Self {
            order: Order::Sparse,
            ..self
        }
    }

    const fn f32(self) -> Self {
        Self {
            format: DeviceFormat::IeeeFp32,
            ..self
        }
    }

    fn place(&self) -> DeviceTensor {
        let stick = self.format.elements_per_stick().get();
        let (outer, inner) = (Coord::floor_div(1, stick), Coord::modulo(1, stick));
        let coords = match self.order {
            Order::Columns => vec![outer, Coord::dim(0), inner],
            Order::Rows => vec![Coord::dim(0), outer, inner],
            Order::Sparse => vec![Coord::Zero, Coord::dim(0), Coord::Zero],
        };
        Layout::new(2, coords)
            .expect("a layout")
            .place(&self.shape, self.format)
            .expect("it fits")
    }

    /// The type in MLIR.
    fn ty(&self) -> String {
        let [rows, columns] = self.shape;
        let element = if self.format == DeviceFormat::IeeeFp32 {
            "f32"
        } else {
            "f16"
        };
        format!(
            "tensor<{rows}x{columns}x{element}, #spyre.layout<{}>>",
            self.place().layout()
        )
    }

    fn points(&self) -> impl Iterator<Item = [u64; 2]> + use<> {
        let [rows, columns] = self.shape;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
    }
}

/// Small integers, different in every row and column, so that every format holds every result.
fn input(argument: usize, [row, column]: [u64; 2]) -> f32 {
    ((row * 7 + column * 3 + column / 64 + argument as u64 * 5) % 13) as f32 - 6.0
}

/// The element of an operand at a row and a column.
type Operands<'f> = &'f dyn Fn(usize, u64, u64) -> f32;

/// A program, and what element `point` of each result is, given the operands at any point.
struct Program<'p> {
    cores: u32,
    inputs: &'p [Tensor],
    outputs: &'p [Tensor],
    /// The body; `!0`, `!1` ... are the types of the operands and then of the results.
    body: &'p str,
    expected: fn(Operands<'_>, u64, u64) -> Vec<f32>,
}

impl Program<'_> {
    fn source(&self) -> String {
        let tensors = || self.inputs.iter().chain(self.outputs);
        let types: Vec<String> = tensors().map(Tensor::ty).collect();
        let params: Vec<String> = self
            .inputs
            .iter()
            .enumerate()
            .map(|(index, tensor)| {
                let dim = |dim: usize, name: &str| {
                    if tensor.shape[dim] == 1 {
                        format!("{name}1")
                    } else {
                        name.to_owned()
                    }
                };
                format!(
                    "%{index}: {} {{spyre.dims = [\"{}\", \"{}\"]}}",
                    types[index],
                    dim(0, "A"),
                    dim(1, "B")
                )
            })
            .collect();
        let mut body = self.body.to_owned();
        for (index, ty) in types.iter().enumerate() {
            body = body.replace(&format!("!{index}"), ty);
        }
        let (params, results) = (params.join(", "), types[self.inputs.len()..].join(", "));
        let target = format!(
            "module attributes {{spyre.target = #spyre.target<cores = {}>}}",
            self.cores
        );
        format!("{target} {{\nfunc.func @program({params}) -> ({results}) {{\n{body}\n}}\n}}\n")
    }

    /// The directory of the bundle, inside the one that is returned.
    fn translate(&self) -> TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let source = directory.path().join("program.mlir");
        fs::write(&source, self.source()).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_spyre-translate"))
            .args([
                "--spyre-to-bundle".as_ref(),
                "--verify-written".as_ref(),
                source.as_os_str(),
                "-o".as_ref(),
            ])
            .arg(directory.path().join("bundle"))
            .output()
            .expect("the tool runs");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}\n{}", self.source());
        directory
    }

    /// Runs the bundle in `directory`, with `text` as its function, and returns the faults and the first wrong element.
    fn run(&self, directory: &Path, text: &str) -> Result<(), (Vec<Fault>, String)> {
        let mut machine = Machine::default();
        for (index, tensor) in self.inputs.iter().enumerate() {
            let (placed, size) = (tensor.place(), bytes(tensor));
            let address = |point: [u64; 2]| placed.address(&point).expect("inside").get() as i64;
            let elements = tensor
                .points()
                .map(|point| (address(point), input(index, point)));
            // The host copies whole sticks.
            let padding = (0..placed.bytes().get() as i64)
                .step_by(size as usize)
                .map(|address| (address, 0.0));
            machine.add_argument(placed.bytes().get() as i64, padding.chain(elements), size);
        }
        for tensor in self.outputs {
            machine.add_argument(
                tensor.place().bytes().get() as i64,
                std::iter::empty(),
                bytes(tensor),
            );
        }
        let error = |why: String| (Vec::new(), why);
        BundleText::parse(text)
            .and_then(|bundle| bundle.run(directory, &mut machine))
            .map_err(error)?;
        let mut problems: Vec<String> = machine
            .reports
            .iter()
            .map(|(fault, place)| format!("{fault:?}: {place}"))
            .collect();
        let operand = |index: usize, row: u64, column: u64| {
            let [rows, columns] = self.inputs[index].shape;
            input(index, [row.min(rows - 1), column.min(columns - 1)])
        };
        for (result, tensor) in self.outputs.iter().enumerate() {
            let placed = tensor.place();
            let wrong = tensor.points().find_map(|[row, column]| {
                let address = placed.address(&[row, column]).expect("inside").get() as i64;
                let (found, want) = (
                    machine.argument(self.inputs.len() + result, address),
                    (self.expected)(&operand, row, column)[result],
                );
                (found != Some(want)).then(|| {
                    format!("result {result} at [{row}, {column}] is {found:?}, not {want}")
                })
            });
            problems.extend(wrong);
        }
        let faults = machine.reports.iter().map(|(fault, _)| *fault).collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err((faults, problems.join("\n")))
        }
    }

    fn check(&self) {
        let directory = self.translate();
        let bundle = directory.path().join("bundle");
        let text = fs::read_to_string(bundle.join("bundle.mlir")).expect("read");
        if let Err((_, problems)) = self.run(&bundle, &text) {
            panic!("{problems}\n{}\n{text}", self.source());
        }
    }
}

fn bytes(tensor: &Tensor) -> i64 {
    tensor.format.bytes_per_element().get() as i64
}

const SMALL: Tensor = f16(64, 256);

fn add_mul(cores: u32, tensors: &[Tensor]) -> Program<'_> {
    Program {
        cores,
        inputs: &tensors[..3],
        outputs: &tensors[3..],
        body: r#"%y = spyre.add %0, %1 tile [0: "A" in 2, 1: "B" in 2] : !0
            %z = spyre.mul %y, %2 tile [0: "A" in 2, 1: "B" in 2] : !0
            return %z : !0"#,
        expected: |x, i, j| vec![(x(0, i, j) + x(1, i, j)) * x(2, i, j)],
    }
}

#[test]
fn add_mul_on_some_cores() {
    for cores in [1, 2, 4, 8, 32] {
        add_mul(cores, &[SMALL; 4]).check();
        add_mul(cores, &[SMALL.rows(); 4]).check();
    }
}

#[test]
fn add_mul_in_32_bits() {
    for cores in [1, 4] {
        add_mul(cores, &[SMALL.f32(); 4]).check();
        add_mul(cores, &[SMALL.f32().rows(); 4]).check();
    }
}

#[test]
fn broadcast_operands() {
    for (cores, order) in [(1, SMALL), (4, SMALL), (4, SMALL.rows())] {
        let like = |rows, columns| Tensor {
            shape: [rows, columns],
            ..order
        };
        Program {
            cores,
            inputs: &[
                order,
                like(1, 256),
                f16(64, 1).sparse(),
                like(64, 1),
                like(1, 1),
            ],
            outputs: &[order],
            body: r#"%a = spyre.mul %0, %1 tile [0: "A" in 2, 1: "B" in 4] : (!0, !1) -> !0
                %b = spyre.add %a, %2 tile [0: "A" in 2, 1: "B" in 4] : (!0, !2) -> !0
                %c = spyre.maximum %b, %3 tile [0: "A" in 2, 1: "B" in 4] : (!0, !3) -> !0
                %d = spyre.sub %c, %4 : (!0, !4) -> !0
                return %d : !0"#,
            expected: |x, i, j| {
                vec![(x(0, i, j) * x(1, 0, j) + x(2, i, 0)).max(x(3, i, 0)) - x(4, 0, 0)]
            },
        }
        .check();
    }
}

#[test]
fn value_inside_and_outside_of_its_loop() {
    for cores in [1, 4] {
        Program {
            cores,
            inputs: &[SMALL, SMALL],
            outputs: &[SMALL, SMALL],
            body: r#"%y = spyre.add %0, %1 tile [0: "A" in 4] : !0
                %z = spyre.neg %y tile [0: "A" in 4] : !0
                %w = spyre.minimum %z, %y : !0
                return %y, %w : !0, !0"#,
            expected: |x, i, j| {
                let y = x(0, i, j) + x(1, i, j);
                vec![y, y.min(-y)]
            },
        }
        .check();
    }
}

#[test]
fn pool_between_two_loops() {
    for cores in [1, 2, 8] {
        Program {
            cores,
            inputs: &[SMALL],
            outputs: &[SMALL],
            body: r#"%y = spyre.abs %0 tile [0: "A" in 4] : !0
                %z = spyre.sub %y, %0 tile [1: "B" in 2] : !0
                return %z : !0"#,
            expected: |x, i, j| vec![x(0, i, j).abs() - x(0, i, j)],
        }
        .check();
    }
}

#[test]
fn one_dimension_at_two_levels() {
    Program {
        cores: 4,
        inputs: &[SMALL],
        outputs: &[SMALL],
        body: r#"%y = spyre.relufwd %0 tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 4] : !0
            %z = spyre.mul %y, %0 tile [0: "A" in 2, 1: "B" in 2, 2: "A" in 4] : !0
            return %z : !0"#,
        expected: |x, i, j| vec![x(0, i, j).max(0.0) * x(0, i, j)],
    }
    .check();
}

#[test]
fn tiles_of_one_row() {
    for tensor in [SMALL, SMALL.rows()] {
        Program {
            cores: 4,
            inputs: &[
                tensor,
                Tensor {
                    shape: [1, 256],
                    ..tensor
                },
            ],
            outputs: &[tensor],
            body: r#"%y = spyre.maximum %0, %1 tile [0: "A" in 64] : (!0, !1) -> !0
                %z = spyre.sub %y, %0 tile [0: "A" in 64] : !0
                return %z : !0"#,
            expected: |x, i, j| vec![x(0, i, j).max(x(1, 0, j)) - x(0, i, j)],
        }
        .check();
    }
}

#[test]
fn untiled_and_copied() {
    Program {
        cores: 32,
        inputs: &[SMALL, SMALL],
        outputs: &[SMALL, SMALL],
        body: "%y = spyre.add %0, %1 : !0\nreturn %y, %0 : !0, !0",
        expected: |x, i, j| vec![x(0, i, j) + x(1, i, j), x(0, i, j)],
    }
    .check();
}

#[test]
fn static_slices() {
    for tensor in [SMALL, SMALL.rows(), SMALL.f32()] {
        Program {
            cores: 4,
            inputs: &[
                tensor,
                Tensor {
                    shape: [32, 128],
                    ..tensor
                },
            ],
            outputs: &[Tensor {
                shape: [32, 128],
                ..tensor
            }],
            body: r"%w = tensor.extract_slice %0[3, 64] [32, 128] [1, 1] : !0 to !1
                %y = spyre.add %w, %1 : !1
                return %y : !1",
            expected: |x, i, j| vec![x(0, i + 3, j + 64) + x(1, i, j)],
        }
        .check();
    }
}

#[test]
fn padded_sticks_and_mixed_layouts() {
    for columns in [100, 256] {
        let tensor = f16(64, columns);
        Program {
            cores: 4,
            inputs: &[tensor, tensor.rows()],
            outputs: &[tensor.rows()],
            body: r#"%y = spyre.sub %0, %1 tile [0: "A" in 2] : (!0, !1) -> !0
                %z = spyre.minimum %y, %1 tile [0: "A" in 2] : (!0, !1) -> !2
                return %z : !2"#,
            expected: |x, i, j| vec![(x(0, i, j) - x(1, i, j)).min(x(1, i, j))],
        }
        .check();
    }
}

/// The checks above can fail.
#[test]
fn broken_bundles_are_found() {
    let tensors = [SMALL; 4];
    let program = add_mul(2, &tensors);
    let directory = program.translate();
    let bundle = directory.path().join("bundle");
    let read = |file: &str| fs::read_to_string(bundle.join(file)).expect("read");
    let text = read("bundle.mlir");
    program.run(&bundle, &text).expect("nothing is wrong yet");
    let replace = |text: &str, from: &str, to: &str| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    };
    let broken: &[(&str, &str, Option<Fault>)] = &[
        ("4096*d0", "2048*d0", None),
        ("16384*d1", "49152*d1", Some(Fault::OutOfRange)),
        ("16384*d1", "16448*d1", Some(Fault::Misaligned)),
        (
            "%arg_3_core_offset_2048 = arith.constant 2048",
            "%arg_3_core_offset_2048 = arith.constant 0",
            Some(Fault::TwoWriters),
        ),
        (
            "%arg_0_core_offset_2048 = arith.constant 2048",
            "%arg_0_core_offset_2048 = arith.constant 4096",
            Some(Fault::Slices),
        ),
        ("[-5, -6, -7, -8]", "[-5, -6, -8, -7]", Some(Fault::Slices)),
        (
            "(%addr_4, %addr_5, %addr_6, %addr_7)",
            "(%addr_0, %addr_1, %addr_6, %addr_7)",
            None,
        ),
        (
            "(%addr_0, %addr_1, %addr_2, %addr_3)",
            "(%arg_3, %arg_3_core_2048, %addr_2, %addr_3)",
            Some(Fault::Poison),
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
    for (from, to, fault) in broken {
        let (faults, problems) = program
            .run(&bundle, &replace(&text, from, to))
            .expect_err(to);
        assert!(
            fault.is_none_or(|fault| faults.contains(&fault)),
            "{to}: {problems}"
        );
    }
    let files: &[(&str, &str, &str, Option<Fault>)] = &[
        // The first of two tensors in memory; the slice of core 1; the operation; a gap; an address in LX.
        (
            "sdsc_1.json",
            r#""[1, 0, 0]": "-6""#,
            r#""[1, 0, 0]": "-5""#,
            Some(Fault::Slices),
        ),
        (
            "sdsc_0.json",
            r#""mb": 1,"#,
            r#""mb": 0,"#,
            Some(Fault::Slices),
        ),
        (
            "sdsc_1.json",
            r#""opFuncName": "mul""#,
            r#""opFuncName": "sub""#,
            None,
        ),
        (
            "sdsc_1.json",
            r#""component_": "lx""#,
            r#""component_": "hbm""#,
            Some(Fault::OutOfRange),
        ),
        (
            "sdsc_0.json",
            r#""mb_": 32"#,
            r#""mb_": 64"#,
            Some(Fault::Slices),
        ),
    ];
    for (file, from, to, fault) in files {
        let whole = read(file);
        fs::write(bundle.join(file), replace(&whole, from, to)).expect("written");
        let (faults, problems) = program.run(&bundle, &text).expect_err(to);
        assert!(
            fault.is_none_or(|fault| faults.contains(&fault)),
            "{file}, {to}: {problems}"
        );
        fs::write(bundle.join(file), whole).expect("written");
    }
    program
        .run(&bundle, &text)
        .expect("everything is as it was");
}
