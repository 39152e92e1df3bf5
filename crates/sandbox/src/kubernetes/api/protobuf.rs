//! Bodies in Kubernetes' protobuf, in which kubectl sends some of what it creates. Only what those kinds can hold that the
//! sandbox keeps is read; the numbers of the fields are those of `generated.proto` in `k8s.io/api`.

use serde_json::{Map, Value, json};

/// With what such a body begins.
const MAGIC: &[u8] = b"k8s\0";

/// How a field is read.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Flag,
    /// A map from text to text.
    Texts,
    Message(&'static [(u64, &'static str, Shape)]),
}

use Shape::{Flag, Message, Text, Texts};

type Fields = &'static [(u64, &'static str, Shape)];

const METADATA: Fields = &[
    (1, "name", Text),
    (2, "generateName", Text),
    (3, "namespace", Text),
    (5, "uid", Text),
    (6, "resourceVersion", Text),
    (11, "labels", Texts),
    (12, "annotations", Texts),
];

const ATTRIBUTES: Fields = &[
    (1, "namespace", Text),
    (2, "verb", Text),
    (3, "group", Text),
    (4, "version", Text),
    (5, "resource", Text),
    (6, "subresource", Text),
    (7, "name", Text),
];

const ACCESS: Fields = &[
    (1, "resourceAttributes", Message(ATTRIBUTES)),
    (
        2,
        "nonResourceAttributes",
        Message(&[(1, "path", Text), (2, "verb", Text)]),
    ),
];

/// The fields of a kind; `None` if it is not read.
fn fields(kind: &str) -> Option<Fields> {
    Some(match kind {
        "Namespace" | "ServiceAccount" | "SelfSubjectReview" => {
            &[(1, "metadata", Message(METADATA))]
        }
        "ConfigMap" => &[
            (1, "metadata", Message(METADATA)),
            (2, "data", Texts),
            (4, "immutable", Flag),
        ],
        "SelfSubjectAccessReview" => &[
            (1, "metadata", Message(METADATA)),
            (2, "spec", Message(ACCESS)),
        ],
        "DeleteOptions" => &[],
        _ => return None,
    })
}

/// The object in a body; `None` if it is no protobuf, or of a kind that is not read.
pub(super) fn decode(body: &[u8]) -> Option<Value> {
    let envelope = body.strip_prefix(MAGIC)?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Reader(envelope) {
        match field? {
            (1, Content::Bytes(meta)) => {
                for field in Reader(meta) {
                    match field? {
                        (1, Content::Bytes(text)) => api_version = utf8(text)?,
                        (2, Content::Bytes(text)) => kind = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Content::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let mut object = Map::new();
    object.insert("apiVersion".into(), api_version.into());
    let Value::Object(rest) = message(raw, fields(&kind)?)? else {
        return None;
    };
    object.insert("kind".into(), kind.into());
    object.extend(rest);
    Some(Value::Object(object))
}

fn utf8(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

fn message(bytes: &[u8], fields: Fields) -> Option<Value> {
    let mut object = Map::new();
    for field in Reader(bytes) {
        let (number, content) = field?;
        let Some((_, name, shape)) = fields.iter().find(|(n, ..)| *n == number) else {
            continue;
        };
        match (shape, content) {
            (Text, Content::Bytes(text)) => {
                let text = utf8(text)?;
                if !text.is_empty() {
                    object.insert((*name).to_owned(), text.into());
                }
            }
            (Flag, Content::Number(number)) => {
                object.insert((*name).to_owned(), (number != 0).into());
            }
            (Texts, Content::Bytes(entry)) => {
                let entry = message(entry, &[(1, "key", Text), (2, "value", Text)])?;
                let map = object.entry(*name).or_insert_with(|| json!({}));
                let key = entry["key"].as_str().unwrap_or_default();
                map[key] = entry["value"].as_str().unwrap_or_default().into();
            }
            (Message(fields), Content::Bytes(bytes)) => {
                object.insert((*name).to_owned(), message(bytes, fields)?);
            }
            _ => return None,
        }
    }
    Some(Value::Object(object))
}

/// What a field holds.
enum Content<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The fields of a message one after the other; `None` where the bytes are no message.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self, length: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn field(&mut self) -> Option<(u64, Content<'b>)> {
        let tag = self.number()?;
        let content = match tag & 7 {
            0 => Content::Number(self.number()?),
            1 => Content::Bytes(self.bytes(8)?),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Content::Bytes(self.bytes(length)?)
            }
            5 => Content::Bytes(self.bytes(4)?),
            _ => return None,
        };
        Some((tag >> 3, content))
    }
}

impl<'b> Iterator for Reader<'b> {
    type Item = Option<(u64, Content<'b>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    #[test]
    fn a_config_map_and_garbage() {
        let metadata = part(1, b"shop");
        let entry = [part(1, b"a"), part(2, b"b")].concat();
        let raw = [part(1, &metadata), part(2, &entry), vec![4 << 3, 1]].concat();
        let meta = [part(1, b"v1"), part(2, b"ConfigMap")].concat();
        let body = [MAGIC, &part(1, &meta), &part(2, &raw)].concat();
        assert_eq!(
            decode(&body),
            Some(json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "shop"}, "data": {"a": "b"}, "immutable": true,
            }))
        );
        for end in 0..body.len() {
            decode(&body[..end]);
        }
        assert_eq!(
            decode(b"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
            None
        );
    }
}
