//! Writes programs to a directory: `draw SEED FIRST COUNT DIR`.

#[path = "../../spyre-fuzz/src/vocabulary.rs"]
#[expect(
    unreachable_pub,
    reason = "the file is of a library, where others see it"
)]
mod vocabulary;

use std::env::args;
use std::fs;
use std::path::Path;

use spyre_generate::draw::{Size, program};

fn main() {
    let args: Vec<String> = args().collect();
    let [_, seed, first, count, directory] = args.as_slice() else {
        panic!("draw SEED FIRST COUNT DIR");
    };
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let (seed, first, count) = (number(seed), number(first), number(count));
    let directory = Path::new(directory);
    fs::create_dir_all(directory).expect("a directory");
    for at in first..first + count {
        let program = program(&vocabulary::VOCABULARY, Size::default(), seed, at);
        let path = directory.join(format!("{at}.mlir"));
        fs::write(path, program.to_mlir(program.has_hints())).expect("a file");
    }
}
