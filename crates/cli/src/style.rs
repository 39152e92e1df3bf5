//! Colours, used sparingly: nothing depends on them, and they reach a terminal only.

use anstyle::{AnsiColor, Style};

/// A heading, a name that matters.
pub(crate) const STRONG: Style = Style::new().bold();
/// Good news and ways out.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is lost, refused or broken.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a second look.
pub(crate) const NOTE: Style = AnsiColor::Yellow.on_default();
/// What may be skipped.
pub(crate) const FAINT: Style = Style::new().dimmed();
