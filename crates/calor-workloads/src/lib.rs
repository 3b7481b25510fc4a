//! calor-workloads
