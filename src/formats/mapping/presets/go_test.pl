% Go: go test -json
map(go_test, needs,     ['Action', ['Package', 'ImportPath']]).
map(go_test, time,      'Time':rfc3339).
map(go_test, port,      'Action', [run-call, start-call, pass-exit, fail-fail, skip-exit, pause-suspend, cont-resume, output-event, bench-event,
                                   attr-event, artifacts-event, 'build-output'-event, 'build-fail'-fail], closed).
map(go_test, name,      ['Test', 'Package', 'ImportPath']).
map(go_test, module,    'Package').
% since Go 1.24, what a build prints is there too, without times
map(go_test, key,       key([['Package', 'ImportPath'], 'Test'])).
map(go_test, parent,    ['Package', up('Test', '/')]).
% before Go 1.20, packages have no action start
map(go_test, opens,     first).
map(go_test, args,      ['Output', 'Elapsed', 'Key', 'Value']).
map(go_test, column,    'Action').
