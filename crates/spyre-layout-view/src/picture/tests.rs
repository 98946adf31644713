use proptest::prelude::*;
use spyre_layout::{Coord, DeviceFormat, Layout};

use super::super::samples;
use super::*;

fn numbers(picture: &Picture) -> Vec<Option<u64>> {
    picture
        .sticks
        .iter()
        .map(|shown| shown.item().map(|stick| stick.number))
        .collect()
}

fn blocks(picture: &Picture) -> Vec<&Block> {
    picture
        .matrices
        .iter()
        .filter_map(Shown::item)
        .flat_map(|matrix| &matrix.blocks)
        .collect()
}

#[test]
fn a_ragged_matrix_cell_by_cell() {
    let subject = samples::default(&[4, 70], "f32");
    let picture = Picture::new(&subject.tensor).expect("a picture");
    assert!(picture.cells);
    assert_eq!((picture.row_dim, picture.column_dim), (Some(0), Some(1)));
    assert_eq!(picture.columns, [0..32, 32..64, 64..70].map(Shown::Item));
    assert_eq!(picture.rows, [0..1, 1..2, 2..3, 3..4].map(Shown::Item));
    let sticks: Vec<u64> = blocks(&picture).iter().map(|block| block.stick).collect();
    assert_eq!(sticks, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert!(
        blocks(&picture)
            .iter()
            .all(|block| block.tile == block.stick / 4)
    );
    let last = picture
        .sticks
        .last()
        .and_then(Shown::item)
        .expect("a stick");
    assert_eq!(
        last.pieces,
        [
            Piece {
                elements: 6,
                data: true
            },
            Piece {
                elements: 26,
                data: false
            }
        ]
    );
    assert_eq!(last.holds, Some(vec![3..4, 64..70]));
}

#[test]
fn large_tensors_are_cut_short() {
    let subject = samples::default(&[1024, 256], "f16");
    let picture = Picture::new(&subject.tensor).expect("a picture");
    assert!(!picture.cells);
    let row = |at: u64| Shown::Item(at..at + 1);
    let left_out = Shown::Gap {
        count: 1020,
        padding: None,
    };
    assert_eq!(picture.rows, [row(0), row(1), row(2), left_out, row(1023)]);
    assert_eq!(
        numbers(&picture)[..7],
        [
            Some(0),
            Some(1),
            Some(2),
            None,
            Some(1023),
            Some(1024),
            Some(1025)
        ]
    );
    assert_eq!(
        picture.sticks[3],
        Shown::Gap {
            count: 1020,
            padding: Some(0)
        }
    );
    assert_eq!(numbers(&picture).last(), Some(&Some(4095)));
}

#[test]
fn padding_that_is_left_out_is_counted() {
    let layout = Layout::row_major_sticks(2, DeviceFormat::Sen169Fp16.elements_per_stick());
    let layout = layout
        .and_then(|layout| layout.with_device_size(vec![512, 1, 64]))
        .expect("a layout");
    let tensor = layout
        .place(&[40, 60], DeviceFormat::Sen169Fp16)
        .expect("a tensor");
    let picture = Picture::new(&tensor).expect("a picture");
    assert_eq!(
        numbers(&picture),
        [Some(0), Some(1), Some(2), None, Some(39), None, Some(511)]
    );
    assert_eq!(
        picture.sticks[5],
        Shown::Gap {
            count: 471,
            padding: Some(471)
        }
    );
    assert_eq!(
        picture.sticks[6]
            .item()
            .and_then(|stick| stick.holds.clone()),
        None
    );
}

#[test]
fn sparse_sticks_that_are_left_out_are_no_padding() {
    let subject = samples::ordered(&[64, 64], "f16", &[0, 1, -1]);
    let picture = Picture::new(&subject.tensor).expect("a picture");
    let padding = picture.sticks.iter().filter_map(|shown| match shown {
        Shown::Item(_) => None,
        Shown::Gap { padding, .. } => Some(*padding),
    });
    let padding: Vec<Option<u64>> = padding.collect();
    assert!(!padding.is_empty());
    assert!(
        padding.iter().all(|&padding| padding == Some(0)),
        "{padding:?}"
    );
}

#[test]
fn sticks_run_down_where_the_layout_says_so() {
    let subject = samples::ordered(&[5, 100, 150], "f16", &[1, 2, 0]);
    let picture = Picture::new(&subject.tensor).expect("a picture");
    assert_eq!((picture.row_dim, picture.column_dim), (Some(0), Some(2)));
    assert_eq!(picture.rows, [Shown::Item(0..5)]);
    let second = picture
        .matrices
        .get(1)
        .and_then(Shown::item)
        .expect("a matrix");
    assert_eq!(second.origin, [0, 1, 0]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let digits = vec![
        Coord::dim(2),
        Coord::floor_div(0, 8),
        Coord::floor_div(1, 16),
        Coord::modulo(0, 8),
        Coord::modulo(1, 16),
    ];
    let layout = Layout::new(3, digits)
        .and_then(|layout| layout.with_arrangement(Arrangement::Qfp8Wt))
        .expect("a layout");
    let tensor = layout
        .place(&[8, 16, 2], DeviceFormat::SenInt8)
        .expect("a tensor");
    let err = Picture::new(&tensor).expect_err("two dimensions beside the last");
    assert_eq!(
        err,
        PictureError::StickDims {
            dims: "d0, d1".into()
        }
    );

    let layout = Layout::new(1, vec![Coord::dim(0)])
        .and_then(|layout| layout.with_arrangement(Arrangement::Exx2));
    let tensor = layout
        .expect("a layout")
        .place(&[64], DeviceFormat::Sen169Fp16)
        .expect("a tensor");
    assert_eq!(
        Picture::new(&tensor).expect_err("EXX2"),
        PictureError::Arrangement(Arrangement::Exx2)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn each_element_is_drawn_once_where_it_is(subject in samples::small()) {
        let picture = Picture::new(&subject.tensor).expect("a picture");
        let sticks: Vec<&Stick> = picture.sticks.iter().filter_map(Shown::item).collect();
        // Sticks and gaps are all of the memory.
        let left_out: u64 = picture.sticks.iter().map(|shown| match shown {
            Shown::Item(_) => 1,
            Shown::Gap { count, .. } => *count,
        }).sum();
        prop_assert_eq!(left_out * STICK_BYTES.get(), subject.tensor.bytes().get());
        prop_assert!(sticks.len() < 64, "{} sticks", sticks.len());

        // A block is in the stick that lists it.
        let mut elements = 0;
        for matrix in picture.matrices.iter().filter_map(Shown::item) {
            for block in &matrix.blocks {
                let range = |ranges: &[Shown<Range<u64>>], at: usize| ranges[at].item().expect("shown").clone();
                let (rows, columns) = (range(&picture.rows, block.row), range(&picture.columns, block.column));
                let stick = sticks.iter().find(|stick| stick.number == block.stick).expect("the stick");
                let holds = stick.holds.clone().expect("data");
                let mut expected: Vec<Range<u64>> = matrix.origin.iter().map(|&at| at..at + 1).collect();
                for (dim, range) in [(picture.row_dim, rows.clone()), (picture.column_dim, columns.clone())] {
                    if let Some(dim) = dim {
                        expected[dim] = range;
                    }
                }
                prop_assert_eq!(holds, expected);
                prop_assert!(!stick.repeats);
                elements += (rows.end - rows.start) * (columns.end - columns.start);
            }
        }
        let everything = sticks.len() as u64 == left_out;
        if everything && sticks.len() as u64 <= MAX_STICKS {
            prop_assert_eq!(elements, subject.census().data.get());
            let pieces = |data| -> u64 {
                let pieces = sticks.iter().flat_map(|stick| &stick.pieces);
                pieces.filter(|piece| piece.data == data).map(|piece| piece.elements).sum()
            };
            prop_assert_eq!(pieces(false), subject.census().padding.get());
            prop_assert_eq!(pieces(true), subject.census().data.get() * subject.census().copies);
        }
    }
}
