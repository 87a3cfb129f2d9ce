//! An SQL engine as another process: SQL goes in, and each row comes back as a line of JSON.
//!
//! A script of ours takes one query after another, each as a line with a string in JSON, and writes `null` after the rows
//! of each. Any other program takes one query, as text.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use super::sql::SqlDialect;

/// The status of a script of ours that lacks its module.
const LACKS_MODULE: i32 = 77;

/// Runs queries in DuckDB.
const DUCKDB: &str = r#"
import json, sys
try:
    import duckdb
except ImportError:
    sys.exit(77)
try:
    engine = duckdb.connect()
    engine.execute("SET enable_progress_bar = false")
    for line in sys.stdin:
        found = engine.execute(json.loads(line))
        while True:
            rows = found.fetchmany(1000)
            if not rows:
                break
            for row in rows:
                print(json.dumps([repr(v) if isinstance(v, float) else v for v in row]))
        print("null", flush=True)
except duckdb.Error as error:
    sys.exit(str(error))
"#;

/// Runs queries in Spark, on the machine or where its configuration says.
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
    for line in sys.stdin:
        for row in spark.sql(json.loads(line)).toLocalIterator():
            print(json.dumps([repr(v) if isinstance(v, float) else v for v in row]))
        print("null", flush=True)
    spark.stop()
"#;

/// An engine, which may run for several queries.
pub(super) struct Engine<'a> {
    pub(super) dialect: SqlDialect,
    command: Option<&'a str>,
    /// A process that waits for another query.
    waiting: RefCell<Option<EngineProcess>>,
}

/// A running engine.
struct EngineProcess {
    child: Child,
    /// Open while it takes queries.
    queries: Option<ChildStdin>,
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

/// A program that runs SQL.
struct Program<'a> {
    words: Vec<&'a str>,
    takes: Queries,
}

/// What a program reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queries {
    /// One query, as text.
    One,
    /// A query on each line, as a string in JSON.
    Many,
}

/// Why no more rows were read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowsEnd {
    /// There are no more for the query.
    Query,
    /// The program has ended.
    Program,
    /// No more are wanted.
    Enough,
}

/// The programs that can run an engine's SQL, the preferred one first.
fn programs(engine: SqlDialect, command: Option<&str>) -> Vec<Program<'_>> {
    let one = |words| Program { words, takes: Queries::One };
    let python = |script| Program { words: vec!["python3", "-c", script], takes: Queries::Many };
    match (command, engine) {
        (Some(command), _) => vec![one(vec!["sh", "-c", command])],
        (None, SqlDialect::Duckdb) => vec![python(DUCKDB), one(vec!["duckdb", "-jsonlines"])],
        (None, SqlDialect::Spark) => vec![python(SPARK)],
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

impl<'a> Engine<'a> {
    pub(super) fn new(dialect: SqlDialect, command: Option<&'a str>) -> Engine<'a> {
        Engine { dialect, command, waiting: RefCell::new(None) }
    }

    /// Gives each row of a query to a function, as a line of JSON, until that says `false`.
    pub(super) fn run(
        &self,
        sql: &str,
        mut row: impl FnMut(&str) -> Result<bool, String>,
    ) -> Result<(), EngineFailure> {
        for program in programs(self.dialect, self.command) {
            let waiting = self.waiting.take().filter(|_| program.takes == Queries::Many);
            let mut process = match waiting.map_or_else(|| EngineProcess::start(&program.words), Ok) {
                Ok(process) => process,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(EngineFailure::Failed(format!("cannot run `{}`: {error}", program.words[0]))),
            };
            process.ask(sql, program.takes);
            match process.each_row(program.takes, &mut row) {
                Ok(RowsEnd::Query) => {
                    self.waiting.replace(Some(process));
                    return Ok(());
                }
                Ok(RowsEnd::Program) => {}
                other => {
                    process.stop();
                    return other.map(drop).map_err(EngineFailure::Failed);
                }
            }
            let (status, said) = process.end();
            match status {
                Some(0) if program.takes == Queries::One => return Ok(()),
                Some(LACKS_MODULE) if self.command.is_none() => {}
                _ if said.contains("JAVA") => return Err(EngineFailure::Missing(advice(self.dialect))),
                _ => return Err(EngineFailure::Failed(format!("{}: {}", self.dialect.name(), said.trim_end()))),
            }
        }
        Err(EngineFailure::Missing(advice(self.dialect)))
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        self.waiting.take().map(EngineProcess::end);
    }
}

impl EngineProcess {
    fn start(words: &[&str]) -> io::Result<EngineProcess> {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (queries, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            // what cannot be read is not shown
            let _ = errors.map(|errors| errors.take(MOST_ERRORS).read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let rows = BufReader::new(output.ok_or_else(|| io::Error::other("it has no output"))?);
        Ok(EngineProcess { child, queries, rows, errors })
    }

    /// Hands over a query. A program that does not read it has ended, which its status tells.
    fn ask(&mut self, sql: &str, takes: Queries) {
        match takes {
            Queries::One => {
                let (queries, sql) = (self.queries.take(), sql.to_string());
                // a program may write before it has read all
                thread::spawn(move || queries.map(|mut queries| queries.write_all(sql.as_bytes())));
            }
            Queries::Many => {
                let line = format!("{}\n", serde_json::Value::from(sql));
                let _ = self.queries.as_mut().map(|queries| queries.write_all(line.as_bytes()));
            }
        }
    }

    fn each_row(
        &mut self,
        takes: Queries,
        row: &mut impl FnMut(&str) -> Result<bool, String>,
    ) -> Result<RowsEnd, String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.rows.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                return Ok(RowsEnd::Program);
            }
            match line.trim() {
                "" => {}
                "null" if takes == Queries::Many => return Ok(RowsEnd::Query),
                text if !row(text)? => return Ok(RowsEnd::Enough),
                _ => {}
            }
        }
    }

    /// Ends an engine whose other rows are not wanted.
    fn stop(mut self) {
        // one that has ended by itself cannot be killed
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit status after all queries, and what was written to standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.queries.take());
        let status = self.child.wait().ok().and_then(|status| status.code());
        (status, self.errors.join().unwrap_or_default())
    }
}

/// The most bytes of an engine's messages.
const MOST_ERRORS: u64 = 1 << 20;
