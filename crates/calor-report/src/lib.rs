//! calor-report
