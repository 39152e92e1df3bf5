//! Tags as IAM lists them.

use serde::{Deserialize, Serialize};

use crate::world::AwsError;

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Tag {
    pub(crate) key: String,
    #[serde(default)]
    pub(crate) value: String,
}

/// `there` with `new` ones added or replaced. IAM allows 50.
pub(crate) fn tags(there: &[Tag], new: Vec<Tag>) -> Result<Vec<Tag>, AwsError> {
    let mut tags: Vec<Tag> = there.to_vec();
    for tag in new {
        // IAM's keys differ not only in letter case.
        tags.retain(|other| !other.key.eq_ignore_ascii_case(&tag.key));
        tags.push(tag);
    }
    if tags.len() > 50 {
        return Err(AwsError::new(
            "LimitExceeded",
            409,
            "The number of tags has reached the maximum limit.",
        ));
    }
    Ok(tags)
}
