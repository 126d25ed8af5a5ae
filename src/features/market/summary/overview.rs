//! The market panel beside the table on a wide screen: GPU models, countries and kinds of hosts.

use std::sync::Arc;

use super::groups;
use crate::core::view::Region;
use crate::domain::insight::{OfferIndex, Offered};
use crate::domain::{Condition, Field};
use crate::table::browser::Browser;
use crate::table::rows::groupings;

/// The groups of one kind.
#[derive(Debug)]
pub(super) struct Section {
    pub name: &'static str,
    pub lines: Vec<OfferedLine>,
    field: &'static Field,
}

/// A group with its name.
#[derive(Debug)]
pub(super) struct OfferedLine {
    pub label: String,
    pub group: Offered,
}

/// The groups of a pane's rows, with one cursor through all sections.
#[derive(Debug, Default)]
pub struct Overview {
    pub(super) sections: Vec<Section>,
    /// The index of the section with the cursor, and of its line.
    pub(super) cursor: (usize, usize),
    contents: Option<u64>,
    /// The index of groups, and the number of the response it was built from.
    index: Option<(u64, Arc<OfferIndex>)>,
}

impl Overview {
    /// Recomputes the groups of the market panel if the rows or their prices have changed since the last
    /// call; the cursor stays at its place in the list, or moves to the last line. Without rows there are
    /// none.
    pub fn refresh(&mut self, browser: &Browser) {
        let contents = Some(browser.contents());
        if contents == self.contents {
            return;
        }
        self.contents = contents;
        let response = browser.responses();
        let known = self.index.take().filter(|(of, _)| *of == response);
        let Some(counts) = browser.offer_counts(known.map(|(_, index)| index)) else {
            self.sections.clear();
            return;
        };
        self.index = Some((response, counts.index));
        let groups = groupings(browser.resource()).zip(counts.groups);
        let sections = groups.map(|((name, field), groups)| {
            let line = |group: Offered| OfferedLine {
                label: groups::name(&group.key, field),
                group,
            };
            let lines = groups.into_iter().map(line).collect();
            Section { name, lines, field }
        });
        self.sections = sections.collect();
        let last = self.flat_len().saturating_sub(1);
        self.cursor = self.section_and_line(self.flat().min(last));
    }

    /// Whether no section of the market panel has a group.
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|section| section.lines.is_empty())
    }

    /// Moves the cursor `by` lines through all sections, stopping at the first and the last line.
    pub fn step(&mut self, by: isize) {
        let last = self.flat_len().saturating_sub(1);
        self.cursor = self.section_and_line(self.flat().saturating_add_signed(by).min(last));
    }

    /// Selects a clicked line; true if it was selected already, false also if the region belongs to no
    /// section.
    pub fn click(&mut self, region: Region, line: usize) -> bool {
        let clicked = (0..self.sections.len()).find(|section| Self::region(*section) == region);
        let Some(section) = clicked else { return false };
        std::mem::replace(&mut self.cursor, (section, line)) == (section, line)
    }

    /// The condition that narrows the query to the selected line; empty if no line is selected.
    pub fn conditions(&self) -> Vec<Condition> {
        let section = self.sections.get(self.cursor.0);
        let line = section.and_then(|section| Some((section, section.lines.get(self.cursor.1)?)));
        line.map_or_else(Vec::new, |(section, line)| {
            vec![line.group.key.condition(section.field)]
        })
    }

    /// The scrolling region of the section that has the cursor.
    pub fn region_of_cursor(&self) -> Region {
        Self::region(self.cursor.0)
    }

    /// Whether a scrolling region belongs to a section of the overview, and not to another part of the
    /// screen.
    pub fn is_section_region(region: Region) -> bool {
        region.0 >= Self::region(0).0
    }

    /// The scrolling region of the section at this index, counted from 0.
    pub(super) fn region(section: usize) -> Region {
        const FIRST: u8 = 16;
        Region(FIRST + u8::try_from(section).unwrap_or(0))
    }

    /// The number of lines of all sections together.
    fn flat_len(&self) -> usize {
        self.sections.iter().map(|section| section.lines.len()).sum()
    }

    /// The index of the selected line, counted through all sections.
    fn flat(&self) -> usize {
        let above = self.sections.iter().take(self.cursor.0);
        above.map(|section| section.lines.len()).sum::<usize>() + self.cursor.1
    }

    /// The section, and the line in it, of an index counted through all sections; the first line if there is
    /// none.
    fn section_and_line(&self, mut line: usize) -> (usize, usize) {
        for (index, section) in self.sections.iter().enumerate() {
            if line < section.lines.len() {
                return (index, line);
            }
            line -= section.lines.len();
        }
        (0, 0)
    }
}
