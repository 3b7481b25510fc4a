//! Whether there is a GPU, and whether what runs on it can be told.

use std::path::Path;

use calor_gpu::session::GpuError;

use super::Check;

const NAME: &str = "gpu";

pub(super) fn check() -> Check {
    let nvidia = models();
    if !nvidia.is_empty() || Path::new("/dev/nvidiactl").exists() {
        let found = if nvidia.is_empty() { "NVIDIA".to_owned() } else { nvidia.join(", ") };
        return match calor_gpu::session::probe() {
            Ok(library) => Check::ok(
                NAME,
                format!(
                    "{found}; kernels and copies that a program's scopes launch are told by {library}, in programs that ask for it \
                     (calor::gpu, and PyTorch under calor.enable_profiling())"
                ),
            ),
            Err(error) => {
                let check = Check::not_ok(NAME, format!("{found}; what runs on it cannot be told: {error}"));
                match error {
                    // Its package would not help.
                    GpuError::NoDriver => check,
                    _ => check.fixed_by("pip install nvidia-cuda-cupti"),
                }
            }
        };
    }
    if Path::new("/dev/kfd").exists() {
        return Check::absent(NAME, "AMD: what runs on it is not recorded");
    }
    Check::absent(NAME, "there is none")
}

/// What the driver calls its devices.
fn models() -> Vec<String> {
    let folder = Path::new("/proc/driver/nvidia/gpus");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("information")).ok())
        .collect();
    texts.sort();
    texts.iter().filter_map(|text| model(text)).collect()
}

/// The model in what the driver says of a device.
fn model(information: &str) -> Option<String> {
    let line = information.lines().find_map(|line| line.strip_prefix("Model:"))?;
    Some(line.trim().to_owned()).filter(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_tells_the_model() {
        let information = "Model: \t\t NVIDIA H200\nIRQ:   \t\t 11\nGPU UUID: \t GPU-1\n";
        assert_eq!(model(information).as_deref(), Some("NVIDIA H200"));
        assert_eq!(model("IRQ: 11\n"), None);
    }
}
