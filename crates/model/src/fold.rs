//! How Go folds case, which decides what matches.
//!
//! Two different foldings are in use:
//! - `strings.ToLower` makes the key of a role entry (`pkg/mapper/configmap`), one rune at a time;
//! - simple folding (`unicode.SimpleFold` orbits) is used by `strings.EqualFold`, by which stored ARNs are compared
//!   with the caller's, and by `encoding/json` when it matches field names.
//!
//! They differ outside ASCII: U+212A (Kelvin) folds to `k` in both; U+017F (long s) folds to `s` only in the second;
//! U+0130 (dotted I) in neither.
