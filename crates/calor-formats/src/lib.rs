//! calor-formats
