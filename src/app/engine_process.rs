//! An SQL engine as another process: SQL goes in, and each row comes back as a line of JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use super::sql::SqlDialect;

/// The status of a script of ours that lacks its module.
const LACKS_MODULE: i32 = 77;

/// Runs SQL in DuckDB.
const DUCKDB: &str = r#"
import json, sys
try:
    import duckdb
except ImportError:
    sys.exit(77)
try:
    engine = duckdb.connect()
    engine.execute("SET enable_progress_bar = false")
    found = engine.execute(sys.stdin.read())
    while True:
        rows = found.fetchmany(1000)
        if not rows:
            break
        for row in rows:
            print(json.dumps([repr(v) if isinstance(v, float) else v for v in row]))
except duckdb.Error as error:
    sys.exit(str(error))
"#;

/// Runs SQL in Spark, on the machine or where its configuration says.
const SPARK: &str = r#"
import json, sys, tempfile
try:
    from pyspark.sql import SparkSession
except ImportError:
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    builder = SparkSession.builder.appName("papaver").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.warehouse.dir", folder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for row in spark.sql(sys.stdin.read()).toLocalIterator():
        print(json.dumps([repr(v) if isinstance(v, float) else v for v in row]))
    spark.stop()
"#;

/// A running engine.
pub(super) struct EngineProcess {
    child: Child,
    rows: BufReader<ChildStdout>,
    errors: JoinHandle<String>,
}

/// Why an engine gave no rows.
pub(super) enum EngineFailure {
    /// What it needs is not installed.
    Missing(String),
    /// What it says.
    Failed(String),
}

/// The programs that can run an engine's SQL, the preferred one first.
fn programs(engine: SqlDialect, command: Option<&str>) -> Vec<Vec<&str>> {
    match (command, engine) {
        (Some(command), _) => vec![vec!["sh", "-c", command]],
        (None, SqlDialect::Duckdb) => vec![vec!["python3", "-c", DUCKDB], vec!["duckdb", "-jsonlines"]],
        (None, SqlDialect::Spark) => vec![vec!["python3", "-c", SPARK]],
    }
}

/// What to install for an engine.
fn advice(engine: SqlDialect) -> String {
    match engine {
        SqlDialect::Duckdb => "`--engine duckdb` needs Python with the module duckdb (`pip install duckdb`), or the \
                               command `duckdb` (https://duckdb.org)"
            .to_string(),
        SqlDialect::Spark => {
            "`--engine spark` needs Python with the module pyspark (`pip install pyspark`) and Java 17 or \
                              later (`apt-get install openjdk-17-jre-headless`)"
                .to_string()
        }
    }
}

/// Gives each row of a query to a function, as a line of JSON, until that says `false`.
pub(super) fn run(
    engine: SqlDialect,
    command: Option<&str>,
    sql: &str,
    mut row: impl FnMut(&str) -> Result<bool, String>,
) -> Result<(), EngineFailure> {
    for program in programs(engine, command) {
        let mut process = match EngineProcess::start(&program, sql) {
            Ok(process) => process,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(EngineFailure::Failed(format!("cannot run `{}`: {error}", program[0]))),
        };
        let is_read = process.each_row(&mut row);
        if is_read != Ok(true) {
            process.stop();
            return is_read.map(drop).map_err(EngineFailure::Failed);
        }
        let (status, said) = process.end();
        match status {
            Some(0) => return Ok(()),
            Some(LACKS_MODULE) if command.is_none() => {}
            _ if said.contains("JAVA") => return Err(EngineFailure::Missing(advice(engine))),
            _ => return Err(EngineFailure::Failed(format!("{}: {}", engine.name(), said.trim_end()))),
        }
    }
    Err(EngineFailure::Missing(advice(engine)))
}

impl EngineProcess {
    fn start(program: &[&str], sql: &str) -> io::Result<EngineProcess> {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let sql = sql.to_string();
        // an engine may write before it has read all
        thread::spawn(move || input.map(|mut input| input.write_all(sql.as_bytes())));
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            // what cannot be read is not shown
            let _ = errors.map(|errors| errors.take(MOST_ERRORS).read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let rows = BufReader::new(output.ok_or_else(|| io::Error::other("it has no output"))?);
        Ok(EngineProcess { child, rows, errors })
    }

    /// Whether all rows were read and wanted.
    fn each_row(&mut self, row: &mut impl FnMut(&str) -> Result<bool, String>) -> Result<bool, String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.rows.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Ok(true);
            }
            let text = line.trim();
            if !text.is_empty() && !row(text)? {
                return Ok(false);
            }
        }
    }

    /// Ends an engine whose other rows are not wanted.
    fn stop(mut self) {
        // one that has ended by itself cannot be killed
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit status, and what was written to standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().ok().and_then(|status| status.code());
        (status, self.errors.join().unwrap_or_default())
    }
}

/// The most bytes of an engine's messages.
const MOST_ERRORS: u64 = 1 << 20;
