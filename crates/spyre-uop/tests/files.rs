//! Graphs are written as they were read.

mod golden;
mod lines;

use std::time::{Duration, Instant};

use lines::nodes;
use spyre_uop::decompose;
use spyre_uop::file;
use spyre_uop::place;
use spyre_uop::range;
use spyre_uop::schema::{self, Node};

/// Nodes of every kind but some.
const BEFORE: &str = r#"
    Buffer f32 [2,3] [] {"slot":0}
    Buffer f32 [3,2] [] {"slot":1}
    Buffer i32 [2,3] [] {"slot":2}
    Const bool [] [] {"value":true}
    Const index [] [] {"value":1}
    Buffer i32 [] [] {"slot":5}
    Store void - [0,0] {}
    Range index [] [] {"bound":4,"axis_id":0,"axis_type":"LOOP"}
    Tuple void - [0,1] {}
    Param f32 [2,3] [] {"slot":0}
    Tuple void - [9] {}
    Expand f32 [2,3] [0] {"shape":[2,3]}
    Add index [] [4,7] {}
    Tuple void - [12] {}
"#;

#[test]
fn what_has_no_record_is_written_as_it_was_read() {
    let lines = format!(
        r#"{BEFORE}
        Binary u8 [3] [] {{"data":"00ff5a"}}
        Buffer i32 [4] [] {{"slot":7,"device":"cpu","addrspace":"LOCAL"}}
        Index i32 [] [15,7] {{}}
        Load i32 [] [16] {{"device":"cpu","addrspace":"REG"}}
        Mulacc i32 [] [17,17,5] {{}}
        Store void - [16,18] {{}}
        End void - [19,7] {{}}
        Group void - [20,6] {{}}
        After i32 [4] [15,21] {{}}
        Call void - [21,0] {{}}
        Linear void - [21,23] {{}}
        Sink void - [24] {{}}
        Param index [] [] {{"slot":"n","min":-1,"max":300}}
        "#
    );
    let nodes = nodes(&lines);
    let imported = file::import(&nodes).expect("a graph");
    assert_eq!(file::export(&imported.graph), nodes);
}

#[test]
fn ids_are_positions_when_a_graph_is_written() {
    let mut nodes = nodes(BEFORE);
    let renumber = |id: u64| 1000 - 7 * id;
    for node in &mut nodes {
        node.id = renumber(node.id);
        node.src = node.src.iter().map(|id| renumber(*id)).collect();
    }
    let imported = file::import(&nodes).expect("a graph");
    assert_eq!(file::export(&imported.graph), lines::nodes(BEFORE));
    assert_eq!(imported.node(1000), imported.graph.nodes().ids().next());
}

#[test]
fn recorded_graphs_are_written_as_they_were_read() {
    let mut count = 0;
    for (name, text) in golden::files() {
        let file = schema::read(text.as_bytes()).expect("a program");
        let imported = file::import(&file.nodes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let recorded: Vec<Node> = file.nodes.iter().map(Node::without_record).collect();
        assert_eq!(file::export(&imported.graph), recorded, "{name}");
        count += 1;
    }
    golden::report(count);
}

#[test]
fn large_graphs_take_time_in_proportion() {
    let time = |count: usize| {
        let mut lines = vec![r#"Buffer f32 [4] [] {"slot":0,"device":["a","b"]}"#.to_owned()];
        for step in 0..count {
            let last = lines.len() - 1;
            lines.push(format!("Add f32 [4] [{last},0] {{}}"));
            lines.push(format!("Exp2 f32 [4] [{}] {{}}", last + 1));
            if step % 8 == 0 {
                lines.push(format!("Tuple void - [{}] {{}}", last + 2));
                lines.push(format!("GetTuple f32 [4] [{}] {{\"index\":0}}", last + 3));
            }
        }
        let nodes = nodes(&lines.join("\n"));
        let start = Instant::now();
        let graph = file::import(&nodes).expect("a graph").graph;
        assert_eq!(file::export(&graph).len(), nodes.len());
        assert_eq!(range::ranges(&graph).len(), nodes.len());
        assert_eq!(place::places(&graph).expect("places").len(), nodes.len());
        let primitives = decompose::rewrite(&graph, &decompose::nothing).graph;
        assert!(primitives.nodes().len() > nodes.len());
        start.elapsed()
    };
    let time = |count| (0..3).map(|_| time(count)).min().expect("three times");
    let (few, many) = (time(500), time(8_000));
    // In proportion it is 16 times as much, quadratic 256 times.
    assert!(
        many < few * 80 + Duration::from_millis(200),
        "{few:?} {many:?}"
    );
}
