//! The program alone, which everyone is compared with.

use super::Tool;

/// No tool at all.
pub const TOOL: Tool = Tool {
    name: "bare",
    version: || Ok(String::new()),
    record: |program, _, _| program.command(),
    read: None,
    files: &[],
};
