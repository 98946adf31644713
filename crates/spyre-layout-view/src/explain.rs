//! Explains a layout in words and numbers.

use std::fmt::Write as _;

use spyre_layout::{
    Bytes, Elements, HostTensor, HostTensorError, Nest, StrideMapError, Transfer, TransferError,
};
use thiserror::Error;

use super::subject::{Census, Subject};

/// Largest number of nests that are printed; a transfer may have thousands.
const MAX_NESTS: usize = 64;

/// The reason why a layout cannot be explained.
#[derive(Debug, Error)]
pub enum ExplainError {
    /// The strides of the host tensor do not fit.
    #[error(transparent)]
    StrideMap(#[from] StrideMapError),
    /// There is no such host tensor.
    #[error(transparent)]
    Host(#[from] HostTensorError),
}

/// Explains a tensor in device memory. `layout` is its layout in MLIR's syntax.
///
/// # Errors
/// The host strides do not fit the shape, or the host tensor is too large.
pub fn explain(subject: &Subject, layout: &str) -> Result<String, ExplainError> {
    let Subject {
        element,
        strides,
        tensor,
    } = subject;
    let stride_map = tensor.layout().stride_map(tensor.shape(), strides)?;
    // The stride map has refused negative strides.
    let unsigned = strides.iter().map(|stride| stride.unsigned_abs()).collect();
    let host = HostTensor::strided(
        element.host,
        tensor.shape().to_vec(),
        unsigned,
        Elements::ZERO,
    )?;

    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<16}{value}");
    };
    line(
        "tensor",
        format!("{}, host strides {strides:?}", subject.type_name()),
    );
    line("layout", layout.to_owned());
    line("device size", format!("{:?}", tensor.device_size()));
    line("device strides", format!("{:?}", tensor.device_strides()));
    line("stride map", format!("{stride_map:?}"));
    line(
        "format",
        format!(
            "{}, {} each",
            tensor.format(),
            tensor.format().bytes_per_element()
        ),
    );
    line("stick", stick(subject));
    line("memory", memory(tensor.bytes()));
    line("data", data(subject));
    line("padding", padding(subject));
    text.push('\n');
    match Transfer::new(&host, tensor) {
        Ok(transfer) => text.push_str(&nests(transfer.nests())),
        Err(err) => text.push_str(&no_nests(&err)),
    }
    Ok(text)
}

/// Returns a description of the elements of a stick: their number, and the dimensions that run along it.
fn stick(subject: &Subject) -> String {
    let per_stick = subject.tensor.format().elements_per_stick();
    let layout = subject.tensor.layout();
    let mut dims: Vec<usize> = layout
        .coords()
        .iter()
        .rev()
        .take(layout.arrangement().stick_coords())
        .filter_map(|coord| coord.host_dim())
        .collect();
    dims.sort_unstable();
    dims.dedup();
    let dims: Vec<String> = dims.iter().map(|dim| format!("d{dim}")).collect();
    if dims.is_empty() {
        format!("room for {per_stick}, sparse: holds 1")
    } else {
        format!("{per_stick} along {}", dims.join(" and "))
    }
}

fn memory(bytes: Bytes) -> String {
    match bytes.to_sticks() {
        Some(sticks) => format!("{bytes} in {sticks}"),
        None => bytes.to_string(),
    }
}

fn data(subject: &Subject) -> String {
    let Census { data, copies, .. } = subject.census();
    let bytes = size(subject, data.get().saturating_mul(copies));
    if copies > 1 {
        format!("{data}, each stored {copies} times, {bytes}")
    } else {
        format!("{data}, {bytes}")
    }
}

fn padding(subject: &Subject) -> String {
    let padding = subject.census().padding;
    let bytes = size(subject, padding.get());
    format!(
        "{padding}, {bytes}, {} of the memory",
        percentage(bytes, subject.tensor.bytes())
    )
}

/// Returns the bytes of a number of device elements. They are part of the tensor, so the product fits.
fn size(subject: &Subject, elements: u64) -> Bytes {
    Bytes(elements.saturating_mul(subject.tensor.format().bytes_per_element().get()))
}

/// Returns a share in percent, rounded to a tenth.
fn percentage(part: Bytes, whole: Bytes) -> String {
    let (part, whole) = (u128::from(part.get()), u128::from(whole.get()).max(1));
    let tenths = (part * 1000 + whole / 2) / whole;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Returns the nests as a table, then as loops.
fn nests(nests: &[Nest]) -> String {
    let heading = [
        "nest",
        "extents",
        "host strides",
        "device strides",
        "host offset",
        "device offset",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    for (number, nest) in nests.iter().enumerate().take(MAX_NESTS) {
        rows.push([
            number.to_string(),
            format!("{:?}", nest.extents()),
            format!("{:?}", nest.host_strides()),
            format!("{:?}", nest.device_strides()),
            nest.host_offset().get().to_string(),
            nest.device_offset().get().to_string(),
        ]);
    }
    let plural = if nests.len() == 1 { "nest" } else { "nests" };
    let mut text = format!(
        "host to device: {} loop {plural}, offsets and strides in elements\n",
        nests.len()
    );
    text.push_str(&table(&rows));
    let more = nests.len().saturating_sub(MAX_NESTS);
    if more > 0 {
        let _ = writeln!(text, "... {more} more");
    }
    for nest in nests.iter().take(MAX_NESTS) {
        let _ = writeln!(text, "\n{nest:#}");
    }
    text
}

/// Returns a table with columns as wide as their widest entry.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(String::len)
            .max()
            .unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn no_nests(err: &TransferError) -> String {
    format!("host to device: no loop nests: {err}\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spyre_layout::STICK_BYTES;

    use super::super::samples;
    use super::*;

    #[test]
    fn a_ragged_tensor_as_in_the_specification() {
        let subject = samples::default(&[1000, 200], "f16");
        let text = explain(&subject, "#layout").expect("a text");
        let expected = "\
tensor          1000x200xf16, host strides [200, 1]
layout          #layout
device size     [4, 1000, 64]
device strides  [64000, 64, 1]
stride map      [64, 200, 1]
format          SEN169_FP16, 2 bytes each
stick           64 elements along d1
memory          512000 bytes in 4000 sticks
data            200000 elements, 400000 bytes
padding         56000 elements, 112000 bytes, 21.9 % of the memory

host to device: 2 loop nests, offsets and strides in elements
nest  extents        host strides  device strides  host offset  device offset
0     [3, 1000, 64]  [64, 200, 1]  [64000, 64, 1]  0            0
1     [1, 1000, 8]   [64, 200, 1]  [64000, 64, 1]  192          192000

for i0 in range(3):
  for i1 in range(1000):
    for i2 in range(64):
      device[i0*64000 + i1*64 + i2] = host[i0*64 + i1*200 + i2]

for i1 in range(1000):
  for i2 in range(8):
    device[192000 + i1*64 + i2] = host[192 + i1*200 + i2]
";
        assert_eq!(text, expected);
    }

    #[test]
    fn shares_are_rounded() {
        let share = |part, whole| percentage(Bytes(part), Bytes(whole));
        assert_eq!(share(0, 128), "0.0 %");
        assert_eq!(share(2, 3), "66.7 %");
        assert_eq!(share(1999, 2000), "100.0 %");
        assert_eq!(share(127, 128), "99.2 %");
        assert_eq!(share(u64::MAX, u64::MAX), "100.0 %");
        assert_eq!(share(0, 0), "0.0 %");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn data_and_padding_are_all_of_the_memory(subject in samples::small()) {
            let text = explain(&subject, "#layout").expect("a text");
            let bytes = |name: &str| {
                let line = text.lines().find(|line| line.starts_with(name)).expect("the line");
                let (before, _) = line.split_once(" byte").expect("bytes");
                let number = before.rsplit(' ').next().expect("a number");
                number.parse::<u64>().expect("a number")
            };
            prop_assert_eq!(bytes("data ") + bytes("padding "), bytes("memory "));
            prop_assert_eq!(bytes("memory ") % STICK_BYTES.get(), 0);
        }
    }
}
