//! The subcommands: a spelling of the command line with one word for a translation.
//!
//! A subcommand has its file, directory or shape as an operand, and only the options of its translation. Its command
//! line becomes the command line of flags that has the same meaning, and that one is parsed and run: no translation has
//! two implementations, and no option two descriptions. The tables below have the subcommands; `has_option` of `main`
//! has the options of each translation.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, Resettable};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use spyre_front_ends::FRONT_ENDS;

use crate::front_ends::{DUMP, EXPORT, IMPORT};
use crate::{AGAINST, JSON, TO_BUNDLE, has_option};

/// The identifiers of the arguments that only subcommands have.
const OPERAND: &str = "operand";
const FRONT_END: &str = "front_end";

/// The front end of a file that names its format.
const ANY_FRONT_END: &str = "auto";

/// The front end of a dump of PyTorch Inductor.
const DUMPS: &str = "inductor-text";

/// The options of all tables that are not read from the command line of flags as they are.
const OUTPUT: &str = "output";
const DTYPE: &str = "dtype";

/// The subcommand that has subcommands.
const TREES: &str = "opspec";

/// A subcommand.
struct Subcommand {
    name: &'static str,
    about: &'static str,
    operand: Operand,
    translation: Translation,
}

/// The operand of a subcommand.
#[derive(Clone, Copy)]
enum Operand {
    /// A file to read: the operand of the command line of flags as well. Without it, standard input.
    File,
    /// The value of the translation's flag, with its name in the help.
    Value(&'static str, &'static str),
}

/// The translation of a subcommand, as the identifier of its flag.
#[derive(Clone, Copy)]
enum Translation {
    /// One.
    Flag(&'static str),
    /// One of several: the flag without a switch, and the switches, of which at most one is given.
    Switched {
        without: &'static str,
        switches: &'static [Switch],
    },
    /// From a file of the front end that the first operand names.
    Import,
    /// To a file of the front end that the first operand names.
    Export,
}

/// A switch of a subcommand to another translation.
struct Switch {
    /// The name, on the command line of the subcommand and as the identifier.
    name: &'static str,
    help: &'static str,
    /// The identifier of the translation's flag.
    flag: &'static str,
}

/// The subcommands, in the order of the help.
const SUBCOMMANDS: [Subcommand; 10] = [
    Subcommand {
        name: "bundle",
        about: "Write the bundle of a program: bundle.mlir and one sdsc_N.json per device operation",
        operand: Operand::File,
        translation: Translation::Flag("spyre_to_bundle"),
    },
    Subcommand {
        name: "verify",
        about: "Check the files of a bundle, or of all bundles of a program of host and device",
        operand: Operand::Value("DIR", "The directory of the bundle or of the program"),
        translation: Translation::Flag("verify_bundle"),
    },
    Subcommand {
        name: "prove",
        about: "Prove that the files of a bundle address what its program addresses",
        operand: Operand::Value("DIR", "The directory of the bundle"),
        translation: Translation::Flag("prove"),
    },
    Subcommand {
        name: "verify-ktir",
        about: "Check kernels in KTIR, for all cores and iterations",
        operand: Operand::File,
        translation: Translation::Flag("verify_ktir"),
    },
    Subcommand {
        name: "import",
        about: "Print the module of a program of a front end",
        operand: Operand::File,
        translation: Translation::Import,
    },
    Subcommand {
        name: "export",
        about: "Print the program of a module in the format of its front end",
        operand: Operand::File,
        translation: Translation::Export,
    },
    Subcommand {
        name: "explain-layout",
        about: "Explain where the elements of a tensor are in device memory",
        operand: Operand::Value(
            "SHAPE",
            "The shape of the tensor: `1024x4096`, `[1024, 4096]`, or `[]`",
        ),
        translation: Translation::Flag("explain_layout"),
    },
    Subcommand {
        name: "layout-svg",
        about: "Draw where the elements of a tensor are in device memory, in SVG",
        operand: Operand::Value(
            "SHAPE",
            "The shape of the tensor: `1024x4096`, `[1024, 4096]`, or `[]`",
        ),
        translation: Translation::Flag("emit_layout_svg"),
    },
    Subcommand {
        name: "ktir",
        about: "Write the kernel of a planned program in KTIR",
        operand: Operand::File,
        translation: Translation::Flag("spyre_to_ktir"),
    },
    Subcommand {
        name: "plan",
        about: "Print the plan of a program as JSON, or show it as a page or a timeline",
        operand: Operand::File,
        translation: Translation::Switched {
            without: "emit_plan_json",
            switches: &[
                Switch {
                    name: "html",
                    help: "Write a page of HTML instead of JSON",
                    flag: "emit_plan_html",
                },
                Switch {
                    name: "trace",
                    help: "Write a timeline for ui.perfetto.dev instead of JSON",
                    flag: "emit_plan_trace",
                },
            ],
        },
    },
];

/// The subcommands of `opspec`.
const OF_TREES: [Subcommand; 4] = [
    Subcommand {
        name: "import",
        about: "Print the module of a tree of OpSpecs",
        operand: Operand::File,
        translation: Translation::Switched {
            without: "import_opspec",
            switches: &[python("import_opspec_py")],
        },
    },
    Subcommand {
        name: "export",
        about: "Print the tree of OpSpecs of a module's bundle",
        operand: Operand::File,
        translation: Translation::Switched {
            without: "export_opspec",
            switches: &[python("export_opspec_py")],
        },
    },
    Subcommand {
        name: "bundle",
        about: "Write the bundle of a tree of OpSpecs, without passes",
        operand: Operand::File,
        translation: Translation::Switched {
            without: "opspec_to_bundle",
            switches: &[python("opspec_py_to_bundle")],
        },
    },
    Subcommand {
        name: "from-bundle",
        about: "Print a tree of OpSpecs that gives the files of a bundle",
        operand: Operand::Value("DIR", "The directory of the bundle"),
        translation: Translation::Switched {
            without: "bundle_to_opspec",
            switches: &[python("bundle_to_opspec_py")],
        },
    },
];

/// Returns the switch to trees in Python, with the flag of that translation.
const fn python(flag: &'static str) -> Switch {
    Switch {
        name: "python",
        help: "The tree is the Python source of a kernel instead of neutral JSON",
        flag,
    }
}

/// Returns the subcommands, with the options that the command line of flags has.
pub(crate) fn commands(options: &Command) -> Vec<Command> {
    let of_trees = Command::new(TREES)
        .about("Read and write trees of OpSpecs: import, export, bundle, from-bundle")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(OF_TREES.iter().map(|it| it.command(options)));
    let all = SUBCOMMANDS.iter().map(|it| it.command(options));
    all.chain([of_trees]).collect()
}

/// Returns the names of the subcommands, for messages.
pub(crate) fn names() -> String {
    let names = SUBCOMMANDS.iter().map(|it| it.name);
    names.chain([TREES]).collect::<Vec<_>>().join(", ")
}

/// Returns the command line of flags that has the meaning of a subcommand, with the name of the program; `None` if no
/// subcommand is given.
pub(crate) fn flags(matches: &ArgMatches, options: &Command) -> Option<Vec<OsString>> {
    let (mut name, mut matches) = matches.subcommand()?;
    let mut program = format!("{} {name}", options.get_name());
    let mut table = &SUBCOMMANDS[..];
    if name == TREES {
        (name, matches) = matches.subcommand().expect("clap requires one");
        program = format!("{program} {name}");
        table = &OF_TREES;
    }
    let subcommand = table.iter().find(|it| it.name == name);
    let subcommand = subcommand.expect("clap has the subcommands of the tables");
    let mut flags = vec![program.into()];
    flags.extend(subcommand.flags(matches, options));
    Some(flags)
}

impl Subcommand {
    /// Returns the subcommand as clap reads it.
    fn command(&self, options: &Command) -> Command {
        let mut command = Command::new(self.name).about(self.about);
        command = match self.translation {
            Translation::Flag(_) => command,
            Translation::Switched { switches, .. } => command.args(switches.iter().map(|switch| {
                let others = switches.iter().filter(|it| it.name != switch.name);
                let arg = Arg::new(switch.name).long(switch.name).help(switch.help);
                arg.action(ArgAction::SetTrue)
                    .conflicts_with_all(others.map(|it| it.name))
            })),
            Translation::Import => command.arg(front_end(&[
                (ANY_FRONT_END, "The front end that the file names"),
                (DUMPS, "A dump of PyTorch Inductor's scheduler"),
            ])),
            Translation::Export => command.arg(front_end(&[(
                ANY_FRONT_END,
                "The front end that the module has a program of",
            )])),
        };
        let operand = Arg::new(OPERAND).value_parser(value_parser!(OsString));
        command = command.arg(match self.operand {
            Operand::File => operand
                .value_name("FILE")
                .help("The file to read; `-`, like none, is standard input"),
            Operand::Value(name, help) => operand.value_name(name).help(help).required(true),
        });
        for option in self.options(options) {
            let arg = without_constraints(option);
            command = command.arg(match option.get_id() == AGAINST {
                // The second operand: no command has a bundle and no program.
                true => arg.long(Resettable::Reset).required(true),
                false => arg,
            });
        }
        if self.writes() {
            command = command.arg(self.output());
        }
        command
    }

    /// Returns the flags of all translations that the subcommand can have.
    fn translations(&self) -> Vec<&'static str> {
        match self.translation {
            Translation::Flag(flag) => vec![flag],
            Translation::Switched { without, switches } => {
                let flags = switches.iter().map(|switch| switch.flag);
                [without].into_iter().chain(flags).collect()
            }
            Translation::Import => vec![IMPORT],
            Translation::Export => vec![EXPORT],
        }
    }

    /// Returns the options of the subcommand among all options. The one for the output is a separate one,
    /// [`Self::output`].
    fn options<'o>(&self, options: &'o Command) -> impl Iterator<Item = &'o Arg> {
        let translations = self.translations();
        options.get_arguments().filter(move |option| {
            let id = option.get_id().as_str();
            let mut translations = translations.iter();
            id == JSON || translations.any(|it| has_option(it, id) == Some(true))
        })
    }

    /// Returns whether the translation writes a file or a directory.
    fn writes(&self) -> bool {
        let writes = |flag: &&str| !matches!(*flag, "verify_bundle" | "prove");
        self.translations().iter().all(writes)
    }

    /// Returns the option for the output, which bundles require.
    fn output(&self) -> Arg {
        let is_bundle = self.translations().iter().all(|it| TO_BUNDLE.contains(it));
        let output = Arg::new(OUTPUT).short('o').long(OUTPUT);
        let output = output.value_parser(value_parser!(PathBuf));
        match is_bundle {
            true => output.required(true).value_name("DIR").help(
                "The directory to write the bundle to. It appears complete or not at all, and replaces a bundle that is there",
            ),
            false => output
                .value_name("FILE")
                .help("The file to write; `-`, like none, is standard output"),
        }
    }

    /// Returns the flag of the translation that the command line selects.
    fn translation(&self, matches: &ArgMatches) -> &'static str {
        let front_end = || matches.get_one::<String>(FRONT_END).map(String::as_str);
        let of_table = |name: Option<&str>| FRONT_ENDS.iter().find(|it| Some(it.dialect) == name);
        match self.translation {
            Translation::Flag(flag) => flag,
            Translation::Switched { without, switches } => {
                let mut switches = switches.iter();
                let switch = switches.find(|switch| matches.get_flag(switch.name));
                switch.map_or(without, |switch| switch.flag)
            }
            Translation::Import if front_end() == Some(DUMPS) => DUMP,
            Translation::Import => of_table(front_end()).map_or(IMPORT, |it| it.import_flag),
            Translation::Export => of_table(front_end()).map_or(EXPORT, |it| it.export_flag),
        }
    }

    /// Returns the flags and the operand that have the meaning of a command line of the subcommand.
    fn flags(&self, matches: &ArgMatches, options: &Command) -> Vec<OsString> {
        let long = self.translation(matches).replace('_', "-");
        let operand = matches.get_one::<OsString>(OPERAND);
        let (translation, file) = match (self.operand, operand) {
            (Operand::Value(..), Some(value)) => (option_with_value(&long, value), None),
            (_, file) => (format!("--{long}").into(), file),
        };
        let mut flags = vec![translation];
        for option in self.options(options) {
            let id = option.get_id().as_str();
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue; // a default, which the flag has too
            }
            let long = option.get_long().expect("an option has a long name");
            match option.get_action().takes_values() {
                true => {
                    let values = matches.get_raw(id).into_iter().flatten();
                    flags.extend(values.map(|value| option_with_value(long, value)));
                }
                false => flags.push(format!("--{long}").into()),
            }
        }
        if self.writes()
            && let Some(path) = matches.get_one::<PathBuf>(OUTPUT)
        {
            flags.push(option_with_value(OUTPUT, path.as_os_str()));
        }
        if let Some(file) = file {
            flags.extend(["--".into(), file.clone()]);
        }
        flags
    }
}

/// Returns an option with its value: one argument, so that a value may start with a hyphen.
fn option_with_value(long: &str, value: &std::ffi::OsStr) -> OsString {
    let mut option = OsString::from(format!("--{long}="));
    option.push(value);
    option
}

/// Returns the operand that names a front end of the table, or one of `others`.
fn front_end(others: &[(&'static str, &'static str)]) -> Arg {
    let of_table = FRONT_ENDS
        .iter()
        .map(|it| PossibleValue::new(it.dialect).help(it.producer));
    let others = others
        .iter()
        .map(|(name, help)| PossibleValue::new(*name).help(*help));
    Arg::new(FRONT_END)
        .value_name("FRONTEND")
        .help("The front end")
        .required(true)
        .value_parser(PossibleValuesParser::new(of_table.chain(others)))
}

/// Returns an option of the command line of flags without the options that it requires or excludes: these are no
/// arguments of a subcommand, and the command line of flags is checked for them.
fn without_constraints(option: &Arg) -> Arg {
    let is_required = option.get_id() == DTYPE;
    option
        .clone()
        .requires(Resettable::Reset)
        .conflicts_with(Resettable::Reset)
        .group(Resettable::Reset)
        .help_heading(Resettable::Reset)
        .required(is_required)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::{Options, command};

    /// Returns the flags of a command line of a subcommand, after the name of the program.
    fn flags_of(arguments: &[&str]) -> Vec<String> {
        let line = [&["spyre-translate"], arguments].concat();
        let matches = command()
            .try_get_matches_from(line)
            .expect("a command line");
        let flags = flags(&matches, &Options::command()).expect("a subcommand");
        let texts = flags.into_iter().skip(1).map(|it| it.into_string());
        texts.map(|it| it.expect("text")).collect()
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn subcommands_have_the_meaning_of_flags() {
        let cases: [(&[&str], &[&str]); 15] = [
            (
                &["opspec", "from-bundle", "--python", "d"],
                &["--bundle-to-opspec-py=d"],
            ),
            (
                &["bundle", "a.mlir", "-o", "d", "--launch-params", "p.json"],
                &[
                    "--spyre-to-bundle",
                    "--launch-params=p.json",
                    "--output=d",
                    "--",
                    "a.mlir",
                ],
            ),
            (
                &["verify", "--allow", "a", "d", "--allow=b", "--json"],
                &["--verify-bundle=d", "--json", "--allow=a", "--allow=b"],
            ),
            (
                &["prove", "d", "a.mlir", "--json"],
                &["--prove=d", "--against=a.mlir", "--json"],
            ),
            (
                &["import", "inductor", "a.json", "--emit-bytecode"],
                &["--import-inductor", "--emit-bytecode", "--", "a.json"],
            ),
            (&["import", "auto", "-"], &["--import", "--", "-"]),
            (&["import", "inductor-text"], &["--import-inductor-text"]),
            (
                &["export", "uop", "a.mlir"],
                &["--export-uop", "--", "a.mlir"],
            ),
            (
                &["explain-layout", "64x64", "--dtype", "f16", "--order=1,-1"],
                &["--explain-layout=64x64", "--dtype=f16", "--order=1,-1"],
            ),
            (
                &["layout-svg", "[]", "--dtype=f16", "-o", "a.svg"],
                &["--emit-layout-svg=[]", "--dtype=f16", "--output=a.svg"],
            ),
            (
                &["verify-ktir", "--flavour", "upstream", "a.mlir"],
                &["--verify-ktir", "--flavour=upstream", "--", "a.mlir"],
            ),
            (&["plan", "--html"], &["--emit-plan-html"]),
            (
                &["plan", "--trace", "a.mlir"],
                &["--emit-plan-trace", "--", "a.mlir"],
            ),
            (
                &["opspec", "import", "--python", "--kernel", "k", "a.py"],
                &["--import-opspec-py", "--kernel=k", "--", "a.py"],
            ),
            (
                &["opspec", "bundle", "a.json", "-o", "d"],
                &["--opspec-to-bundle", "--output=d", "--", "a.json"],
            ),
        ];
        for (subcommand, expected) in cases {
            let mut flags = flags_of(subcommand);
            let mut expected = expected.to_vec();
            flags.sort_unstable();
            expected.sort_unstable();
            assert_eq!(flags, expected, "{subcommand:?}");
        }
    }

    #[test]
    fn a_file_may_have_the_name_of_a_subcommand() {
        for line in [
            &["spyre-translate", "--emit-plan-json", "--", "bundle"][..],
            &["spyre-translate", "--emit-plan-json", "./bundle"],
            &["spyre-translate", "--emit-plan-json", "bundle"],
            &["spyre-translate", "./bundle", "--emit-plan-json"],
        ] {
            let matches = command().try_get_matches_from(line).expect("flags");
            assert_eq!(matches.subcommand_name(), None, "{line:?}");
        }
    }

    #[test]
    fn subcommands_have_no_options_of_other_translations() {
        for line in [
            &["spyre-translate", "verify", "d", "-o", "e"][..],
            &[
                "spyre-translate",
                "bundle",
                "a.mlir",
                "-o",
                "d",
                "--dtype",
                "f16",
            ],
            &["spyre-translate", "bundle", "a.mlir"],
            &["spyre-translate", "explain-layout", "64x64"],
            &["spyre-translate", "export", "inductor-text", "a.mlir"],
            &["spyre-translate", "prove", "d"],
            &["spyre-translate", "opspec"],
            &["spyre-translate", "plan", "--html", "--trace"],
        ] {
            assert!(command().try_get_matches_from(line).is_err(), "{line:?}");
        }
    }
}
