//! One test for each of many files or cases, so that they run on all cores.

/// A module for each folder, with a test for each of its files: `$test` takes the names of both. Another test compares
/// them with all that there are.
macro_rules! test_each {
    ($test:ident of $all:expr; $($folder:ident: $($name:ident)*;)*) => {
        $(mod $folder {
            $(#[test]
            fn $name() {
                super::$test(stringify!($folder), stringify!($name));
            })*
        })*

        #[test]
        fn each_file_has_its_test() {
            let mut tests = vec![$($((stringify!($folder).to_string(), stringify!($name).to_string()),)*)*];
            let mut all: Vec<(String, String)> = $all;
            tests.sort();
            all.sort();
            assert_eq!(tests, all);
        }
    };
}

/// A module with a test for each case: `$test` takes what stands behind its name.
macro_rules! test_cases {
    ($module:ident, $test:ident: $($name:ident $case:expr),* $(,)?) => {
        mod $module {
            use super::*;

            $(#[test]
            fn $name() {
                $test($case);
            })*
        }
    };
}
pub(crate) use {test_cases, test_each};
