//! `--import` and `--export`: programs of front ends, as modules and back; `--import-inductor-text`: dumps of PyTorch Inductor.
//!
//! Each front end of the table has options of its own as well, which read and write its format alone.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use spyre_front_ends::{FRONT_ENDS, FrontEnd, inductor_dump};

use crate::io::{Failure, Io};

/// Reads the format that the file names.
pub(crate) const IMPORT: &str = "import";

/// Writes the format of the front end that the module has a program of.
pub(crate) const EXPORT: &str = "export";

/// Reads a dump of PyTorch Inductor.
pub(crate) const DUMP: &str = "import-inductor-text";

/// A translation of a program.
#[derive(Debug, Clone, Copy)]
enum Translation {
    /// From a file of one front end, or of the one that the file's format names.
    Import(Option<&'static FrontEnd>),
    /// From a dump of PyTorch Inductor.
    Dump,
    /// To a file of one front end, or of the one that the module has a program of.
    Export(Option<&'static FrontEnd>),
}

/// Options of the translations of front ends' programs.
#[derive(Debug, Clone)]
pub(crate) struct FrontEndOptions {
    translation: Option<Translation>,
}

/// Returns whether a translation reads a program.
pub(crate) fn is_import(translation: &str) -> bool {
    let mut imports = FRONT_ENDS.iter().map(|it| it.import_flag);
    translation == IMPORT || translation == DUMP || imports.any(|flag| flag == translation)
}

impl Args for FrontEndOptions {
    fn augment_args(command: Command) -> Command {
        let flag = |name: &'static str, help: String| {
            Arg::new(name)
                .long(name)
                .help(help)
                .help_heading("Programs of front ends")
                .group("translation")
                .action(ArgAction::SetTrue)
        };
        let formats = FRONT_ENDS.map(|it| format!("`{}`", it.format)).join(" or ");
        let mut command = command
            .arg(flag(
                IMPORT,
                format!("Print the module of a program in the JSON of a front end: {formats}"),
            ))
            .arg(flag(
                EXPORT,
                "Print the program of a module in the JSON of its front end".to_owned(),
            ));
        for front_end in FRONT_ENDS {
            let FrontEnd {
                producer, format, ..
            } = front_end;
            command = command
                .arg(flag(
                    front_end.import_flag,
                    format!("Print the module of a program of {producer} in JSON (`{format}`)"),
                ))
                .arg(flag(
                    front_end.export_flag,
                    format!("Print the program of a module as {producer} exports it (`{format}`)"),
                ));
        }
        command.arg(flag(
            DUMP,
            "Print the module of the loop nests in a dump of PyTorch Inductor's scheduler (`ir_pre_fusion.txt`), to look at it"
                .to_owned(),
        ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FrontEndOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self { translation: None };
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut all = vec![
            (IMPORT, Translation::Import(None)),
            (EXPORT, Translation::Export(None)),
            (DUMP, Translation::Dump),
        ];
        for front_end in FRONT_ENDS {
            all.push((front_end.import_flag, Translation::Import(Some(front_end))));
            all.push((front_end.export_flag, Translation::Export(Some(front_end))));
        }
        let mut given = all.into_iter().filter(|(flag, _)| matches.get_flag(flag));
        self.translation = given.next().map(|(_, translation)| translation);
        Ok(())
    }
}

impl FrontEndOptions {
    /// Runs the translation of a program, if one is given. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        Some(match self.translation? {
            Translation::Import(Some(front_end)) => {
                io.import(|context, name, file| front_end.import(context, name, file))
            }
            Translation::Import(None) => io.import(spyre_front_ends::import),
            Translation::Dump => io.import(inductor_dump),
            Translation::Export(front_end) => {
                io.with_module(|module| {
                    let front_end = front_end.or_else(|| FrontEnd::of_module(module));
                    let front_end = front_end.ok_or_else(|| {
                    let dialects = FRONT_ENDS.map(|it| format!("'{}'", it.dialect)).join(" and ");
                    let reason = format!(
                        "the module has no program of a front end, whose dialects are {dialects}"
                    );
                    Failure::error(reason)
                })?;
                    io.write(front_end.export(module)?)
                })
            }
        })
    }
}
