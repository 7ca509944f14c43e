"""Writes a copy of a package with one thing wrong. usage: damage.py WHAT FROM TO"""

import json
import sys
import zipfile

what, source, target = sys.argv[1:]
with zipfile.ZipFile(source) as package:
    entries = {info.filename: package.read(info) for info in package.infolist()}
code = next(name for name in entries if name.endswith(".cubin"))

if what == "flip":
    # In the file, so that the archive's own checksum no longer fits.
    data = bytearray(open(source, "rb").read())
    data[data.index(entries[code]) + 100] ^= 1
    open(target, "wb").write(data)
    sys.exit()

method = zipfile.ZIP_STORED
manifest = json.loads(entries["manifest.json"])
if what == "swap":
    entries[code] = bytes([entries[code][0] ^ 1]) + entries[code][1:]
elif what == "version":
    manifest["version"] = 3
elif what == "field":
    del manifest["kernels"][0]["variants"][0]["launches"][0]["block"]
elif what == "compress":
    method = zipfile.ZIP_DEFLATED
entries["manifest.json"] = json.dumps(manifest).encode()
if what == "foreign":
    entries = {"readme.txt": b"hello"}
with zipfile.ZipFile(target, "w", method) as package:
    for name, data in entries.items():
        package.writestr(name, data)
