//! Files of NumPy.

use spyre_uop::dtype::DType;

/// Returns a file with some elements. Integers have a sign; elements of `bf16` are their bits.
pub(crate) fn file(dtype: DType, shape: &[u64], elements: &[u64]) -> Vec<u8> {
    let bytes = usize::try_from(dtype.bits().div_ceil(8)).expect("an element has a few bytes");
    let kind = match dtype {
        DType::Bool => 'b',
        DType::Bf16 => 'u',
        dtype if dtype.is_float() => 'f',
        _ => 'i',
    };
    let order = if bytes == 1 { '|' } else { '<' };
    let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
    let mut header = format!(
        "{{'descr': '{order}{kind}{bytes}', 'fortran_order': False, 'shape': ({}), }}",
        extents.trim_end_matches(' ')
    );
    // The elements begin at a multiple of 64 bytes.
    const PREFIX: usize = 10;
    while !(PREFIX + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).expect("shapes of programs are short");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(length.to_le_bytes());
    file.extend(header.bytes());
    for element in elements {
        file.extend(&element.to_le_bytes()[..bytes]);
    }
    file
}
