"""Library code, which is not recorded."""
import json

text = json.dumps([{"name": f"n{i}", "values": list(range(20))} for i in range(200)])
decoder = json.decoder.JSONDecoder()
decoder.scan_once = json.scanner.py_make_scanner(decoder)
for _ in range(20):
    decoder.decode(text)
