//! Debug information wherever build systems and distributions put it.

use std::fs;

use calor_symbols::ShortcomingKind;
use calor_testing::{Need, cannot};

use crate::programs::{Workshop, chain_text, check_chain, function, open, symbolizer};

#[test]
fn debug_information_in_the_file_itself_is_found() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g"]);
    check_chain(&chain, &function(&chain, "outer"));
    let mut symbolizer = symbolizer();
    symbolizer.resolve(&open(&chain), &function(&chain, "outer"));
    assert_eq!(symbolizer.shortcomings(), []);
}

#[test]
fn compressed_sections_are_unpacked() {
    for format in ["zlib-gnu", "zlib-gabi", "zstd"] {
        let workshop = Workshop::new();
        let chain = workshop.chain(&["-g"]);
        let outer = function(&chain, "outer");
        let option = format!("--compress-debug-sections={format}");
        if !workshop.try_run("objcopy", &[&option, "chain", "packed"]) {
            eprintln!("objcopy cannot pack as {format} here");
            continue;
        }
        let packed = workshop.path("packed");
        assert!(open(&packed).section(".debug_info").is_none(), "{format} packed nothing");
        check_chain(&packed, &outer);
    }
}

#[test]
fn a_section_that_claims_to_become_huge_is_not_unpacked() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g", "-gz=zlib"]);
    let image = open(&chain);
    assert!(image.unpacked_section(".debug_info", u64::MAX).is_some());
    assert!(image.unpacked_section(".debug_info", 16).is_none());
}

#[test]
fn a_debug_file_is_found_by_its_link() {
    for folder in ["", ".debug/"] {
        let workshop = Workshop::new();
        let chain = workshop.chain(&["-g", "-Wl,--build-id=none"]);
        let outer = function(&chain, "outer");
        fs::create_dir_all(workshop.path(".debug")).unwrap();
        let debug = format!("{folder}chain.dbg");
        workshop.run("objcopy", &["--only-keep-debug", "chain", &debug]);
        workshop.run("strip", &["chain"]);
        workshop.run("objcopy", &[&format!("--add-gnu-debuglink={debug}"), "chain"]);
        check_chain(&chain, &outer);
        // `hidden` has a name only in the debug file.
        let found = symbolizer().resolve(&open(&chain), &outer[..1]);
        assert_eq!(chain_text(&found[0]).split(" < ").next(), Some("outer"));
    }
}

#[test]
fn a_debug_file_of_another_build_is_not_taken() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g", "-Wl,--build-id=none"]);
    let outer = function(&chain, "outer");
    workshop.run("objcopy", &["--only-keep-debug", "chain", "chain.dbg"]);
    workshop.run("strip", &["chain"]);
    workshop.run("objcopy", &["--add-gnu-debuglink=chain.dbg", "chain"]);
    let mut bytes = fs::read(workshop.path("chain.dbg")).unwrap();
    bytes.push(0);
    fs::write(workshop.path("chain.dbg"), bytes).unwrap();
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&open(&chain), &outer);
    assert!(found.iter().all(Vec::is_empty), "{:?}", found[0]);
}

#[test]
fn split_units_are_found_beside_and_where_they_were_built() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        let workshop = Workshop::new();
        let chain = workshop.chain(&["-g", "-gsplit-dwarf", version]);
        let outer = function(&chain, "outer");
        check_chain(&chain, &outer);
        // Moved together, away from the folder that the program names.
        let (part, _) = split_part(&workshop);
        fs::create_dir(workshop.path("moved")).unwrap();
        fs::rename(workshop.path(&part), workshop.path("moved").join(&part)).unwrap();
        fs::rename(&chain, workshop.path("moved/chain")).unwrap();
        check_chain(&workshop.path("moved/chain"), &outer);
    }
}

#[test]
fn a_missing_split_unit_is_told_with_its_path_and_the_name_is_found_all_the_same() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g", "-gsplit-dwarf"]);
    let outer = function(&chain, "outer");
    let (part, path) = split_part(&workshop);
    fs::remove_file(path).unwrap();
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&open(&chain), &outer);
    assert!(found.iter().all(|symbols| chain_text(symbols) == "outer"), "{:?}", found[0]);
    assert!(found.iter().any(|symbols| symbols[0].line.is_some()), "the lines are not in the missing part");
    let [told] = &symbolizer.shortcomings()[..] else { panic!("{:?}", symbolizer.shortcomings()) };
    assert_eq!(told.kind, ShortcomingKind::SplitFilesMissing);
    assert!(told.what.contains(&part), "{told:?}");
}

#[test]
fn a_package_of_split_units_is_found() {
    // The packager of binutils knows DWARF 4; packages of DWARF 5 are tested with those that rustc makes.
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g", "-gsplit-dwarf", "-gdwarf-4"]);
    let outer = function(&chain, "outer");
    let (part, path) = split_part(&workshop);
    if std::process::Command::new("dwp").arg("--version").output().is_err() {
        cannot(Need::Tool, "dwp is not installed");
        return;
    }
    workshop.run("dwp", &[&part, "-o", "chain.dwp"]);
    fs::remove_file(path).unwrap();
    check_chain(&chain, &outer);
}

/// The name and path of the one `.dwo` file in the folder.
fn split_part(workshop: &Workshop) -> (String, std::path::PathBuf) {
    let entry = fs::read_dir(workshop.path(""))
        .unwrap()
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|extension| extension == "dwo"));
    let entry = entry.expect("the compiler wrote a split unit");
    (entry.file_name().into_string().unwrap(), entry.path())
}

#[test]
fn a_name_that_was_replaced_for_the_linker_is_the_one_of_the_source() {
    let workshop = Workshop::new();
    let source = "unsigned known(unsigned) __asm__(\"__internal_known\");\n\
                  __attribute__((noinline)) unsigned known(unsigned x) { return x * 7u + (x >> 3); }\n";
    fs::write(workshop.path("known.c"), source).unwrap();
    let chain = workshop.chain(&["-g", "known.c", "-Wl,-u,__internal_known"]);
    let found = symbolizer().resolve(&open(&chain), &function(&chain, "__internal_known"));
    assert!(found.iter().all(|symbols| chain_text(symbols) == "known"), "{:?}", found[0]);
}

#[test]
fn a_program_with_names_and_nothing_else_gives_names_and_tells() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&[]);
    let addresses = [function(&chain, "outer"), function(&chain, "hidden")].concat();
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&open(&chain), &addresses);
    for (address, symbols) in addresses.iter().zip(&found) {
        let text = chain_text(symbols);
        assert!(["outer", "hidden"].contains(&&*text), "{address:#x}: {text:?}");
    }
    let [told] = &symbolizer.shortcomings()[..] else { panic!("{:?}", symbolizer.shortcomings()) };
    assert_eq!(told.kind, ShortcomingKind::NoDebugInformation);
    assert!(told.advice.contains("`-g`"), "{told:?}");
}

#[test]
fn a_stripped_program_has_only_the_names_that_it_exports() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-rdynamic"]);
    let (outer, hidden) = (function(&chain, "outer"), function(&chain, "hidden"));
    workshop.run("strip", &["chain"]);
    let mut symbolizer = symbolizer();
    let image = open(&chain);
    let found = symbolizer.resolve(&image, &outer);
    assert!(found.iter().all(|symbols| chain_text(symbols) == "outer"));
    // `hidden` stands between two exported functions and is neither of them.
    let found = symbolizer.resolve(&image, &hidden);
    assert!(found.iter().all(Vec::is_empty), "{:?}", found[0]);
    let [told] = &symbolizer.shortcomings()[..] else { panic!("{:?}", symbolizer.shortcomings()) };
    assert_eq!((told.kind, told.n_unknown), (ShortcomingKind::NoSymbols, hidden.len()));
}

#[test]
fn names_packed_into_a_stripped_program_are_found() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&[]);
    let hidden = function(&chain, "hidden");
    if std::process::Command::new("xz").arg("--version").output().is_err() {
        cannot(Need::Tool, "xz is not installed");
        return;
    }
    fs::copy(&chain, workshop.path("names")).unwrap();
    workshop.run("xz", &["names"]);
    workshop.run("strip", &["chain"]);
    workshop.run("objcopy", &["--add-section", ".gnu_debugdata=names.xz", "chain"]);
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&open(&chain), &hidden);
    assert!(found.iter().all(|symbols| chain_text(symbols) == "hidden"), "{:?}", found[0]);
    assert_eq!(symbolizer.shortcomings()[0].kind, ShortcomingKind::NoDebugInformation);
    // Damaged, it is as if it were not there.
    let whole = fs::read(&chain).unwrap();
    let (_, packed) = open(&chain).section(".gnu_debugdata").map(|(at, bytes)| (at, bytes.to_vec())).unwrap();
    let start = whole.windows(packed.len()).position(|window| window == packed).unwrap();
    for place in (start..start + packed.len()).step_by(37) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x55;
        fs::write(workshop.path("damaged"), bytes).unwrap();
        let mut symbolizer = crate::programs::symbolizer();
        let found = symbolizer.resolve(&open(&workshop.path("damaged")), &hidden);
        assert!(found.iter().all(|symbols| symbols.is_empty() || chain_text(symbols) == "hidden"));
        let told = symbolizer.shortcomings().remove(0);
        assert!(!told.what.contains("understood"), "a panic was caught at {place}");
    }
}

#[test]
fn addresses_outside_of_all_code_have_no_name() {
    let workshop = Workshop::new();
    let chain = workshop.chain(&["-g"]);
    let found = symbolizer().resolve(&open(&chain), &[0, 1, 0x10, u64::MAX - 1, u64::MAX, 1 << 40]);
    assert!(found.iter().all(Vec::is_empty), "{found:?}");
}

#[test]
fn labels_of_assembly_reach_to_the_next_name() {
    let workshop = Workshop::new();
    let source = ".text\n.globl main, first\nfirst: nop\n nop\n nop\nsecond: nop\n nop\n\
                  .type main,@function\nmain: xor %eax,%eax\n ret\n.size main,.-main\n";
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    fs::write(workshop.path("labels.s"), source).unwrap();
    workshop.run("cc", &["-nostdlib", "-Wl,-e,main", "-o", "labels", "labels.s"]);
    let path = workshop.path("labels");
    let main = function(&path, "main")[0];
    let addresses: Vec<u64> = (main - 5..=main).collect();
    let found = symbolizer().resolve(&open(&path), &addresses);
    let names: Vec<String> = found.iter().map(|symbols| chain_text(symbols)).collect();
    assert_eq!(names, ["first", "first", "first", "second", "second", "main"]);
}

#[test]
fn the_c_library_has_names_for_what_it_exports() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let Some(path) =
        maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| path.contains("libc.so"))
    else {
        return;
    };
    let bytes = fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    use object::{Object as _, ObjectSymbol as _};
    let malloc = file.dynamic_symbols().find(|symbol| symbol.name() == Ok("malloc")).unwrap();
    let mut symbolizer = symbolizer();
    let found = symbolizer.resolve(&open(path.as_ref()), &[malloc.address() + 1]);
    assert!(found[0][0].name.contains("malloc"), "{found:?}");
    for told in symbolizer.shortcomings() {
        assert!(!told.advice.is_empty());
    }
}
