//! Formats of tensors: the card's compiler has the operation, and it computes in them (K3, K4, K4a, K27, K59, K70).

use spyre_layout::DeviceFormat;
use spyre_ops::contract::{NotAdmitted, Status, VERSION, admit};

use super::super::super::reader::Reader;
use super::super::super::rules::{
    KNOWN_OPFUNC, POSITIONS, PRECISION, PRECISION_OF_REFERENCE, PUBLISHED_OPFUNC, RELABELLED, Rule,
    TENSOR_COUNT,
};
use super::Facts;

/// OpFuncs that the table has in 32 bits and the reference compiler does not (torch-spyre `constants.py`,
/// SPYRE_FP32_OPS).
const NARROW_IN_THE_REFERENCE: [&str; 8] = [
    "batchnormfwd",
    "biasadd",
    "fnms",
    "revsub",
    "absmax",
    "absmaxnonstick",
    "exx2_zeromean",
    "maskbyindex",
];

/// Largest number of tensors of an operation, of a draft (K59).
const MOST_TENSORS: usize = 8;

/// Checks the formats of the data tensors.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let tensors = facts.data();
    // A name that is no format has been reported.
    let formats: Option<Vec<DeviceFormat>> = tensors
        .iter()
        .map(|tensor| tensor.format.parse().ok())
        .collect();
    match admit(
        facts.op,
        formats.as_deref().unwrap_or(&[]),
        reader.exceptions(),
    ) {
        Err(err) => refused(reader, facts, &err),
        Ok(status) => {
            unpublished(reader, facts, status);
            widths(reader, facts, formats.as_deref().unwrap_or(&[]));
        }
    }
    if facts.tensors.len() > MOST_TENSORS {
        let count = facts.tensors.len();
        let message =
            format!("{count} tensors, but a draft of the contract has at most {MOST_TENSORS}");
        reader.report(TENSOR_COUNT, facts.offset, message);
    }
}

fn refused(reader: &mut Reader, facts: &Facts<'_, '_>, err: &NotAdmitted) {
    let is_search = matches!(facts.op, "topkindex" | "topkvalue");
    let (rule, number): (Rule, Option<usize>) = match err {
        NotAdmitted::Unknown { .. } | NotAdmitted::Doubtful { .. } => (KNOWN_OPFUNC, None),
        NotAdmitted::Format { tensor, .. } | NotAdmitted::Mixed { tensor, .. } if is_search => {
            (POSITIONS, Some(*tensor))
        }
        NotAdmitted::Format { tensor, .. } | NotAdmitted::Mixed { tensor, .. } => {
            (PRECISION, Some(*tensor))
        }
    };
    // The table counts data tensors alone.
    let data = facts.data();
    let tensor = number.and_then(|number| data.get(number));
    let offset = tensor.map_or(facts.offset, |tensor| tensor.offset);
    let way_out = match (err.exception(), rule) {
        (Some(exception), _) => format!(
            "the exception '{}' allows it ({})",
            exception.name, exception.source
        ),
        (None, KNOWN_OPFUNC) => "write it as OpFuncs of the table".to_owned(),
        (None, _) => "convert the tensor before or after, or compute in another format".to_owned(),
    };
    reader.report(rule, offset, format!("{err}; {way_out}"));
}

/// Warns of an OpFunc that the table lacks, and gives the evidence for it.
fn unpublished(reader: &mut Reader, facts: &Facts<'_, '_>, status: Status) {
    // A draft, or a thread about the card, is a source; the use of an operation by a compiler is not.
    let (Status::Reference, Some(row)) = (status, facts.row) else {
        return;
    };
    if row.status == Status::Reference {
        let message = format!(
            "'{}' is not in the table of OpFuncs of SuperDSC-Bundle {VERSION}; the reference compiler writes it ({})",
            row.name, row.source
        );
        reader.report(PUBLISHED_OPFUNC, facts.offset, message);
    }
}

/// Warns where the reference compiler has other widths than the table.
fn widths(reader: &mut Reader, facts: &Facts<'_, '_>, formats: &[DeviceFormat]) {
    let Some(first) = facts.data().first().map(|tensor| tensor.offset) else {
        return;
    };
    if NARROW_IN_THE_REFERENCE.contains(&facts.op) && formats.contains(&DeviceFormat::IeeeFp32) {
        let message = format!(
            "'{}' computes in IEEE_FP32, which the table has and the reference compiler never writes; SEN169_FP16 is in both",
            facts.op
        );
        reader.report(PRECISION_OF_REFERENCE, first, message);
    }
    if facts.op == "identity" && formats.contains(&DeviceFormat::IeeeInt32) {
        let message =
            "'identity' moves IEEE_INT32, which the table lacks; name the same bytes IEEE_FP32";
        reader.report(RELABELLED, first, message);
    }
}
