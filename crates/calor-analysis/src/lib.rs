//! calor-analysis
