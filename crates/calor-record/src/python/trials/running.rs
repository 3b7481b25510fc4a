//! An interpreter that runs beside the test, with the address of what everything in it hangs on.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use object::{Object, ObjectSymbol};

use super::Installed;
use crate::process::mappings;
use crate::python::constants::version_in;
use crate::python::layout::{Layout, TABLE_BYTES, Version};
use crate::python::memory::{Memory, ProcessMemory};
use calor_symbols::image::Image;

pub(super) struct Running {
    child: Child,
    input: ChildStdin,
    /// Kept open, as a script that cannot print any more ends.
    _output: BufReader<ChildStdout>,
    /// What it said before it was ready.
    pub(super) said: Vec<String>,
    pub(super) memory: ProcessMemory,
    /// Where `_PyRuntime` is.
    pub(super) runtime: u64,
    /// Where `PyCode_Type` is.
    pub(super) code_type: u64,
    pub(super) layout: Layout,
}

impl Running {
    /// Starts `script` and waits until it says `ready`.
    pub(super) fn start(installed: &Installed, script: &str) -> Self {
        let mut command = Command::new(&installed.program);
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it has been started before");
        let mut output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let input = child.stdin.take().expect("its input is a pipe");
        let lines = output.by_ref().lines().map(|line| line.expect("the script prints UTF-8"));
        let said = lines.take_while(|line| line != "ready").collect();
        let pid = i32::try_from(child.id()).expect("a pid fits");
        let memory = ProcessMemory::of(pid, pid);
        let (file, runtime) = find_symbol(pid, "_PyRuntime").expect("an interpreter has a runtime");
        let code_type = symbol(pid, "PyCode_Type").expect("an interpreter has types");
        if let Some(address) = symbol(pid, "Py_Version") {
            let word = memory.int(address).expect("the version is there").cast_unsigned();
            assert_eq!(Version::from_word(word), Some(installed.version));
        } else {
            let constants = file.section(".rodata").map_or(&[][..], |(_, bytes)| bytes);
            let version = version_in(constants).expect("its constants tell the version");
            assert_eq!(version.minor, installed.version.minor);
        }
        let layout = Layout::of(installed.version).unwrap_or_else(|| {
            let mut table = [0; TABLE_BYTES];
            assert_eq!(memory.read(runtime, &mut table), table.len());
            Layout::from_debug_offsets(&table)
                .unwrap_or_else(|error| panic!("{}: {error}", installed.version))
        });
        assert_eq!(layout.version, installed.version);
        Self { child, input, _output: output, said, memory, runtime, code_type, layout }
    }

    /// What it said of the kind `kind`, in fields.
    pub(super) fn said_of(&self, kind: &str) -> Vec<Vec<&str>> {
        let lines = self.said.iter().map(|line| line.split('\t').collect::<Vec<_>>());
        lines.filter(|fields| fields[0] == kind).map(|fields| fields[1..].to_vec()).collect()
    }

    pub(super) fn go_on(&mut self) {
        self.input.write_all(b"\n").expect("it reads its input");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which the test will have noticed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a name of the interpreter is in the process.
fn symbol(pid: i32, name: &str) -> Option<u64> {
    find_symbol(pid, name).map(|(_, address)| address)
}

/// The file that has a name of the interpreter, and where it is in the process.
fn find_symbol(pid: i32, name: &str) -> Option<(Image, u64)> {
    mappings(pid).into_iter().filter(|mapping| mapping.name.contains("python")).find_map(|mapping| {
        let image = Image::open(&mapping.name, mapping.name.as_ref()).ok()?;
        let elf = object::File::parse(image.bytes()).ok()?;
        let mut symbols = elf.symbols().chain(elf.dynamic_symbols());
        let found = symbols.find(|symbol| symbol.is_definition() && symbol.name() == Ok(name))?;
        // The mapping begins with the page that the segment begins in.
        let is_in_mapping = |offset: u64| (mapping.offset..mapping.offset + mapping.size).contains(&offset);
        let mut segments = image.segments().iter();
        let segment = segments.find(|segment| segment.is_executable && is_in_mapping(segment.offset))?;
        let bias = mapping.start.wrapping_sub(segment.address - (segment.offset - mapping.offset));
        let address = found.address().wrapping_add(bias);
        Some((image, address))
    })
}
