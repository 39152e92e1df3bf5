//! Callers: those who are in the map, and those who nearly are.

use super::Pen;
use crate::oracle::ours;
use crate::oracle::peer::Question;

/// Callers that no map needs to hold.
const STRANGERS: &[&str] = &[
    "arn:aws:sts::111122223333:assumed-role/A/kim",
    "arn:aws:sts::111122223333:assumed-role/a/kim@example.com",
    "arn:aws:sts::111122223333:assumed-role/path/A/kim",
    "arn:aws:sts::111122223333:assumed-role/A/",
    "arn:aws:sts::111122223333:assumed-role//s",
    "arn:aws:sts::111122223333:assumed-role/A",
    "arn:aws:sts:eu-west-1:111122223333:assumed-role/A/kim",
    "arn:aws:sts::111122223333:assumed-role/kk/s",
    "arn:aws:sts::111122223333:assumed-role/ss/s",
    "arn:aws:sts::111122223333:assumed-role/ii/s",
    "arn:aws:sts::444455556666:assumed-role/A/kim",
    "arn:aws-cn:sts::111122223333:assumed-role/A/kim",
    "arn:aws-eusc:sts::111122223333:assumed-role/A/kim",
    "arn:aws-nowhere:sts::111122223333:assumed-role/A/kim",
    "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_0123456789abcdef/kim",
    "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_ReadOnly_0123456789abcdef/kim",
    "arn:aws:sts::111122223333:assumed-role/awsreservedsso_admin_x/kim",
    "arn:aws:iam::111122223333:user/U",
    "arn:aws:iam::111122223333:user/u",
    "arn:aws:iam::111122223333:user/team/U",
    "arn:aws:iam::111122223333:user/K",
    "arn:aws:iam::111122223333:root",
    "arn:aws:iam::012345678901:user/x",
    "arn:aws:iam:::user/x",
    "arn:aws:sts::111122223333:federated-user/F",
    "arn:aws:iam::111122223333:instance-profile/A",
    "ARN:aws:iam::111122223333:role/A",
    "arn:aws:iam::111122223333:role",
    "arn:aws:iam::111122223333:root/x",
    "arn:aws:s3:::bucket",
    "",
    "arn:aws:iam",
];

/// A few of each.
pub(super) fn identities(pen: &mut Pen, question: &Question) -> Vec<String> {
    let mut identities: Vec<String> = (0..3).map(|_| pen.pick(STRANGERS).to_owned()).collect();
    let kept = ours::answer(question);
    for entry in kept.roles.iter().chain(&kept.users).take(4) {
        let arn = &entry.arn;
        identities.push(match pen.below(6) {
            0 => arn.to_uppercase(),
            1 => arn.to_lowercase(),
            2 => arn.replace(":role/", ":role/other/"),
            3 => arn.replace("arn:aws:", "arn:aws-us-gov:"),
            4 => {
                arn.replace(":iam::", ":sts::")
                    .replace(":role/", ":assumed-role/")
                    + "/kim"
            }
            _ => arn.clone(),
        });
        identities.push(arn.clone());
    }
    identities
}
