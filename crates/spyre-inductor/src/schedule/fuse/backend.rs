//! The conditions for fusing loops, for each policy.

use smol_str::format_smolstr;
use spyre_index_expr::{Expr, Overflow};

use super::{Fusion, KernelId, Outer, Refusal};
use crate::schedule::Policy;
use crate::schedule::program::NodeId;

/// The most nodes that do not depend on each other in one kernel of C++.
const WIDEST: usize = 16;

/// Why the loops of two kernels of C++ match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommonLoops {
    /// They are the same, or the second reduces along inner loops of the first.
    Same,
    /// They are the same if the loops of one node are not merged.
    Unmerged,
}

impl Fusion<'_, '_> {
    pub(super) fn backend_refuses(
        &self,
        a: KernelId,
        b: KernelId,
        is_vertical: bool,
    ) -> Option<Refusal> {
        match self.policy {
            Policy::Simd => self.iterations_differ(a, b),
            Policy::Cpp if is_vertical => {
                let fits = self.fits(a, b) && !self.kernels[a].is_reduction;
                (!fits && !self.shares_outer(a, b)).then_some(Refusal::Loops)
            }
            Policy::Cpp => {
                let count = self.kernels[a].nodes.len() + self.kernels[b].nodes.len();
                (count > WIDEST || !self.fits(a, b)).then_some(Refusal::Loops)
            }
            Policy::Spyre => unreachable!("hint scopes are compared before"),
        }
    }

    /// Returns the class of a pair: only pairs of the lowest class present are tried.
    pub(super) fn priority(&self, a: KernelId, b: KernelId) -> u8 {
        u8::from(self.policy == Policy::Cpp && self.shares_outer(a, b))
    }

    /// Returns whether two kernels are in different hint scopes, or in none.
    pub(super) fn scopes_differ(&self, a: KernelId, b: KernelId) -> bool {
        let scope = |kernel: KernelId| self.graph.program[self.kernels[kernel].nodes[0]].scope;
        scope(a).is_none() || scope(a) != scope(b)
    }

    fn fits(&self, a: KernelId, b: KernelId) -> bool {
        let is_outer = |kernel: KernelId| self.kernels[kernel].outer.is_some();
        !is_outer(a) && !is_outer(b) && self.fit_of(a, b).is_some()
    }

    /// Returns the extents of the loops of two kernels.
    fn groups(&self, a: KernelId, b: KernelId) -> [(&[Expr], &[Expr]); 2] {
        [a, b].map(|kernel| self.kernels[kernel].group())
    }

    fn fit_of(&self, a: KernelId, b: KernelId) -> Option<CommonLoops> {
        let [(vars1, reduce1), (vars2, reduce2)] = self.groups(a, b);
        if vars1 == vars2 && reduce1 == reduce2 {
            return Some(CommonLoops::Same);
        }
        if reduce1.is_empty() && vars1.iter().eq(vars2.iter().chain(reduce2)) {
            return Some(CommonLoops::Same);
        }
        self.may_unmerge(a, b).then_some(CommonLoops::Unmerged)
    }

    /// Returns whether one of two kernels has one loop and the other one several, over the same
    /// elements.
    fn may_unmerge(&self, a: KernelId, b: KernelId) -> bool {
        let [(vars1, reduce1), (vars2, reduce2)] = self.groups(a, b);
        if !reduce1.is_empty() || !reduce2.is_empty() || vars1.len() != 1 && vars2.len() != 1 {
            return false;
        }
        let (Some(count1), Some(count2)) = (product(vars1), product(vars2)) else {
            return false;
        };
        let (merged, other) = if vars1.len() < vars2.len() {
            (a, b)
        } else {
            (b, a)
        };
        let [merged] = self.kernels[merged].nodes[..] else {
            return false;
        };
        let ranges = self.ranges(merged);
        let mut others = self.kernels[other].nodes.iter();
        count1 == count2 && others.all(|node| self.ranges(*node) == ranges)
    }

    /// Returns the extents of the result of a node.
    fn ranges(&self, id: NodeId) -> &[Expr] {
        let loops = self.graph.program.loops_of(id);
        &loops.expect("only loop nests are fused").ranges
    }

    /// Makes the loops of two kernels the same, if only one of them has merged loops.
    pub(super) fn fit(&mut self, a: KernelId, b: KernelId) -> Result<(), Overflow> {
        if self.policy != Policy::Cpp || self.fit_of(a, b) != Some(CommonLoops::Unmerged) {
            return Ok(());
        }
        let is_first = self.kernels[a].group().0.len() < self.kernels[b].group().0.len();
        let (merged, other) = if is_first { (a, b) } else { (b, a) };
        for (changed, by) in [(merged, other), (other, merged)] {
            let constraints = self.default_formulas(by);
            for node in self.nodes(changed).iter() {
                self.refit(*node, &constraints)?;
            }
            let state = self.state(&self.nodes(changed), None);
            self.kernels[changed] = state;
            if self.kernels[a].group().0 == self.kernels[b].group().0 {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the index expressions of a kernel's nests as they were before their loops were merged.
    fn default_formulas(&self, kernel: KernelId) -> Vec<Expr> {
        let mut formulas = Vec::new();
        for node in self.kernels[kernel].nodes.iter() {
            if let Some(loops) = self.graph.program.loops_of(*node) {
                formulas.extend(loops.nest.formulas().cloned());
            }
        }
        formulas
    }

    /// Returns how two kernels share their outer loops, if that is how they run together.
    pub(super) fn outer(&self, a: KernelId, b: KernelId) -> Option<Outer> {
        if self.policy != Policy::Cpp || !self.shares_outer(a, b) {
            return None;
        }
        let depth = self.outer_depth(a, b);
        let parts = |kernel: KernelId| match &self.kernels[kernel].outer {
            Some(outer) => outer.parts.clone(),
            None => vec![self.nodes(kernel)],
        };
        let mut all = parts(a);
        all.extend(parts(b));
        Some(Outer { depth, parts: all })
    }

    fn shares_outer(&self, a: KernelId, b: KernelId) -> bool {
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        let is_inner = self.fits(a, b) && !one.is_reduction;
        !is_inner && self.outer_depth(a, b) >= 1 && self.graph.reaches(&one.nodes, &two.nodes)
    }

    /// Returns how many outer loops two kernels can share.
    fn outer_depth(&self, a: KernelId, b: KernelId) -> usize {
        let (one, two) = (&self.kernels[a], &self.kernels[b]);
        if !one.has_loops || !two.has_loops {
            return 0;
        }
        let group = |nodes: &[NodeId]| self.group(self.main(nodes));
        let (vars1, reduce1) = match &one.outer {
            Some(outer) => group(outer.parts.last().expect("there are parts")),
            None => one.group(),
        };
        let (vars2, reduce2) = match &two.outer {
            Some(outer) => group(outer.parts.first().expect("there are parts")),
            None => two.group(),
        };
        if vars1.is_empty() && vars2.is_empty() && !reduce1.is_empty() && !reduce2.is_empty() {
            return 0;
        }
        let common_depth = match (&one.outer, &two.outer) {
            (Some(one), Some(two)) => {
                return if one.depth == two.depth { one.depth } else { 0 };
            }
            (Some(outer), None) | (None, Some(outer)) => Some(outer.depth),
            (None, None) => None,
        };
        let depth = vars1.len().min(vars2.len());
        let is_shared = depth >= 1 && vars1[..depth] == vars2[..depth];
        if is_shared && common_depth.is_none_or(|common_depth| common_depth == depth) {
            depth
        } else {
            0
        }
    }

    /// Returns why the iterations of two kernels do not form one SIMD kernel.
    fn iterations_differ(&self, a: KernelId, b: KernelId) -> Option<Refusal> {
        let count = |kernel: KernelId| {
            let (vars, reduced) = self.kernels[kernel].group();
            Some((product(vars)?, product(reduced)?))
        };
        let (Some((count1, reduced1)), Some((count2, reduced2))) = (count(a), count(b)) else {
            return Some(Refusal::Loops);
        };
        let differ = |what: &str| {
            let text = |expr: &Expr| {
                let name = |var| format_smolstr!("{var}");
                spyre_index_expr::tree::text(expr, &name)
            };
            let [count1, count2, reduced1, reduced2] =
                [&count1, &count2, &reduced1, &reduced2].map(text);
            Some(Refusal::Iterations(format!(
                "numel/rnumel mismatch ({what}) ({count1}, {count2}), ({reduced1}, {reduced2})"
            )))
        };
        let is_same = count1 == count2 && reduced1 == reduced2;
        match (self.kernels[a].is_reduction, self.kernels[b].is_reduction) {
            (true, true) => (!is_same).then(|| differ("reduce")).flatten(),
            (false, false) => (!is_same).then(|| differ("non-reduce")).flatten(),
            (false, true) => self.cannot_reduce(a, (count1, count2, reduced2)),
            (true, false) => self.cannot_reduce(b, (count2, count1, reduced1)),
        }
    }

    /// Returns why an element-wise kernel does not run together with a reduction.
    fn cannot_reduce(
        &self,
        kernel: KernelId,
        (count, outer, reduced): (Expr, Expr, Expr),
    ) -> Option<Refusal> {
        if outer.mul(&reduced).is_ok_and(|all| all == count) {
            let groups = [outer, reduced];
            let mut nodes = self.kernels[kernel].nodes.iter();
            let fits = nodes.all(|node| splits(&groups, self.group(*node).0));
            let reason = "nodes numel/rnumel incompatibility";
            return (!fits).then(|| Refusal::Iterations(reason.to_owned()));
        }
        let reason = "nodes numel incompatibility";
        (count != outer).then(|| Refusal::Iterations(reason.to_owned()))
    }
}

/// Returns the product of extents.
fn product(sizes: &[Expr]) -> Option<Expr> {
    let mut sizes = sizes.iter();
    sizes.try_fold(Expr::constant(1), |product, size| product.mul(size).ok())
}

/// Returns whether loops of some extents are loops over groups of some numbers of elements.
fn splits(groups: &[Expr], sizes: &[Expr]) -> bool {
    let one = Expr::constant(1);
    let mut left = groups.to_vec();
    let mut group = 0;
    for size in sizes {
        while group < left.len() && left[group] == one {
            group += 1;
        }
        let Some(extent) = left.get(group).cloned() else {
            return false;
        };
        if extent == *size {
            left[group] = one.clone();
            continue;
        }
        let (Some(extent), Some(size)) = (extent.as_constant(), size.as_constant()) else {
            return false;
        };
        if size > extent && group + 1 < left.len() {
            // The loop covers the rest of this group and a part of the next one.
            let next = left[group + 1].as_constant();
            let (Some(next), true) = (next, size % extent == 0) else {
                return false;
            };
            if next % (size / extent) != 0 {
                return false;
            }
            left[group] = one.clone();
            left[group + 1] = Expr::constant(next / (size / extent));
            continue;
        }
        if extent % size != 0 {
            return false;
        }
        left[group] = Expr::constant(extent / size);
    }
    true
}
