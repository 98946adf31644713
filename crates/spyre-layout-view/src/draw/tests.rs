use proptest::prelude::*;
use roxmltree::Document;

use super::super::samples;
use super::*;

/// Returns the number of rectangles that have a word in their class.
fn count(document: &Document<'_>, parent: &str, word: &str) -> usize {
    let group = document
        .descendants()
        .find(|node| node.attribute("class") == Some(parent))
        .expect("the group");
    let has_word = |class: &str| class.split(' ').any(|class_name| class_name == word);
    group
        .children()
        .filter(|node| {
            node.has_tag_name("rect") || node.has_tag_name(("http://www.w3.org/2000/svg", "rect"))
        })
        .filter(|node| node.attribute("class").is_some_and(has_word))
        .count()
}

/// Returns the number of lines in all grids of a group. A grid cuts a box into one cell more than it has lines.
fn grid_lines(document: &Document<'_>, parent: &str) -> usize {
    let group = document
        .descendants()
        .find(|node| node.attribute("class") == Some(parent))
        .expect("the group");
    let paths = group.children().filter_map(|node| node.attribute("d"));
    paths.map(|path| path.matches('M').count()).sum()
}

#[test]
fn a_cell_for_each_element_and_hatching_for_each_rest() {
    let text = draw(&samples::default(&[4, 70], "f32"), "#layout").expect("a drawing");
    let document = Document::parse(&text).expect("XML");
    // 4 rows of 3 blocks; 31 + 31 + 5 lines in each row.
    assert_eq!(count(&document, "host", "data"), 12);
    assert_eq!(grid_lines(&document, "host"), 4 * (31 + 31 + 5));
    assert_eq!(count(&document, "device", "data"), 12);
    assert_eq!(count(&document, "device", "padding"), 4);
    assert_eq!(grid_lines(&document, "device"), 4 * (31 + 31 + 5));
    // Three tiles, each with its colour on both sides.
    assert_eq!(count(&document, "device", "tile"), 3);
    for colour in ["c0", "c1", "c2"] {
        assert_eq!(
            count(&document, "host", colour),
            4 + 4,
            "blocks and their plates"
        );
        assert_eq!(
            count(&document, "device", colour),
            4 + 1,
            "sticks and the line of the tile"
        );
    }
    let title = document
        .descendants()
        .find(|node| node.attribute("id") == Some("title"));
    assert_eq!(
        title.and_then(|node| node.text()),
        Some("A 4x70xf32 tensor in host memory and in device memory")
    );
}

#[test]
fn sticks_that_run_down_many_matrices_stay_on_the_page() {
    for shape in [[128, 24, 1], [128, 5, 1], [100, 2, 1], [3000, 24, 2]] {
        let subject = samples::ordered(&shape, "i8", &[1, 2, 0]);
        let drawing = draw(&subject, "#layout");
        assert!(drawing.is_ok(), "{shape:?}: {drawing:?}");
    }
}

#[test]
fn drawings_are_the_same_each_time() {
    let subject = samples::default(&[1024, 256], "f16");
    let drawing = draw(&subject, "#layout").expect("a drawing");
    assert_eq!(drawing, draw(&subject, "#layout").expect("a drawing"));
    assert!(drawing.len() < 20_000, "{} bytes", drawing.len());
}

#[test]
fn what_stands_in_a_label_is_no_markup() {
    let text = draw(&samples::default(&[4], "f32"), "<script>&").expect("a drawing");
    let document = Document::parse(&text).expect("XML");
    assert!(
        document
            .descendants()
            .any(|node| node.text() == Some("<script>&"))
    );
    assert!(
        !document
            .descendants()
            .any(|node| node.tag_name().name() == "script")
    );
}

#[test]
fn pictures_that_nobody_could_read_are_refused() {
    let err = draw(&samples::default(&[4], "f32"), &"x".repeat(1000)).expect_err("too wide");
    assert!(
        matches!(err, DrawError::TooLarge { width: 7048, .. }),
        "{err}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_drawing_is_xml_inside_its_frame(subject in samples::small()) {
        let text = draw(&subject, "#layout").expect("a drawing");
        let document = Document::parse(&text).expect("XML");
        let number = |node: roxmltree::Node<'_, '_>, name| node.attribute(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        let root = document.root_element();
        let (width, height) = (number(root, "width"), number(root, "height"));
        for node in root.children().filter(|node| node.attribute("class").is_some()) {
            for part in node.descendants().filter(|part| part.tag_name().name() == "rect") {
                prop_assert!(number(part, "x") + number(part, "width") <= width);
                prop_assert!(number(part, "y") + number(part, "height") <= height);
            }
        }
        // Text that starts at its x; other text stands in the middle of a box or before one.
        let starts = |class: &str| ["heading", "label", "quiet"].contains(&class);
        let texts = root.descendants().filter(|node| node.attribute("class").is_some_and(starts));
        for text in texts {
            let length = characters(text.text().unwrap_or_default());
            prop_assert!(number(text, "x") + length + GAP <= width);
            prop_assert!(number(text, "y") < height);
        }
        let shown = Picture::new(&subject.tensor).expect("a picture");
        let blocks = shown.matrices.iter().filter_map(Shown::item).map(|matrix| matrix.blocks.len()).sum::<usize>();
        prop_assert_eq!(count(&document, "host", "data"), blocks);
    }
}
