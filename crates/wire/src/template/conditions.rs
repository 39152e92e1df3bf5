//! Conditions: whether they hold, as far as that is known before the deploy.

use accord_model::unknown;

use super::Template;
use super::functions::MAX_DEPTH;
use crate::yaml::NodeId;

impl Template<'_> {
    /// Whether a condition holds; `None` if that is not known.
    pub(super) fn condition(&self, name: &str, depth: u32) -> Option<bool> {
        let node = *self.conditions.get(name)?;
        self.holds(node, depth)
    }

    fn holds(&self, node: NodeId, depth: u32) -> Option<bool> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let depth = depth + 1;
        let node = self.tree.target(node);
        let (name, argument) = match self.function(node) {
            Some(call) => call,
            None => {
                let named = self.tree.get(node, "Condition")?;
                return self.condition(self.plain(named)?, depth);
            }
        };
        let all = |argument| -> Vec<Option<bool>> {
            let items = self.tree.items(self.tree.target(argument));
            items.map(|item| self.holds(item, depth)).collect()
        };
        match name {
            "Condition" => self.condition(self.plain(argument)?, depth),
            "Equals" => {
                let [one, two] = self.pair(argument)?;
                let (one, two) = (
                    self.eval(one, "", depth).text()?,
                    self.eval(two, "", depth).text()?,
                );
                let known = unknown::is_known(&one) && unknown::is_known(&two);
                (known || one == two).then_some(one == two)
            }
            "Not" => all(argument).first().copied()?.map(|b| !b),
            "And" => {
                let all = all(argument);
                if all.contains(&Some(false)) {
                    Some(false)
                } else {
                    all.iter().all(|b| *b == Some(true)).then_some(true)
                }
            }
            "Or" => {
                let all = all(argument);
                if all.contains(&Some(true)) {
                    Some(true)
                } else {
                    all.iter().all(|b| *b == Some(false)).then_some(false)
                }
            }
            _ => None,
        }
    }
}
