"""How a call is timed: see docs/benchmarks/README.md.

The span from the first kernel's start to the last kernel's end, as CUPTI
records it (through PyTorch's profiler), with a fresh set of buffers and a
flushed L2 before every call; the figure of a case is the median.
"""

import ctypes
import math
import statistics

import torch
import triton
import triton.language as tl

DEVICE = torch.device("cuda")
WARM_UPS, CALLS = 10, 50
# Clock cycles for which the GPU is kept waiting while a call is enqueued.
ENQUEUE_CYCLES = 1_000_000
RING_SETS, RING_BYTES = 60, 24e9


@triton.jit
def rmsc_flush_l2(buffer, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(buffer + at, at)


_FLUSH_BLOCK = 4096
_flush_buffer = None


def flush_l2():
    """Writes twice the L2, and gives up lines that a kernel asked to keep."""
    global _flush_buffer
    if _flush_buffer is None:
        size = 2 * torch.cuda.get_device_properties(0).L2_cache_size // 4
        blocks = -(-size // _FLUSH_BLOCK)
        _flush_buffer = torch.empty(
            blocks * _FLUSH_BLOCK, dtype=torch.int32, device=DEVICE
        )
    ctypes.CDLL("libcuda.so.1").cuCtxResetPersistingL2Cache()
    blocks = _flush_buffer.numel() // _FLUSH_BLOCK
    rmsc_flush_l2[(blocks,)](_flush_buffer, _FLUSH_BLOCK)


class Ring:
    """Sets of buffers taken in turn. A line loaded with an evict-last policy
    survives a flush, so a kernel must not meet its old buffers again."""

    def __init__(self, make, set_bytes):
        count = int(min(RING_SETS, RING_BYTES // max(set_bytes, 1)))
        self.sets = [make() for _ in range(max(2, count))]
        self._next = 0

    def __call__(self):
        self._next = (self._next + 1) % len(self.sets)
        return self.sets[self._next]


class Prepared:
    """A call that needs something done before it which is no part of its time."""

    def __init__(self, prepare, call):
        self.prepare, self.call = prepare, call

    def __call__(self):
        self.call()


def _prepare(call):
    if isinstance(call, Prepared):
        # The kernels of the preparation must not seem to be of the call before.
        torch.cuda._sleep(1)
        call.prepare()


def record_us(callables):
    """Calls each of them once, and returns the microseconds that each took."""
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        for call in callables:
            _prepare(call)
            # The kernels of a call are all enqueued before the first one starts:
            # what Python takes to launch them is no gap between them.
            torch.cuda._sleep(ENQUEUE_CYCLES)
            flush_l2()
            call()
            torch.cuda.synchronize()
    events = sorted(
        (event.start_ns(), event.start_ns() + event.duration_ns(), event.name())
        for event in profile.profiler.kineto_results.events()
        if event.device_type() == torch.autograd.DeviceType.CUDA
        and "ynchroni" not in event.name()
    )
    spans = spans_of(events)
    if len(spans) != len(callables):
        raise RuntimeError(f"{len(callables)} calls were made, {len(spans)} recorded")
    return [(end - start) / 1e3 for start, end in spans]


def spans_of(events):
    """From the first start to the last end of what follows each flush, up to the
    next wait. `events` are (start, end, name), sorted."""
    spans, current, flushed = [], None, False
    for start, end, name in events:
        flush, wait = "rmsc_flush_l2" in name, "spin_kernel" in name
        if flush or wait:
            if current:
                spans.append(current)
            current, flushed = None, flush
        elif current:
            current = current[0], max(current[1], end)
        elif flushed:
            current = start, end
    if current:
        spans.append(current)
    return spans


def spans_us(call, calls=CALLS, warm_ups=WARM_UPS):
    """Times `calls` calls of `call()`; returns microseconds, one a call."""
    return blocks_us([(call, warm_ups, calls)])[0]


def blocks_us(blocks):
    """Times several calls, one after the other: each of `blocks` is a call, how
    often it is made to warm up, and how often to be timed. Returns microseconds, a
    list for each block. One recording serves all, since starting one takes longer
    than the calls."""
    sequence = []
    for call, warm_ups, calls in blocks:
        sequence += [call] * (warm_ups + calls)
    spans = iter(record_us(sequence))
    times = []
    for _, warm_ups, calls in blocks:
        times.append([next(spans) for _ in range(warm_ups + calls)][warm_ups:])
    return times


def medians_us(callables, rounds, warm_ups=2):
    """The median time of each callable. A round calls each of them once, so that
    none has the quieter minute."""
    for _ in range(warm_ups):
        for call in callables:
            _prepare(call)
            flush_l2()
            call()
    spans = record_us(list(callables) * rounds)
    count = len(callables)
    return [statistics.median(spans[first::count]) for first in range(count)]


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))
