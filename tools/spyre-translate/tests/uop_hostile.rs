//! Programs of tinyspec with something wrong in them, as JSON and as text of MLIR: an error with its place, or a program, and never a
//! panic.

mod hostile;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use serde_json::{Value, json};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_uop::schema;
use spyre_uop_mlir::{export, import};

use hostile::Mutations;

/// The programs with something wrong, of each form.
const CASES: usize = 2_000;

/// The passes that run on programs that are accepted, each on a separate copy.
const PIPELINES: [&str; 5] = [
    "builtin.module(uop-canonicalize)",
    "builtin.module(uop-decompose)",
    "builtin.module(uop-print-properties)",
    "builtin.module(func.func(uop-apply-opts))",
    "builtin.module(convert-uop-to-linalg)",
];

/// Texts that mean something in a file.
const TEXTS: [&str; 24] = [
    "", "Const", "Reshape", "Expand", "Permute", "Pad", "Shrink", "Flip", "Reduce", "Index",
    "Load", "Store", "After", "Range", "End", "Call", "Tuple", "Bitcast", "Copy", "int32",
    "float16", "bool", "uint8", "a0",
];

/// Numbers that are near the ends of something.
const NUMBERS: [i128; 10] = [
    -1,
    0,
    1,
    3,
    63,
    255,
    1 << 40,
    i64::MAX as i128,
    u64::MAX as i128,
    -(1 << 63),
];

/// How far a program comes.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    NotRead,
    Refused,
    Converted,
}

#[test]
fn hostile_files_are_errors_with_a_place() {
    spyre_all::register_passes();
    let programs: Vec<Value> = files("test/uop-programs", "json")
        .iter()
        .map(|text| serde_json::from_str(text).expect("the program is JSON"))
        .collect();
    let numbers = NUMBERS
        .iter()
        .filter_map(|number| serde_json::to_value(number).ok());
    let numbers = numbers.chain([json!(1.5), json!("nan")]).collect();
    let mut mutations = Mutations::of_json(numbers, &TEXTS);
    let counts = count(read, || {
        let mut mutated = programs[mutations.below(programs.len())].clone();
        mutations.edit(&mut mutated);
        mutated.to_string()
    });
    println!("not read, refused, converted: {counts:?}");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn hostile_modules_are_errors_with_a_place() {
    spyre_all::register_passes();
    let functions = functions();
    assert!(functions.len() > 60, "{} functions", functions.len());
    let words = Words::from_texts(&functions);
    let mut mutations = Mutations::of_json(Vec::new(), &[]);
    let counts = count(parse, || {
        let mut text = functions[mutations.below(functions.len())].clone();
        for _ in 0..=mutations.below(2) {
            text = words.change(&text, &mut mutations);
        }
        text
    });
    println!("not read, refused, converted: {counts:?}");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// Builds a module from a text; an error if it is invalid, which has been emitted, or is returned.
type Read = for<'c> fn(&'c Context, &str) -> Result<Module<'c>, Option<String>>;

/// Runs the passes on programs with something wrong, and counts how far they come.
fn count(read: Read, mut draw: impl FnMut() -> String) -> [usize; 3] {
    let mut counts = [0; 3];
    let mut context = new_context();
    for case in 0..CASES {
        if case % 200 == 199 {
            context = new_context(); // A context keeps every type and attribute that it has seen.
        }
        let text = draw();
        match catch_unwind(AssertUnwindSafe(|| run(&context, read, &text))) {
            Ok(outcome) => counts[outcome as usize] += 1,
            Err(_) => panic!("case {case}: {text}"),
        }
    }
    counts
}

fn new_context() -> Context {
    let context = spyre_all::context();
    context.load_all_available_dialects();
    context
}

/// Runs every pass on a separate program.
fn run(context: &Context, read: Read, text: &str) -> Outcome {
    let mut outcome = Outcome::Converted;
    for pipeline in PIPELINES {
        let (module, said) = listen(context, || read(context, text));
        let mut module = match module {
            Ok(module) => module,
            Err(reason) => {
                let has_text = reason.is_some_and(|reason| !reason.is_empty());
                assert!(has_text || !said.is_empty(), "an error has a text");
                return Outcome::NotRead;
            }
        };
        // A program that was read breaks no rule of the verifier.
        let (verified, said) = listen(context, || module.as_operation().verify());
        assert!(verified, "{said:?}");
        let passes = PassManager::new(context);
        parse_pass_pipeline(passes.as_operation_pass_manager(), pipeline)
            .expect("the pipeline is one");
        let (done, said) = listen(context, || passes.run(&mut module));
        let internal = said.iter().find(|text| text.contains("internal error"));
        assert!(internal.is_none(), "{pipeline}: {internal:?}");
        if done.is_err() {
            assert!(!said.is_empty(), "{pipeline}: an error has a text");
            outcome = Outcome::Refused;
        }
        let (exported, said) = listen(context, || {
            let written = export::export(module.as_operation());
            written.map_err(Diagnostic::emit).is_ok()
        });
        assert!(
            exported || !said.is_empty(),
            "{pipeline}: an error has a text"
        );
    }
    outcome
}

/// Runs `what`, and returns the diagnostics that it emits: they go to a handler, not to the terminal.
fn listen<T>(context: &Context, what: impl FnOnce() -> T) -> (T, Vec<String>) {
    let mut said = Vec::new();
    let handler = context.attach_diagnostic_handler(|diagnostic| {
        said.push(diagnostic.to_string());
        true
    });
    let done = what();
    context.detach_diagnostic_handler(handler);
    (done, said)
}

fn read<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Option<String>> {
    let file = schema::read(text.as_bytes()).map_err(|err| Some(err.to_string()))?;
    let location = Location::unknown(context);
    let module = Module::new(location);
    import::import(context, module.body(), location, &file).map_err(|err| Some(err.to_string()))?;
    Ok(module)
}

fn parse<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Option<String>> {
    Module::parse(context, text).ok_or(None)
}

/// Returns the texts of the files of a folder of the repository with an extension, folders inside included.
fn files(folder: &str, extension: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pending = vec![root.join(folder)];
    let mut paths = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("the folder is in the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let texts = paths
        .iter()
        .map(|path| fs::read_to_string(path).expect("a text"));
    texts.collect()
}

/// Returns the functions of tinyspec in the tests and examples that parse alone, and so are programs.
fn functions() -> Vec<String> {
    let context = new_context();
    let folders = [
        "examples/uop",
        "test/Dialect/Uop",
        "test/Conversion",
        "test/Transforms",
    ];
    let texts = folders.iter().flat_map(|folder| files(folder, "mlir"));
    let mut functions = Vec::new();
    for text in texts.filter(|text| text.contains("uop.")) {
        let starts: Vec<usize> = text
            .match_indices("\nfunc.func")
            .map(|(at, _)| at)
            .collect();
        for start in starts {
            let end = text[start..].find("\n}\n").map(|end| start + end + 3);
            let function = &text[start..end.unwrap_or(text.len())];
            let (parsed, _) = listen(&context, || parse(&context, function).is_ok());
            if parsed && function.contains("uop.") {
                functions.push(function.to_owned());
            }
        }
    }
    functions
}

/// The words of all programs, by kind.
struct Words {
    /// The names of operations.
    operations: Vec<String>,
    /// The names of element types.
    types: [&'static str; 10],
}

impl Words {
    fn from_texts(texts: &[String]) -> Self {
        let tokens = texts.iter().flat_map(|text| tokens(text));
        let mut operations: Vec<String> =
            tokens.filter(|token| token.starts_with("uop.")).collect();
        operations.sort();
        operations.dedup();
        Self {
            operations,
            types: [
                "i1", "i8", "ui8", "i32", "ui32", "i64", "f16", "bf16", "f32", "index",
            ],
        }
    }

    /// Changes something of a text.
    fn change(&self, text: &str, mutations: &mut Mutations) -> String {
        if mutations.below(4) == 0 {
            return lines(text, mutations);
        }
        let mut tokens = tokens(text);
        let at = mutations.below(tokens.len());
        // Words are changed, not the space between them.
        let Some(at) = (at..tokens.len()).find(|at| !tokens[*at].trim().is_empty()) else {
            return lines(text, mutations);
        };
        let token = tokens[at].clone();
        tokens[at] = if token.starts_with("uop.") {
            self.operations[mutations.below(self.operations.len())].clone()
        } else if token.starts_with('%') {
            let values: Vec<&String> = tokens
                .iter()
                .filter(|token| token.starts_with('%'))
                .collect();
            values[mutations.below(values.len())].clone()
        } else if self.types.contains(&token.as_str()) {
            self.types[mutations.below(self.types.len())].to_owned()
        } else if token.parse::<f64>().is_ok() && mutations.below(2) == 0 {
            mutations.below(8).to_string()
        } else if token.parse::<f64>().is_ok() {
            NUMBERS[mutations.below(NUMBERS.len())].to_string()
        } else {
            String::new()
        };
        tokens.concat()
    }
}

/// Drops a line, repeats one, or exchanges two.
fn lines(text: &str, mutations: &mut Mutations) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let [a, b] = [0; 2].map(|_| mutations.below(lines.len()));
    match mutations.below(3) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a]),
        _ => lines.swap(a, b),
    }
    lines.join("\n")
}

/// Returns the words and other characters of a text, which are all of it. Extents of a type are separate words.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || "_.%#@!".contains(character);
        let is_extent = character == 'x'
            && tokens
                .last()
                .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
        if is_word && in_word && !is_extent {
            let last = tokens.last_mut().expect("a word has begun");
            last.push(character);
        } else {
            tokens.push(character.to_string());
        }
        in_word = is_word && !is_extent;
    }
    tokens
}
