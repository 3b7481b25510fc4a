//! calor
