//! Pools and convolutions (specification, section 4.11).

mod common;

use common::windows::*;
use common::*;

#[test]
fn show() {
    for op in [pool(2), conv(2, 1), conv(1, 2), depthwise(2)] {
        let bundle = compile(&[op.into()]);
        println!("{}", bundle.mlir_text());
        for file in bundle.sdsc_files() { let mut v = vec![]; file.write_to(&mut v).unwrap(); println!("{}", String::from_utf8(v).unwrap()); }
    }
}
