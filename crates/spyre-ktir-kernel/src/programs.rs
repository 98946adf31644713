//! Launches: kernels that run one after the other on the same arguments.
//!
//! A kernel with the attribute `program` is a launch of the program of that name, and `launch` has its number. A kernel
//! without the attribute is the only launch of a program with the name of the kernel.

use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_ods::{func, ktdp};
use thiserror::Error;

use crate::{LAUNCH, PROGRAM};

/// A program: kernels that are launched one after the other on the same arguments.
#[derive(Debug, Clone)]
pub struct Program<'p> {
    /// The name.
    pub name: String,
    /// The kernels, in the order of their launches.
    pub launches: Vec<Op<'p>>,
}

/// The reason why kernels are no launches of a program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// An attribute of another type.
    #[error("the attribute `{PROGRAM}` is the name of a program, a string, got {0}")]
    Program(String),
    /// A launch without a number.
    #[error(
        "a launch of program \"{program}\" has its number in `{LAUNCH}`, from 0 on, got {launch}"
    )]
    Number {
        /// The program.
        program: String,
        /// The attribute, or `none`.
        launch: String,
    },
    /// A number of a launch without a program.
    #[error("a kernel with `{LAUNCH}` has the name of its program in `{PROGRAM}`")]
    NoProgram,
    /// Two launches with one number.
    #[error(
        "launch {number} of program \"{program}\" is @{kernel} as well; launches are numbered 0, 1, 2 and so on"
    )]
    Twice {
        /// The program.
        program: String,
        /// The number.
        number: i64,
        /// The other kernel.
        kernel: String,
    },
    /// A number that no launch has.
    #[error(
        "launch {number} of program \"{program}\" has no launch {missing} before it; launches are numbered 0, 1, 2 and so on"
    )]
    Missing {
        /// The program.
        program: String,
        /// The number of the launch.
        number: i64,
        /// The first number that no launch has.
        missing: i64,
    },
    /// Two programs with one name.
    #[error(
        "@{kernel} is no launch of program \"{program}\", and has its name; rename one of them"
    )]
    Name {
        /// The program.
        program: String,
        /// The kernel.
        kernel: String,
    },
}

/// Returns whether operations of `ktdp` are inside of a block.
#[must_use]
pub fn has_accesses(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        let is_access = ktdp::OPERATIONS.iter().any(|it| it.name == ir::name(op));
        is_access || ir::blocks(op).any(has_accesses)
    })
}

/// Returns the name of a function.
fn symbol(op: Op<'_>) -> String {
    let name = ir::attribute(op, "sym_name").and_then(attr::string);
    name.expect("a function has a name")
}

/// Returns the number of a launch; `None` if it has none that a launch may have.
fn number(op: Op<'_>) -> Option<i64> {
    let number = ir::attribute(op, LAUNCH).and_then(attr::integer);
    number.filter(|number| *number >= 0)
}

/// Returns the programs of the kernels of a module, in the order of their first kernels.
#[must_use]
pub fn programs(module: Op<'_>) -> Vec<Program<'_>> {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let kernels = functions.filter(|op| {
        ir::name(*op) == func::FUNC && ir::function_body(*op).is_some_and(has_accesses)
    });
    let mut programs: Vec<(bool, Program<'_>)> = Vec::new();
    for op in kernels {
        let program = ir::attribute(op, PROGRAM).and_then(attr::string);
        let is_launch = program.is_some();
        let name = program.unwrap_or_else(|| symbol(op));
        let mut before = programs.iter_mut();
        match before.find(|(launched, other)| is_launch && *launched && other.name == name) {
            Some((_, program)) => program.launches.push(op),
            None => {
                let launches = vec![op];
                programs.push((is_launch, Program { name, launches }));
            }
        }
    }
    let programs = programs.into_iter().map(|(_, mut program)| {
        program.launches.sort_by_key(|op| number(*op));
        program
    });
    programs.collect()
}

/// Returns the errors in the launches of programs, each with the kernel.
#[must_use]
pub fn launch_errors<'p>(programs: &[Program<'p>]) -> Vec<(Op<'p>, LaunchError)> {
    let mut errors = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let mut before: Option<(i64, Op<'p>)> = None;
        for &op in &program.launches {
            let error = launch_error(program, op, before);
            errors.extend(error.map(|error| (op, error)));
            before = number(op).map(|number| (number, op)).or(before);
        }
        let same = programs[..at].iter().find(|it| it.name == program.name);
        if let Some(same) = same {
            let is_launch = |op: &Op<'_>| ir::attribute(*op, PROGRAM).is_some();
            let alone = if is_launch(&program.launches[0]) {
                same
            } else {
                program
            };
            let op = alone.launches[0];
            let (program, kernel) = (program.name.clone(), symbol(op));
            errors.push((op, LaunchError::Name { program, kernel }));
        }
    }
    errors
}

/// Returns the error of a launch after the one before, with the number of that one.
fn launch_error<'p>(
    program: &Program<'p>,
    op: Op<'p>,
    before: Option<(i64, Op<'p>)>,
) -> Option<LaunchError> {
    let launch = ir::attribute(op, LAUNCH);
    let name = || program.name.clone();
    match ir::attribute(op, PROGRAM) {
        None => return launch.map(|_| LaunchError::NoProgram),
        Some(other) if attr::string(other).is_none() => {
            return Some(LaunchError::Program(other.to_string()));
        }
        Some(_) => {}
    }
    let Some(number) = number(op) else {
        let launch = launch.map_or("none".to_owned(), |launch| launch.to_string());
        return Some(LaunchError::Number {
            program: name(),
            launch,
        });
    };
    match before {
        Some((same, other)) if same == number => Some(LaunchError::Twice {
            program: name(),
            number,
            kernel: symbol(other),
        }),
        before => {
            let missing = before.map_or(0, |(before, _)| before.saturating_add(1));
            (number != missing).then(|| LaunchError::Missing {
                program: name(),
                number,
                missing,
            })
        }
    }
}
