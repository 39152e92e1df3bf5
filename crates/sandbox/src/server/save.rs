//! The file in which a world is kept.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{Shared, lock};
use crate::world::World;

/// A saved world that cannot be taken up again.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file cannot be read.
    #[error("could not read `{0}`")]
    Read(String, #[source] io::Error),
    /// It is no saved world of this version.
    #[error("`{0}` is no world that `accord sandbox --save` wrote")]
    Parse(String, #[source] serde_json::Error),
}

/// The world in a file; `None` if there is no such file yet.
///
/// # Errors
/// If the file is there and cannot be taken up.
pub fn load(path: &Path) -> Result<Option<World>, SaveError> {
    let name = || path.display().to_string();
    match fs::read(path) {
        Ok(bytes) => {
            let world = serde_json::from_slice(&bytes);
            world.map(Some).map_err(|e| SaveError::Parse(name(), e))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SaveError::Read(name(), error)),
    }
}

/// Writes the world whenever it has changed, a moment later.
pub(super) async fn keep(shared: Arc<Shared>) {
    let mut changes = shared.changed.subscribe();
    while shared.options.save.is_some() && changes.changed().await.is_ok() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        // A disk that is full for a while is no reason to stop: the end of the process tries again and says so.
        let _ = now(&shared);
    }
}

/// Writes the world, in one step.
pub(super) fn now(shared: &Shared) -> io::Result<()> {
    let Some(path) = &shared.options.save else {
        return Ok(());
    };
    let text = serde_json::to_vec(&*lock(&shared.world))?;
    let mut temporary = path.clone().into_os_string();
    temporary.push(".new");
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path)
}
