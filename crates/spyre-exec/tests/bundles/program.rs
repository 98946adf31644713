//! A program as text, its bundle, and the results of the bundle.

use std::sync::{Arc, Mutex};

use spyre_bundle::Addresses;
use spyre_bundle_files::{Files, InMemory};
use spyre_exec::bundle::{Interface, SimulationOptions, simulate};
use spyre_exec::{Array, DType, Program as Entry};
use spyre_mlir_rt::source;
use spyre_sim::{Bundle, FaultKind};
use spyre_verify::verify;

/// The element of an argument at a point.
pub(crate) type Inputs<'f> = &'f dyn Fn(usize, &[u64]) -> f32;

/// The element of a result at a point, as a function of the inputs and of the number of the result.
pub(crate) trait Expected: Fn(Inputs<'_>, usize, &[u64]) -> f32 {}

impl<F: Fn(Inputs<'_>, usize, &[u64]) -> f32> Expected for F {}

/// A program that runs at several numbers of cores.
pub(crate) struct Program<'p, F> {
    /// Aliases, and a function `@program`.
    pub text: &'p str,
    /// Element `point` of a result.
    pub expected: F,
    /// Inputs are integers from 0 to this, from `-spread / 2`.
    pub spread: u64,
}

/// Why a bundle is wrong.
#[derive(Debug, Default)]
pub(crate) struct Wrong {
    /// The faults that the card has reported.
    pub faults: Vec<FaultKind>,
    /// All that is wrong, as text.
    pub problems: Vec<String>,
}

/// The files of a program's bundle, and its inputs.
pub(crate) struct Written {
    pub files: InMemory,
    interface: Interface,
    inputs: Vec<Array>,
    expected: Vec<Vec<f32>>,
}

impl<'p, F: Expected> Program<'p, F> {
    /// A program on integers with sums of two and products that are exact in 16 bits.
    pub(crate) fn new(text: &'p str, expected: F) -> Self {
        Self {
            text,
            expected,
            spread: 43,
        }
    }

    /// Runs the program on 1, 2, 8 and 32 cores. All results are as expected and the same.
    pub(crate) fn check(&self) {
        let mut first: Option<Vec<Array>> = None;
        for cores in [1, 2, 8, 32] {
            let written = self.write(cores);
            match written.run(&written.files) {
                Ok(results) => {
                    let first = first.get_or_insert_with(|| results.clone());
                    assert_eq!(*first, results, "{cores} cores\n{}", self.text);
                }
                Err(Wrong { problems, .. }) => {
                    panic!("{cores} cores: {problems:?}\n{}", self.text)
                }
            }
        }
    }

    /// Checks that the program is refused with the error `message` at one of its lines.
    pub(crate) fn check_refused(&self, message: &str) {
        let context = spyre_exec::context();
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let (refused, printed) =
            source::with_source_text(&context, "program.mlir", &self.source(8), |module| {
                let handler = context.attach_diagnostic_handler(move |diagnostic| {
                    let place = spyre_mlir_rt::diagnostic::place(diagnostic.location());
                    let line = format!("{place}: error: {diagnostic}");
                    heard.lock().expect("a thread").push(line);
                    true
                });
                let compiled = spyre_bundle::compile(&context, module, Addresses::Symbolic);
                let refused = compiled.map_err(|err| err.emit()).is_err();
                context.detach_diagnostic_handler(handler);
                refused
            });
        assert!(refused == Some(true), "accepted: {}", self.text);
        let said = said.lock().expect("a thread");
        let lines = said.iter().map(String::as_str).chain(printed.lines());
        let is_meant = |line: &str| line.starts_with("program.mlir:") && line.contains(message);
        assert!(
            lines.clone().any(is_meant),
            "{:?}",
            lines.collect::<Vec<_>>()
        );
    }

    fn source(&self, cores: u32) -> String {
        let at = self.text.find("func.func").expect("a function");
        let (aliases, function) = self.text.split_at(at);
        format!(
            "{aliases}\nmodule attributes {{spyre.target = #spyre.target<cores = {cores}>}} {{\n{function}\n}}\n"
        )
    }

    /// The files of the program's bundle.
    pub(crate) fn write(&self, cores: u32) -> Written {
        let context = spyre_exec::context();
        let (built, printed) =
            source::with_source_text(&context, "program.mlir", &self.source(cores), |module| {
                let entry = Entry::select(&context, module, None).expect("a program");
                let interface = Interface::of_program(&context, &entry).expect("an interface");
                let bundle = spyre_bundle::compile(&context, module, Addresses::Symbolic);
                let bundle = bundle.map_err(|err| err.emit()).ok()?;
                let files = InMemory::collect("", bundle.files()).expect("files");
                Some((files, interface))
            });
        let built = built.flatten();
        let (files, interface) =
            built.unwrap_or_else(|| panic!("{cores} cores: {printed}\n{}", self.text));
        let signature = interface.signature();
        let shape = |ty: &spyre_exec::TensorType| -> Vec<u64> {
            ty.shape.iter().map(|extent| *extent as u64).collect()
        };
        let shapes: Vec<Vec<u64>> = signature.inputs.iter().map(shape).collect();
        let element = |argument: usize, point: &[u64]| {
            let mut index = 0;
            for (at, extent) in point.iter().zip(&shapes[argument]) {
                // Broadcast as in PyTorch, so that a program may read at any point.
                index = index * extent + if *extent == 1 { 0 } else { *at };
            }
            let value = (index * 7919 + argument as u64 * 104_729) % self.spread;
            value as f32 - (self.spread / 2) as f32
        };
        let inputs = signature.inputs.iter().enumerate().map(|(argument, ty)| {
            let values = points(&shapes[argument]).map(|point| element(argument, &point));
            array(ty.element, &ty.shape, values)
        });
        let expected = signature.outputs.iter().enumerate().map(|(result, ty)| {
            let points = points(&shape(ty));
            points
                .map(|point| (self.expected)(&element, result, &point))
                .collect()
        });
        let (inputs, expected) = (inputs.collect(), expected.collect());
        Written {
            files,
            interface,
            inputs,
            expected,
        }
    }
}

/// All points of a shape, in order.
fn points(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + use<> {
    let shape = shape.to_vec();
    let count: u64 = shape.iter().product();
    (0..count).map(move |mut index| {
        let mut point = vec![0; shape.len()];
        for (at, extent) in point.iter_mut().zip(&shape).rev() {
            *at = index % extent;
            index /= extent;
        }
        point
    })
}

fn array(element: DType, shape: &[usize], values: impl Iterator<Item = f32>) -> Array {
    match element {
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => {
            let values: Vec<f32> = values.collect();
            Array::from_f32s(element, shape, &values).expect("an array")
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool => {
            let values: Vec<i64> = values.map(|value| value as i64).collect();
            Array::from_i64s(element, shape, &values).expect("an array")
        }
    }
}

/// The allowed relative error of a result: elements are rounded once for each operation.
fn tolerance(element: DType) -> f64 {
    match element {
        DType::F16 => 4.0 / 1024.0,
        DType::Bf16 => 4.0 / 128.0,
        _ => 1e-6,
    }
}

impl Written {
    pub(crate) fn read(&self, file: &str) -> String {
        self.files.text(file).expect("a file").into_owned()
    }

    /// The files with another text in the place of one.
    pub(crate) fn with(&self, file: &str, text: String) -> InMemory {
        let mut files = self.files.clone();
        files.insert(file, text.into_bytes());
        files
    }

    /// Checks files and runs them. Returns the results, or the errors.
    pub(crate) fn run(&self, files: &InMemory) -> Result<Vec<Array>, Wrong> {
        let mut wrong = Wrong::default();
        let findings = verify(files).findings;
        wrong
            .problems
            .extend(findings.iter().map(ToString::to_string));
        let run = Bundle::from_files(files)
            .map_err(|err| err.to_string())
            .and_then(|bundle| {
                let options = SimulationOptions::default();
                simulate(&bundle, &self.interface, &self.inputs, options)
                    .map_err(|err| err.to_string())
            });
        let run = match run {
            Ok(run) => run,
            Err(reason) => {
                wrong.problems.push(reason);
                return Err(wrong);
            }
        };
        for fault in run.report.errors() {
            wrong.faults.push(fault.kind);
            wrong.problems.push(format!("{fault:?}"));
        }
        for (result, (actual, expected)) in run.results.iter().zip(&self.expected).enumerate() {
            let tolerance = tolerance(actual.dtype());
            let pairs = actual.elements().zip(expected);
            let mut bad = pairs.enumerate().filter(|(_, (actual, want))| {
                let (actual, want) = (actual.to_f64(), f64::from(**want));
                !(actual == want || (actual - want).abs() <= want.abs() * tolerance)
            });
            if let Some((at, (actual, want))) = bad.next() {
                let count = 1 + bad.count();
                wrong.problems.push(format!(
                    "{count} elements of result {result} are wrong; number {at} is {}, not {want}",
                    actual.to_f64()
                ));
            }
        }
        match wrong.problems.is_empty() {
            true => Ok(run.results),
            false => Err(wrong),
        }
    }
}
