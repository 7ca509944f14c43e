#!/usr/bin/env python3
"""Times our kernels beside their peers', in one run on one GPU.

    bench/peers.py --suite forward --package forward.rmspkg --output peers-forward

writes peers-forward.json and .md after every case, so that a run which is cut
short leaves what it has, and at the end .png and .svg.

A case's time is measured as bench/protocol.py says, several times over: a run
times the floor, ours and every peer one after the other, and the next run starts
with another one of them. A result is timed only if it passes the suite's check
on outputs that were poisoned before. The floor of a case is the fastest kernel
found that moves the compulsory bytes and computes nothing: the package's own
copy kernels, every variant of them, and a Triton one.
Needs PyTorch and Triton; Liger-Kernel, FlashInfer and QuACK are timed where
they are installed. They are called as liger-kernel 0.8.5, flashinfer-python 0.5.3
and quack-kernels 0.6.5 have it, by the functions that do the least beyond the
case, also where those are not the public ones.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import re
import shlex
import statistics
import sys
import time
import traceback

import torch
import triton
import triton.language as tl

import protocol
import report
import rmsrt
from protocol import DEVICE

EPSILON = 1e-6
SMS = torch.cuda.get_device_properties(0).multi_processor_count
# One tick of CUPTI's clock: a smaller difference is none.
TICK_US = report.TICK_US
# Eager takes up to 33 ms a call in the largest cases, and what is so long hardly
# varies: it is called less often, and the table says so.
LONG_US, LONG_WARM_UPS, LONG_CALLS = 5000, 2, 10


def within(got, want, atol, rtol, ratio=0.99):
    """The suites' check: enough elements inside the tolerance, none missing."""
    got, want = got.float(), want.float()
    inside = (got - want).abs() <= atol + rtol * want.abs()
    return bool(inside.float().mean() >= ratio)


def ceil_pow2(value):
    return 1 << (value - 1).bit_length()


class Peer:
    """A way of computing a case.

    run(set) computes from one set of buffers. It returns its outputs, or None
    when they are in the set's own. `differs` says where it does more or less than
    the case asks for, `skips` which outputs it does not compute, `tuned` what was
    chosen for it. prepare(set) is called before each call and is not timed.
    """

    def __init__(self, run, differs="", skips=(), tuned="", prepare=None):
        self.run, self.differs, self.skips, self.tuned = run, differs, skips, tuned
        self.prepare = prepare


def refill(names):
    """A `prepare` for a peer that works in place: gives the buffers of these names
    fresh data before every call."""
    fresh = {}

    def prepare(buffers):
        for name in names:
            if name not in fresh:
                fresh[name] = buffers[name].clone()
            buffers[name].copy_(fresh[name])

    return prepare


# ---- Floors ------------------------------------------------------------------


@triton.jit
def _copy_forward(x, r, o, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(o + at, tl.load(x + at, inside) + tl.load(r + at, inside), inside)


@triton.jit
def _copy_backward(g, n, dx, dr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    value = tl.load(g + at, inside) + tl.load(n + at, inside).to(tl.bfloat16)
    tl.store(dx + at, value, inside)
    tl.store(dr + at, value, inside)


def triton_copies(kernel, pick):
    """Launchers of a copy kernel, over block sizes and warps."""
    for block in (512, 1024, 2048, 4096, 8192):
        for warps in (2, 4, 8):
            if block // (32 * warps) < 4:
                continue

            def run(buffers, block=block, warps=warps):
                tensors = pick(buffers)
                count = tensors[0].numel()
                grid = (triton.cdiv(count, block),)
                kernel[grid](*tensors, count, block, num_warps=warps)

            yield f"triton copy, {block} elements, {warps} warps", run


# ---- Forward -----------------------------------------------------------------


# Not compiled anew for each kind of row count: the code is the same.
@triton.jit(do_not_specialize=["rows"])
def _norm_forward(
    x, r, w, o, rows, eps, H: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (column < H)
    at = row * H + column
    weight = tl.load(w + column, column < H).to(tl.float32)
    s = tl.load(x + at, inside, 0.0).to(tl.float32)
    s += tl.load(r + at, inside, 0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(s * s, axis=1)[:, None] / H + eps)
    tl.store(o + at, (s * rstd * weight).to(tl.bfloat16), inside)


class Forward:
    name = "fused_add_rmsnorm_h2048"
    hidden_size = 2048
    operation = "norm"
    # (rows, description of the case, atol, rtol); the ones of
    # runtime/lib/Check/Suites.cpp.
    cases = [
        (rows, f"{rows}", 1e-2, 1e-2) for rows in (1, 6, 34, 64, 79, 12383, 16254)
    ]
    outputs = ("y",)
    roles = {"x": "x", "residual": "residual", "weight": "weight", "y": "y"}

    @classmethod
    def set_bytes(cls, rows):
        return 6 * rows * cls.hidden_size

    @classmethod
    def make(cls, rows):
        def randn(*shape):
            return torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16)

        x = randn(rows, cls.hidden_size)
        return {
            "x": x,
            "residual": randn(rows, cls.hidden_size),
            "weight": randn(cls.hidden_size),
            "y": torch.empty_like(x),
        }

    @staticmethod
    def definition(x, residual, weight):
        s = x.float() + residual.float()
        rstd = torch.rsqrt(s.pow(2).mean(dim=-1, keepdim=True) + EPSILON)
        return ((s * rstd) * weight.float()).to(x.dtype)

    @classmethod
    def reference(cls, b):
        return {"y": cls.definition(b["x"], b["residual"], b["weight"])}

    @classmethod
    def eager(cls, b):
        return {"y": cls.definition(b["x"], b["residual"], b["weight"])}

    @classmethod
    def compiled(cls):
        function = torch.compile(cls.definition, dynamic=False)
        return lambda b: {"y": function(b["x"], b["residual"], b["weight"])}

    @staticmethod
    def copies():
        return triton_copies(_copy_forward, lambda b: (b["x"], b["residual"], b["y"]))

    @classmethod
    def triton(cls, rows):
        """Candidates of our own Triton kernel, to be tuned over."""
        block = ceil_pow2(cls.hidden_size)
        for packed in (1, 2, 4):
            for warps in (1, 2, 4, 8, 16):

                def run(b, packed=packed, warps=warps):
                    grid = (triton.cdiv(rows, packed),)
                    _norm_forward[grid](
                        b["x"], b["residual"], b["weight"], b["y"], rows, EPSILON,
                        cls.hidden_size, block, packed, num_warps=warps,
                    )  # fmt: skip

                yield f"{packed} rows, {warps} warps", run

    @classmethod
    def installed(cls):
        """Peers that may be installed: name -> function that imports one."""

        def liger():
            from liger_kernel.ops.fused_add_rms_norm import fused_add_rms_norm_forward

            def run(b):
                # "gemma" is the mode that computes in f32 and rounds once, as the
                # case does; "llama" rounds before the weight.
                out = fused_add_rms_norm_forward(
                    b["x"], b["residual"], b["weight"], EPSILON, 0.0, "gemma"
                )
                return {"y": out[0]}

            return Peer(run, "also writes the sum, rounded before the norm, and rstd")

        def flashinfer():
            from flashinfer.norm import fused_add_rmsnorm

            def run(b):
                # A dependent launch would start while the flush is still running,
                # and be timed from there.
                fused_add_rmsnorm(
                    b["x"], b["residual"], b["weight"], EPSILON, enable_pdl=False
                )
                return {"y": b["x"]}

            return Peer(
                run,
                "also writes the sum; y over x, the sum over the residual",
                prepare=refill(["x", "residual"]),
            )

        def quack():
            # The cache on disk would compile what it stores a second time.
            os.environ.setdefault("QUACK_CACHE_ENABLED", "0")
            # rmsnorm() would have the kernel write the sum, too.
            from quack.rmsnorm import _rmsnorm_fwd

            def run(b):
                _rmsnorm_fwd(
                    b["x"], b["weight"], b["y"], residual=b["residual"], eps=EPSILON
                )

            return Peer(run)

        return {"liger": liger, "flashinfer": flashinfer, "quack": quack}


# ---- Backward ----------------------------------------------------------------


@triton.jit(do_not_specialize=["rows"])
def _norm_backward(
    g, n, rs, w, dx, dr, partial, rows, H: tl.constexpr, BLOCK: tl.constexpr
):
    # One program walks every PROGRAMS-th row and keeps its part of dw.
    column = tl.arange(0, BLOCK)
    inside = column < H
    weight = tl.load(w + column, inside, 0.0)
    dw = tl.zeros([BLOCK], tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        at = row.to(tl.int64) * H + column
        grad = tl.load(g + at, inside, 0.0).to(tl.float32)
        norm = tl.load(n + at, inside, 0.0)
        rstd = tl.load(rs + row)
        scaled = grad * weight
        mean = tl.sum(scaled * norm, axis=0) / H
        value = (rstd * (scaled - mean * norm)).to(tl.bfloat16)
        tl.store(dx + at, value, inside)
        tl.store(dr + at, value, inside)
        dw += grad * norm
    tl.store(partial + tl.program_id(0).to(tl.int64) * H + column, dw, inside)


@triton.jit
def _sum_partials(
    partial, dw, count, H: tl.constexpr, COLUMNS: tl.constexpr, ROWS: tl.constexpr
):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    row = tl.arange(0, ROWS)[:, None]
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for first in range(0, count, ROWS):
        inside = (first + row < count) & (column < H)
        total += tl.load(partial + (first + row) * H + column, inside, 0.0)
    out = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(dw + out, tl.sum(total, axis=0), out < H)


class Backward:
    name = "fused_residual_rms_norm_backward"
    hidden_size = 2560
    operation = "norm_backward"
    cases = [
        (batch * seq, f"{batch} x {seq}", atol, 5e-2)
        for seq, batch, atol in (
            (128, 1, 1e-5), (131, 1, 1e-5), (211, 2, 1e-5), (256, 2, 1e-5),
            (773, 2, 1.2e-5), (853, 4, 2.1e-5), (997, 16, 6.4e-5),
            (1024, 8, 4.7e-5), (1087, 32, 8.9e-5), (1249, 1, 1.4e-5),
            (1657, 32, 1.5e-4), (1721, 64, 1.5e-4), (1801, 1, 1.2e-5),
            (1973, 4, 4.7e-5), (4096, 32, 2.2e-4), (8192, 64, 7e-4),
        )
    ]  # fmt: skip
    outputs = ("dx", "dr", "dw")
    # The suite's two gradients of one value are two outputs of one role.
    roles = {
        "grad_output": "g", "normalized": "n", "rstd": "rstd", "weight": "weight",
        "dx": ("dx", "dr"), "dw": "dw",
    }  # fmt: skip

    @classmethod
    def set_bytes(cls, rows):
        return 10 * rows * cls.hidden_size

    @classmethod
    def make(cls, rows):
        g = torch.randn(rows, cls.hidden_size, device=DEVICE, dtype=torch.bfloat16)
        return {
            "g": g,
            "n": torch.randn(rows, cls.hidden_size, device=DEVICE),
            "rstd": torch.randn(rows, 1, device=DEVICE).abs() + 0.1,
            "weight": torch.randn(cls.hidden_size, device=DEVICE),
            "dx": torch.empty_like(g),
            "dr": torch.empty_like(g),
            "dw": torch.empty(cls.hidden_size, device=DEVICE),
        }

    @staticmethod
    def definition(g, n, rstd, weight):
        grad = g.float()
        dw = (grad * n).sum(dim=0)
        scaled = grad * weight
        mean = (scaled * n).mean(dim=-1, keepdim=True)
        dx = (rstd * (scaled - mean * n)).to(torch.bfloat16)
        return dx, dx.clone(), dw

    @classmethod
    def reference(cls, b):
        """The definition; dw summed in float64, some rows at a time."""
        dx = torch.empty_like(b["g"])
        dw = torch.zeros(cls.hidden_size, device=DEVICE, dtype=torch.float64)
        for first in range(0, len(dx), 8192):
            part = slice(first, first + 8192)
            grad, n = b["g"][part].double(), b["n"][part].double()
            dw += (grad * n).sum(dim=0)
            scaled = grad * b["weight"].double()
            mean = (scaled * n).mean(dim=-1, keepdim=True)
            dx[part] = (b["rstd"][part].double() * (scaled - mean * n)).to(dx.dtype)
        return {"dx": dx, "dr": dx, "dw": dw}

    @classmethod
    def eager(cls, b):
        out = cls.definition(b["g"], b["n"], b["rstd"], b["weight"])
        return dict(zip(cls.outputs, out))

    @classmethod
    def compiled(cls):
        function = torch.compile(cls.definition, dynamic=False)
        return lambda b: dict(
            zip(cls.outputs, function(b["g"], b["n"], b["rstd"], b["weight"]))
        )

    @staticmethod
    def copies():
        return triton_copies(
            _copy_backward, lambda b: (b["g"], b["n"], b["dx"], b["dr"])
        )

    @classmethod
    def triton(cls, rows):
        block = ceil_pow2(cls.hidden_size)
        partial = torch.empty(8 * SMS, cls.hidden_size, device=DEVICE)
        for per_sm in (1, 2, 3, 4, 8):
            for warps in (4, 8, 16):
                programs = min(rows, per_sm * SMS)

                def run(b, programs=programs, warps=warps):
                    _norm_backward[(programs,)](
                        b["g"], b["n"], b["rstd"], b["weight"], b["dx"], b["dr"],
                        partial, rows, cls.hidden_size, block, num_warps=warps,
                    )  # fmt: skip
                    _sum_partials[(triton.cdiv(cls.hidden_size, 32),)](
                        partial, b["dw"], programs, cls.hidden_size, 32, 64,
                        num_warps=8,
                    )  # fmt: skip

                yield f"{per_sm} programs an SM, {warps} warps", run

    @classmethod
    def installed(cls):
        # These recompute n from x and rstd; x is made so that n is the case's.
        def make_x(b):
            if "x" not in b:
                b["x"] = b["n"] / b["rstd"]

        def liger():
            from liger_kernel.ops.rms_norm import rms_norm_backward
            from liger_kernel.ops.utils import calculate_settings

            block, warps = calculate_settings(cls.hidden_size)
            fresh = refill(["g"])

            def prepare(b):
                make_x(b)
                fresh(b)

            def run(b):
                # In place, as its own module calls it: else it also clears dx.
                # Mode -1 computes in the type of x, here f32.
                dx, dw = rms_norm_backward(
                    b["g"], b["x"], b["weight"], b["rstd"].view(-1), 0.0, -1,
                    block, warps, True, None,
                )  # fmt: skip
                return {"dx": dx, "dw": dw}

            return Peer(
                run,
                "one gradient, over grad_output; n from x in f32 and rstd",
                ("dr",),
                prepare=prepare,
            )

        def quack():
            os.environ.setdefault("QUACK_CACHE_ENABLED", "0")
            # rmsnorm_bwd() writes one gradient, in the type of x, which is f32.
            from quack.rmsnorm import _rmsnorm_bwd
            from quack.rmsnorm_config import get_sm_count

            programs = get_sm_count(cls.hidden_size, DEVICE)
            partial = torch.empty(programs, cls.hidden_size, device=DEVICE)

            def run(b):
                _rmsnorm_bwd(
                    b["x"], b["weight"], b["g"], b["rstd"].view(-1), b["dx"], partial,
                    dresidual=b["dr"], sm_count=programs,
                )  # fmt: skip
                torch.sum(partial, dim=0, out=b["dw"])

            return Peer(run, "n from x in f32 and rstd", prepare=make_x)

        return {"liger": liger, "quack": quack}


# ---- Ours --------------------------------------------------------------------


def buffers_of(kernel, roles, buffers):
    """The set's buffers in the order of the kernel's parameters."""
    taken, tensors = {}, []
    for parameter in kernel.parameters:
        role = parameter["role"]
        if not parameter.get("used", True):
            tensors.append(None)
            continue
        names = roles[role]
        names = names if isinstance(names, tuple) else (names,)
        index = taken.get(role, 0)
        taken[role] = index + 1
        tensors.append(buffers[names[index]])
    return tensors


class Ours:
    """Launchers of the package's kernels that fit a suite."""

    def __init__(self, package, suite):
        self.suite, self.package = suite, package
        self.workspace = None
        fitting = [
            k
            for k in package.kernels
            if k.kind == suite.operation
            and k.description["hidden_size"] == suite.hidden_size
            and {p["role"] for p in k.parameters if p.get("used", True)}
            == set(suite.roles)
        ]
        if not fitting:
            sys.exit(f"the package holds no kernel that computes {suite.name}")
        self.kernel = fitting[0]
        self.floors = [
            k
            for k in package.kernels
            if k.kind == "copy"
            and k.description["operation"].get("floor_of") == self.kernel.name
        ]
        for kernel in [self.kernel, *self.floors]:
            kernel.prepare()
        size = max(k.workspace_bytes() for k in [self.kernel, *self.floors])
        if size:
            self.workspace = torch.zeros(size, dtype=torch.uint8, device=DEVICE)

    def tensors(self, kernel, buffers):
        """The set's buffers in the order of the kernel's parameters. A floor's
        parameters stand for those of the kernel that they are of a kind with."""
        own = buffers_of(self.kernel, self.suite.roles, buffers)
        if kernel is self.kernel:
            return own
        like = lambda p: (p["direction"], p["kind"], p["dtype"])
        left = [
            (like(p), tensor)
            for p, tensor in zip(self.kernel.parameters, own)
            if tensor is not None
        ]
        tensors = []
        for parameter in kernel.parameters:
            index = next(i for i, (l, _) in enumerate(left) if l == like(parameter))
            tensors.append(left.pop(index)[1])
        return tensors

    def calls(self, kernel, rows, ring, variant=None):
        """Calls of a kernel, one for each set of the ring; by the set's id."""
        stream = torch.cuda.current_stream().cuda_stream
        return {
            id(buffers): kernel.call(
                self.tensors(kernel, buffers), rows, self.workspace, stream, variant
            )
            for buffers in ring.sets
        }

    def floor_launchers(self, rows, ring):
        for kernel in self.floors:
            names = {v["name"] for v in kernel.description["variants"]}
            for variant in sorted(names):
                calls = self.calls(kernel, rows, ring, variant)
                try:
                    calls[id(ring.sets[0])].variant()
                except rmsrt.Error:
                    continue  # Of another chip, or for other row counts.
                run = lambda b, calls=calls: calls[id(b)].launch()
                yield f"{kernel.name} {variant}", run


# ---- A case ------------------------------------------------------------------


class Reference:
    """The right results for one set of buffers, computed once for all peers."""

    def __init__(self, suite, buffers, case):
        self.suite, self.buffers, self.case = suite, buffers, case
        self.want = suite.reference(buffers)

    def agrees(self, peer):
        _, _, atol, rtol = self.case
        if peer.prepare:
            peer.prepare(self.buffers)
        for name in self.suite.outputs:
            self.buffers[name].fill_(float("nan"))
        got = peer.run(self.buffers) or self.buffers
        torch.cuda.synchronize()
        right = all(
            within(got[name], self.want[name], atol, rtol)
            for name in self.suite.outputs
            if name not in peer.skips
        )
        if peer.prepare:
            peer.prepare(self.buffers)  # The next peer needs the same inputs.
        return right


def on_ring(peer, ring):
    """A call of a peer on the next set of buffers, to be timed."""
    if not peer.prepare:
        return lambda: peer.run(ring())
    taken = []

    def prepare():
        taken[:] = [ring()]
        peer.prepare(taken[0])

    return protocol.Prepared(prepare, lambda: peer.run(taken[0]))


def fastest(launchers, ring, calls):
    """The fastest of several launchers by a short measurement of each."""
    launchers = list(launchers)
    times = protocol.medians_us(
        [lambda run=run: run(ring()) for _, run in launchers], calls
    )
    _, index = min((time, index) for index, time in enumerate(times))
    return launchers[index]


def first_line(error):
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def time_run(blocks, notes):
    """Times every block of a run: name -> microseconds, one a call. A block that
    fails is noted and left out of this run and the next ones."""
    try:
        return dict(zip(blocks, protocol.blocks_us(blocks.values())))
    except Exception:
        pass  # One of them fails: which one is seen when each is on its own.
    times = {}
    for name, block in list(blocks.items()):
        try:
            times[name] = protocol.blocks_us([block])[0]
        except Exception as error:
            if name in ("floor", "rmsc"):
                raise
            notes[name] = f"failed: {first_line(error)}"
            del blocks[name]
    return times


def measure(suite, ours, case, calls, runs, skip, broken):
    """Measures a case. `skip` names the peers to leave out; `broken`, which is kept
    from case to case, has the notes on those that failed before they ever worked:
    compiling them again would only take the time again."""
    rows, label, _, _ = case
    started = time.time()
    ring = protocol.Ring(lambda: suite.make(rows), suite.set_bytes(rows))
    notes, differs, tuned = {}, {}, {}

    floors = [*suite.copies(), *ours.floor_launchers(rows, ring)]
    floor_by, floor = fastest(floors, ring, 10)

    own = ours.calls(ours.kernel, rows, ring)
    reference = Reference(suite, ring.sets[0], case)
    peers = {"floor": Peer(floor), "rmsc": Peer(lambda b: own[id(b)].launch())}
    if not reference.agrees(peers["rmsc"]):
        sys.exit(f"{suite.name}: our own result is wrong at {rows} rows")

    def add(name, make):
        if name in skip:
            return
        if broken.get(name):
            notes[name] = broken[name]
            return
        try:
            peer = make()
            if peer.differs:
                differs[name] = peer.differs
            if not reference.agrees(peer):
                notes[name] = "fails the check, so it is not timed"
                return
            if peer.tuned:
                tuned[name] = peer.tuned
            peers[name] = peer
            broken[name] = None
        except ImportError as error:
            notes[name] = f"not installed ({error})"
        except Exception as error:  # A peer's failure must not end the run.
            notes[name] = f"failed: {first_line(error)}"
            traceback.print_exc(limit=-4)
            broken.setdefault(name, notes[name])

    def tuned_triton():
        name, run = fastest(suite.triton(rows), ring, 10)
        return Peer(run, tuned=name)

    def compiled():
        torch._dynamo.reset()
        return Peer(suite.compiled())

    add("eager", lambda: Peer(suite.eager))
    add("torch.compile", compiled)
    add("triton", tuned_triton)
    for name, make in suite.installed().items():
        add(name, make)
    del reference
    prepared = time.time()

    blocks = {n: (on_ring(p, ring), 1, 1) for n, p in peers.items()}
    estimates = time_run(blocks, notes)
    fewer = {n: LONG_CALLS for n, t in estimates.items() if t[0] > LONG_US}
    for name, (call, _, _) in blocks.items():
        blocks[name] = (
            (call, LONG_WARM_UPS, LONG_CALLS)
            if name in fewer
            else (call, protocol.WARM_UPS, calls)
        )
    spans = {}
    for run in range(runs):
        # Another one begins each run, so that none has the warmer GPU in all.
        names = list(blocks)
        first = run % len(names)
        blocks = {n: blocks[n] for n in names[first:] + names[:first]}
        for name, times in time_run(blocks, notes).items():
            spans.setdefault(name, []).append(times)
    spans = {n: spans[n] for n in peers if n in blocks}

    medians = {n: [statistics.median(t) for t in s] for n, s in spans.items()}
    result = {
        "case": label,
        "rows": rows,
        "floor_us": statistics.median(medians["floor"]),
        "floor_by": floor_by,
        "us": statistics.median(medians["rmsc"]),
        "variant": own[id(ring.sets[0])].variant(),
        "peers": {
            n: statistics.median(m)
            for n, m in medians.items()
            if n not in ("floor", "rmsc")
        },
        "runs_us": medians,
        "calls_us": {n: [[min(t), max(t)] for t in s] for n, s in spans.items()},
        "fewer_calls": {n: c for n, c in fewer.items() if n in blocks},
        "tuned": tuned,
        "differs": differs,
        "notes": notes,
        "prepared_s": round(prepared - started, 2),
        "timed_s": round(time.time() - prepared, 2),
    }
    if result["peers"]:
        best = min(result["peers"], key=result["peers"].get)
        limit = result["peers"][best] + max(TICK_US, 0.01 * result["peers"][best])
        result["fastest_peer"] = best
        result["ahead"] = result["us"] <= limit
    return result


# ---- The document ------------------------------------------------------------

DISTRIBUTIONS = {
    "liger": "liger-kernel",
    "quack": "quack-kernels",
    "flashinfer": "flashinfer-python",
}


def versions():
    found = {"torch": torch.__version__, "triton": triton.__version__}
    for peer, distribution in DISTRIBUTIONS.items():
        try:
            found[peer] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def write(path, text):
    """Writes a file whole or not at all."""
    with open(path + ".part", "w") as file:
        file.write(text)
    os.replace(path + ".part", path)


def save(document, output, json_path):
    """Writes the JSON and the table, and returns the table."""
    document.update(report.peers_means(document))
    text = "\n".join(report.peers(document)) + "\n"
    figures = json.dumps(document, indent=1) + "\n"
    if json_path:
        write(json_path, figures)
    if output:
        write(output + ".json", figures)
        write(output + ".md", text)
    return text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", choices=["forward", "backward"], required=True)
    parser.add_argument("--package", required=True)
    parser.add_argument("--library", default=rmsrt.DEFAULT_LIBRARY)
    parser.add_argument("--rows", help="only these cases, by rows: 1,79")
    parser.add_argument("--skip", default="", help="peers to leave out: eager,liger")
    parser.add_argument("--runs", type=int, default=5, help="runs of a case")
    parser.add_argument("--quick", action="store_true", help="15 calls a run")
    parser.add_argument(
        "--output", help="path of the JSON, the table and the plots, without an ending"
    )
    parser.add_argument("--json", help="only the JSON, to this file")
    arguments = parser.parse_args()

    suite = {"forward": Forward, "backward": Backward}[arguments.suite]
    cases = suite.cases
    if arguments.runs < 1:
        sys.exit("--runs must be at least 1")
    if arguments.rows:
        wanted = {int(r) for r in arguments.rows.split(",")}
        cases = [c for c in cases if c[0] in wanted]
        if len(cases) != len(wanted):
            sys.exit(f"--rows names rows that are no case of {arguments.suite}")
    torch.manual_seed(1)
    torch.empty(1, device="cuda")  # makes a context current on this thread
    package = rmsrt.Package(arguments.package, arguments.library)
    ours = Ours(package, suite)
    calls = 15 if arguments.quick else protocol.CALLS
    document = {
        "suite": arguments.suite,
        "gpu": torch.cuda.get_device_name(),
        "date": datetime.date.today().isoformat(),
        # A path says where a file was, not what was done.
        "command": shlex.join(
            ["bench/peers.py", *(re.sub(r"[^=]*/", "", a) for a in sys.argv[1:])]
        ),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "versions": versions(),
        "runs": arguments.runs,
        "calls": calls,
        "warmups": protocol.WARM_UPS,
        "cases_wanted": len(cases),
        "cases": [],
    }
    skip, broken = set(arguments.skip.split(",")), {}
    for case in cases:
        result = measure(suite, ours, case, calls, arguments.runs, skip, broken)
        document["cases"].append(result)
        text = save(document, arguments.output, arguments.json)
        torch.cuda.empty_cache()
        took = f"{result['prepared_s']} s to prepare, {result['timed_s']} s to time"
        print(f"{result['case']}: {took}", file=sys.stderr, flush=True)
    print(text, end="")
    if arguments.output:
        # Where there is no matplotlib, bench/plot.py can draw from the JSON later.
        try:
            import plot

            plot.draw(document, arguments.output)
        except ImportError as error:
            print(f"not drawn: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
