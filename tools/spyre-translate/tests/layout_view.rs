//! Tests of `--explain-layout` against the table of the specification. Other tensors are tested in
//! `crates/spyre-layout-view`.

use std::process::Command;

/// Runs the tool. Returns its standard output, or its standard error if it fails.
fn view_of(words: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_spyre-translate"))
        .args(words)
        .output()
        .expect("the tool runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a text");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
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
    for row in TABLE.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [dtype, shape, order, size, stride_map] = cells[..] else {
            panic!("{row}");
        };
        let tensor = ["--explain-layout", shape, "--dtype", dtype];
        let forth = [&tensor[..], &["--order", order]].concat();
        let text = view_of(&forth).expect("a text");
        let line = |name: &str| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .expect("the line");
            line.trim_start().to_owned()
        };
        assert_eq!(line("device size"), size, "{shape}");
        assert_eq!(line("stride map"), stride_map, "{shape}");

        // The printed attribute gives the same layout.
        let layout = line("layout");
        let again = view_of(&[&tensor[..], &["--layout", &layout]].concat());
        assert_eq!(again.as_ref(), Ok(&text));
        // So do device size and stride map, except for dimensions of extent 1, which leave no trace in them.
        let back = [&tensor[..], &["--size", size, "--stride-map", stride_map]].concat();
        let back = view_of(&back).expect("a text");
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
