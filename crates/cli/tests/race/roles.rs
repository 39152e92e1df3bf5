//! The text of `mapRoles` in pieces, as far as the judge needs it: which bytes are whose.
//!
//! The judge reads for itself, and not with the program's reader, because what it judges is the program. It knows only
//! lists in block style, which is all that is written in these tests.

/// A piece of the text: an entry with the lines that belong to it, or a line between entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'t> {
    /// Its bytes.
    pub(crate) text: &'t str,
    /// The entry's principal and what it becomes; `None`: it is no entry.
    pub(crate) entry: Option<Entry<'t>>,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub(crate) principal: &'t str,
    pub(crate) username: &'t str,
    pub(crate) groups: Vec<&'t str>,
}

/// The pieces, which joined give the text.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut bounds: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.starts_with(' ') {
            bounds.push(at);
        }
        at += line.len();
    }
    bounds.push(text.len());
    let texts = bounds.windows(2).filter_map(|pair| match pair {
        [from, to] => text.get(*from..*to),
        _ => None,
    });
    texts
        .map(|text| Piece {
            text,
            entry: entry(text),
        })
        .collect()
}

/// The entries.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = Entry<'_>> {
    pieces(text).into_iter().filter_map(|piece| piece.entry)
}

fn entry(text: &str) -> Option<Entry<'_>> {
    text.strip_prefix('-')?;
    Some(Entry {
        principal: value(text, "rolearn:")?,
        username: value(text, "username:").unwrap_or(""),
        groups: groups(text),
    })
}

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(key)?;
    Some(plain(rest.lines().next()?))
}

fn plain(text: &str) -> &str {
    text.split(" #")
        .next()
        .unwrap_or(text)
        .trim()
        .trim_matches(['\'', '"'])
}

fn groups(text: &str) -> Vec<&str> {
    let Some((_, rest)) = text.split_once("groups:") else {
        return Vec::new();
    };
    let (first, below) = rest.split_once('\n').unwrap_or((rest, ""));
    if let Some(list) = plain(first).strip_prefix('[') {
        let list = list.trim_end_matches(']').split(',').map(plain);
        return list.filter(|group| !group.is_empty()).collect();
    }
    let items = below
        .lines()
        .map_while(|line| line.trim_start().strip_prefix("- "));
    items.map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# nodes
- rolearn: 'arn:nodes'
  username: system:node:{{EC2PrivateDNSName}}
  groups: [ a, b ]   # both!

-   groups:
      - system:masters
    rolearn: arn:platform
    username: \"platform\"
- rolearn: arn:nobody
";

    #[test]
    fn every_byte_is_in_one_piece() {
        let pieces = pieces(TEXT);
        let joined: String = pieces.iter().map(|piece| piece.text).collect();
        assert_eq!(joined, TEXT);
        assert_eq!(pieces.iter().filter(|p| p.entry.is_none()).count(), 2);
    }

    #[test]
    fn an_entry_is_read_however_its_fields_stand() {
        let told: Vec<_> = entries(TEXT)
            .map(|e| (e.principal, e.username, e.groups.join("+")))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "arn:nodes",
                    "system:node:{{EC2PrivateDNSName}}",
                    "a+b".to_owned()
                ),
                ("arn:platform", "platform", "system:masters".to_owned()),
                ("arn:nobody", "", String::new()),
            ]
        );
    }
}
