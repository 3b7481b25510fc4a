//! The command as a user meets it, on the demo's profile: every subcommand, on good and on bad input.

#[cfg(target_os = "linux")]
mod ab;
mod bad_input;
mod baseline;
mod bench_compression;
mod bench_model;
mod bench_places;
mod bench_runs;
mod bench_simd;
mod bench_tokenizer;
mod check;
#[cfg(target_os = "linux")]
mod check_recorded;
mod compare;
mod compare_circumstances;
mod convert;
mod doctor;
mod findings;
mod flame;
mod forecast;
mod heap;
#[path = "../../../calor-report/tests/heap_sketch/mod.rs"]
mod heap_sketch;
mod help;
mod history;
mod language;
mod machine;
mod pages_of_shells;
mod quiet;
#[cfg(target_os = "linux")]
mod record_settings;
mod schema;
mod schema_check;
mod store;
#[cfg(target_os = "linux")]
mod verify;
mod whatif;
mod whatif_confirm;
mod workbench;
