//! The output formats of commands: the choices of `--format`.

use clap::{Args, ValueEnum};

/// The output of a command that reports on several offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportFormat {
    /// Aligned columns and sentences
    #[default]
    Table,
    /// All figures
    Json,
    /// One line per group, step or offer
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Aligned columns
    #[default]
    Table,
    /// Records or replies exactly as received
    Json,
    /// One line per record, values in wire units
    Csv,
}

/// The output format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RecordFormat {
    /// Aligned columns
    #[default]
    Table,
    /// Records exactly as received
    Json,
    /// The same, a record a line
    Jsonl,
    /// One line per record, values in wire units
    Csv,
}

/// The output format of a command that reports on bourse itself.
#[derive(Debug, Clone, Copy, Args)]
pub struct TextArguments {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

/// The output format of a long list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ExportFormat {
    /// One object per line
    #[default]
    #[value(alias = "json")]
    Jsonl,
    Csv,
}

/// The output format of the reply to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReplyFormat {
    /// The outcome in words
    #[default]
    Text,
    /// A document; of a write, the market's reply as received, secrets hidden
    Json,
}
