% Python: python-json-logger; start and end are texts of the key event
map(python_json, needs,  [levelname, name, message]).
map(python_json, time,   [created:s, asctime:date]).
map(python_json, port,   event, [start-call, end-exit]).
map(python_json, name,   [funcName, name]).
map(python_json, module, name).
map(python_json, key,    key([threadName, order_id])).
map(python_json, thread, [threadName, thread]).
map(python_json, args,   [message, item, price, exc_info]).
map(python_json, column, levelname).
