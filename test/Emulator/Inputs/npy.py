"""Writes and reads .npy files without NumPy, as an independent witness."""

import ast
import os
import struct
import sys


def write(path, descr, shape, data, fortran=False):
    header = str({"descr": descr, "fortran_order": fortran, "shape": shape})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    (length,) = struct.unpack("<H", content[8:10])
    assert (10 + length) % 64 == 0, length
    header = ast.literal_eval(content[10 : 10 + length].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"], header
    data = content[10 + length :]
    return header["shape"], struct.unpack(f"<{len(data) // 4}f", data)


def make(folder):
    def path(name):
        return os.path.join(folder, name + ".npy")

    # Root mean squares of 2, 1 and 0.
    values = [2.0] * 4 + [-1.0, 1.0] * 2 + [0.0] * 4
    floats = struct.pack("<12f", *values)
    bits = struct.pack(
        "<12H", *(struct.unpack("<I", struct.pack("<f", v))[0] >> 16 for v in values)
    )
    write(path("x"), "<f4", (3, 4), floats)
    # A product of sizes that is 0 once it has wrapped.
    write(path("vast"), "<f4", (1 << 62, 4), b"")
    write(path("x_bits"), "<u2", (3, 4), bits)
    write(path("weight"), "<f8", (4,), struct.pack("<4d", 1, 1, 1, 1))
    write(path("short"), "<f4", (3, 4), floats[:20])
    write(path("fortran"), "<f4", (3, 4), floats, fortran=True)
    write(path("integers"), "<i4", (3, 4), floats)


def check(folder):
    shape, y = read(os.path.join(folder, "y.npy"))
    rows = [y[0:4], [2 * v for v in y[4:8]], y[8:12]]
    print(f"y {shape}:", " | ".join(" ".join(str(v) for v in row) for row in rows))
    shape, rstd = read(os.path.join(folder, "rstd.npy"))
    print(f"rstd {shape}: {round(rstd[0], 4)}")


def rows(folder):
    """The same rows, of which one call takes three and the other all."""
    import random

    generator = random.Random(1)
    count, columns = 700, 1000
    for name, width in (("grad_output", columns), ("normalized", columns), ("rstd", 1)):
        values = [generator.gauss(0, 1) for _ in range(count * width)]
        for some in (3, count):
            shape = (some, width) if width > 1 else (some,)
            data = struct.pack(f"<{some * width}f", *values[: some * width])
            write(os.path.join(folder, f"{name}{some}.npy"), "<f4", shape, data)


def prefix(folder):
    few_shape, few = read(os.path.join(folder, "dx3.npy"))
    many_shape, many = read(os.path.join(folder, "dx700.npy"))
    same = few == many[: len(few)] and len(few) == 3000 and any(few)
    print(few_shape, many_shape, "same" if same else "other")


{"make": make, "check": check, "rows": rows, "prefix": prefix}[sys.argv[1]](
    sys.argv[2]
)
