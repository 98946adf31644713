//! Tensors in NumPy's `.npy` files.
//!
//! | element type | written as | also read |
//! |---|---|---|
//! | `f16`, `f32`, `i8`, `i32`, `i64` | `float16`, `float32`, `int8`, `int32`, `int64` | |
//! | `bf16` | `uint16`, its bits: NumPy has no `bfloat16` | `float32`, rounded to nearest, ties to even |
//! | `i1` | `bool` | |
//!
//! Files of either byte order and either order of elements are read; row-major ones of the machine's byte order are written.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use half::bf16;
use npyz::{DType as NpyType, Endianness, NpyHeader, Order, TypeChar, TypeStr, WriterBuilder as _};
use spyre_files::Staged;
use thiserror::Error;

use crate::array::{Array, ArrayError};
use crate::{DType, TensorType};

/// The reason why a file could not be read or written.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The system refuses, or the file has no header of the format.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// The file has elements of another type.
    #[error("{}: has elements of type {actual}, but {wanted} are needed, as {accepted}", path.display())]
    Element {
        /// The file.
        path: PathBuf,
        /// Type in the file, as NumPy writes it.
        actual: String,
        /// Type of the elements that are needed.
        wanted: DType,
        /// The element types of files that are read as such elements.
        accepted: &'static str,
    },
    /// The file has another shape.
    #[error("{}: has shape {actual:?}, but {wanted:?} is needed", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// Shape in the file.
        actual: Vec<u64>,
        /// Shape that is needed.
        wanted: Vec<usize>,
    },
    /// The file is shorter or longer than its shape requires.
    #[error("{}: {reason}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// The error of the array.
        reason: ArrayError,
    },
}

/// Returns the extents of the tensor in a file.
///
/// # Errors
/// [`NpyError::Io`]
pub fn shape(path: &Path) -> Result<Vec<u64>, NpyError> {
    let io = |err| NpyError::Io {
        path: path.to_owned(),
        reason: err,
    };
    let mut file = spyre_files::open(path).map_err(io)?;
    let (header, _) = read_header(&mut file).map_err(io)?;
    Ok(Elements::from_header(&header).shape)
}

/// Reads a tensor of a known type. Complex numbers are read as a last dimension of extent 2, with real and imaginary parts.
///
/// # Errors
/// [`NpyError`]: the file cannot be read, or has another type.
pub fn read(path: &Path, ty: &TensorType) -> Result<Array, NpyError> {
    let owned_path = || path.to_owned();
    let io = |err| NpyError::Io {
        path: owned_path(),
        reason: err,
    };
    let mut file = spyre_files::open(path).map_err(io)?;
    let (header, start) = read_header(&mut file).map_err(io)?;
    let elements = Elements::from_header(&header);
    let source = Source::for_type(&elements.ty, ty.element).ok_or_else(|| NpyError::Element {
        path: owned_path(),
        actual: header.dtype().descr(),
        wanted: ty.element,
        accepted: accepted(ty.element),
    })?;
    let same = elements.shape.len() == ty.shape.len()
        && elements
            .shape
            .iter()
            .zip(&ty.shape)
            .all(|(extent, wanted)| usize::try_from(*extent) == Ok(*wanted));
    if !same {
        return Err(NpyError::Shape {
            path: owned_path(),
            actual: elements.shape,
            wanted: ty.shape.clone(),
        });
    }
    let contents = |err| NpyError::Contents {
        path: owned_path(),
        reason: err,
    };
    let expected = ty
        .element_count()
        .and_then(|count| count.checked_mul(source.width))
        .ok_or_else(|| contents(ArrayError::TooLarge(ty.clone())))?;
    // Checked before reading: a file may have more bytes than there is memory.
    let length = file.metadata().map_err(io)?.len().saturating_sub(start);
    if u64::try_from(expected) != Ok(length) {
        return Err(contents(ArrayError::Size {
            ty: ty.clone(),
            expected,
            actual: usize::try_from(length).unwrap_or(usize::MAX),
        }));
    }
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(expected)
        .map_err(|_| contents(ArrayError::TooLarge(ty.clone())))?;
    bytes.resize(expected, 0);
    file.read_exact(&mut bytes).map_err(io)?;
    let mut bytes = source.convert(bytes);
    if header.order() == Order::Fortran {
        bytes = row_major(&bytes, ty, elements.are_parts);
    }
    Array::new(ty.element, &ty.shape, bytes).map_err(contents)
}

/// Writes a tensor: completely, or not at all.
///
/// # Errors
/// [`NpyError::Io`]
pub fn write(path: &Path, array: &Array) -> Result<(), NpyError> {
    write_bytes(path, array.ty(), array.bytes())
}

/// Writes a tensor of these bytes, in row-major order and the byte order of the machine: completely, or not at all.
///
/// # Errors
/// [`NpyError::Contents`] for bytes that do not fill the tensor, and [`NpyError::Io`].
pub fn write_bytes(path: &Path, ty: &TensorType, bytes: &[u8]) -> Result<(), NpyError> {
    let staged = stage_bytes(path, ty, bytes)?;
    staged.commit().map_err(|err| NpyError::Io {
        path: path.to_owned(),
        reason: err,
    })
}

/// Stages the file of [`write_bytes`] next to its place, until [`Staged::commit`].
///
/// # Errors
/// The errors of [`write_bytes`].
pub fn stage_bytes(path: &Path, ty: &TensorType, bytes: &[u8]) -> Result<Staged, NpyError> {
    let expected = ty.byte_count().ok_or_else(|| NpyError::Contents {
        path: path.to_owned(),
        reason: ArrayError::TooLarge(ty.clone()),
    })?;
    if expected != bytes.len() {
        return Err(NpyError::Contents {
            path: path.to_owned(),
            reason: ArrayError::Size {
                ty: ty.clone(),
                expected,
                actual: bytes.len(),
            },
        });
    }
    let io = |err| NpyError::Io {
        path: path.to_owned(),
        reason: err,
    };
    let mut start = Vec::new();
    header(ty, &mut start).map_err(io)?;
    Staged::new(path, &[&start, bytes]).map_err(io)
}

/// Largest number of bytes of a header. NumPy writes 128 for most tensors.
const MAX_HEADER: u64 = 1 << 16;

/// Deepest nesting of brackets in a header. A tensor has a dictionary with the tuple of its shape. Deeper levels are
/// for element types that are refused by their name. The parser takes time exponential in the depth.
const MAX_NESTING: usize = 5;

/// Reads the header of a file. Returns it, and the offset of the elements.
fn read_header(file: &mut File) -> io::Result<(NpyHeader, u64)> {
    let mut bytes = Vec::new();
    // The magic text and two bytes of version, the second of which is 0. The version determines the width of the length
    // of the header.
    file.by_ref().take(8).read_to_end(&mut bytes)?;
    let width = match bytes.get(6) {
        Some(1) => 2,
        _ => 4,
    };
    let mut length = [0; 8];
    let used = length.get_mut(..width).expect("at most 8 bytes");
    file.read_exact(used)?;
    bytes.extend_from_slice(used);
    let length = u64::from_le_bytes(length);
    if bytes.starts_with(b"\x93NUMPY") {
        if length > MAX_HEADER {
            let message = format!("the header has {length} bytes, more than {MAX_HEADER}");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        if nesting(&bytes) > MAX_NESTING {
            let message = format!("the header nests brackets deeper than {MAX_NESTING}");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
    }
    let header = NpyHeader::from_reader(bytes.as_slice())?;
    Ok((header, bytes.len() as u64))
}

/// The element type and shape of a file, as a tensor has them.
struct Elements {
    ty: NpyType,
    shape: Vec<u64>,
    /// Whether they are the parts of complex numbers.
    are_parts: bool,
}

impl Elements {
    fn from_header(header: &NpyHeader) -> Self {
        let mut shape = header.shape().to_vec();
        let ty = header.dtype();
        let part = match &ty {
            NpyType::Plain(type_str) => part(type_str),
            _ => None,
        };
        let are_parts = part.is_some();
        if are_parts {
            shape.push(2);
        }
        Self {
            ty: part.map_or(ty, NpyType::Plain),
            shape,
            are_parts,
        }
    }
}

/// Returns the type of the parts of complex numbers; `None` for any other type.
fn part(type_str: &TypeStr) -> Option<TypeStr> {
    if type_str.type_char() != TypeChar::Complex {
        return None;
    }
    let order = match type_str.endianness() {
        Endianness::Big => '>',
        Endianness::Little | Endianness::Irrelevant => '<',
    };
    format!("{order}f{}", type_str.num_bytes()? / 2)
        .parse()
        .ok()
}

/// Returns the nesting depth of the brackets of a text, including brackets in strings.
fn nesting(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn header(ty: &TensorType, into: &mut Vec<u8>) -> io::Result<()> {
    let name = match ty.element {
        DType::F16 => "f2",
        DType::Bf16 => "u2",
        DType::F32 => "f4",
        DType::F64 => "f8",
        DType::I8 => "i1",
        DType::I16 => "i2",
        DType::I32 => "i4",
        DType::I64 => "i8",
        DType::Bool => "b1",
    };
    let order = match (ty.element.bytes(), Endianness::of_machine()) {
        (1, _) => "|",
        (_, Endianness::Big) => ">",
        _ => "<",
    };
    let element: TypeStr = format!("{order}{name}")
        .parse()
        .map_err(|err: npyz::ParseTypeStrError| io::Error::other(err.to_string()))?;
    let shape: Vec<u64> = ty.shape.iter().map(|extent| *extent as u64).collect();
    npyz::WriteOptions::new_header_only()
        .dtype(NpyType::Plain(element))
        .shape(&shape)
        .writer(into)
        .write_header_only()?;
    Ok(())
}

/// Returns the names of the element types of files that are read as `dtype`.
fn accepted(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "float16",
        DType::Bf16 => "uint16 (their bits) or float32",
        DType::F32 => "float32, or complex64 (their parts)",
        DType::F64 => "float64, or complex128 (their parts)",
        DType::I8 => "int8, or uint8 (their bits)",
        DType::I16 => "int16, or uint16 (their bits)",
        DType::I32 => "int32, or uint32 (their bits)",
        DType::I64 => "int64, or uint64 (their bits)",
        DType::Bool => "bool",
    }
}

/// The form of the elements in a file.
#[derive(Debug, Clone, Copy)]
struct Source {
    /// Bytes of an element.
    width: usize,
    /// Whether the bytes are in the other order than the machine's.
    swapped: bool,
    /// Whether the elements are `f32` and will be rounded to `bf16`.
    rounded: bool,
}

impl Source {
    /// Returns the conversion of elements of the type `npy_type` to `wanted`; `None` without one.
    fn for_type(npy_type: &NpyType, wanted: DType) -> Option<Self> {
        let NpyType::Plain(ty) = npy_type else {
            return None;
        };
        let width = ty.num_bytes()?;
        let rounded = match (wanted, ty.type_char(), width) {
            (DType::F16, TypeChar::Float, 2)
            | (DType::F32, TypeChar::Float, 4)
            | (DType::Bf16, TypeChar::Uint, 2)
            | (DType::F64, TypeChar::Float, 8)
            | (DType::I8, TypeChar::Int | TypeChar::Uint, 1)
            | (DType::I16, TypeChar::Int | TypeChar::Uint, 2)
            | (DType::I32, TypeChar::Int | TypeChar::Uint, 4)
            | (DType::I64, TypeChar::Int | TypeChar::Uint, 8)
            | (DType::Bool, TypeChar::Bool, 1) => false,
            (DType::Bf16, TypeChar::Float, 4) => true,
            _ => return None,
        };
        let swapped = width > 1 && ty.endianness() != Endianness::of_machine();
        Some(Self {
            width,
            swapped,
            rounded,
        })
    }

    /// Converts the bytes of a file's elements to elements of an array: swaps their byte order and rounds them, where
    /// needed.
    fn convert(self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.swapped {
            for element in bytes.chunks_exact_mut(self.width) {
                element.reverse();
            }
        }
        if !self.rounded {
            return bytes;
        }
        let words = bytes
            .chunks_exact(4)
            .filter_map(|word| word.try_into().ok());
        words
            .flat_map(|word| bf16::from_f32(f32::from_ne_bytes(word)).to_ne_bytes())
            .collect()
    }
}

/// Returns the elements of a column-major tensor in row-major order. The parts of complex numbers are next to each other in both.
fn row_major(elements: &[u8], ty: &TensorType, are_parts: bool) -> Vec<u8> {
    let width = ty.element.bytes();
    let mut strides = Vec::with_capacity(ty.shape.len());
    let (mut stride, columns) = match ty.shape.split_last() {
        Some((parts, columns)) if are_parts => (width.saturating_mul(*parts), columns),
        _ => (width, ty.shape.as_slice()),
    };
    for extent in columns {
        strides.push(stride);
        stride = stride.saturating_mul(*extent);
    }
    if are_parts {
        strides.push(width);
    }
    let at = |mut position: usize| {
        let mut start = 0_usize;
        for (extent, stride) in ty.shape.iter().zip(&strides).rev() {
            let coordinate = position.checked_rem(*extent).unwrap_or(0);
            position = position.checked_div(*extent).unwrap_or(0);
            start = start.saturating_add(coordinate.saturating_mul(*stride));
        }
        start
    };
    let mut sorted = Vec::with_capacity(elements.len());
    for position in 0..elements.len() / width {
        let start = at(position);
        let element = elements.get(start..start.saturating_add(width));
        sorted.extend(element.unwrap_or_default());
    }
    sorted
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes a file with the given header and data.
    fn file(directory: &Path, header: &str, data: &[u8]) -> PathBuf {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let padded = format!("{header:<117}\n");
        bytes.extend(u16::try_from(padded.len()).unwrap().to_le_bytes());
        bytes.extend(padded.bytes());
        bytes.extend(data);
        let path = directory.join("array.npy");
        fs::write(&path, bytes).unwrap();
        path
    }

    fn ty(element: DType, shape: &[usize]) -> TensorType {
        TensorType {
            element,
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("array.npy");
        for dtype in DType::ALL {
            for shape in [&[][..], &[3], &[2, 0], &[2, 3, 1, 1, 2, 2]] {
                let ty = ty(dtype, shape);
                let array = crate::random::tensor(&ty, Default::default(), 3, 0).unwrap();
                write(&path, &array).unwrap();
                assert_eq!(read(&path, &ty).unwrap(), array, "{ty}");
            }
        }
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file is left: {left:?}");
    }

    #[test]
    fn the_header_is_numpys() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("array.npy");
        let array = Array::from_f32s(DType::Bf16, &[2], &[1.0, -2.0]).unwrap();
        write(&path, &array).unwrap();
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("'descr': '<u2'"), "{text}");
        assert!(text.contains("'fortran_order': False"), "{text}");
        assert!(text.contains("'shape': (2,"), "{text}");
        assert_eq!(bytes.len() % 64, 4, "the data are aligned");
        assert!(bytes.ends_with(&[0x80, 0x3F, 0x00, 0xC0]));
    }

    #[test]
    fn brackets_and_lengths_are_bounded() {
        let directory = tempfile::tempdir().unwrap();
        let nested = |depth: usize| {
            let (open, close) = ("(".repeat(depth), ")".repeat(depth));
            format!("{{'descr': '<f2', 'fortran_order': False, 'shape': {open}2,{close}, }}")
        };
        let message = |header: &str| {
            let path = file(directory.path(), header, &[0; 4]);
            shape(&path).unwrap_err().to_string()
        };
        for depth in [5, 25, 50] {
            let reason = message(&nested(depth));
            assert!(reason.contains("nests brackets deeper than 5"), "{reason}");
        }
        // No shape, but soon.
        assert!(!message(&nested(4)).contains("nests"));
        let path = directory.path().join("long.npy");
        fs::write(&path, b"\x93NUMPY\x02\x00\xff\xff\xff\xff{").unwrap();
        let message = shape(&path).unwrap_err().to_string();
        assert!(message.contains("4294967295 bytes"), "{message}");
        let message = shape(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(message, "/dev/zero: is not a file");
    }

    #[test]
    fn either_order_of_bytes_and_elements() {
        let directory = tempfile::tempdir().unwrap();
        let header = "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }";
        let columns = [11_i32, 21, 12, 22, 13, 23].map(i32::to_be_bytes).concat();
        let path = file(directory.path(), header, &columns);
        let wanted = Array::from_i64s(DType::I32, &[2, 3], &[11, 12, 13, 21, 22, 23]).unwrap();
        assert_eq!(read(&path, wanted.ty()).unwrap(), wanted);
    }

    #[test]
    fn complex_numbers_are_read_as_their_parts() {
        let directory = tempfile::tempdir().unwrap();
        let wanted = Array::from_f32s(DType::F32, &[2, 1, 2], &[1.0, -2.0, 3.0, 4.0]).unwrap();
        for (fortran, order) in [("False", '<'), ("True", '<'), ("True", '>')] {
            let header =
                format!("{{'descr': '{order}c8', 'fortran_order': {fortran}, 'shape': (2, 1), }}");
            let bytes_of = |part: f32| match order {
                '<' => part.to_le_bytes(),
                _ => part.to_be_bytes(),
            };
            let path = file(
                directory.path(),
                &header,
                &[1.0, -2.0, 3.0, 4.0].map(bytes_of).concat(),
            );
            assert_eq!(shape(&path).unwrap(), [2, 1, 2]);
            assert_eq!(read(&path, wanted.ty()).unwrap(), wanted);
        }
    }

    #[test]
    fn bf16_from_f32_is_rounded_to_even() {
        let directory = tempfile::tempdir().unwrap();
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
        // Halfway between two numbers, twice, and a little above.
        let bits = [0x3F80_8000_u32, 0x3F81_8000, 0x3F80_8001];
        let path = file(
            directory.path(),
            header,
            &bits.map(u32::to_le_bytes).concat(),
        );
        let array = read(&path, &ty(DType::Bf16, &[3])).unwrap();
        let expected = [0x3F80_u16, 0x3F82, 0x3F81].map(u16::to_ne_bytes).concat();
        assert_eq!(array.bytes(), expected);
    }

    #[test]
    fn other_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let wanted = ty(DType::F16, &[2]);
        let refused = |header: &str, data: &[u8]| {
            let path = file(directory.path(), header, data);
            read(&path, &wanted).unwrap_err()
        };
        let header = |descr: &str, shape: &str| {
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}")
        };
        let message = refused(&header("<f4", "(2,)"), &[0; 8]).to_string();
        assert!(
            message.ends_with("has elements of type '<f4', but f16 are needed, as float16"),
            "{message}"
        );
        let err = refused(&header("<f2", "(1, 2)"), &[0; 4]);
        assert!(matches!(err, NpyError::Shape { .. }), "{err}");
        for size in [3, 5] {
            let err = refused(&header("<f2", "(2,)"), &vec![0; size]);
            assert!(matches!(err, NpyError::Contents { .. }), "{err}");
        }
        let huge = "(18446744073709551615, 18446744073709551615)";
        for text in [
            header("<f2", huge),
            header("<f2", "(-1,)"),
            header("O", "(2,)"),
            header("<M8[ns]", "(2,)"),
            "{}".to_owned(),
            "[".to_owned(),
            String::new(),
        ] {
            let err = refused(&text, &[]);
            assert!(!err.to_string().is_empty());
        }
        for bytes in [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff{"] {
            let path = directory.path().join("short.npy");
            fs::write(&path, bytes).unwrap();
            let err = read(&path, &wanted).unwrap_err();
            assert!(matches!(err, NpyError::Io { .. }), "{err}");
        }
        // The file is far longer than its shape requires. It is sparse, so it takes no space on disk.
        let path = file(directory.path(), &header("<f2", "(2,)"), &[0; 4]);
        let long = fs::OpenOptions::new().write(true).open(&path).unwrap();
        long.set_len(1 << 42).unwrap();
        let err = read(&path, &wanted).unwrap_err();
        assert!(matches!(err, NpyError::Contents { .. }), "{err}");
        let truth = file(directory.path(), &header("|b1", "(2,)"), &[1, 7]);
        let err = read(&truth, &ty(DType::Bool, &[2])).unwrap_err();
        assert!(matches!(err, NpyError::Contents { .. }), "{err}");
    }
}
