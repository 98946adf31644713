//! Generates the C++ of the dialects from their ODS and compiles it, with the additions to MLIR's C API.

use std::path::{Path, PathBuf};

use spyre_build::Llvm;
use spyre_build::objects::{LIST_FILES, Objects};

struct Dialect {
    /// Directory under `dialects/`.
    directory: &'static str,
    /// Root of the ODS, and prefix of the generated files.
    prefix: &'static str,
    /// Name in IR.
    name: &'static str,
    /// The parts that its ODS has, in addition to the dialect and its operations.
    parts: &'static [Part],
}

/// Generated files.
struct Part {
    /// The end of their names.
    suffix: &'static str,
    /// The generator of declarations.
    declarations: &'static str,
    /// The generator of definitions.
    definitions: &'static str,
}

const DIALECT: Part = Part {
    suffix: "Dialect",
    declarations: "-gen-dialect-decls",
    definitions: "-gen-dialect-defs",
};

const ENUMS: Part = Part {
    suffix: "Enums",
    declarations: "-gen-enum-decls",
    definitions: "-gen-enum-defs",
};

const ATTRIBUTES: Part = Part {
    suffix: "Attrs",
    declarations: "-gen-attrdef-decls",
    definitions: "-gen-attrdef-defs",
};

const TYPES: Part = Part {
    suffix: "Types",
    declarations: "-gen-typedef-decls",
    definitions: "-gen-typedef-defs",
};

const INTERFACES: Part = Part {
    suffix: "Interfaces",
    declarations: "-gen-op-interface-decls",
    definitions: "-gen-op-interface-defs",
};

const OPERATIONS: Part = Part {
    suffix: "Ops",
    declarations: "-gen-op-decls",
    definitions: "-gen-op-defs",
};

const DIALECTS: [Dialect; 6] = [
    Dialect {
        directory: "spyre",
        prefix: "Spyre",
        name: "spyre",
        parts: &[ENUMS, ATTRIBUTES, INTERFACES],
    },
    Dialect {
        directory: "sdscbundle",
        prefix: "SdscBundle",
        name: "sdscbundle",
        parts: &[ATTRIBUTES, TYPES],
    },
    Dialect {
        directory: "inductor",
        prefix: "Inductor",
        name: "inductor",
        parts: &[ENUMS, ATTRIBUTES, TYPES],
    },
    Dialect {
        directory: "ktdp",
        prefix: "Ktdp",
        name: "ktdp",
        parts: &[ENUMS, ATTRIBUTES, TYPES],
    },
    Dialect {
        directory: "spyreop",
        prefix: "SpyreOp",
        name: "spyreop",
        parts: &[TYPES],
    },
    Dialect {
        directory: "uop",
        prefix: "Uop",
        name: "uop",
        parts: &[ENUMS, ATTRIBUTES, TYPES],
    },
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=../../dialects");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let llvm = Llvm::find_or_exit();
    if let Err(message) = build(&llvm) {
        spyre_build::fail(&message);
    }
}

fn build(llvm: &Llvm) -> Result<(), String> {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")?).join("../../dialects");
    let root = root
        .canonicalize()
        .map_err(|error| format!("{}: {error}", root.display()))?;
    let out = PathBuf::from(env("OUT_DIR")?);
    let mut sources = cpp_files(Path::new("cpp"))?;
    for dialect in &DIALECTS {
        for part in [&DIALECT, &OPERATIONS].into_iter().chain(dialect.parts) {
            generate(llvm, (dialect, part), &root, &out)?;
        }
        sources.extend(cpp_files(&root.join(dialect.directory))?);
    }
    let mut cpp = cc::Build::new();
    cpp.cpp(true)
        .compiler(llvm.cpp_compiler())
        .flags(llvm.cpp_flags());
    cpp.opt_level(llvm.cpp_opt_level()).debug(false);
    // The precompiled header is valid while the headers that it includes have the same contents. Times are not compared,
    // since another release of the same package has other times.
    cpp.flag("-Xclang")
        .flag("-fvalidate-ast-input-files-content");
    cpp.include("cpp").include(&root).include(&out);
    let header = std::fs::read_to_string(HEADER).map_err(|err| format!("{HEADER}: {err}"))?;
    let compiler = cpp.try_get_compiler().map_err(|err| err.to_string())?;
    let command = format!("LLVM {} {:?} {header}", llvm.version(), compiler.args());
    let objects = compile(&cpp, Objects::read(&out, command), &sources, &out)?;
    // All objects are linked, even without a reference in a program: linkers that read archives once, in order, read this
    // archive before the crates that need it.
    cpp.link_lib_modifier("+whole-archive");
    cpp.objects(objects);
    cpp.try_compile("spyre_cpp").map_err(|err| err.to_string())
}

/// The header that is compiled once for all sources.
const HEADER: &str = "cpp/Precompiled.h";

/// Compiles the sources whose objects are not current. Returns the objects of all.
fn compile(
    cpp: &cc::Build,
    mut objects: Objects,
    sources: &[PathBuf],
    out: &Path,
) -> Result<Vec<PathBuf>, String> {
    let header = out.join("Precompiled.pch");
    if objects.current(Path::new(HEADER)).is_none() {
        precompile(cpp, &header)?;
        objects.add(Path::new(HEADER), &header)?;
    }
    let stale = sources.iter().filter(|it| objects.current(it).is_none());
    let stale: Vec<&PathBuf> = stale.collect();
    let mut cpp = cpp.clone();
    cpp.flag("-include-pch").flag(&header);
    cpp.flag(LIST_FILES).files(&stale);
    let compiled = cpp.try_compile_intermediates();
    let compiled = compiled.map_err(|err| err.to_string())?;
    for (source, object) in stale.into_iter().zip(compiled) {
        objects.add(source, &object)?;
    }
    let mut current = sources.to_vec();
    current.push(HEADER.into());
    let compiled = objects.write(&current)?;
    Ok(compiled.into_iter().filter(|it| *it != header).collect())
}

/// Compiles the header that each source has read before its first line. Templates are instantiated there, and not in each source:
/// half of the time of most.
fn precompile(cpp: &cc::Build, output: &Path) -> Result<(), String> {
    let compiler = cpp.try_get_compiler().map_err(|err| err.to_string())?;
    let mut command = compiler.to_command();
    command.args([
        "-x",
        "c++-header",
        "-fpch-instantiate-templates",
        LIST_FILES,
    ]);
    let status = command.arg(HEADER).arg("-o").arg(output).status();
    match status.map_err(|err| err.to_string())?.success() {
        true => Ok(()),
        false => Err(format!("{HEADER} does not compile")),
    }
}

/// Runs the generators of a part of a dialect.
fn generate(
    llvm: &Llvm,
    (dialect, part): (&Dialect, &Part),
    root: &Path,
    out: &Path,
) -> Result<(), String> {
    let (prefix, suffix) = (dialect.prefix, part.suffix);
    // The interface generator omits interfaces that the main file includes.
    let file = match suffix {
        "Interfaces" => format!("{prefix}{suffix}.td"),
        _ => format!("{prefix}.td"),
    };
    let td = root.join(dialect.directory).join(file);
    let of = match suffix {
        "Dialect" => Some(format!("--dialect={}", dialect.name)),
        "Attrs" => Some(format!("--attrdefs-dialect={}", dialect.name)),
        "Types" => Some(format!("--typedefs-dialect={}", dialect.name)),
        _ => None,
    };
    for (generator, extension) in [(part.declarations, "h"), (part.definitions, "cpp")] {
        let arguments: Vec<&str> = [generator].into_iter().chain(of.as_deref()).collect();
        let output = out.join(format!("{prefix}{suffix}.{extension}.inc"));
        llvm.tblgen(&arguments, &td, root, &output)
            .map_err(|err| err.to_string())?;
        without_comments(&output)?;
    }
    Ok(())
}

/// Removes the comments of generated code. They are the descriptions of the `.td` files, so an edited description compiles no
/// object again.
fn without_comments(file: &Path) -> Result<(), String> {
    let failure = |err: std::io::Error| format!("{}: {err}", file.display());
    let text = std::fs::read_to_string(file).map_err(failure)?;
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    std::fs::write(file, code).map_err(failure)
}

fn cpp_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    Ok(files)
}

fn env(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}
