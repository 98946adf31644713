//! Writes random graphs with the results of the interpreter: `draw SEED COUNT FOLDER`. `test/uop-programs/evaluate.py` compares them.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

use spyre_uop::interpret::{self, Limits};
use spyre_uop::record;
use spyre_uop::schema::{self, Compare, Output};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [seed, count, folder] = &arguments[..] else {
        eprintln!("usage: draw SEED COUNT FOLDER");
        return ExitCode::FAILURE;
    };
    match draw(seed, count, &PathBuf::from(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(seed: &str, count: &str, folder: &PathBuf) -> Result<(), Box<dyn Error>> {
    let (seed, count): (u64, u64) = (seed.parse()?, count.parse()?);
    fs::create_dir_all(folder)?;
    for number in 0..count {
        let drawn = spyre_generate::uop::graph(seed, number);
        let mut file = schema::read(drawn.text.as_bytes())?;
        let record = record::record(&file)?;
        let graph = &record.imported.graph;
        let nodes = (0..).zip(graph.nodes().ids()).zip(&drawn.nodes);
        let results: Vec<_> = nodes.filter(|(_, node)| node.is_result).collect();
        let ids: Vec<_> = results.iter().map(|((_, id), _)| *id).collect();
        let values = interpret::run(graph, &record.inputs, &ids, Limits::default())?;
        let outputs = results
            .iter()
            .zip(values)
            .map(|(((node, _), drawn), value)| Output {
                node: *node,
                dtype: value.ty().dtype.name().into(),
                shape: value.ty().shape.to_vec(),
                device: None,
                axis: None,
                data: value.data(),
                shards: None,
                reference: None,
                max_abs_diff: None,
                // Other implementations may round approximated functions differently.
                compare: if drawn.is_near {
                    Compare::Close {
                        rtol: 1e-6,
                        atol: 1e-9,
                    }
                } else {
                    Compare::Exact {}
                },
            });
        file.outputs = Some(outputs.collect());
        fs::write(folder.join(format!("{number}.json")), schema::write(&file))?;
    }
    println!("{count} graphs of seed {seed} in {}", folder.display());
    Ok(())
}
