//! Kernels on other machines: their files, a process that answers, and programs that a machine fails.

use std::cell::Cell;
use std::fs;
use std::process::Command;

use spyre_exec::npy;
use spyre_fuzz::ktir::{
    Agreement, Interpreter, Kernel, Kernels, Machine, Outcome, type_without_interpreter, write,
};
use spyre_fuzz::program::Element;
use spyre_fuzz::{Failure, Phase, Size, shrink};

const SEED: u64 = 1;

/// The programs that are drawn.
const PROGRAMS: u64 = 40;

/// Returns the first kernel that a machine gets, and the number of its program.
fn first_kernel(kernels: &Kernels) -> (Kernel, u64) {
    let mut drawn = (0..PROGRAMS).map(|number| {
        let program = shrink::program(Size::default(), SEED, number);
        (kernels.kernel(&program, number), number)
    });
    let first = drawn.find_map(|(kernel, number)| Some((kernel.ok()?, number)));
    first.expect("one of the programs has a kernel")
}

/// A machine that counts kernels, and fails for those that have an operation.
struct Fails {
    operation: &'static str,
    kernels: Cell<u64>,
}

impl Machine for Fails {
    fn run(&self, kernel: &Kernel) -> Result<Agreement, Failure> {
        self.kernels.set(self.kernels.get() + 1);
        match kernel.text.contains(self.operation) {
            true => Err(Failure {
                phase: Phase::Kernel,
                kind: self.operation.to_owned(),
                message: String::new(),
            }),
            false => Ok(Agreement {
                error: 0.0,
                is_equal: true,
                cores: 1,
                launches: 1,
            }),
        }
    }
}

#[test]
fn programs_are_counted_and_the_first_that_fails_is_made_small() {
    let kernels = Kernels::new();
    let machine = Fails {
        operation: "linalg.reduce",
        kernels: Cell::new(0),
    };
    let (mut agree, mut missing, mut refused, mut failed) = (0, 0, 0, Vec::new());
    for number in 0..PROGRAMS {
        let program = shrink::program(Size::default(), SEED, number);
        match kernels.run_on(&machine, &program, number, false) {
            Ok(_) => agree += 1,
            Err(Outcome::Refused(message) | Outcome::NoPlan(message)) => {
                assert!(!message.is_empty(), "a refusal without a reason: {program}");
                refused += 1;
            }
            Err(Outcome::WithoutInterpreter(element)) => {
                assert_eq!(type_without_interpreter(&program), Some(element));
                assert!(matches!(element, Element::Bf16 | Element::Bool));
                missing += 1;
            }
            Err(Outcome::Failed(failure)) => {
                assert_eq!(failure.kind, "linalg.reduce", "{program}");
                failed.push((number, program));
            }
            Err(Outcome::Same { .. }) => unreachable!("no other machine runs"),
        }
    }
    assert_eq!(machine.kernels.get(), agree + failed.len() as u64);
    assert!(
        agree > 0 && missing > 0 && refused > 0,
        "{agree} {missing} {refused}"
    );
    let (number, program) = failed.first().expect("a program has a reduction");
    let minimal = kernels.minimize_on(&machine, Size::default(), SEED, *number);
    let minimal = minimal.expect("it fails again").program;
    assert!(
        minimal.operations.len() < program.operations.len().max(2),
        "{minimal}"
    );
}

#[test]
fn the_files_of_a_kernel_are_its_plan_its_text_and_its_arrays() {
    let (kernel, _) = first_kernel(&Kernels::new());
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("input_99.npy"), "of another kernel").expect("a file");
    write(folder.path(), &kernel).expect("files");
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a text");
    assert_eq!(text("planned.mlir"), kernel.planned);
    assert_eq!(text("kernel.mlir"), kernel.text);
    // Interpreters read no aliases.
    assert!(!kernel.planned.contains("\n#") && !kernel.text.contains("\n#"));
    let arrays = [("input", &kernel.inputs), ("output", &kernel.results)];
    for (name, arrays) in arrays {
        for (number, array) in arrays.iter().enumerate() {
            let path = folder.path().join(format!("{name}_{number}.npy"));
            let read = npy::read(&path, array.ty()).expect("an array");
            assert_eq!(read.bytes(), array.bytes());
        }
    }
    let count = kernel.inputs.len() + kernel.results.len() + 2;
    assert_eq!(fs::read_dir(folder.path()).expect("files").count(), count);
}

/// Returns an interpreter that is a script of the shell.
fn script(text: &str) -> Interpreter {
    let mut command = Command::new("sh");
    command.args(["-c", text]);
    Interpreter::new(command).expect("a folder")
}

#[test]
fn one_process_answers_for_all_kernels() {
    let (kernel, _) = first_kernel(&Kernels::new());
    let counting = script(
        r#"count=0
        while read -r request; do
          folder=${request#*:\"}; folder=${folder%\"*}
          test -f "$folder/kernel.mlir" || exit 1
          count=$((count + 1))
          echo "{\"error\": 0.0, \"equal\": true, \"cores\": 1, \"launches\": $count, \"lx\": 0}"
        done"#,
    );
    let launches = [(); 3].map(|()| counting.run(&kernel).expect("an answer").launches);
    assert_eq!(launches, [1, 2, 3]);
}

#[test]
fn a_process_that_ends_is_a_failure_and_starts_again() {
    let (kernel, _) = first_kernel(&Kernels::new());
    let ending = script(r#"read -r request; echo '{"failed": "differs", "message": "m"}'"#);
    let kinds = [(); 3].map(|()| ending.run(&kernel).expect_err("no agreement").kind);
    assert_eq!(kinds[0], "differs");
    assert_eq!(kinds[1], "no answer of the interpreter");
    assert_eq!(kinds[2], "differs");
}
