//! A roofline for programs: `calor/roofline/1`.

use calor_analysis::{NodeId, RoofCores, RoofNumber, RooflineAnswer, RooflinePoint};
use calor_wire::roofline::{Machine, Peak, Roofline, Scope, Tier, Unmeasured};
use calor_wire::{CallPath, Envelope};

use crate::Error;

pub(super) fn page(facts: &RooflineAnswer<'_>, top: Option<usize>) -> Result<String, Error> {
    let top = top.unwrap_or(usize::MAX);
    let body = Roofline {
        command: facts.profile.runs.first().and_then(|run| run.command.as_deref()),
        machine: machine(facts),
        dtype: facts.found.number.word(),
        scopes: facts.found.points.iter().take(top).map(|point| scope(facts, point)).collect(),
        untold: facts.found.untold.iter().map(|id| unmeasured(facts, *id)).collect(),
    };
    Ok(Envelope::new(&facts.warnings, body).text()?)
}

fn machine<'f>(facts: &'f RooflineAnswer<'_>) -> Machine<'f> {
    let roof = facts.roof;
    Machine {
        cpu: &roof.cpu,
        cores: roof.cores,
        peaks: roof
            .peaks
            .iter()
            .map(|peak| Peak {
                dtype: RoofNumber::word(peak.number),
                width: &peak.width,
                flops_per_s: peak.flops_per_s,
                all_cores_flops_per_s: peak.all_cores_flops_per_s,
            })
            .collect(),
        tiers: roof
            .tiers
            .iter()
            .map(|tier| Tier {
                tier: &tier.name,
                bytes: tier.bytes,
                bytes_per_s: tier.bytes_per_s,
                all_cores_bytes_per_s: tier.all_cores_bytes_per_s,
                ridge: roof.ridge(facts.found.number, tier),
            })
            .collect(),
    }
}

fn call_path<'f>(facts: &'f RooflineAnswer<'_>, id: NodeId) -> CallPath<'f> {
    CallPath::new(facts.profile, facts.tree.node(id).stack)
}

fn scope<'f>(facts: &'f RooflineAnswer<'_>, point: &RooflinePoint) -> Scope<'f> {
    Scope {
        at: call_path(facts, point.node),
        calls: point.calls,
        total_ns: facts.tree.node(point.node).inclusive_nanos,
        cpu_ns: point.cpu_nanos,
        share: point.share,
        flops: point.flops,
        bytes: point.bytes,
        intensity: point.intensity,
        flops_per_s: point.flops_per_s,
        bytes_per_s: point.bytes_per_s,
        tier: point.tier.map(|at| facts.roof.tiers[at].name.as_str()),
        dtype: point.number.word(),
        cores: if point.cores == RoofCores::All { "all" } else { "one" },
        attainable_flops_per_s: point.attainable_flops_per_s,
        attainable_bytes_per_s: point.attainable_bytes_per_s,
        roof_share: point.roof_share,
        bound: point.bound.map(|bound| bound.word()),
        is_estimated: point.is_estimated,
    }
}

fn unmeasured<'f>(facts: &'f RooflineAnswer<'_>, id: NodeId) -> Unmeasured<'f> {
    Unmeasured { at: call_path(facts, id), self_ns: facts.tree.node(id).self_nanos }
}
