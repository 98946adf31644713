//! Distances between windows: the checks of the middle-end specification, section 3.8, and rejected
//! input.

use spyre_layout::{
    Bytes, Coord, DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, WindowError,
};

const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

fn default(shape: &[u64], order: &[i64]) -> DeviceTensor {
    let order = DimOrder::from_indices(order).unwrap();
    Layout::default_for(&order, Elements(64))
        .unwrap()
        .place(shape, F16)
        .unwrap()
}

fn rows(shape: &[u64]) -> DeviceTensor {
    Layout::row_major_sticks(shape.len(), Elements(64))
        .unwrap()
        .place(shape, F16)
        .unwrap()
}

#[test]
fn the_canonical_tensor() {
    let tensor = default(&[1024, 4096], &[0, 1]);
    assert_eq!(tensor.device_size(), [64, 1024, 64]);
    assert_eq!(tensor.window_step(0, Elements(512)), Ok(Bytes(65536)));
    assert_eq!(tensor.window_step(1, Elements(1024)), Ok(Bytes(2_097_152)));
    assert_eq!(
        tensor.level_step_elements(0, Elements(512), Elements(1024)),
        Ok(Elements(32768))
    );
    assert_eq!(
        tensor.window_offset(&[512, 3072], &[512, 1024]),
        Ok(Bytes(65536 + 3 * 2_097_152))
    );
    let layout = tensor.layout();
    let step = layout.window_step(&[1024, 4096], 0, Elements(512), F16);
    assert_eq!(step, Ok(Bytes(65536)));
}

#[test]
fn rows_one_after_the_other() {
    let tensor = rows(&[1024, 4096]);
    assert_eq!(
        tensor.layout().to_string(),
        "(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)"
    );
    assert_eq!(tensor.window_step(0, Elements(512)), Ok(Bytes(4_194_304)));
    assert_eq!(tensor.window_step(1, Elements(1024)), Ok(Bytes(2048)));
}

#[test]
fn a_tensor_with_sticks_along_its_rows() {
    let tensor = default(&[1024, 4096], &[1, 0]);
    assert_eq!(tensor.device_size(), [16, 4096, 64]);
    assert_eq!(tensor.window_step(0, Elements(256)), Ok(Bytes(2_097_152)));
}

#[test]
fn two_levels_over_one_dimension() {
    let tensor = default(&[65536], &[0]);
    assert_eq!(tensor.window_step(0, Elements(16384)), Ok(Bytes(32768)));
    assert_eq!(
        tensor.level_step(0, Elements(256), Elements(16384)),
        Ok(Bytes(512))
    );
}

#[test]
fn windows_that_cut_sticks_are_refused_with_the_numbers() {
    let tensor = default(&[1024, 4096], &[0, 1]);
    let error = tensor.window_step(1, Elements(96)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "windows of 96 elements along d1 cut sticks of 64 elements (remainder 32)"
    );
    assert!(tensor.check_whole_sticks(1, Elements(128)).is_ok());
    assert!(tensor.check_whole_sticks(1, Elements(32)).is_err());
    assert!(tensor.check_whole_sticks(0, Elements(1)).is_ok());
    // Even where memory advances evenly inside the stick, transfers are whole sticks.
    let vector = default(&[65536], &[0]);
    let error = vector.window_step(0, Elements(32)).unwrap_err();
    let expected = WindowError::CutsSticks {
        dim: 0,
        tile: Elements(32),
        elements_per_stick: Elements(64),
    };
    assert_eq!(error, expected);
    let error = tensor.window_offset(&[0, 32], &[1, 64]).unwrap_err();
    assert!(matches!(
        error,
        WindowError::CutsSticks {
            dim: 1,
            tile: Elements(32),
            ..
        }
    ));
    let error = tensor.window_offset(&[0, 64], &[1, 65]).unwrap_err();
    assert!(matches!(
        error,
        WindowError::CutsSticks {
            dim: 1,
            tile: Elements(129),
            ..
        }
    ));
}

#[test]
fn one_window_needs_no_whole_sticks() {
    let tensor = default(&[8, 40], &[0, 1]);
    assert_eq!(tensor.window_step(1, Elements(40)), Ok(Bytes(0)));
    assert!(tensor.check_whole_sticks(1, Elements(40)).is_ok());
    assert_eq!(tensor.window_offset(&[3, 0], &[2, 40]), Ok(Bytes(3 * 128)));
    // The last window may end inside a stick, together with the tensor.
    let tensor = default(&[8, 100], &[0, 1]);
    assert_eq!(tensor.window_step(1, Elements(64)), Ok(Bytes(8 * 128)));
    // A single window inside an enclosing one that cuts sticks is no better than that one.
    let error = tensor
        .level_step(1, Elements(40), Elements(40))
        .unwrap_err();
    assert!(matches!(
        error,
        WindowError::CutsSticks {
            dim: 1,
            tile: Elements(40),
            ..
        }
    ));
    assert_eq!(tensor.window_offset(&[0, 64], &[8, 36]), Ok(Bytes(8 * 128)));
}

#[test]
fn digits_that_are_not_contiguous_limit_windows() {
    // Blocks of 4 rows: (d0 floordiv 4, d1 floordiv 64, d0 mod 4, d1 mod 64).
    let coords = vec![
        Coord::floor_div(0, 4),
        Coord::floor_div(1, 64),
        Coord::modulo(0, 4),
        Coord::modulo(1, 64),
    ];
    let tensor = Layout::new(2, coords)
        .unwrap()
        .place(&[16, 128], F16)
        .unwrap();
    assert_eq!(tensor.device_strides(), [512, 256, 64, 1]);
    assert_eq!(tensor.window_step(0, Elements(4)), Ok(Bytes(1024)));
    assert_eq!(tensor.window_step(0, Elements(8)), Ok(Bytes(2048)));
    // Two rows at a time are even inside a block only.
    let error = tensor.window_step(0, Elements(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "windows of 2 elements along d0 do not fit the layout, which breaks d0 every 4 elements: \
         they are not at equal distances in memory"
    );
    assert_eq!(
        tensor.level_step(0, Elements(2), Elements(4)),
        Ok(Bytes(256))
    );
    let error = tensor.level_step(0, Elements(2), Elements(8)).unwrap_err();
    assert!(matches!(
        error,
        WindowError::NotAffine {
            block: Elements(4),
            ..
        }
    ));
    // A window across the break cannot be addressed as one.
    assert_eq!(tensor.window_offset(&[2, 0], &[2, 128]), Ok(Bytes(256)));
    let error = tensor.window_offset(&[2, 0], &[4, 128]).unwrap_err();
    assert!(matches!(
        error,
        WindowError::NotAffine {
            dim: 0,
            tile: Elements(4),
            ..
        }
    ));
    // A tensor of one block has equal steps between all rows.
    let one_block = tensor.layout().place(&[4, 128], F16).unwrap();
    assert_eq!(one_block.window_step(0, Elements(2)), Ok(Bytes(256)));
}

#[test]
fn digits_that_continue_each_other_do_not() {
    // d0 in two digits that are next to each other in memory.
    let coords = vec![
        Coord::floor_div(0, 4),
        Coord::modulo(0, 4),
        Coord::floor_div(1, 64),
        Coord::modulo(1, 64),
    ];
    let tensor = Layout::new(2, coords)
        .unwrap()
        .place(&[16, 128], F16)
        .unwrap();
    assert_eq!(tensor.window_step(0, Elements(2)), Ok(Bytes(512)));
    assert_eq!(tensor.window_step(0, Elements(3)), Ok(Bytes(768)));
}

#[test]
fn impossible_windows_are_refused() {
    let tensor = default(&[1024, 4096], &[0, 1]);
    let cases = [
        (
            tensor.window_step(2, Elements(1)),
            "d2 does not exist, the tensor has rank 2",
        ),
        (
            tensor.window_step(0, Elements(0)),
            "windows along d0 have extent 0",
        ),
        (
            tensor.level_step(0, Elements(2), Elements(2048)),
            "a window of 2048 at 0 leaves d0, which has extent 1024",
        ),
        (
            tensor.level_step(0, Elements(3), Elements(8)),
            "steps of 3 elements do not divide the enclosing window of 8 elements along d0",
        ),
        (
            tensor.window_offset(&[1023, 0], &[2, 64]),
            "a window of 2 at 1023 leaves d0, which has extent 1024",
        ),
        (
            tensor.window_offset(&[0, 0], &[0, 64]),
            "windows along d0 have extent 0",
        ),
        (
            tensor.window_offset(&[0, 0], &[u64::MAX, 64]),
            "a window of 18446744073709551615 at 0 leaves d0, which has extent 1024",
        ),
        (
            tensor.window_offset(&[0, 0], &[1]),
            "the layout is for rank 2, the list of window sizes has 1 entries",
        ),
        (
            tensor.window_offset(&[1024, 0], &[1, 64]),
            "position 1024 is outside d0, which has extent 1024",
        ),
    ];
    for (result, message) in cases {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
}
