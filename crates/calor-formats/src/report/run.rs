//! What a report tells of the run and the machine.

use calor_model::{Canary, Cost, Host, Recorder, Run};

use super::{document, moment};

pub(super) fn read(run: document::Run) -> Run {
    let known = [
        Recorder::Scopes,
        Recorder::Cpu,
        Recorder::OffCpu,
        Recorder::Heap,
        Recorder::Gpu,
        Recorder::Counters,
    ];
    let overhead = run.overhead.as_ref();
    Run {
        command: run.command,
        started_at_unix_nanos: run.started_at.as_deref().and_then(moment::unix_nanos).unwrap_or(0),
        duration_nanos: run.duration_ns,
        cpu_nanos: run.cpu_ns,
        host: run.host.map(host).unwrap_or_default(),
        commit: run.commit,
        labels: run.labels,
        recorders: known
            .into_iter()
            .filter(|one| run.recorders.iter().any(|word| word == one.word()))
            .collect(),
        cost: Cost {
            own_cpu_nanos: overhead.and_then(|cost| cost.own_cpu_ns),
            per_scope_picos: overhead.and_then(|cost| cost.per_scope_ps),
            inside_scope_picos: overhead.and_then(|cost| cost.inside_scope_ps),
            memory_bytes: overhead.and_then(|cost| cost.memory_bytes),
        },
        canary: run.canary.map_or_else(Canary::default, |canary| Canary {
            first_nanos: canary.first_ns,
            last_nanos: canary.last_ns,
        }),
        ..Run::default()
    }
}

fn host(host: document::Host) -> Host {
    Host {
        name: host.name.unwrap_or_default(),
        os: host.os.unwrap_or_default(),
        kernel: host.kernel.unwrap_or_default(),
        arch: host.arch.unwrap_or_default(),
        cpu: host.cpu.unwrap_or_default(),
        cpu_features: host.cpu_features.into_iter().collect(),
        cores: host.cores,
        memory_bytes: host.memory_bytes,
    }
}
