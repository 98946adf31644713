//! Compiles a C++ object again only if a file that it was compiled from has new contents.
//!
//! Cargo runs a build script whole when any of its files changes, and `cc` compiles every file that it is given. The objects of
//! an earlier run stay in the output directory, each with the list of the files that it was compiled from (`-MMD`), so a
//! source whose files have the same contents as then needs no compiler. Files that are generated with the same contents count as
//! unchanged.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The flag with which the compiler lists the files of an object, other than those of the system and of LLVM.
pub const LIST_FILES: &str = "-MMD";

/// An object.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    source: PathBuf,
    object: PathBuf,
    /// A hash of the contents of the files that it was compiled from, and of the command.
    contents: u64,
}

/// The objects of earlier runs of a build script.
#[derive(Debug)]
pub struct Objects {
    /// The file that lists the objects.
    list: PathBuf,
    /// A text that differs where the compiler or its flags do.
    command: String,
    records: Vec<Record>,
    /// When the build script began to compile.
    start: SystemTime,
}

impl Objects {
    /// Reads the objects in an output directory. `command` is a text that differs where the compiler or its flags do.
    #[must_use]
    pub fn read(directory: &Path, command: String) -> Self {
        let list = directory.join("objects.txt");
        // Without a readable list of an earlier run, every source is compiled.
        let text = fs::read_to_string(&list).unwrap_or_default();
        let records = text.lines().filter_map(record).collect();
        Self {
            list,
            command,
            records,
            start: SystemTime::now(),
        }
    }

    /// Returns the object of a source, if it would be the same when compiled again.
    #[must_use]
    pub fn current(&self, source: &Path) -> Option<&Path> {
        let mut records = self.records.iter();
        let record = records.find(|record| record.source == source)?;
        let contents = self.contents(&files(&record.object)?)?;
        (record.object.exists() && contents == record.contents).then_some(&record.object)
    }

    /// Adds an object that was compiled with [`LIST_FILES`], in place of an earlier one of its source.
    ///
    /// # Errors
    /// The list of its files cannot be read.
    pub fn add(&mut self, source: &Path, object: &Path) -> Result<(), String> {
        let unlisted = || format!("the compiler has listed no files for {}", object.display());
        let files = files(object).ok_or_else(unlisted)?;
        let contents = self.contents(&files).ok_or_else(unlisted)?;
        self.records.retain(|record| record.source != source);
        if files.iter().any(|file| self.is_edited(file)) {
            // The object may have the contents of before, so the next run compiles it again.
            fs::remove_file(object.with_extension("d")).map_err(|err| err.to_string())?;
        }
        self.records.push(Record {
            source: source.to_owned(),
            object: object.to_owned(),
            contents,
        });
        Ok(())
    }

    /// Writes the list without the objects of sources that no longer exist, and returns the remaining objects.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, sources: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
        self.records
            .retain(|record| sources.contains(&record.source));
        let mut text = String::new();
        for record in &self.records {
            let (source, object) = (record.source.display(), record.object.display());
            writeln!(text, "{source}\t{object}\t{:016x}", record.contents)
                .expect("a string takes any text");
        }
        fs::write(&self.list, text).map_err(|err| format!("{}: {err}", self.list.display()))?;
        Ok(self.records.into_iter().map(|it| it.object).collect())
    }

    /// Returns whether a file was edited, or removed, since the build script began.
    fn is_edited(&self, file: &Path) -> bool {
        let edited = fs::metadata(file).and_then(|file| file.modified());
        edited.map_or(true, |edited| edited > self.start)
    }

    /// Returns a hash of the command and of the files that an object was compiled from; `None` if one is missing.
    fn contents(&self, files: &[PathBuf]) -> Option<u64> {
        let mut hash = DefaultHasher::new();
        self.command.hash(&mut hash);
        for file in files {
            file.hash(&mut hash);
            fs::read(file).ok()?.hash(&mut hash);
        }
        Some(hash.finish())
    }
}

/// Returns the files that an object was compiled from; `None` if the compiler has not listed them.
fn files(object: &Path) -> Option<Vec<PathBuf>> {
    let rule = fs::read_to_string(object.with_extension("d")).ok()?;
    Some(prerequisites(&rule))
}

fn record(line: &str) -> Option<Record> {
    let mut fields = line.split('\t');
    let record = Record {
        source: fields.next()?.into(),
        object: fields.next()?.into(),
        contents: u64::from_str_radix(fields.next()?, 16).ok()?,
    };
    fields.next().is_none().then_some(record)
}

/// Returns the prerequisites of a rule of `make`, as compilers write it: a space in a name has a backslash before it.
fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let rule = rule.replace("\\\n", " ");
    let Some((_, files)) = rule.split_once(": ") else {
        return Vec::new();
    };
    let mut names = vec![String::new()];
    let mut letters = files.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = names.last_mut().expect("there is one");
        match letter {
            '\\' if letters.peek() == Some(&' ') => last.extend(letters.next()),
            letter if letter.is_whitespace() => names.push(String::new()),
            letter => last.push(letter),
        }
    }
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn prerequisites_are_read() {
        let rule = "/t/a-Spyre.o: dialects/Spyre.cpp \\\n  dialects/a\\ b.h \\\n  /t/Ops.h.inc\n";
        let files = ["dialects/Spyre.cpp", "dialects/a b.h", "/t/Ops.h.inc"];
        assert_eq!(prerequisites(rule), files.map(PathBuf::from));
        assert!(prerequisites("").is_empty());
    }

    /// Returns an empty directory of a test.
    fn directory(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("temporary directories can be made");
        directory
    }

    #[test]
    fn an_object_is_current_while_its_files_and_command_are() {
        let out = directory("spyre-build-objects");
        let [source, header, object] = ["a.cpp", "a.h", "a.o"].map(|name| out.join(name));
        let write = |file: &Path, text: &str| fs::write(file, text).expect("it can be written");
        write(&source, "int a;");
        write(&header, "int b;");
        write(&object, "");
        let rule = format!(
            "{}: {} {}\n",
            object.display(),
            source.display(),
            header.display()
        );
        write(&object.with_extension("d"), &rule);

        let mut objects = Objects::read(&out, "-O1".to_owned());
        assert_eq!(objects.current(&source), None);
        objects.add(&source, &object).expect("its files are listed");
        let objects = objects.write(std::slice::from_ref(&source));
        assert_eq!(objects, Ok(vec![object.clone()]));

        let current = |command: &str| {
            let objects = Objects::read(&out, command.to_owned());
            objects.current(&source).map(Path::to_owned)
        };
        assert_eq!(current("-O1"), Some(object.clone()));
        assert_eq!(current("-O2"), None);
        write(&header, "int c;");
        assert_eq!(current("-O1"), None);
        write(&header, "int b;");
        assert_eq!(current("-O1"), Some(object.clone()));
        fs::remove_file(&header).expect("it is there");
        assert_eq!(current("-O1"), None);
        fs::remove_dir_all(&out).expect("it is there");
    }

    #[test]
    fn an_object_whose_source_is_edited_meanwhile_is_not_current() {
        let out = directory("spyre-build-edited");
        let [source, object] = ["a.cpp", "a.o"].map(|name| out.join(name));
        let rule = format!("{}: {}\n", object.display(), source.display());
        fs::write(object.with_extension("d"), &rule).expect("it can be written");
        fs::write(&object, "").expect("it can be written");
        let mut objects = Objects::read(&out, "-O1".to_owned());
        objects.start = SystemTime::now() - Duration::from_secs(1);
        fs::write(&source, "int a;").expect("it can be written");
        objects.add(&source, &object).expect("its files are listed");
        objects
            .write(std::slice::from_ref(&source))
            .expect("it can be written");
        let objects = Objects::read(&out, "-O1".to_owned());
        assert_eq!(objects.current(&source), None);
    }
}
