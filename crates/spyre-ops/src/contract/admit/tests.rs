use super::super::{PUBLISHED, WRITTEN_BY_THE_REFERENCE};
use super::*;
use DeviceFormat::{IeeeFp32 as FP32, IeeeInt32 as INT32, Sen143Fp8 as FP8, Sen169Fp16 as DL16};

#[test]
fn one_row_has_each_name() {
    let rows: Vec<_> = PUBLISHED.iter().chain(WRITTEN_BY_THE_REFERENCE).collect();
    for (at, row) in rows.iter().enumerate() {
        assert!(
            rows[..at].iter().all(|before| before.name != row.name),
            "{}",
            row.name
        );
    }
    assert_eq!(PUBLISHED.len(), 79);
}

#[test]
fn the_table_says_the_formats() {
    let cases: [(&str, &[DeviceFormat], Result<Status, ()>); 14] = [
        ("add", &[DL16, DL16, DL16], Ok(Status::Published)),
        ("add", &[FP32, FP32, FP32], Ok(Status::Published)),
        ("add", &[INT32, INT32, INT32], Err(())),
        ("add", &[DL16, FP32, FP32], Err(())),
        ("where3", &[DL16, FP32, FP32, FP32], Err(())),
        ("batchmatmul", &[DL16, DL16, DL16], Ok(Status::Published)),
        ("batchmatmul", &[FP32, FP32, FP32], Err(())),
        ("batchmatmulfp8", &[FP8, FP8, DL16], Ok(Status::Published)),
        ("sqrt", &[FP32, FP32], Err(())),
        ("identity", &[INT32, INT32], Ok(Status::Published)),
        ("identity", &[INT32, FP32], Ok(Status::Published)),
        ("int32tofp32", &[INT32, FP32], Ok(Status::Reported)),
        ("greaterthan", &[FP32, FP32, FP32], Ok(Status::Reference)),
        ("of_another_backend", &[DL16, DL16], Err(())),
    ];
    for (op_func, formats, expected) in cases {
        let admitted = admit(op_func, formats, &[]).map_err(|_| ());
        assert_eq!(admitted, expected, "{op_func} {formats:?}");
    }
}

#[test]
fn an_exception_holds_where_it_is_named() {
    let refused = admit("sqrt", &[FP32, FP32], &[]).unwrap_err();
    assert_eq!(
        refused.exception().map(|exception| exception.name),
        Some("fp32-roots")
    );
    assert_eq!(
        refused.to_string(),
        "'sqrt' computes in SEN169_FP16, but tensor 0 is IEEE_FP32"
    );
    assert_eq!(
        admit("sqrt", &[FP32, FP32], &["fp32-roots"]),
        Ok(Status::Reference)
    );
    assert!(admit("tanh", &[FP32, FP32], &["fp32-roots"]).is_err());
    assert!(admit("sqrt", &[FP32, DL16], &["fp32-roots"]).is_err());
    assert!(admit("prodnonstick", &[DL16, DL16], &[]).is_err());
    assert!(admit("prodnonstick", &[DL16, DL16], &["product-reduction"]).is_ok());
    assert!(admit("prodnonstick", &[INT32, INT32], &["product-reduction"]).is_err());
    for exception in EXCEPTIONS {
        assert_eq!(Exception::by_name(exception.name), Some(exception));
        assert!(
            exception
                .op_funcs
                .iter()
                .all(|name| Published::by_name(name).is_some())
        );
    }
}
