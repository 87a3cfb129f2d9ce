//! A table as Parquet files, each of many row groups; one row group is in memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnPath, Type, TypePtr};

/// The most rows of a row group.
const GROUP: usize = 122_880;

/// The most rows of a file.
const FILE: usize = 10_000_000;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    Integer,
    Float,
    Bool,
    Text,
}

/// The rows of a column in the current row group.
pub(super) struct ColumnRows {
    /// 1 for a value and 0 for none.
    levels: Vec<i16>,
    values: Values,
}

enum Values {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    /// All texts, one after the other, and the end of each.
    Texts(Vec<u8>, Vec<usize>),
}

impl ColumnRows {
    fn new(kind: ColumnType) -> ColumnRows {
        let values = match kind {
            ColumnType::Integer => Values::Integers(Vec::new()),
            ColumnType::Float => Values::Floats(Vec::new()),
            ColumnType::Bool => Values::Bools(Vec::new()),
            ColumnType::Text => Values::Texts(Vec::new(), Vec::new()),
        };
        ColumnRows { levels: Vec::new(), values }
    }

    /// Adds a row without a value.
    pub(super) fn null(&mut self) {
        self.levels.push(0);
    }

    /// Adds an integer; nothing if there is none.
    pub(super) fn integer(&mut self, value: Option<i64>) {
        match (&mut self.values, value) {
            (Values::Integers(values), Some(value)) => {
                values.push(value);
                self.levels.push(1);
            }
            _ => self.null(),
        }
    }

    /// Adds a float.
    pub(super) fn float(&mut self, value: f64) {
        match &mut self.values {
            Values::Floats(values) => {
                values.push(value);
                self.levels.push(1);
            }
            _ => self.null(),
        }
    }

    /// Adds a truth value.
    pub(super) fn truth(&mut self, value: bool) {
        match &mut self.values {
            Values::Bools(values) => {
                values.push(value);
                self.levels.push(1);
            }
            _ => self.null(),
        }
    }

    /// Adds a text; nothing if there is none.
    pub(super) fn text(&mut self, value: Option<&str>) {
        match (&mut self.values, value) {
            (Values::Texts(bytes, ends), Some(value)) => {
                bytes.extend_from_slice(value.as_bytes());
                ends.push(bytes.len());
                self.levels.push(1);
            }
            _ => self.null(),
        }
    }
}

/// A table that is being written.
pub(super) struct Table {
    top: PathBuf,
    /// The folder of the files, from the top.
    within: String,
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    file: Option<SerializedFileWriter<File>>,
    files: Vec<String>,
    n_rows_of_file: usize,
    columns: Vec<ColumnRows>,
    n_rows: usize,
}

impl Table {
    /// Begins a table with these columns in the folder `top/within`, with a text in the metadata of each file.
    pub(super) fn new<'c>(
        top: &Path,
        within: String,
        columns: impl Iterator<Item = (&'c str, ColumnType)> + Clone,
        metadata: &str,
    ) -> io::Result<Table> {
        std::fs::create_dir_all(top.join(&within))?;
        let fields = columns.clone().map(|(name, kind)| field(name, kind).map(Arc::new));
        let fields: Vec<TypePtr> = fields.collect::<Result<_, _>>().map_err(cause)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(cause)?;
        let level = ZstdLevel::try_new(3).map_err(cause)?;
        let about = KeyValue::new("papaver".to_string(), metadata.to_string());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(GROUP))
            .set_created_by(concat!("papaver ", env!("CARGO_PKG_VERSION")).to_string())
            .set_key_value_metadata(Some(vec![about]));
        for (name, _) in columns.clone().filter(|(_, kind)| *kind == ColumnType::Integer) {
            let path = ColumnPath::from(vec![name.to_string()]);
            properties = properties.set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED);
            properties = properties.set_column_dictionary_enabled(path, !RISING.contains(&name));
        }
        let columns = columns.map(|(_, kind)| ColumnRows::new(kind)).collect();
        Ok(Table {
            top: top.to_owned(),
            within,
            schema: Arc::new(schema),
            properties: Arc::new(properties.build()),
            file: None,
            files: Vec::new(),
            n_rows_of_file: 0,
            columns,
            n_rows: 0,
        })
    }

    /// The columns; a row is a value or none for each of them.
    pub(super) fn columns(&mut self) -> &mut [ColumnRows] {
        &mut self.columns
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) -> io::Result<()> {
        self.n_rows += 1;
        if self.n_rows == GROUP || self.n_rows_of_file + self.n_rows == FILE { self.write_group() } else { Ok(()) }
    }

    /// Writes the last rows, and gives the paths of the files from the top. A table without rows is one file.
    pub(super) fn finish(mut self) -> io::Result<Vec<String>> {
        if self.n_rows > 0 || self.files.is_empty() {
            self.write_group()?;
        }
        self.close()?;
        Ok(self.files)
    }

    fn close(&mut self) -> io::Result<()> {
        self.n_rows_of_file = 0;
        self.file.take().map_or(Ok(()), |file| file.close().map(drop).map_err(cause))
    }

    fn begin_file(&self) -> io::Result<(SerializedFileWriter<File>, String)> {
        let path = format!("{}/part-{:05}.parquet", self.within, self.files.len());
        let file = File::create(self.top.join(&path))?;
        let file = SerializedFileWriter::new(file, Arc::clone(&self.schema), Arc::clone(&self.properties));
        Ok((file.map_err(cause)?, path))
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            let (file, path) = self.begin_file()?;
            self.files.push(path);
            self.file = Some(file);
        }
        let file = self.file.as_mut().expect("a file was begun");
        if self.n_rows > 0 {
            write_columns(file, &mut self.columns).map_err(cause)?;
        }
        self.n_rows_of_file += std::mem::take(&mut self.n_rows);
        if self.n_rows_of_file == FILE { self.close() } else { Ok(()) }
    }
}

/// Columns of integers that mostly rise, which need no dictionary.
const RISING: &[&str] = &["chrono", "call", "time", "enter", "leave", "tree_first", "tree_last"];

fn field(name: &str, kind: ColumnType) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnType::Integer => (PhysicalType::INT64, None),
        ColumnType::Float => (PhysicalType::DOUBLE, None),
        ColumnType::Bool => (PhysicalType::BOOLEAN, None),
        ColumnType::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(name, physical);
    builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()
}

fn write_columns(file: &mut SerializedFileWriter<File>, columns: &mut [ColumnRows]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for column in columns {
        let mut writer = group.next_column()?.expect("the schema has as many columns");
        let levels = Some(column.levels.as_slice());
        match &mut column.values {
            Values::Integers(values) => {
                writer.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Floats(values) => {
                writer.typed::<DoubleType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Bools(values) => {
                writer.typed::<BoolType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Values::Texts(bytes, ends) => {
                let all = ByteArray::from(std::mem::take(bytes));
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let texts: Vec<ByteArray> =
                    starts.zip(ends.iter()).map(|(start, end)| all.slice(start, end - start)).collect();
                writer.typed::<ByteArrayType>().write_batch(&texts, levels, None)?;
                ends.clear();
            }
        }
        column.levels.clear();
        writer.close()?;
    }
    group.close().map(drop)
}

/// The error of the underlying file, if it is one.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error.to_string()),
        },
        other => io::Error::other(other.to_string()),
    }
}
