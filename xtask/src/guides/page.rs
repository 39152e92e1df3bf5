//! A Markdown page as text with commands in it.

/// A piece of a page.
enum Piece {
    /// Prose, the fences of blocks, and the lines of commands themselves.
    Text(String),
    /// What a command prints, and the command.
    Command(Command),
}

/// A command of a `console` block.
pub(super) struct Command {
    /// What is typed, without the prompt.
    pub text: String,
    /// What the page says it prints; ends with a line break unless empty.
    pub output: String,
    /// The line of the page, counted from 1.
    pub line: usize,
}

/// A page, taken apart.
pub(super) struct Page(Vec<Piece>);

/// A fenced block of Markdown. A longer fence can hold a shorter one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Block {
    backticks: usize,
    is_console: bool,
}

impl Block {
    /// The block that the text behind `line` is in, when `line` itself is in `block`.
    fn after(block: Option<Self>, line: &str) -> Option<Self> {
        let info = line.trim_start_matches('`');
        let backticks = line.len() - info.len();
        let info = info.trim_end();
        match block {
            Some(block) if backticks >= block.backticks && info.is_empty() => None,
            Some(block) => Some(block),
            None if backticks >= 3 => Some(Self {
                backticks,
                is_console: info == "console",
            }),
            None => None,
        }
    }
}

impl Page {
    /// Takes a page apart. A command's line that ends with a backslash goes on in the next one.
    pub(super) fn of(text: &str) -> Self {
        let mut pieces = vec![Piece::Text(String::new())];
        let mut block = None; // the block that a line is in
        let mut continued = false;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let before = block;
            block = Block::after(before, line);
            let inside = block == before && block.is_some_and(|block| block.is_console);
            let fence = block != before;
            match pieces.last_mut() {
                Some(Piece::Command(command)) if continued => {
                    command.text.push('\n');
                    command.text.push_str(line.trim_end());
                }
                _ if inside && line.starts_with("$ ") => pieces.push(Piece::Command(Command {
                    text: line.trim_start_matches("$ ").trim_end().to_owned(),
                    output: String::new(),
                    line: number + 1,
                })),
                Some(Piece::Command(command)) if inside && !fence => command.output.push_str(line),
                Some(Piece::Text(text)) => text.push_str(line),
                _ => pieces.push(Piece::Text(line.to_owned())),
            }
            continued = matches!(pieces.last(), Some(Piece::Command(command))
                if command.output.is_empty() && command.text.ends_with('\\'));
        }
        Self(pieces)
    }

    /// The commands, from top to bottom.
    pub(super) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Command(command) => Some(command),
        })
    }

    /// The page with these outputs, one per command.
    pub(super) fn with(&self, outputs: &[String]) -> String {
        let mut outputs = outputs.iter();
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Command(command) => {
                    text.push_str("$ ");
                    text.push_str(&command.text);
                    text.push('\n');
                    text.push_str(outputs.next().unwrap_or(&command.output));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n\n```console\n$ one \\\n    more\nout\n\nout\n$ two\n```\n\n```yaml\n$ not: a command\n```\n";

    #[test]
    fn finds_commands_and_what_they_print() {
        let page = Page::of(PAGE);
        let commands: Vec<_> = page
            .commands()
            .map(|command| (command.text.as_str(), command.output.as_str(), command.line))
            .collect();
        assert_eq!(
            commands,
            [("one \\\n    more", "out\n\nout\n", 4), ("two", "", 9)]
        );
    }

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        let page = Page::of("````console\n$ one\n```yaml\na: b\n```\n````\n");
        let outputs: Vec<_> = page
            .commands()
            .map(|command| command.output.as_str())
            .collect();
        assert_eq!(outputs, ["```yaml\na: b\n```\n"]);
    }

    #[test]
    fn is_put_together_as_it_was() {
        let page = Page::of(PAGE);
        let outputs: Vec<_> = page
            .commands()
            .map(|command| command.output.clone())
            .collect();
        assert_eq!(page.with(&outputs), PAGE);
        let changed = page.with(&["new\n".into(), String::new()]);
        assert!(changed.contains("more\nnew\n$ two\n```\n"));
    }
}
