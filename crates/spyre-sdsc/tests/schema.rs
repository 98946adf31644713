//! The validation of files against a schema: that it finds violations. It is for the other tests of this crate;
//! `SPYRE_SDSC_SCHEMA=PATH cargo test -p spyre-sdsc` runs them with the published one.

mod common;

use common::schema::{problems, validator};

#[test]
fn a_file_that_breaks_a_schema_is_found() {
    let bundle = common::compile(&[common::add(64, 128, 2).into()]);
    let cores = |number: u64| {
        let of_cores = format!(r#"{{"properties": {{"numCoresUsed_": {{"const": {number}}}}}}}"#);
        format!(r#"{{"type": "object", "additionalProperties": {of_cores}}}"#)
    };
    assert!(problems(&validator(&cores(2)), &bundle).is_empty());
    let messages = problems(&validator(&cores(3)), &bundle);
    assert_eq!(
        messages,
        ["sdsc_0.json: /0_add/numCoresUsed_: 3 was expected"]
    );
}
