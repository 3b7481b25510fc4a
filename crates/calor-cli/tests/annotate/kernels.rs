//! The kernels: what each computes with, how they are built, and how they are recorded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use calor_model::Profile;
use calor_testing::{Need, cannot};

/// CPU time of each kernel in a recording.
const MILLIS: &str = "150";

/// A function, its class, and whether it multiplies and adds at once.
pub(crate) type Expected = (&'static str, &'static str, bool);

/// Those of the programs in this folder.
pub(crate) const EXPECTED: [Expected; 54] = [
    ("dot_in_order", "scalar", false),
    ("horner", "scalar", false),
    ("divide_chain", "scalar", false),
    ("root_chain", "scalar", false),
    ("newton", "scalar", false),
    ("ints_to_doubles", "scalar", false),
    ("unsigned_to_doubles", "scalar", false),
    ("complex_multiply", "scalar", false),
    ("running_sum", "scalar", false),
    ("long_double_sum", "scalar", false),
    ("leaf_without_loop", "scalar", false),
    ("hash_words", "integer", false),
    ("sort_ints", "integer", false),
    ("scan_bytes", "integer", false),
    ("state_machine", "integer", false),
    ("interpreter", "integer", false),
    ("count_bits", "integer", false),
    ("binary_search", "integer", false),
    ("copy_among_integers", "integer", false),
    ("cold_vectors", "integer", false),
    // What the kernel `recursion` calls.
    ("fibonacci", "integer", false),
    ("axpy_sse", "sse", false),
    ("sum_ints_sse", "sse", false),
    ("copy_sse", "sse", false),
    ("transpose_sse", "sse", false),
    ("find_byte_sse", "sse", false),
    ("doubles_sse", "sse", false),
    ("prefix_sse", "sse", false),
    ("largest_sse", "sse", false),
    // What the kernel `short_tail` calls: its vectors are never reached.
    ("scaled", "scalar", false),
    ("dot_fma_avx2", "avx2", true),
    ("sum_ints_avx2", "avx2", false),
    ("gather_avx2", "avx2", false),
    ("bytes_dot_avx2", "avx2", false),
    ("doubles_avx2", "avx2", true),
    ("narrow_vex", "sse", true),
    ("single_fma", "scalar", true),
    ("masked_avx2", "avx2", false),
    ("cold_avx2", "scalar", false),
    ("halves_avx2", "avx2", false),
    ("multiply_matrices", "avx2", true),
    ("copy_avx2", "avx2", false),
    ("axpy_avx512", "avx512", true),
    ("sum_longs_avx512", "avx512", false),
    ("masked_avx512", "avx512", false),
    ("compress_avx512", "avx512", false),
    ("masked_256", "avx2", false),
    ("masked_128", "sse", false),
    ("rust::dot_scalar", "scalar", false),
    ("rust::saxpy_auto", "sse", false),
    ("rust::dot_avx2", "avx2", true),
    ("rust::int_hash", "integer", false),
    ("rust::sum_of_squares", "scalar", false),
    ("rust::largest_byte", "sse", false),
];

/// What the kernels of C are built of, each with flags of its own.
const UNITS: [(&str, &[&str]); 5] = [
    ("main", &["-O2"]),
    ("plain", &["-O2", "-fno-tree-vectorize"]),
    ("sse", &["-O3", "-ffast-math"]),
    ("avx2", &["-O3", "-ffast-math", "-mavx2", "-mfma", "-mf16c"]),
    (
        "avx512",
        &[
            "-O3",
            "-ffast-math",
            "-mavx512f",
            "-mavx512bw",
            "-mavx512vl",
            "-mavx512dq",
            "-mfma",
            "-mprefer-vector-width=512",
        ],
    ),
];

/// The command, untouched by settings of whoever runs the tests.
pub(crate) fn calor(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALOR_")) {
        command.env_remove(name);
    }
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env("XDG_CACHE_HOME", folder);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command.output().expect("the command can be started")
}

/// Runs a compiler in a folder.
fn build(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap_or_else(|error| {
        panic!("these tests build small programs and need `{program}`, which cannot be started ({error})")
    });
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The programs, built once, in a folder of their own: paths that are part of them do not name it.
fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = shared.join(format!("annotate-kernels-{}", std::process::id()));
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/annotate/kernels");
        std::fs::create_dir_all(&folder).expect("a folder can be made where the tests are built");
        for file in ["kernels.h", "main.c", "plain.c", "sse.c", "avx2.c", "avx512.c", "rust.rs"] {
            std::fs::copy(Path::new(sources).join(file), folder.join(file)).expect("a source can be copied");
        }
        let map = format!("-ffile-prefix-map={}=kernels", folder.display());
        for (unit, flags) in UNITS {
            let source = format!("{unit}.c");
            build(&folder, "cc", &[&["-c", "-g", &map, &source], flags].concat());
        }
        let objects = UNITS.map(|(unit, _)| format!("{unit}.o"));
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        build(&folder, "cc", &[&["-o", "kernels"], &objects[..], &["-lm"]].concat());
        let remap = format!("--remap-path-prefix={}=kernels", folder.display());
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        build(&folder, &rustc, &["--edition", "2021", "-O", "-g", &remap, "rust.rs", "-o", "rust"]);
        // Tests run in processes of their own, side by side: programs appear whole, by their new names.
        let finished = shared.join("annotate-kernels");
        std::fs::create_dir_all(&finished).expect("a folder can be made where the tests are built");
        for program in ["kernels", "rust"] {
            std::fs::rename(folder.join(program), finished.join(program)).expect("the folder is ours");
        }
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        finished
    })
}

/// A recording of all kernels that this processor can run, in `folder`, and the names of those it cannot; `None` where
/// sampling is refused.
pub(crate) fn record(folder: &Path) -> Option<(Profile, Vec<String>)> {
    if let Err(refusal) = calor_record::probe() {
        cannot(Need::Perf, format_args!("only what was recorded before is tested: {refusal}"));
        return None;
    }
    let (mut all, mut skipped) = (Profile::default(), Vec::new());
    for program in ["kernels", "rust"] {
        let file = folder.join(format!("{program}.calor"));
        std::fs::copy(programs().join(program), folder.join(program)).expect("a program can be copied");
        let program = format!("./{program}");
        let file = file.to_str().expect("a temporary path is text");
        let output = calor(folder, &["record", "-q", "-o", file, "--", &program, MILLIS]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        skipped.extend(said.lines().filter_map(|line| line.strip_prefix("skipped ")).map(str::to_owned));
        let bytes = std::fs::read(file).expect("the recording is there");
        all.merge(&calor_formats::read(&bytes).expect("it can be read"));
    }
    Some((all, skipped))
}

/// The folder with the recording that was made before.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/simd")
}
