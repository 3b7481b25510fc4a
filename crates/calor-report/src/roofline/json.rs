//! A roofline for programs: `calor/roofline/1`.

use calor_analysis::{NodeId, RoofCores, RoofNumber, RooflinePoint};
use serde::Serialize;

use super::Facts;
use crate::Error;
use crate::json::WireWarning;

#[derive(Serialize)]
struct Page<'f> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'f>>,
    command: Option<&'f str>,
    machine: Machine<'f>,
    dtype: &'static str,
    scopes: Vec<Scope<'f>>,
    untold: Vec<Untold<'f>>,
}

#[derive(Serialize)]
struct Machine<'f> {
    cpu: &'f str,
    cores: Option<u32>,
    peaks: Vec<Peak<'f>>,
    tiers: Vec<Tier<'f>>,
}

#[derive(Serialize)]
struct Peak<'f> {
    dtype: &'static str,
    width: &'f str,
    flops_per_s: f64,
    all_cores_flops_per_s: Option<f64>,
}

#[derive(Serialize)]
struct Tier<'f> {
    tier: &'f str,
    bytes: Option<u64>,
    bytes_per_s: f64,
    all_cores_bytes_per_s: Option<f64>,
    ridge: Option<f64>,
}

#[derive(Serialize)]
struct Place<'f> {
    name: &'f str,
    path: Vec<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
struct Scope<'f> {
    #[serde(flatten)]
    place: Place<'f>,
    calls: u64,
    total_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ns: Option<u64>,
    share: f64,
    flops: u64,
    bytes: u64,
    intensity: Option<f64>,
    flops_per_s: Option<f64>,
    bytes_per_s: Option<f64>,
    tier: Option<&'f str>,
    dtype: &'static str,
    cores: &'static str,
    attainable_flops_per_s: Option<f64>,
    attainable_bytes_per_s: Option<f64>,
    roof_share: Option<f64>,
    bound: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_estimated: bool,
}

#[derive(Serialize)]
struct Untold<'f> {
    #[serde(flatten)]
    place: Place<'f>,
    self_ns: u64,
}

pub(super) fn page(facts: &Facts<'_>) -> Result<String, Error> {
    let top = facts.top.unwrap_or(usize::MAX);
    let page = Page {
        schema: "calor/roofline/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: facts.warnings.iter().map(WireWarning::new).collect(),
        command: facts.profile.runs.first().and_then(|run| run.command.as_deref()),
        machine: machine(facts),
        dtype: facts.found.number.word(),
        scopes: facts.found.points.iter().take(top).map(|point| scope(facts, point)).collect(),
        untold: facts.found.untold.iter().map(|id| untold(facts, *id)).collect(),
    };
    Ok(serde_json::to_string_pretty(&page).map_err(std::io::Error::from)? + "\n")
}

fn machine<'f>(facts: &'f Facts<'_>) -> Machine<'f> {
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

fn place<'f>(facts: &'f Facts<'_>, id: NodeId) -> Place<'f> {
    let (node, frame) = (facts.tree.node(id), facts.tree.frame(id));
    Place {
        name: facts.profile.stack_name(node.stack),
        path: facts.profile.path_names(node.stack),
        file: frame.file.map(|file| facts.profile.strings.get(file)),
        line: frame.line,
    }
}

fn scope<'f>(facts: &'f Facts<'_>, point: &RooflinePoint) -> Scope<'f> {
    Scope {
        place: place(facts, point.node),
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

fn untold<'f>(facts: &'f Facts<'_>, id: NodeId) -> Untold<'f> {
    Untold { place: place(facts, id), self_ns: facts.tree.node(id).self_nanos }
}
