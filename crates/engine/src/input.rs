//! What `-f` reads: files, folders, and standard input.

use std::path::{Path, PathBuf};

use crate::file::{self, FileError};

/// No folder with more files than this is read: whoever means one has made a mistake.
pub const MAX_FILES: usize = 10_000;

/// A text with the name that people gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file's name as it was given, or `-`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What can go wrong in reading inputs.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder without files of the right names.
    #[error("folder `{}` holds no .yaml, .yml or .json file", .0.display())]
    Empty(PathBuf),
    /// A folder with too many of them.
    #[error("folder `{}` holds more than {MAX_FILES} files", .0.display())]
    TooMany(PathBuf),
    /// Standard input was asked for twice.
    #[error("standard input (`-`) can be read only once")]
    StdinTwice,
}

/// Reads all of them in the given order; a folder's `.yaml`, `.yml` and `.json` files in the order of their names,
/// folders inside it left out, as `kubectl -f` does.
///
/// # Errors
/// The first that cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Input>, InputError> {
    if paths.iter().filter(|p| is_stdin(p)).count() > 1 {
        return Err(InputError::StdinTwice);
    }
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in in_folder(path)? {
                inputs.push(read(&file)?);
            }
        } else {
            inputs.push(read(path)?);
        }
    }
    Ok(inputs)
}

/// Reads one file, or standard input if the path is `-`.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Input, FileError> {
    let bytes = if is_stdin(path) {
        file::read_from(std::io::stdin().lock(), path)?
    } else {
        file::read(path)?
    };
    Ok(Input {
        name: path.display().to_string(),
        bytes,
    })
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let failed = |error| FileError::Read(folder.to_owned(), error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let named = path
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
        if named && !path.is_dir() {
            files.push(path);
        }
        if files.len() > MAX_FILES {
            return Err(InputError::TooMany(folder.to_owned()));
        }
    }
    if files.is_empty() {
        return Err(InputError::Empty(folder.to_owned()));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.yml", "a.yaml", "c.json", "notes.txt"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        std::fs::create_dir(folder.path().join("d.yaml")).unwrap();
        let inputs = read_all(&[folder.path().to_owned()]).unwrap();
        let contents: Vec<_> = inputs
            .iter()
            .map(|i| String::from_utf8_lossy(&i.bytes))
            .collect();
        assert_eq!(contents, ["a.yaml", "b.yml", "c.json"]);
    }

    #[test]
    fn an_empty_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_all(&[folder.path().to_owned()]).unwrap_err();
        assert!(matches!(error, InputError::Empty(_)), "{error}");
    }

    #[test]
    fn standard_input_is_read_once() {
        let twice = [PathBuf::from("-"), PathBuf::from("-")];
        assert!(matches!(read_all(&twice), Err(InputError::StdinTwice)));
    }
}
