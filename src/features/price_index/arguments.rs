//! The flags that the price index adds to `bourse history`.

use clap::Args;

use crate::cli::help::Example;

/// The examples of the flags.
pub const EXAMPLES: &[Example] = &[("bourse history --index --format csv", "what each model usually costs")];

#[derive(Debug, Clone, Copy, Args)]
pub struct IndexArguments {
    /// Show what each GPU model usually costs, and how sizes and price types compare
    #[arg(long)]
    pub index: bool,

    /// With `--index`, also by country
    #[arg(long, requires = "index", hide_short_help = true)]
    pub countries: bool,
}
