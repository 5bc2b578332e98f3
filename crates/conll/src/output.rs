//! Writing files that appear whole or not at all.
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Temporary files of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file written under a temporary name beside its own, and renamed by
/// [`finish`](AtomicFile::finish): an old file of that name stays until the new one is complete,
/// and a failure leaves nothing behind. Pipes and devices are written directly.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts writing; nothing is visible under `path` yet.
    pub fn create(path: impl AsRef<Path>) -> io::Result<AtomicFile> {
        // Through a link, so that the link stays one.
        let path = fs::canonicalize(&path).unwrap_or_else(|_| path.as_ref().to_path_buf());
        let name = path.file_name().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the output is not the name of a file")
        })?;
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "the output is a folder"));
        }
        if path.exists() && !path.is_file() {
            let file = BufWriter::with_capacity(1 << 16, File::options().write(true).open(&path)?);
            return Ok(AtomicFile { path, temporary: PathBuf::new(), file: Some(file) });
        }
        let mut attempt = 0u32;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.part", std::process::id()));
            let temporary = path.with_file_name(hidden);
            // Nobody who removes unfinished files comes between the file and its name in the list.
            let mut list = unfinished();
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    list.push(temporary.clone());
                    let file = Some(BufWriter::with_capacity(1 << 16, file));
                    return Ok(AtomicFile { path, temporary, file });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes the file appear under its name, safely on disk.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            if self.temporary == PathBuf::new() {
                return Ok(());
            }
            if let Ok(old) = fs::metadata(&self.path) {
                file.set_permissions(old.permissions())?;
            }
            file.sync_all()?;
            let mut list = unfinished();
            fs::rename(&self.temporary, &self.path)?;
            list.retain(|path| *path != self.temporary);
            self.temporary = PathBuf::new();
        }
        Ok(())
    }

    /// Removes the temporary files of all that is not finished and ends the process. No file can be
    /// begun or finished meanwhile.
    pub fn remove_all_unfinished_and_exit(code: i32) -> ! {
        let mut list = unfinished();
        for path in list.drain(..) {
            let _ = fs::remove_file(path);
        }
        std::process::exit(code)
    }

    fn file(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file is finished"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        self.file = None;
        if self.temporary != PathBuf::new() {
            let _ = fs::remove_file(&self.temporary);
            unfinished().retain(|path| *path != self.temporary);
        }
    }
}
