//! Requests and answers of HTTP/1, as far as they pass through the proxy.

use std::io::{self, BufRead, Write};

/// Names in lower case and their values, without those that say how the body is sent.
pub type Headers = Vec<(String, String)>;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`
    pub method: String,
    /// With its query.
    pub path: String,
    /// Its headers.
    pub headers: Headers,
    /// Its body.
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status: 200.
    pub code: u16,
    /// Its headers.
    pub headers: Headers,
    /// Its body.
    pub body: Vec<u8>,
}

/// The headers that say how a message is sent, which each connection has its own of.
const FRAMING: [&str; 4] = [
    "connection",
    "content-length",
    "transfer-encoding",
    "keep-alive",
];

impl Request {
    /// A request for JSON.
    pub fn new(method: &str, path: &str, body: &str) -> Self {
        let json = |name: &str| (name.to_owned(), "application/json".to_owned());
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: vec![json("accept"), json("content-type")],
            body: body.as_bytes().to_vec(),
        }
    }

    /// Whether it asks for a change; a review of the asker or their rights is none.
    pub fn is_write(&self) -> bool {
        let is_review = self.path.contains("/selfsubject");
        self.method != "GET" && !is_review
    }

    /// The next request of a connection; none at its end.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some((first, headers)) = head(from)? else {
            return Ok(None);
        };
        let mut words = first.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(odd("a request without a path"));
        };
        let body = body(from, &headers, Some(0))?;
        Ok(Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: unframed(headers),
            body,
        }))
    }

    /// Sends it as the only one of its connection.
    pub(crate) fn send(&self, to: &mut impl Write) -> io::Result<()> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let length = self.body.len().to_string();
        let framing = [("connection", "close"), ("content-length", &length)];
        push_headers(&mut text, &self.headers, &framing);
        to.write_all(&[text.as_bytes(), &self.body].concat())?;
        to.flush()
    }
}

impl Response {
    /// An answer with a body of that type.
    pub fn new(code: u16, content: &str, body: &str) -> Self {
        Self {
            code,
            headers: vec![("content-type".to_owned(), content.to_owned())],
            body: body.as_bytes().to_vec(),
        }
    }

    /// A failure as the API server tells it (`v1/Status`).
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        let body = format!(
            r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{message}","reason":"{reason}","code":{code}}}"#
        );
        Self::new(code, "application/json", &body)
    }

    /// A page for people.
    pub fn html(code: u16) -> Self {
        Self::new(
            code,
            "text/html",
            "<!DOCTYPE html><html><body>Welcome</body></html>",
        )
    }

    /// The same, with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let Some((first, headers)) = head(from)? else {
            return Err(odd("no answer"));
        };
        let code = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let Some(code) = code else {
            return Err(odd("an answer without a status"));
        };
        let body = body(from, &headers, None)?;
        Ok(Self {
            code,
            headers: unframed(headers),
            body,
        })
    }

    /// Its head, for a body of `length` bytes.
    pub(crate) fn head(&self, length: usize) -> Vec<u8> {
        let mut text = format!("HTTP/1.1 {} Told\r\n", self.code);
        let length = length.to_string();
        push_headers(&mut text, &self.headers, &[("content-length", &length)]);
        text.into_bytes()
    }
}

/// The first line and the headers.
fn head(from: &mut impl BufRead) -> io::Result<Option<(String, Headers)>> {
    let Some(first) = line(from)? else {
        return Ok(None);
    };
    let mut headers = Vec::new();
    loop {
        match line(from)? {
            None => return Err(odd("half a head")),
            Some(line) if line.is_empty() => return Ok(Some((first, headers))),
            Some(line) => {
                let (name, value) = line.split_once(':').ok_or_else(|| odd("an odd header"))?;
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
    }
}

/// A line without its end; none where there is no more.
fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// The body; `otherwise` is its length where the headers do not tell: all there is, if none.
fn body(
    from: &mut impl BufRead,
    headers: &[(String, String)],
    otherwise: Option<usize>,
) -> io::Result<Vec<u8>> {
    let header = |name: &str| headers.iter().find(|(n, _)| n == name).map(|(_, v)| v);
    if header("transfer-encoding").is_some() {
        return chunks(from);
    }
    let length = header("content-length").and_then(|length| length.parse().ok());
    match length.or(otherwise) {
        Some(length) => exactly(from, length),
        None => {
            let mut body = Vec::new();
            from.read_to_end(&mut body)?;
            Ok(body)
        }
    }
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?.ok_or_else(|| odd("half a body"))?;
        let size = usize::from_str_radix(&size, 16).map_err(|_| odd("an odd chunk"))?;
        body.extend(exactly(from, size)?);
        line(from)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn unframed(headers: Headers) -> Headers {
    let mut headers = headers;
    headers.retain(|(name, _)| !FRAMING.contains(&name.as_str()));
    headers
}

fn push_headers(text: &mut String, headers: &[(String, String)], framing: &[(&str, &str)]) {
    let own = headers.iter().map(|(name, value)| (&**name, &**value));
    for (name, value) in own.chain(framing.iter().copied()) {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
}

fn odd(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_passes_as_it_is() {
        let text = b"PATCH /api/v1/x?y=z HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n";
        let mut from = &text[..];
        let request = Request::read(&mut from).unwrap().unwrap();
        assert_eq!(request.body, b"{}");
        assert_eq!(request.headers, [("host".to_owned(), "a".to_owned())]);
        let mut sent = Vec::new();
        request.send(&mut sent).unwrap();
        assert_eq!(
            String::from_utf8(sent).unwrap(),
            "PATCH /api/v1/x?y=z HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"
        );
        assert_eq!(
            Request::read(&mut from).unwrap().unwrap().body,
            b"",
            "the second one has no body"
        );
        assert_eq!(Request::read(&mut from).unwrap(), None);
    }

    #[test]
    fn an_answer_is_read_whole_however_it_is_sent() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
            "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nhello",
        ] {
            let answer = Response::read(&mut text.as_bytes()).unwrap();
            assert_eq!((answer.code, answer.text().as_str()), (200, "hello"));
            assert_eq!(answer.headers, []);
        }
    }

    #[test]
    fn half_an_answer_is_none() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n",
            "HTTP/1.1 200 OK\r\nContent",
            "",
        ] {
            assert!(Response::read(&mut text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
