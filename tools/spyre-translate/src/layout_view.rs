//! `--explain-layout` and `--emit-layout-svg`: the places of a tensor's elements in device memory, as text and as a picture.

mod options;

use std::io;
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Attribute;
use spyre_dialects::attr;
use spyre_layout::Layout;
use spyre_layout_view::{DrawError, ExplainError, Subject, SubjectError, draw, explain};
use thiserror::Error;

pub(crate) use options::LayoutOptions;

/// The reason why a layout was not shown.
#[derive(Debug, Error)]
pub(crate) enum ViewError {
    /// Neither a shape to explain nor one to draw.
    #[error("no shape is given")]
    NoShape,
    /// No element type.
    #[error("no element type is given; --dtype names it")]
    NoType,
    /// The attribute is not MLIR; its parser has reported why.
    #[error("cannot read the layout '{0}'")]
    Syntax(String),
    /// The attribute is something else.
    #[error("'{0}' is not a #spyre.layout")]
    NotALayout(String),
    /// The tensor has no place in device memory.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// The layout cannot be explained.
    #[error(transparent)]
    Explain(#[from] ExplainError),
    /// The tensor cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The result cannot be written.
    #[error("cannot write '{path}': {why}")]
    Io {
        /// The path that cannot be written.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
}

/// Explains or draws the layout that the options ask for, into `output` or to standard output.
///
/// # Errors
/// There is no such tensor, or the result cannot be written.
pub(crate) fn run(
    context: &Context,
    options: &LayoutOptions,
    output: Option<&Path>,
) -> Result<(), ViewError> {
    let text = view(context, options)?;
    let failure = |path: &Path| {
        let path = path.to_owned();
        |why| ViewError::Io { path, why }
    };
    match output {
        Some(path) => spyre_files::replace(path, text.as_bytes()).map_err(failure(path)),
        None => spyre_files::print(&text).map_err(failure(Path::new("-"))),
    }
}

/// Returns the text or the drawing.
fn view(context: &Context, options: &LayoutOptions) -> Result<String, ViewError> {
    let shape = options
        .explain_layout
        .as_ref()
        .or(options.emit_layout_svg.as_ref());
    let shape = &shape.ok_or(ViewError::NoShape)?.0;
    let element = options.dtype.ok_or(ViewError::NoType)?;
    let layout = options
        .layout
        .as_deref()
        .map(|text| parse_layout(context, text))
        .transpose()?;
    let subject = Subject::new(shape, element, &options.request(layout))?;
    let attribute = attr::layout_attribute(context, subject.tensor.layout()).to_string();
    if options.explain_layout.is_some() {
        Ok(explain(&subject, &attribute)?)
    } else {
        Ok(draw(&subject, &attribute)?)
    }
}

fn parse_layout(context: &Context, text: &str) -> Result<Layout, ViewError> {
    let attribute =
        Attribute::parse(context, text).ok_or_else(|| ViewError::Syntax(text.to_owned()))?;
    attr::layout(attribute).ok_or_else(|| ViewError::NotALayout(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;
    use crate::Options;

    fn context() -> Context {
        let context = spyre_all::context();
        context.load_all_available_dialects();
        context
    }

    fn view_of(context: &Context, words: &[&str]) -> Result<String, String> {
        let words = ["spyre-translate"].iter().chain(words);
        let options = Options::try_parse_from(words).map_err(|why| why.to_string())?;
        view(context, &options.layout).map_err(|why| why.to_string())
    }

    /// Type, shape, order, device size and stride map of default layouts (middle-end specification, section 2.2).
    const TABLE: &str = "\
f16 | [] | [] | [1, 64] | [-1, -1]
f16 | [60] | [0] | [1, 64] | [64, 1]
f16 | [120] | [0] | [2, 64] | [64, 1]
f16 | [512, 240] | [0, 1] | [4, 512, 64] | [64, 240, 1]
f16 | [1000, 200] | [0, 1] | [4, 1000, 64] | [64, 200, 1]
f16 | [1024, 256] | [0, 1] | [4, 1024, 64] | [64, 256, 1]
f16 | [1024, 4096] | [0, 1] | [64, 1024, 64] | [64, 4096, 1]
f16 | [512, 1024] | [0, 1] | [16, 512, 64] | [64, 1024, 1]
f16 | [512, 8, 256] | [0, 1, 2] | [8, 4, 512, 64] | [256, 64, 2048, 1]
f16 | [5, 100, 150] | [0, 1, 2] | [100, 3, 5, 64] | [150, 64, 15000, 1]
f16 | [2, 3, 4, 130] | [0, 1, 2, 3] | [3, 4, 3, 2, 64] | [520, 130, 64, 1560, 1]
f16 | [1, 32, 512, 128] | [0, 1, 2, 3] | [32, 512, 2, 1, 64] | [65536, 128, 64, -1, 1]
f16 | [2, 3, 4, 5, 70] | [0, 1, 2, 3, 4] | [3, 4, 5, 2, 2, 64] | [1400, 350, 70, 64, 4200, 1]
f16 | [2, 2, 2, 2, 2, 70] | [0, 1, 2, 3, 4, 5] | [2, 2, 2, 2, 2, 2, 64] | [560, 280, 140, 70, 64, 1120, 1]
f16 | [3, 1, 128] | [0, 1, 2] | [1, 2, 3, 64] | [-1, 64, 128, 1]
f32 | [512, 256] | [0, 1] | [8, 512, 32] | [32, 256, 1]
i8 | [512, 256] | [0, 1] | [2, 512, 128] | [128, 256, 1]
i64 | [7, 33] | [0, 1] | [2, 7, 32] | [32, 33, 1]
f16 | [512, 256] | [1, 0] | [8, 256, 64] | [16384, 1, 256]
f16 | [512, 8, 256] | [0, 2, 1] | [256, 1, 512, 64] | [1, 16384, 2048, 256]
f16 | [512, 8, 256] | [1, 2, 0] | [256, 8, 8, 64] | [1, 131072, 256, 2048]
f16 | [5, 100, 150] | [1, 0, 2] | [5, 3, 100, 64] | [15000, 64, 150, 1]
f16 | [512, 256] | [0, 1, -1] | [256, 1, 512, 64] | [1, -1, 256, -1]";

    #[test]
    fn the_table_of_the_specification_and_back() {
        let context = context();
        for row in TABLE.lines() {
            let cells: Vec<&str> = row.split(" | ").collect();
            let [dtype, shape, order, size, stride_map] = cells[..] else {
                panic!("{row}");
            };
            let tensor = ["--explain-layout", shape, "--dtype", dtype];
            let forth = [&tensor[..], &["--order", order]].concat();
            let text = view_of(&context, &forth).expect("a text");
            let line = |name: &str| {
                let line = text
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .expect("the line");
                line.trim_start().to_owned()
            };
            assert_eq!(line("device size"), size, "{shape}");
            assert_eq!(line("stride map"), stride_map, "{shape}");

            // The attribute that is printed says the same.
            let layout = line("layout");
            let again = view_of(&context, &[&tensor[..], &["--layout", &layout]].concat());
            assert_eq!(again.as_ref(), Ok(&text));
            // So do device size and stride map, except for dimensions of extent 1, which leave no trace in them.
            let back = [&tensor[..], &["--size", size, "--stride-map", stride_map]].concat();
            let back = view_of(&context, &back).expect("a text");
            let without_layout = |text: &str| -> Vec<String> {
                text.lines()
                    .filter(|line| !line.starts_with("layout"))
                    .map(str::to_owned)
                    .collect()
            };
            if !shape.contains("1, 32") && !shape.contains("3, 1") {
                assert_eq!(back, text);
            }
            assert_eq!(without_layout(&back), without_layout(&text));
        }
        assert_eq!(TABLE.lines().count(), 23);
    }

    /// Draws a list of numbers, as options have it, sensible or not.
    fn list(separator: &'static str) -> impl Strategy<Value = String> {
        let number = prop_oneof![
            20 => (1i64..6).prop_map(|number| number.to_string()),
            10 => (0i64..5000).prop_map(|number| number.to_string()),
            1 => prop::sample::select(vec!["-1", "", "x", "?", "9223372036854775807", "9223372036854775808", "-9223372036854775808"])
                .prop_map(str::to_owned),
            1 => any::<i64>().prop_map(|number| number.to_string()),
        ];
        (prop::collection::vec(number, 0..8), 0u8..12).prop_map(move |(numbers, brackets)| {
            let list = numbers.join(separator);
            match brackets {
                0 => format!("[{list}]"),
                1 => format!("[{list}"),
                _ => list,
            }
        })
    }

    #[test]
    fn no_command_line_causes_a_panic() {
        let context = context();
        let types = prop::sample::select(vec![
            "f16",
            "f32",
            "i8",
            "i64",
            "bool",
            "f64",
            "complex64",
            "nonsense",
        ]);
        let order = (1usize..6).prop_flat_map(|rank| {
            let dims: Vec<usize> = (0..rank).collect();
            let join = |dims: Vec<usize>| {
                dims.iter()
                    .map(usize::to_string)
                    .collect::<Vec<_>>()
                    .join(",")
            };
            Just(dims).prop_shuffle().prop_map(join)
        });
        let order = prop_oneof![order, list(",")].boxed();
        let maybe = |list| prop::option::weighted(0.15, list);
        let lines = (
            any::<bool>(),
            list("x"),
            types,
            (
                maybe(order),
                maybe(list(",").boxed()),
                maybe(list(",").boxed()),
                maybe(list(",").boxed()),
            ),
        );
        let (mut shown, mut refused) = (0, 0);
        let mut runner = TestRunner::new(Config {
            failure_persistence: None,
            ..Config::with_cases(2000)
        });
        for _ in 0..2000 {
            let line = lines.new_tree(&mut runner).expect("a line").current();
            let (draws, shape, dtype, (order, strides, size, stride_map)) = line;
            let mode = if draws {
                "--emit-layout-svg"
            } else {
                "--explain-layout"
            };
            let mut words = vec![
                mode.to_owned(),
                shape,
                "--dtype".to_owned(),
                dtype.to_owned(),
            ];
            let lists = [
                ("--order", order),
                ("--strides", strides),
                ("--size", size),
                ("--stride-map", stride_map),
            ];
            for (option, list) in lists {
                words.extend(list.map(|list| format!("{option}={list}")));
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match view_of(&context, &words) {
                Ok(text) => {
                    assert!(text.ends_with('\n'));
                    shown += 1;
                }
                Err(why) => {
                    assert!(!why.is_empty());
                    refused += 1;
                }
            }
        }
        // The samples are neither all good nor all bad.
        assert!(
            shown > 200 && refused > 200,
            "{shown} shown, {refused} refused"
        );
    }
}
