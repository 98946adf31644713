//! The table of the subcommands. `main` runs a row, and the help prints it, so a subcommand has both.

use std::ffi::OsStr;

use crate::{
    demo, dist, docs, draw, fuzz, modules, new, op_names, pages, python, screenshots, setup, site,
    testing, vscode, words,
};
use spyre_checkout::args::Args;
use spyre_checkout::commands::start;
use spyre_checkout::error::Error;
use spyre_checkout::project::{Profile, Project};

/// A subcommand.
pub(crate) struct Command {
    /// The name.
    pub name: &'static str,
    /// The arguments, after the name.
    pub arguments: &'static str,
    /// The summary, in a line.
    pub summary: &'static str,
    /// The rest of its help: its options and its requirements.
    pub details: &'static str,
    /// Reads its arguments and runs it.
    pub run: fn(&Project, Args) -> Result<(), Error>,
}

/// Returns the subcommand of a name; `None` if there is none.
pub(crate) fn find(name: &OsStr) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| name == command.name)
}

/// The packages with the commands that only developers need. `xtask` builds them when they run.
pub(crate) const CONFORMANCE: &str = "spyre-conformance";
pub(crate) const BENCH: &str = "spyre-bench";
const MUTANTS: &str = "spyre-mutants";
pub(crate) const TABLEGEN: &str = "spyre-tablegen";

/// The subcommands, in the order in which one needs them.
pub(crate) static COMMANDS: [Command; 32] = [
    Command {
        name: "setup",
        arguments: "",
        summary: "install the LLVM packages that the build needs, or list the missing parts",
        details: "\
On Debian and Ubuntu it calls apt-get, with sudo where that is needed. On other systems, and where MLIR_SYS_220_PREFIX names
another LLVM, it installs no package and lists the missing parts.
",
        run: |project, args| {
            args.finish()?;
            setup::setup(project)
        },
    },
    Command {
        name: "demo",
        arguments: "",
        summary: "build, then lower the example program from tensors to the SDSC bundle, print each level, and run it",
        details: "\
The program is examples/add_mul.mlir. It builds spyre-opt, spyre-translate and spyre-run alone, and writes to target/demo: the bundle,
a page with the plan, and the program on larger tensors, whose plans with and without tiles it compares.
",
        run: |project, args| {
            args.finish()?;
            demo::demo(project)
        },
    },
    Command {
        name: "new",
        arguments: "DIR [--name NAME] [--git ADDRESS [--rev COMMIT]]",
        summary: "make a crate outside of the repository, with a program, a test and the configuration of its build",
        details: "\
The crate builds a program with spyre_graph, tiles it and runs it; its README.md describes its files. DIR does not exist or is
empty. docs/FrontEnds.md goes on from there.

  --name NAME      the name of the crate; the default is the last part of DIR
  --git ADDRESS    take the crates of this project from a repository of git; the default is this checkout, by its path
  --rev COMMIT     the commit of that repository
",
        run: |project, mut args| {
            let options = new::Options {
                name: args.value("--name")?,
                git: args.value("--git")?,
                rev: args.value("--rev")?,
            };
            match args.rest().as_slice() {
                [directory] => new::new(project, directory.as_ref(), &options),
                _ => Err(Error::Usage("new: one DIR is needed".to_owned())),
            }
        },
    },
    Command {
        name: "test",
        arguments: "[ARGS]",
        summary: "build everything, run cargo test and LLVM's lit",
        details: "ARGS go to `cargo test --workspace`: `cargo xtask test --release`, `cargo xtask test window`.\n",
        run: |project, args| testing::test(project, &args.rest()),
    },
    Command {
        name: "ci",
        arguments: "",
        summary: "run every check that has to pass before a merge",
        details: "\
Commit messages, formatting, features of dependencies, lints, tests (also the tests that are too slow for `cargo test`),
documentation, generated files, the table of plans, pages and the site in a browser, which is installed where possible, and the
bundles of all programs by the rules of the contract.
With SPYRE_GOLDEN=DIR in the environment, conformance with the reference data in DIR.
",
        run: |project, args| {
            args.finish()?;
            testing::ci(project)
        },
    },
    Command {
        name: "dist",
        arguments: "[--out DIR] [--profile dev|release] [--from DIR] [--skip-wheel] [--check]",
        summary: "make the archive of a release, which runs where it is unpacked",
        details: "\
spyre-mlir-VERSION-ARCH.tar.gz has the tools and their libraries, the plugin, and the dialects for programs in C++, with a package
for CMake. Next to it are the Python wheel, the crates without MLIR, the list of components (CycloneDX), and SHA256SUMS. It needs
patchelf, and with --check cmake and make, which it installs where the system has apt-get; the wheel needs pip.

  --out DIR             write into DIR; the default is target/dist
  --profile PROFILE     build with this profile of cargo; the default is release
  --from DIR            take the tools and libspyre_plugin.a from DIR, with its build folder, without a build
  --skip-wheel          build no wheel
  --check               unpack the archive elsewhere, run the tools, load the plugin into mlir-opt, and link examples/cpp
",
        run: |project, mut args| {
            let profile: Option<String> = args.value("--profile")?;
            let profile = match profile.as_deref() {
                None | Some("release") => Profile::Release,
                Some("dev") => Profile::Debug,
                Some(other) => {
                    let message = format!("--profile: dev or release, not {other:?}");
                    return Err(Error::Usage(message));
                }
            };
            let options = dist::Options {
                out: args.value("--out")?,
                profile,
                from: args.value("--from")?,
                wheel: !args.switch("--skip-wheel"),
                check: args.switch("--check"),
            };
            args.finish()?;
            dist::dist(project, &options)
        },
    },
    Command {
        name: "vscode",
        arguments: "[--out DIR]",
        summary: "test and pack the extension for Visual Studio Code",
        details: "\
It needs Node 20 or later with npm, and the registry of npm. The tests run the tools of `cargo build`, where they are built.

  --out DIR   write spyre-mlir-VERSION.vsix into DIR; the default is target/dist
",
        run: |project, mut args| {
            let out = args.value("--out")?;
            args.finish()?;
            vscode::vscode(project, out)
        },
    },
    Command {
        name: "docs",
        arguments: "[--check]",
        summary: "write the generated pages under docs/",
        details: "  --check   write no file, and fail when a page differs from its generated text\n",
        run: |project, mut args| {
            let check = args.switch("--check");
            args.finish()?;
            docs::docs(project, check)
        },
    },
    Command {
        name: "python",
        arguments: "",
        summary: "build the native module of the Python package, and run the package's tests",
        details: "\
It needs PyPI the first time: the packages of python/requirements-test.txt go to target/python-environment. The module goes to
python/spyre_mlir, where PYTHONPATH=python finds the package. Tests of a front end are skipped where it is not installed.
",
        run: |project, args| {
            args.finish()?;
            python::test(project)
        },
    },
    Command {
        name: "wheel",
        arguments: "[--out DIR] [--debug]",
        summary: "build the wheel of the Python package, with LLVM and MLIR in it",
        details: "\
It needs PyPI the first time: the packages of python/requirements-wheel.txt go to target/wheel-environment.

  --out DIR   the folder of the wheel; the default is target/wheel
  --debug     without optimisation of the build, for tests of the wheel
",
        run: |project, mut args| {
            let out = args.value("--out")?;
            let debug = args.switch("--debug");
            args.finish()?;
            let out = out.unwrap_or_else(|| project.target.join("wheel"));
            let profile = if debug { Profile::Debug } else { Profile::Release };
            python::wheel(project, &out, profile)
        },
    },
    Command {
        name: "site",
        arguments: "[--out DIR] [--check] [--install]",
        summary: "build the documentation as a site, with search and the reference of the Python package",
        details: "\
It needs PyPI the first time: MkDocs and its packages go to target/site-environment, with the versions of
tools/xtask/site/requirements.txt. The site needs no network and no server. A link that leads nowhere fails.

  --out DIR   the folder of the site; the default is target/site
  --check     open every page in a browser without a window, and search
  --install   install Debian's chromium if there is no browser and the system has apt-get
",
        run: |project, mut args| {
            let options = site::Options {
                out: args.value("--out")?,
                check: args.switch("--check"),
                install: args.switch("--install"),
            };
            args.finish()?;
            site::site(project, &options)
        },
    },
    Command {
        name: "ods",
        arguments: "[--check]",
        summary: "write the tables of operations in crates/spyre-ods, from the .td files",
        details: "  --check   write no file, and fail when a table differs from the .td files\n",
        run: |project, args| start(project, TABLEGEN, "ods", &args.rest()),
    },
    Command {
        name: "modules",
        arguments: "[--write]",
        summary: "look for circles of modules in the crates",
        details: "\
Fails if more than two modules of a crate use each other and are no part of a circle in tools/xtask/modules.txt, with a
line for each use; or if a circle there is smaller: the circles only shrink.
  --write   write the smaller circles
",
        run: |project, mut args| {
            let write = args.switch("--write");
            args.finish()?;
            modules::modules(project, write)
        },
    },
    Command {
        name: "op-names",
        arguments: "[--write]",
        summary: "look for names of operations in strings, where the constants of crates/spyre-ods are to be used",
        details: "\
Fails if a file has more of them than its entry in tools/xtask/op-names.txt, or fewer: the entries only shrink.
  --write   write the smaller entries
",
        run: |project, mut args| {
            let write = args.switch("--write");
            args.finish()?;
            op_names::op_names(project, write)
        },
    },
    Command {
        name: "conformance",
        arguments: "--data DIR [--write]",
        summary: "compare with bundles of the reference compiler, the published table, and programs of front ends",
        details: "\
  --data DIR   the reference data: DIR/bundle/*/expected, DIR/interface-examples/*.mlir, DIR/linalg/{jax,onnx}/*,
               DIR/inductor/*, DIR/uop/*.json, DIR/contract/{opfuncs,sdscbundle-schema}.json
  --write      write the outcome of each program in DIR/linalg to test/linalg-programs.txt
",
        run: |project, args| start(project, CONFORMANCE, "conformance", &args.rest()),
    },
    Command {
        name: "contract",
        arguments: "[--schema FILE] [--cases N] [PATH...]",
        summary: "check the bundles of all programs by the rules of the contract, and print the findings by rule",
        details: "\
The programs are the ones in examples and test/Integration, or in PATHs, and the first ones of each generator. Bundles are built by
--spyre-pipeline with and without --spyre-plan, by the pipelines in RUN lines, and with the program split between host and device.
Any finding fails, unless an exception of the program's target allows it or it is a known warning. It takes less than a minute.

  --schema FILE   check each sdsc_*.json against this JSON schema as well, such as the published one
  --cases N       number of programs of each generator; the default is 100
",
        run: |project, args| start(project, CONFORMANCE, "contract", &args.rest()),
    },
    Command {
        name: "oracle",
        arguments: "--ktir-cpu DIR [--python PROGRAM] [--generated N] [--seed S] [--first F] [PROGRAM...]",
        summary: "execute kernels in KTIR with an interpreter of others, and compare with the CPU",
        details: "\
The programs are those in examples/ktir, or the ones of these names: untiled, with the tiles of their hints, and planned without
hints, each on 1, 4 and 32 cores. The results are a table with the largest error of each. With --generated, they are drawn
programs, whose kernels are compared with the CPU and the simulated card; failing ones go to target/oracle/failures.
docs/Ktir.md has the interpreter.

  --ktir-cpu DIR      a checkout of the interpreter ktir-cpu
  --python PROGRAM    Python 3.12 with NumPy; the default is python3
  --generated N       number of drawn programs
  --seed S            the seed of the random numbers; the default is 1
  --first F           the number of the first drawn program
  --threads N         number of drawn programs that run at a time
",
        run: |project, args| start(project, CONFORMANCE, "oracle", &args.rest()),
    },
    Command {
        name: "bench",
        arguments: "[--runs K] [--max N]",
        summary: "measure passes against stock mlir-opt, bundles, and running programs (release build)",
        details: "\
The cost of the passes and how it grows with the program; the cost of a bundle against writing its files; running programs
against NumPy.

  --runs K   number of repetitions of each measurement
  --max N    leave out programs with more than N operations
",
        run: |project, args| start(project, BENCH, "bench", &args.rest()),
    },
    Command {
        name: "draw",
        arguments: "[--seed S] [--comments N] [--diagnostics N] [--pages N]",
        summary: "print comments, diagnostics and pages at random, to be read by others than their author",
        details: "\
  --seed S          the seed, 1 by default: the same texts for the same tree
  --comments N      number of comments, 60 by default
  --diagnostics N   number of texts of diagnostics, 30 by default
  --pages N         number of pages, 5 by default
",
        run: |project, mut args| {
            let options = draw::Options {
                seed: args.value("--seed")?.unwrap_or(1),
                comments: args.value("--comments")?.unwrap_or(60),
                diagnostics: args.value("--diagnostics")?.unwrap_or(30),
                pages: args.value("--pages")?.unwrap_or(5),
            };
            args.finish()?;
            draw::draw(project, options)
        },
    },
    Command {
        name: "words",
        arguments: "",
        summary: "count the words in comments and pages that make text hard to follow",
        details: "The words and their limits are the table of CONTRIBUTING.md. Fails if a word is above its limit.\n",
        run: |project, args| {
            args.finish()?;
            words::words(project)
        },
    },
    Command {
        name: "accuracy",
        arguments: "[--all | --stride N] [--op NAME]",
        summary: "measure the errors of the formulas that --uop-decompose writes for functions of floats",
        details: "\
Compiles each function for this machine, runs it on all cores, and compares with 64-bit floats. Fails if an error is above its
limit.
  --all        all 2^32 floats of 32 bits: minutes
  --stride N   every N-th float; the default is 4099
  --op NAME    one of exp2, log2, sin, sqrt, pow
",
        run: |project, args| start(project, BENCH, "accuracy", &args.rest()),
    },
    Command {
        name: "fuzz",
        arguments: "[shapes|graphs|linalg|uop|card|proofs] [ARGS]",
        summary: "run random programs at every level and compare (release build)",
        details: "\
ARGS go to spyre-fuzz, whose --help lists them all. Failing programs are written to target/fuzz, or to the folder of --output.

  shapes, graphs, linalg, uop   another generator
  card                          programs of a generator, with their parts for the card
  proofs                        programs of all generators, run and proved
  --cases N                     number of programs
  --seed S                      the seed of the random numbers
",
        run: |project, args| fuzz::fuzz(project, &args.rest()),
    },
    Command {
        name: "fuzz-input",
        arguments: "[--seconds N] [--cases N] [--seed S]",
        summary: "look for crashes of the tools on damaged inputs",
        details: "\
  --seconds N   duration
  --cases N     number of inputs in each thread; reproducible, unlike a duration
  --seed S      the seed of the random numbers
",
        run: |project, args| start(project, MUTANTS, "fuzz-input", &args.rest()),
    },
    Command {
        name: "models",
        arguments: "[--write] [--debug] [NAME...]",
        summary: "compile the models of examples/models, run them and print a table (release build)",
        details: "\
The models run on the simulated card, and their results are compared with the CPU. NAMEs select models.

  --write   write the table to docs/Testing.md
  --debug   use the build of `cargo build`
",
        run: |project, args| start(project, BENCH, "models", &args.rest()),
    },
    Command {
        name: "zoo",
        arguments: "[--write] [--debug] [--keep] [--limit SECONDS] [--python PATH] [--spyre-run PATH] [MODEL...]",
        summary: "convert and run models of wheels on PyPI, and compare with their runtimes (release build)",
        details: "\
It needs PyPI, Python 3.12, and some gigabytes in target/zoo. Models run on the CPU, on the simulated card, and on this card with
16-bit floats. A model that does not run is a row with the reason, and no error. MODELs select models; the others keep the rows of
the last run.

  --write            write the table to docs/Testing.md
  --debug            use the build of `cargo build`
  --keep             reuse the records in target/zoo that the same tool wrote
  --limit SECONDS    time limit of a run; the default is 300
  --python PATH      the Python of the environments; the default is the first 3.12 that runs: python3.12, python3, or pyenv's
  --spyre-run PATH   use this binary, without a build
",
        run: |project, args| start(project, BENCH, "zoo", &args.rest()),
    },
    Command {
        name: "plan-table",
        arguments: "[--write] [--check]",
        summary: "plan the graphs of examples/plans, and print the traffic and the costs of the plans",
        details: "\
The plans are without tiles, with hints, and by --spyre-plan. Fails if the automatic plan is worse than one of the others.
  --write   write the table to docs/Planning.md
  --check   fail if the table in that page differs
",
        run: |project, args| start(project, BENCH, "plan-table", &args.rest()),
    },
    Command {
        name: "proofs",
        arguments: "[--write]",
        summary: "prove the plans and bundles of all programs, and measure the time of proofs",
        details: "\
Plans each program of examples and test/Integration, proves the plan against its source and the files against the plan, and prints
the claims that do not hold, the reasons of those without an answer, and the time of proofs. Fails if a claim does not hold, a
proof has no report, or more than 3 % of the claims have no answer.
  --write   write the figures to docs/Proofs.md
",
        run: |project, args| start(project, BENCH, "proofs", &args.rest()),
    },
    Command {
        name: "pages",
        arguments: "[--install]",
        summary: "check the pages of plans in a browser without a window",
        details: "  --install   install Debian's chromium if there is no browser and the system has apt-get\n",
        run: |project, mut args| {
            let install = args.switch("--install");
            args.finish()?;
            project.build_workspace()?;
            pages::pages(project, install)
        },
    },
    Command {
        name: "screenshots",
        arguments: "[--install]",
        summary: "take the pictures of plans, the site and a notebook in docs/images",
        details: "\
It builds the Python package and the site, and needs PyPI the first time: the packages of tools/xtask/screenshots/requirements.txt
go to target/screenshots-environment. The times in the pictures, and the letters, differ from machine to machine.

  --install   install Debian's chromium if there is no browser and the system has apt-get
",
        run: |project, mut args| {
            let install = args.switch("--install");
            args.finish()?;
            screenshots::screenshots(project, install)
        },
    },
    Command {
        name: "mutants",
        arguments: "[NAME...]",
        summary: "apply known mistakes to a copy of the tree and expect the tests to find them",
        details: "\
The mistakes are the patches in test/mutants, all or the named ones. Each names the tests that must fail. The copy is
target/mutants. Without a NAME, `cargo xtask slips` follows.
",
        run: |project, args| start(project, MUTANTS, "mutants", &args.rest()),
    },
    Command {
        name: "slips",
        arguments: "",
        summary: "drop statements of the compiler in a copy of the tree, one at a time, and expect an error for each",
        details: "\
The statements are the lines of test/slips/sites.txt. The command prints how many of them programs of test/Integration
reach, and fails for one that slips without an error. The copy is target/mutants. It takes minutes.
",
        run: |project, args| start(project, MUTANTS, "slips", &args.rest()),
    },
    Command {
        name: "patches",
        arguments: "[NAME...]",
        summary: "apply the changes of test/patches to a copy of the tree and expect their tests to pass",
        details: "\
The changes add an operation and a pass, in the steps of ARCHITECTURE.md; all of them, or the named ones. The copy is
target/mutants.
",
        run: |project, args| start(project, MUTANTS, "patches", &args.rest()),
    },
];
