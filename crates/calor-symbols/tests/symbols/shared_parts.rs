//! Names that `dwz` moved into a file shared by several programs. The tool is rarely installed, so the two files are
//! written by hand, in assembly.

use std::fs;

use crate::programs::{Workshop, chain_text, functions, open, symbolizer};

/// The shared file: one unit with the name of a function.
const SHARED: &str = r#"
.section .debug_abbrev,"",@progbits
.byte 1, 0x11, 1, 0, 0
.byte 2, 0x2e, 0, 3, 8, 0, 0
.byte 0
.section .debug_info,"",@progbits
.long 2f - 1f
1: .value 4
.long 0
.byte 8
.byte 1
name: .byte 2
.asciz "shared_name"
.byte 0
2:
.section .note.gnu.build-id,"a",@note
.long 4, 8, 3
.asciz "GNU"
.byte 1, 2, 3, 4, 5, 6, 7, 8
"#;

/// The program: its function's name is at offset 12 of the shared file's units.
const PROGRAM: &str = r#"
.text
.globl code
.type code,@function
code: .zero 16, 0x90
.size code, 16
.section .debug_abbrev,"",@progbits
.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0
.byte 2, 0x2e, 0, 0x31, 0xa0, 0x3e, 0x11, 1, 0x12, 7, 0, 0
.byte 0
.section .debug_info,"",@progbits
.long 2f - 1f
1: .value 4
.long 0
.byte 8
.byte 1
.quad code
.quad 16
.byte 2
.long 12
.quad code
.quad 16
.byte 0
2:
.section .gnu_debugaltlink,"",@progbits
.asciz "shared.debug"
.byte 1, 2, 3, 4, 5, 6, 7, 8
"#;

#[test]
fn a_name_in_the_shared_file_is_found_when_it_is_the_file_that_is_meant() {
    let workshop = Workshop::new();
    fs::write(workshop.path("shared.s"), SHARED).unwrap();
    fs::write(workshop.path("program.s"), PROGRAM).unwrap();
    // DW_FORM_GNU_ref_alt is 0x1f20: two bytes of a variable-length number, as written above.
    workshop.run("cc", &["-c", "-o", "shared.debug", "shared.s"]);
    workshop.run("cc", &["-nostdlib", "-Wl,--build-id=none,-e,code", "-o", "program", "program.s"]);
    let path = workshop.path("program");
    let addresses = functions(&path);
    let found = symbolizer().resolve(&open(&path), &addresses);
    assert_eq!(chain_text(&found[0]), "shared_name");
    // Another file of the same name is not taken; the symbol table still names the function.
    fs::write(workshop.path("shared.s"), SHARED.replace("6, 7, 8", "6, 7, 9")).unwrap();
    workshop.run("cc", &["-c", "-o", "shared.debug", "shared.s"]);
    let found = symbolizer().resolve(&open(&path), &addresses);
    assert_eq!(chain_text(&found[0]), "code");
}
