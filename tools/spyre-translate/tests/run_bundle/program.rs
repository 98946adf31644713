//! A program as text, its bundle, and what comes out when the bundle runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source;
use tempfile::TempDir;

use super::host::HostTensor;
use super::machine::{Fault, Machine};
use super::text::BundleText;

/// The passes that drop what nobody uses, and give layouts to what has none.
const LAYOUTS: &str = "builtin.module(func.func(spyre-assign-dim-hints,canonicalize,cse,spyre-fold-padding-casts,spyre-simplify-views,spyre-pad-gathers,spyre-pad-matmul,spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify))";

/// The passes that make constants, and that make them arguments.
const CONSTANTS: &str =
    "builtin.module(func.func(spyre-assign-dim-hints,coarse-tile,spyre-constants-to-arguments))";

/// The element of an argument at a point.
pub type Inputs<'f> = &'f dyn Fn(usize, &[u64]) -> f32;

/// What a result is at a point: of the inputs, by the number of the result.
pub trait Expected: Fn(Inputs<'_>, usize, &[u64]) -> f32 {}

impl<F: Fn(Inputs<'_>, usize, &[u64]) -> f32> Expected for F {}

/// A program that runs at several numbers of cores.
pub struct Program<'p, F> {
    /// Aliases, and a function `@program`.
    pub text: &'p str,
    /// Element `point` of a result.
    pub expected: F,
    /// Inputs are integers from 0 to this, from `-spread / 2`.
    pub spread: u64,
}

impl<'p, F: Expected> Program<'p, F> {
    /// A program whose inputs hardly repeat.
    pub fn new(text: &'p str, expected: F) -> Self {
        Self {
            text,
            expected,
            spread: 1021,
        }
    }

    /// Runs the program on 1, 2, 8 and 32 cores. All results are as expected and the same.
    pub fn check(&self) {
        let mut first: Option<Vec<Vec<f32>>> = None;
        // Layouts do not depend on the number of cores.
        let mut host = None;
        for cores in [1, 2, 8, 32] {
            let written = self.write_with(cores, host);
            match written.run(&written.text()) {
                Ok(results) => {
                    let first = first.get_or_insert_with(|| results.clone());
                    assert_eq!(*first, results, "{cores} cores");
                }
                Err((_, problems)) => {
                    panic!(
                        "{cores} cores: {problems}\n{}\n{}",
                        self.text,
                        written.text()
                    )
                }
            }
            host = Some(written.host);
        }
    }

    /// The program is refused with an error that is at a line of it and says `message`.
    pub fn check_refused(&self, message: &str) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = self.translate(8, &directory);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "accepted: {}", self.text);
        let located = messages.lines().any(|line| {
            line.contains("program.mlir:") && line.contains(": error: ") && line.contains(message)
        });
        assert!(located, "{messages}\n{}", self.text);
        assert!(!directory.path().join("bundle").exists());
    }

    fn source(&self, cores: u32) -> String {
        let at = self.text.find("func.func").expect("a function");
        let (aliases, function) = self.text.split_at(at);
        format!(
            "{aliases}\nmodule attributes {{spyre.target = #spyre.target<cores = {cores}>}} {{\n{function}\n}}\n"
        )
    }

    fn translate(&self, cores: u32, directory: &TempDir) -> Output {
        let source = directory.path().join("program.mlir");
        fs::write(&source, self.source(cores)).expect("written");
        Command::new(env!("CARGO_BIN_EXE_spyre-translate"))
            .args(["--spyre-to-bundle", "--verify-written"])
            .arg(source)
            .arg("-o")
            .arg(directory.path().join("bundle"))
            .output()
            .expect("the tool runs")
    }

    /// The files of the program's bundle.
    pub fn write(&self, cores: u32) -> Written {
        self.write_with(cores, None)
    }

    fn write_with(&self, cores: u32, host: Option<Host>) -> Written {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = self.translate(cores, &directory);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{cores} cores: {messages}\n{}",
            self.text
        );
        let host = host.unwrap_or_else(|| self.host(&directory.path().join("program.mlir")));
        Written { directory, host }
    }

    fn host(&self, file: &Path) -> Host {
        let (mut inputs, arguments, constants) = signature(file);
        let outputs = inputs.split_off(arguments);
        let element = |argument: usize, point: &[u64]| {
            let mut index = 0;
            for (at, extent) in point.iter().zip(&inputs[argument].shape) {
                // Broadcast as in PyTorch, so that a program may ask for any point.
                index = index * extent + if *extent == 1 { 0 } else { *at };
            }
            let value = (index * 7919 + argument as u64 * 104_729) % self.spread;
            value as f32 - (self.spread / 2) as f32
        };
        let fill = |tensor: &HostTensor, value: &dyn Fn(&[u64]) -> f32| Filled {
            elements: tensor
                .points()
                .map(|point| (tensor.address(&point) as i64, value(&point)))
                .collect(),
            tensor: tensor.clone(),
        };
        let filled = inputs.iter().enumerate();
        let filled = filled.map(|(index, tensor)| fill(tensor, &|point| element(index, point)));
        // The launcher fills constants, which are the arguments after the inputs.
        let constants = constants.iter();
        let constants = constants.map(|(tensor, value)| fill(tensor, &|_| *value));
        let expected = outputs.iter().enumerate();
        let expected = expected.map(|(result, tensor)| {
            fill(tensor, &|point| (self.expected)(&element, result, point))
        });
        Host {
            inputs: filled.chain(constants).collect(),
            expected: expected.collect(),
        }
    }
}

/// What the host writes, and what it is to read.
struct Host {
    inputs: Vec<Filled>,
    expected: Vec<Filled>,
}

/// A tensor and the value of each element, by its address.
struct Filled {
    tensor: HostTensor,
    elements: Vec<(i64, f32)>,
}

/// A bundle that has been written.
pub struct Written {
    directory: TempDir,
    host: Host,
}

impl Written {
    pub fn text(&self) -> String {
        self.read("bundle.mlir")
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.bundle().join(file)).expect("read")
    }

    pub fn bundle(&self) -> PathBuf {
        self.directory.path().join("bundle")
    }

    /// Runs the bundle with `text` as its function. Returns the elements of each result, or the faults and what is
    /// wrong.
    pub fn run(&self, text: &str) -> Result<Vec<Vec<f32>>, (Vec<Fault>, String)> {
        let mut machine = Machine::default();
        for Filled { tensor, elements } in &self.host.inputs {
            let (bytes, size) = (tensor.bytes() as i64, tensor.element as i64);
            // The host writes elements. What is between them may be anything.
            let nothing = (0..bytes).step_by(tensor.element as usize);
            let nothing = nothing.map(|at| (at, f32::NAN));
            machine.add_argument(bytes, nothing.chain(elements.iter().copied()), size);
        }
        for Filled { tensor, .. } in &self.host.expected {
            let nothing = std::iter::empty();
            machine.add_argument(tensor.bytes() as i64, nothing, tensor.element as i64);
        }
        BundleText::parse(text)
            .and_then(|bundle| bundle.run(&self.bundle(), &mut machine))
            .map_err(|why| (Vec::new(), why))?;
        let mut problems: Vec<String> = machine
            .reports
            .iter()
            .map(|(fault, place)| format!("{fault:?}: {place}"))
            .collect();
        let mut results = Vec::new();
        for (result, Filled { tensor, elements }) in self.host.expected.iter().enumerate() {
            let argument = self.host.inputs.len() + result;
            let mut read = Vec::with_capacity(elements.len());
            let mut wrong = Vec::new();
            for (index, (address, want)) in elements.iter().enumerate() {
                let found = machine.argument(argument, *address, tensor.element as i64);
                // Sums of fractions may be in another order.
                let near = |found: f32| (found - want).abs() <= want.abs() * 1e-6;
                if !found.is_some_and(near) {
                    wrong.push((index, found, want));
                }
                read.push(found.unwrap_or(f32::NAN));
            }
            if let Some((index, found, want)) = wrong.first() {
                problems.push(format!(
                    "{} of {} elements of result {result} are wrong; at {:?} is {found:?}, not {want}",
                    wrong.len(),
                    elements.len(),
                    tensor.points().nth(*index).unwrap_or_default(),
                ));
            }
            results.push(read);
        }
        let faults = machine.reports.iter().map(|(fault, _)| *fault).collect();
        if problems.is_empty() {
            Ok(results)
        } else {
            Err((faults, problems.join("\n")))
        }
    }
}

/// The arguments and results of `@program`, with the layouts that the passes give them, the number of arguments, and the
/// constants that become arguments, with their values. Arguments without a layout get the default one.
fn signature(file: &Path) -> (Vec<HostTensor>, usize, Vec<(HostTensor, f32)>) {
    spyre_all::register_passes();
    let context = spyre_all::context();
    let file = file.to_str().expect("a path");
    let types = source::with_source_file(&context, file, |module| {
        let before = types(module);
        source::run_pipeline(&context, module, LAYOUTS).expect("layouts");
        let after = types(module);
        source::run_pipeline(&context, module, CONSTANTS).expect("constants");
        let constants = constants(module, after.1);
        (before, after, constants)
    });
    let ((before, arguments), (after, _), constants) = types.expect("parsed");
    let pairs = before.iter().zip(&after);
    for (before, after) in pairs.take(arguments) {
        assert_eq!(before, after, "the layout of an argument has changed");
    }
    (after, arguments, constants)
}

/// The arguments of the first function of a module from the one of number `first`, with what they hold.
fn constants(module: Op<'_>, first: usize) -> Vec<(HostTensor, f32)> {
    let (tensors, arguments) = types(module);
    let body = ir::body(module).expect("a body");
    let function = ir::operations(body).next().expect("a function");
    let tensors = tensors.into_iter().take(arguments).enumerate().skip(first);
    let constant = |(index, tensor)| {
        let value = ir::argument_attribute(function, index, "spyre.constant").expect("a constant");
        let value = value.to_string();
        let splat = value
            .strip_prefix("dense<")
            .and_then(|text| text.split_once('>'));
        let (splat, _) = splat.unwrap_or_else(|| panic!("{value}"));
        let value = match splat {
            "0x7C00" | "0x7F800000" => f32::INFINITY,
            "0xFC00" | "0xFF800000" => f32::NEG_INFINITY,
            number => number.parse().unwrap_or_else(|_| panic!("{value}")),
        };
        (tensor, value)
    };
    tensors.map(constant).collect()
}

/// The arguments and results of the first function of a module, and the number of arguments.
fn types(module: Op<'_>) -> (Vec<HostTensor>, usize) {
    let body = ir::body(module).expect("a body");
    let function = ir::operations(body).next().expect("a function");
    let ty = function.attribute("function_type").expect("a type");
    let ty = TypeAttribute::try_from(ty).expect("a type").value();
    let ty = FunctionType::try_from(ty).expect("a function type");
    let inputs = (0..ty.input_count()).map(|index| ty.input(index));
    let results = (0..ty.result_count()).map(|index| ty.result(index));
    let tensors = inputs.chain(results).map(|ty| {
        let ty = ty.expect("inside").to_string();
        HostTensor::parse(&ty).unwrap_or_else(|| panic!("{ty}"))
    });
    (tensors.collect(), ty.input_count())
}
