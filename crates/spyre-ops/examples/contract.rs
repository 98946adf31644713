//! Compares the rows of `spyre_ops::contract` with a copy of the published table of OpFuncs, field by field.
//!
//! `cargo run -p spyre-ops --example contract -- FILE`; fails if a field differs, or only one of the two has a row. The file is
//! JSON with the `version` of the specification, `opfuncs`, one object for each row, and `not_in_table`, one for each OpFunc that
//! the reference compiler writes and the table lacks. The rules of sticks and the categories have other names here; the tables
//! [`CATEGORIES`] and [`STICKS`] map them.

use std::fmt;
use std::process::ExitCode;

use serde::Deserialize;
use spyre_ops::contract::{Category, PUBLISHED, Published, Sticks, VERSION};

/// The categories by their published names.
const CATEGORIES: [(&str, Category); 9] = [
    ("Matmul", Category::Product),
    ("Convolution", Category::Convolution),
    ("Broadcast", Category::Broadcast),
    ("Unary", Category::Unary),
    ("Reduction", Category::Reduction),
    ("Pooling", Category::Pooling),
    ("Scan", Category::Scan),
    ("Quantization", Category::Quantization),
    ("Stick Altering Data Shuffle", Category::StickAltering),
];

/// The rules of sticks by their names in the file. A change of format has two rules here: sticks are packed along the dimension
/// itself, or together with another dimension.
const STICKS: [(&str, Sticks); 20] = [
    ("matmul_fp16", Sticks::Product),
    ("conv_fp16", Sticks::Product),
    ("matmul_8bit", Sticks::ProductOfEightBits),
    ("conv_8bit", Sticks::ProductOfEightBits),
    ("matmul_int4", Sticks::ProductOfFourBits),
    ("conv_int4", Sticks::ProductOfFourBits),
    ("elementwise", Sticks::Common),
    ("reduction_stick", Sticks::ReducedAlone),
    ("reduction_nonstick", Sticks::NotReduced),
    ("layernorm", Sticks::Normalised),
    ("pooling", Sticks::NoWindow),
    ("scan", Sticks::NotSearched),
    ("up", Sticks::SameDimension),
    ("down_fp32", Sticks::SameDimension),
    ("down_ch", Sticks::SameDimension),
    ("down_mb8", Sticks::Interleaved),
    ("down_wt8", Sticks::Interleaved),
    ("down_wt4", Sticks::Interleaved),
    ("down_mb4", Sticks::Interleaved),
    ("restickify", Sticks::OneEach),
];

/// The names of the columns of [`Published::facts`].
const FIELDS: [&str; 8] = [
    "opfunc",
    "category",
    "inputs",
    "outputs",
    "same_format",
    "constants",
    "stick_rule",
    "ex_unit",
];

/// The words in the status of an entry that no bundle has: an operation of the front end, one that no longer exists, a
/// form of one that has a row.
const NOT_WRITTEN: [&str; 4] = ["front end only", "gone", "nobody", "KTIR path only"];

/// A copy of the published table.
#[derive(Debug, Deserialize)]
struct Table {
    version: String,
    opfuncs: Vec<Row>,
    not_in_table: Vec<Other>,
}

/// A row of it.
#[derive(Debug, Deserialize)]
struct Row {
    opfunc: String,
    category: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    same_format: bool,
    constants: Vec<Constant>,
    stick_rule: String,
    ex_unit: String,
}

/// A constant of a row.
#[derive(Debug, Deserialize)]
struct Constant {
    name: String,
}

/// An OpFunc that the table lacks.
#[derive(Debug, Deserialize)]
struct Other {
    opfunc: String,
    status: String,
}

/// A difference between the file and the rows here.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    row: String,
    field: &'static str,
    published: String,
    here: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            field,
            published,
            here,
        } = self;
        write!(
            f,
            "{row}: {field} is published as '{published}', and is '{here}' here"
        )
    }
}

impl Row {
    /// Returns the columns as [`Published::facts`] has them. A name that the tables of names lack stays as it is, and differs.
    fn facts(&self) -> [String; 8] {
        let category = CATEGORIES.iter().find(|(name, _)| *name == self.category);
        let sticks = STICKS.iter().find(|(name, _)| *name == self.stick_rule);
        let constants: Vec<&str> = self.constants.iter().map(|one| one.name.as_str()).collect();
        [
            self.opfunc.clone(),
            category.map_or_else(
                || self.category.clone(),
                |(_, category_value)| format!("{category_value:?}"),
            ),
            self.inputs.join(" "),
            self.outputs.join(" "),
            if self.same_format { "one" } else { "own" }.to_owned(),
            if constants.is_empty() {
                "-".to_owned()
            } else {
                constants.join(" ")
            },
            sticks.map_or_else(
                || self.stick_rule.clone(),
                |(_, sticks_value)| format!("{sticks_value:?}"),
            ),
            self.ex_unit.clone(),
        ]
    }
}

/// Returns the differences between the published rows and `rows`, the rows of the table in its order.
fn rows(table: &Table, rows: &[Published]) -> Vec<Difference> {
    let absent = |row: &str, [published, here]: [&str; 2]| Difference {
        row: row.to_owned(),
        field: "the row",
        published: published.to_owned(),
        here: here.to_owned(),
    };
    let mut differences = Vec::new();
    for row in &table.opfuncs {
        let Some(entry) = rows.iter().find(|entry| entry.name == row.opfunc) else {
            differences.push(absent(&row.opfunc, ["there", "not there"]));
            continue;
        };
        let pairs = row.facts().into_iter().zip(entry.facts());
        let differing = FIELDS.into_iter().zip(pairs);
        differences.extend(
            differing
                .filter(|(_, (published, here))| published != here)
                .map(|(field, (published, here))| Difference {
                    row: row.opfunc.clone(),
                    field,
                    published,
                    here,
                }),
        );
    }
    let is_published =
        |entry: &&Published| table.opfuncs.iter().any(|row| row.opfunc == entry.name);
    let unpublished = rows.iter().filter(|entry| !is_published(entry));
    differences.extend(unpublished.map(|entry| absent(entry.name, ["not there", "there"])));
    differences
}

/// Returns the differences between the OpFuncs that the reference writes and their rows here (K70).
fn written(table: &Table) -> Vec<Difference> {
    let mut differences = Vec::new();
    for other in &table.not_in_table {
        let is_written = !NOT_WRITTEN.iter().any(|word| other.status.contains(word));
        // An entry about a form of an operation has a phrase for a name, and no separate row.
        let names_one = !other.opfunc.contains([' ', '/']);
        let is_here = Published::by_name(&other.opfunc).is_some();
        if names_one && is_written != is_here {
            differences.push(Difference {
                row: other.opfunc.clone(),
                field: "status",
                published: other.status.clone(),
                here: if is_here { "there" } else { "not there" }.to_owned(),
            });
        }
    }
    differences
}

/// Returns all differences between a copy of the published table and the rows here.
fn differences(table: &Table) -> Vec<Difference> {
    let mut differences = Vec::new();
    if table.version != VERSION {
        differences.push(Difference {
            row: "the table".to_owned(),
            field: "version",
            published: table.version.clone(),
            here: VERSION.to_owned(),
        });
    }
    differences.extend(rows(table, PUBLISHED));
    differences.extend(written(table));
    differences
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: contract FILE")?;
    let text = std::fs::read_to_string(&file).map_err(|err| format!("{file}: {err}"))?;
    let table: Table = serde_json::from_str(&text).map_err(|err| format!("{file}: {err}"))?;
    let all_differences = differences(&table);
    for difference in &all_differences {
        println!("FAILED {difference}");
    }
    println!("{:>5} rows of OpFuncs", table.opfuncs.len());
    println!("{:>5} OpFuncs outside of them", table.not_in_table.len());
    println!("{:>5} differences", all_differences.len());
    Ok(if all_differences.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the file with facts, as a table in JSON would have them.
    fn table() -> Table {
        let lines = include_str!("../src/contract/opfuncs.tsv").lines();
        let names = |list: &str| list.split(' ').map(str::to_owned).collect();
        let rows = lines.filter(|line| !line.starts_with('#')).map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let category = CATEGORIES
                .iter()
                .find(|(_, value)| format!("{value:?}") == fields[1]);
            let sticks = STICKS
                .iter()
                .find(|(_, value)| format!("{value:?}") == fields[6]);
            let constants = fields[5].split(' ').filter(|name| *name != "-");
            Row {
                opfunc: fields[0].to_owned(),
                category: category.expect("a category of the table").0.to_owned(),
                inputs: names(fields[2]),
                outputs: names(fields[3]),
                same_format: fields[4] == "one",
                constants: constants
                    .map(|name| Constant {
                        name: name.to_owned(),
                    })
                    .collect(),
                stick_rule: sticks.expect("a rule of the table").0.to_owned(),
                ex_unit: fields[7].to_owned(),
            }
        });
        Table {
            version: VERSION.to_owned(),
            opfuncs: rows.collect(),
            not_in_table: Vec::new(),
        }
    }

    fn told(table: &Table) -> Vec<String> {
        differences(table).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_facts_are_equal() {
        assert_eq!(told(&table()), [""; 0]);
    }

    #[test]
    fn a_difference_has_the_row_and_both_values() {
        let mut changed = table();
        changed.version = "1.1.0".to_owned();
        let add = changed.opfuncs.iter_mut().find(|row| row.opfunc == "add");
        let add = add.expect("the table has it");
        add.inputs.push("IEEE_INT32".to_owned());
        add.stick_rule = "unheard_of".to_owned();
        let last = changed.opfuncs.last_mut().expect("the table has rows");
        last.opfunc = "sin".to_owned();
        assert_eq!(
            told(&changed),
            [
                "the table: version is published as '1.1.0', and is '1.0.0' here",
                "add: inputs is published as 'SEN169_FP16 IEEE_FP32 IEEE_INT32', and is 'SEN169_FP16 IEEE_FP32' here",
                "add: stick_rule is published as 'unheard_of', and is 'Common' here",
                "sin: the row is published as 'there', and is 'not there' here",
                "ReStickifyOpHBM: the row is published as 'not there', and is 'there' here",
            ]
        );
    }

    #[test]
    fn the_reference_writes_the_rows_outside_of_the_table() {
        let other = |opfunc: &str, status: &str| Other {
            opfunc: opfunc.to_owned(),
            status: status.to_owned(),
        };
        let mut changed = table();
        changed.not_in_table = vec![
            other("shuffle", "published as a draft"),
            other("add in IEEE_INT32", "nobody"),
            other("overwrite", "gone"),
        ];
        assert_eq!(told(&changed), [""; 0]);
        changed.not_in_table = vec![
            other("cumsum", "reference does so"),
            other("shuffle", "gone"),
        ];
        assert_eq!(
            told(&changed),
            [
                "cumsum: status is published as 'reference does so', and is 'not there' here",
                "shuffle: status is published as 'gone', and is 'there' here",
            ]
        );
    }
}
