//! Tables in Parquet files, one group of rows after the other.

use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::statistics::Statistics;
use ::parquet::schema::types::ColumnDescriptor;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableType {
    Integer,
    Float,
    Bool,
    Text,
}

/// A Parquet file.
pub(super) struct TableFile {
    reader: SerializedFileReader<File>,
}

/// A column of a group of rows; null where there is no value.
pub(super) enum TableColumn {
    Integers(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Bools(Vec<Option<bool>>),
    Texts(Vec<Option<ByteArray>>),
}

impl TableFile {
    pub(super) fn open(file: File) -> Result<TableFile, String> {
        guarded(|| SerializedFileReader::new(file)).map(|reader| TableFile { reader })
    }

    /// The text that the file has for a key.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        let pairs = self.reader.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns().iter().map(|column| column.path().string()).collect()
    }

    fn columns(&self) -> &[std::sync::Arc<ColumnDescriptor>] {
        self.reader.metadata().file_metadata().schema_descr().columns()
    }

    /// The type of a column; none for one whose values have no place in a trace.
    pub(super) fn column_type(&self, index: usize) -> Option<TableType> {
        let column = self.columns().get(index)?;
        let is_flat = column.max_rep_level() == 0 && column.path().parts().len() == 1;
        let is_decimal = matches!(column.logical_type_ref(), Some(LogicalType::Decimal { .. }))
            || column.converted_type() == ConvertedType::DECIMAL;
        Some(match column.physical_type() {
            _ if !is_flat || is_decimal => return None,
            PhysicalType::INT32 | PhysicalType::INT64 => TableType::Integer,
            PhysicalType::FLOAT | PhysicalType::DOUBLE => TableType::Float,
            PhysicalType::BOOLEAN => TableType::Bool,
            PhysicalType::BYTE_ARRAY => TableType::Text,
            PhysicalType::INT96 | PhysicalType::FIXED_LEN_BYTE_ARRAY => return None,
        })
    }

    pub(super) fn n_groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// The least and the greatest integer of a column in a group of rows, if the file says so.
    pub(super) fn bounds(&self, group: usize, column: usize) -> Option<(i64, i64)> {
        match self.reader.metadata().row_group(group).column(column).statistics()? {
            Statistics::Int64(numbers) => Some((*numbers.min_opt()?, *numbers.max_opt()?)),
            _ => None,
        }
    }

    /// The number of rows of a group.
    pub(super) fn n_rows(&self, group: usize) -> Result<usize, String> {
        usize::try_from(self.reader.metadata().row_group(group).num_rows())
            .map_err(|_| "a negative number of rows".to_string())
    }

    /// Some rows, in rising ranges, of the columns at these places of a group.
    pub(super) fn group(
        &self,
        group: usize,
        columns: &[usize],
        rows: &[Range<usize>],
    ) -> Result<Vec<TableColumn>, String> {
        guarded(|| {
            let reader = self.reader.get_row_group(group)?;
            let column = |index: &usize| read_column(reader.get_column_reader(*index)?, rows);
            columns.iter().map(column).collect::<Result<Vec<_>, ParquetError>>()
        })
    }
}

/// What the crate gives; its panics at damaged files are errors too.
fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("the Parquet file is damaged".to_string()),
    }
}

fn read_column(reader: ColumnReader, rows: &[Range<usize>]) -> Result<TableColumn, ParquetError> {
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => TableColumn::Bools(values(reader, rows)?),
        ColumnReader::Int32ColumnReader(reader) => {
            let numbers = values(reader, rows)?;
            TableColumn::Integers(numbers.into_iter().map(|number| number.map(i64::from)).collect())
        }
        ColumnReader::Int64ColumnReader(reader) => TableColumn::Integers(values(reader, rows)?),
        ColumnReader::FloatColumnReader(reader) => {
            let numbers = values(reader, rows)?;
            TableColumn::Floats(numbers.into_iter().map(|number| number.map(f64::from)).collect())
        }
        ColumnReader::DoubleColumnReader(reader) => TableColumn::Floats(values(reader, rows)?),
        ColumnReader::ByteArrayColumnReader(reader) => TableColumn::Texts(values(reader, rows)?),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            return Err(ParquetError::General("a column of an unknown type".to_string()));
        }
    })
}

/// The values of some rows of a column; an error if it has fewer rows.
fn values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: &[Range<usize>],
) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut found, mut all, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for range in rows {
        at += reader.skip_records(range.start - at)?;
        while at < range.end {
            levels.clear();
            found.clear();
            let wanted = (range.end - at).min(65_536);
            let (n_read, n_found, n_levels) = reader.read_records(wanted, Some(&mut levels), None, &mut found)?;
            if n_read == 0 {
                return Err(ParquetError::General(format!("a column ends after {at} rows, not {}", range.end)));
            }
            at += n_read;
            let mut values = found.drain(..n_found);
            match n_levels {
                0 => all.extend(values.by_ref().map(Some)),
                _ => all.extend(levels.iter().map(|level| if *level > 0 { values.next() } else { None })),
            }
        }
    }
    Ok(all)
}

impl TableColumn {
    /// The number of rows.
    pub(super) fn n_rows(&self) -> usize {
        match self {
            TableColumn::Integers(values) => values.len(),
            TableColumn::Floats(values) => values.len(),
            TableColumn::Bools(values) => values.len(),
            TableColumn::Texts(values) => values.len(),
        }
    }

    pub(super) fn integer(&self, row: usize) -> Option<i64> {
        match self {
            TableColumn::Integers(values) => *values.get(row)?,
            _ => None,
        }
    }

    pub(super) fn float(&self, row: usize) -> Option<f64> {
        match self {
            TableColumn::Floats(values) => *values.get(row)?,
            _ => None,
        }
    }

    pub(super) fn truth(&self, row: usize) -> Option<bool> {
        match self {
            TableColumn::Bools(values) => *values.get(row)?,
            _ => None,
        }
    }

    /// The text in a row; an error if it is not UTF-8.
    pub(super) fn text(&self, row: usize) -> Result<Option<&str>, String> {
        match self {
            TableColumn::Texts(values) => match values.get(row) {
                Some(Some(bytes)) => bytes.as_utf8().map(Some).map_err(|_| "a text that is not UTF-8".to_string()),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }
}
