//! Files: read with a limit, replaced as a whole or not at all.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No file larger than this is read: a state with many thousands of mappings has a few MiB.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How often, and how long each time, a locked file is waited for: two seconds in all. Whoever holds the lock only
/// compares and renames.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// What can go wrong with a file. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("could not read `{}`", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// It is larger than [`MAX_BYTES`].
    #[error("`{}` is larger than {MAX_BYTES} bytes, which is more than is read", .0.display())]
    TooLarge(PathBuf),
    /// Somebody else is writing it.
    #[error("`{}` is locked by another program", .0.display())]
    Locked(PathBuf),
    /// It is no longer what was read.
    #[error("`{}` was changed by somebody else after it was read", .0.display())]
    Changed(PathBuf),
    /// It is marked read-only.
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It cannot be written; what was there is still there.
    #[error("could not write `{}`; what was there is unchanged", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

/// Reads a whole file, following symbolic links.
///
/// # Errors
/// [`FileError::Read`] also for folders, [`FileError::TooLarge`].
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let read = |error| FileError::Read(path.to_owned(), error);
    let file = File::open(path).map_err(read)?;
    read_from(file, path)
}

/// Reads all of `source`, which is called `name` in errors.
///
/// # Errors
/// As [`read`].
pub fn read_from(source: impl Read, name: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    source
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| FileError::Read(name.to_owned(), error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileError::TooLarge(name.to_owned()));
    }
    Ok(bytes)
}

/// Replaces a file's content, if it still is `before`.
///
/// Symbolic links are followed. The file is locked meanwhile (advisory), a synced temporary file beside it is renamed
/// over it, and permissions and owner are kept: a reader sees the old content or the new one, and after a crash or a
/// full disk the old one is still there.
///
/// # Errors
/// All of [`FileError`]; in each case the file is unchanged.
pub fn replace(path: &Path, before: &[u8], after: &[u8]) -> Result<(), FileError> {
    let target = std::fs::canonicalize(path).map_err(|e| FileError::Read(path.to_owned(), e))?;
    let _lock = lock(path, &target)?;
    if read(&target)? != before {
        return Err(FileError::Changed(path.to_owned()));
    }
    let failed = |error| FileError::Write(path.to_owned(), error);
    let metadata = std::fs::metadata(&target).map_err(failed)?;
    if metadata.permissions().readonly() {
        return Err(FileError::ReadOnly(path.to_owned()));
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".accord-")
        .tempfile_in(folder)
        .map_err(failed)?;
    temporary.write_all(after).map_err(failed)?;
    let file = temporary.as_file();
    file.set_permissions(metadata.permissions())
        .map_err(failed)?;
    keep_owner(file, &metadata);
    file.sync_all().map_err(failed)?;
    temporary
        .persist(&target)
        .map_err(|error| failed(error.error))?;
    // The rename itself is durable once the folder is synced. It has happened either way, and a file system that
    // cannot sync folders loses at worst the new content, not the old.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Writes a new file, or replaces whatever is there, as a whole.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_new(path: &Path, content: &[u8]) -> Result<(), FileError> {
    let failed = |error| FileError::Write(path.to_owned(), error);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(".accord-")
        .tempfile_in(folder)
        .map_err(failed)?;
    temporary.write_all(content).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary
        .persist(path)
        .map_err(|error| failed(error.error))?;
    Ok(())
}

/// Locks the file itself. Whoever replaced it while we waited left the lock on a file that is no longer there, so the
/// one that is there now is locked instead.
fn lock(path: &Path, target: &Path) -> Result<File, FileError> {
    for _ in 0..LOCK_TRIES {
        let file = open_to_lock(target).map_err(|e| FileError::Read(path.to_owned(), e))?;
        match file.try_lock() {
            Ok(()) if is_at(&file, target) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            // A file system without locks: comparing before the rename is what is left.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(file);
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::Read(path.to_owned(), error));
            }
        }
    }
    Err(FileError::Locked(path.to_owned()))
}

/// Network file systems lock only files that are open for writing.
fn open_to_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .or_else(|_| File::open(path))
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(theirs)) => (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

/// Gives the new file the owner of the old one, where we may: only root can give files away.
#[cfg(unix)]
fn keep_owner(file: &File, like: &std::fs::Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _like: &std::fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(content: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.yaml");
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_what_was_read() {
        let (folder, path) = state("old");
        replace(&path, b"old", b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["state.yaml"]);
    }

    #[test]
    fn leaves_what_somebody_else_changed() {
        let (folder, path) = state("theirs");
        let error = replace(&path, b"old", b"new").unwrap_err();
        assert!(matches!(error, FileError::Changed(_)), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(&folder), ["state.yaml"]);
    }

    #[test]
    fn a_locked_file_is_waited_for_and_then_left() {
        let (_folder, path) = state("old");
        let holder = File::open(&path).unwrap();
        holder.lock().unwrap();
        let error = replace(&path, b"old", b"new").unwrap_err();
        assert!(matches!(error, FileError::Locked(_)), "{error}");
        drop(holder);
        replace(&path, b"old", b"new").unwrap();
    }

    #[test]
    fn a_read_only_file_is_left() {
        let (_folder, path) = state("old");
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let error = replace(&path, b"old", b"new").unwrap_err();
        assert!(matches!(error, FileError::ReadOnly(_)), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::PermissionsExt as _;
        let (folder, path) = state("old");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("state.yaml", &link).unwrap();
        replace(&link, b"old", b"new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[test]
    fn folders_and_missing_files_cannot_be_read() {
        let (folder, _) = state("old");
        assert!(matches!(read(folder.path()), Err(FileError::Read(..))));
        assert!(matches!(
            read(&folder.path().join("none")),
            Err(FileError::Read(..))
        ));
    }

    #[test]
    fn writers_that_race_lose_nothing() {
        let (_folder, path) = state("");
        std::thread::scope(|scope| {
            for i in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    loop {
                        let before = read(path).unwrap();
                        let mut after = before.clone();
                        after.extend(format!("{i}\n").bytes());
                        match replace(path, &before, &after) {
                            Ok(()) => break,
                            Err(FileError::Changed(_) | FileError::Locked(_)) => {}
                            Err(other) => panic!("{other}"),
                        }
                    }
                });
            }
        });
        let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(text.lines().count(), 8, "{text}");
    }
}
