//! Colours, used sparingly: nothing depends on them, and they reach a terminal only.

use anstyle::{AnsiColor, Style};

/// A heading, a name that matters.
pub const STRONG: Style = Style::new().bold();
/// Good news and ways out.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is lost, refused or broken.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What deserves a second look.
pub const NOTE: Style = AnsiColor::Yellow.on_default();
/// What may be skipped.
pub const FAINT: Style = Style::new().dimmed();
