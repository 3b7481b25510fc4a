//! The pprof format: gzip around a protobuf message, as Go's runtime and many others write it.
//!
//! A file holds several sample types, and so does a profile: time of samples, scopes, allocations and work on
//! GPUs are written side by side and read back. What is written of a profile is what a profile and the format
//! have in common: call paths with names, files, lines, modules, kinds and inlining, threads and labels, and for
//! each of them the values. Instants of samples, the timeline, counters and percentiles are not.
//!
//! | sample type | of a profile |
//! |---|---|
//! | `samples`, `cpu` | samples of running threads and the time they stand for |
//! | `wall_samples`, `wall` | samples of all threads |
//! | `off_cpu_samples`, `off_cpu`; read also from `contentions`, `delay` | waiting |
//! | `scope_calls`, `scope_time` | calls of scopes, and their time without that of the scopes inside |
//! | `alloc_objects`, `alloc_space`, `inuse_objects`, `inuse_space` | allocations, and what is left of them |
//! | `peak_objects`, `peak_space`, `temporary_objects`, `temporary_space` | more about allocations |
//! | `gpu_launches`, `gpu_time`, `gpu_copied` | kernels and copies, as leaves of the paths that launched them |
//!
//! ```
//! use calor_formats::{WriteOptions, pprof};
//! use calor_model::Profile;
//!
//! let mut file = Vec::new();
//! pprof::write(&Profile::default(), &WriteOptions::default(), &mut file)?;
//! assert!(pprof::read(&file)?.is_empty());
//! # Ok::<(), calor_formats::Error>(())
//! ```

mod cells;
mod columns;
mod detect;
mod file;
mod gpu;
mod id_map;
mod kind;
mod labels;
mod locations;
mod message;
mod output;
mod paths;
mod places;
mod reader;
mod role;
mod rows;
mod run;
mod tables;
mod texts;
mod wire;
mod writer;

pub(crate) use detect::detect;
pub use reader::read;
pub use writer::write;
