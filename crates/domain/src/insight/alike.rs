//! Offers that compare with each other: as many of the same GPUs.

use crate::listing::{Column, Listing};
use crate::text::visible;
use crate::value::CellRef;

/// The GPUs of an offer: model, number, and memory of one in steps of 8 GB.
pub type Gpus<'a> = (&'a str, i128, u64);

/// The GPUs of the offers of a listing.
#[derive(Debug, Clone, Copy)]
pub struct Alike<'a> {
    /// Model, number and memory; `None` of volumes and workergroups.
    columns: Option<[&'a Column; 3]>,
}

impl<'a> Alike<'a> {
    /// The GPUs of the offers of `listing`; none for volumes and workergroups.
    pub fn of(listing: &'a Listing) -> Self {
        let column = |key| Some(listing.column(listing.catalog().by_key(key)?));
        let columns = match ["gpu_name", "num_gpus", "gpu_ram"].map(column) {
            [Some(model), Some(count), Some(memory)] => Some([model, count, memory]),
            _ => None,
        };
        Self { columns }
    }

    /// The GPUs of a row, equal for rows that compare; `None` if it does not report their model or number.
    ///
    /// Machines report the memory of the same card a little differently, so it counts to the nearest 8 GB;
    /// one that is not reported counts as 0.
    pub fn gpus(&self, row: usize) -> Option<Gpus<'a>> {
        /// In MB, as the wire has it.
        const STEP: f64 = 8000.0;
        let [model, count, memory] = self.columns?;
        let CellRef::Text(name) = model.cell(row) else {
            return None;
        };
        let steps = memory.cell(row).number().unwrap_or_default() / STEP;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates
        Some((name, count.cell(row).whole()?, steps.round() as u64))
    }

    /// Whether two rows have the same GPUs; false if either does not report them.
    pub fn are_alike(&self, row: usize, other: usize) -> bool {
        let gpus = self.gpus(row);
        gpus.is_some() && gpus == self.gpus(other)
    }

    /// The number and model of a row's GPUs: `8× H100 SXM`; `None` if it does not report them.
    pub fn name(&self, row: usize) -> Option<String> {
        let (model, count, _) = self.gpus(row)?;
        Some(format!("{count}× {}", visible(model, 40)))
    }
}
