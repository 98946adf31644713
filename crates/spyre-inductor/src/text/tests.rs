//! Dumps that are well formed, and such that are not.

use super::read;
use crate::schema::{Expr, OpKind};

/// A dump of the sum of two matrices of 30x40, with merged loops.
const SUM: &str = "\
op0: SchedulerNode(ComputedBuffer)
op0.writes = [MemoryDep('buf0', c0, {c0: 1200})]
op0.outputs = [
    buf0: ComputedBuffer
    buf0.layout = FixedLayout('cpu', torch.float32, size=[30, 40], stride=[40, 1])
    buf0.users = [NodeUser(node=OUTPUT, can_inplace=False, is_weak=False)]
]
op0.group.device = cpu
op0.group.iteration = ((1200,), ())
op0.sizes = ([1200], [])
arg0_1_layout = FixedLayout('cpu', torch.float32, size=[30, 40], stride=[40, 1])
buf0_layout = FixedLayout('cpu', torch.float32, size=[30, 40], stride=[40, 1])
class op0_loop_body:
    var_ranges = {p0: 1200}
    index0 = p0
    def body(self, ops):
        get_index = self.get_index('index0')
        load = ops.load('arg0_1', get_index)
        constant = ops.constant(-inf, torch.float32)
        maximum = ops.maximum(load, constant)
        get_index_1 = self.get_index('index0')
        store = ops.store('buf0', get_index_1, maximum, None)
        return store
";

fn error(text: &str) -> String {
    read(text).expect_err("it is wrong").to_string()
}

#[test]
fn merged_loops_are_read() {
    let graph = read(SUM).unwrap();
    assert_eq!(graph.inputs.len(), 1);
    let op = &graph.ops[0];
    assert_eq!(op.kind, OpKind::Pointwise);
    assert_eq!(op.ranges, Some(vec![Expr::Number(1200)]));
    assert_eq!(graph.buffers[0].name, "buf0");
}

#[test]
fn the_wrong_place_is_named() {
    assert_eq!(error(""), "1:1: error: there is no node here");
    assert_eq!(
        error("op0 SchedulerNode"),
        "1:5: error: expected ':', got 'SchedulerNode'"
    );
    let text = SUM.replace("'arg0_1', get_index)", "'arg0_1', get_index_9)");
    assert_eq!(
        error(&text),
        "18:35: error: this is no index of self.get_index"
    );
    let text = SUM.replace("maximum(load,", "maximum(other,");
    assert_eq!(error(&text), "20:31: error: 'other' is no value here");
    let text = SUM.replace("index0 = p0", "index0 = p0 + q");
    assert_eq!(
        error(&text),
        "15:19: error: 'q' is no loop and no symbol here"
    );
    let text = SUM.replace("torch.float32)", "torch.quint8)");
    assert_eq!(error(&text), "19:39: error: this is no element type");
    let text = SUM.replace("([1200], [])", "([30, 40], [])");
    assert_eq!(
        error(&text),
        "10:13: error: there are 2 sizes, and 1 loops in the body"
    );
    let text = SUM.replace("    def body", "    index1 = p0 ? 2\n    def body");
    assert_eq!(error(&text), "16:17: error: '?' is no part of a dump");
    let text = SUM.replace("'arg0_1', get_index)", "'arg0_1, get_index)");
    assert!(error(&text).contains(": error: "), "{}", error(&text));
    let text = &SUM[..SUM.len() - 20];
    assert!(error(text).contains("error: "), "{}", error(text));
}

#[test]
fn what_the_text_lacks_is_said() {
    let text = SUM.replace(
        "op0: SchedulerNode(ComputedBuffer)",
        "op0: ExternKernelSchedulerNode(ExternKernelOut)",
    );
    assert_eq!(
        error(&text),
        "1:1: error: 'op0' is no loop nest (ExternKernelSchedulerNode of ExternKernelOut), and the text has no operands of it; the \
         export as JSON has it"
    );
    let text = SUM.replace(
        "maximum = ops.maximum(load, constant)",
        "set_indirect0 = self.set_indirect0(load)",
    );
    assert_eq!(
        error(&text),
        "20:25: error: the text does not have the bound of an index that is read; the export as JSON has it"
    );
    let text = SUM.replace("node=OUTPUT", "node=SchedulerNode(name='op1')");
    assert_eq!(
        error(&text),
        "1:1: error: no buffer is an output: none has OUTPUT as a user"
    );
}

#[test]
fn no_text_panics() {
    // Every part of a dump, and every dump without a character.
    for end in 0..SUM.len() {
        let _ = read(&SUM[..end]);
        let mut text = SUM.to_owned();
        text.remove(end);
        let _ = read(&text);
    }
    let deep = format!("op0: N({})", "(".repeat(100_000));
    assert!(error(&deep).contains("nested too deep"));
    let minus = format!("op0: N({}1)", "-".repeat(100_000));
    assert!(error(&minus).contains("nested too deep"));
    assert!(error("op0: N(\u{1F600})").contains("is no part of a dump"));
}
