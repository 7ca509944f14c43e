"""The runtime's C interface (rmsrt.h) for Python, as far as measuring needs it.

Tensors are anything with data_ptr() and stride(), PyTorch's for instance.
"""

import ctypes
import json
import os
import zipfile

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFAULT_LIBRARY = os.path.join(_ROOT, "build", "lib", "librmsrt.so")


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("rowStride", ctypes.c_int64)]


class _Call(ctypes.Structure):
    _fields_ = [
        ("tensors", ctypes.POINTER(_Tensor)),
        ("tensorCount", ctypes.c_size_t),
        ("rows", ctypes.c_int64),
        ("workspace", ctypes.c_void_p),
        ("workspaceBytes", ctypes.c_size_t),
        ("stream", ctypes.c_void_p),
        ("flags", ctypes.c_uint32),
        ("variant", ctypes.c_char_p),
    ]


class Error(RuntimeError):
    """A call of the runtime that failed, with the runtime's message."""


class Package:
    """An open package. `manifest` is its manifest.json."""

    def __init__(self, path, library=DEFAULT_LIBRARY):
        if not os.path.exists(library):
            raise Error(
                f"{library} does not exist: build it with "
                "`cmake --build build --target rmsrt-shared`"
            )
        self._lib = ctypes.CDLL(library)
        self._lib.rmsrtLastError.restype = ctypes.c_char_p
        self._handle = ctypes.c_void_p()
        self._check(
            self._lib.rmsrtPackageOpenFile(
                os.fsencode(path), ctypes.byref(self._handle)
            )
        )
        with zipfile.ZipFile(path) as archive:
            self.manifest = json.loads(archive.read("manifest.json"))
        self.kernels = [Kernel(self, k) for k in self.manifest["kernels"]]

    def _check(self, status):
        if status:
            raise Error(self._lib.rmsrtLastError().decode())


class Kernel:
    """A kernel of a package; `description` is its entry in the manifest."""

    def __init__(self, package, description):
        self.package = package
        self.description = description
        self.name = description["name"]
        self.kind = description["operation"]["kind"]
        self.parameters = description["parameters"]
        self._handle = ctypes.c_void_p()
        package._check(
            package._lib.rmsrtPackageFindKernel(
                package._handle, self.name.encode(), ctypes.byref(self._handle)
            )
        )

    def prepare(self):
        """Loads the code in the current context, so that a launch does not."""
        self.package._check(self.package._lib.rmsrtKernelPrepare(self._handle))

    def workspace_bytes(self):
        """Bytes that are enough for every row count."""
        size = ctypes.c_size_t()
        self.package._check(
            self.package._lib.rmsrtKernelMaxWorkspaceBytes(
                self._handle, ctypes.byref(size)
            )
        )
        return size.value

    def call(self, tensors, rows, workspace, stream, variant=None):
        """A call that can be made again and again: see launch() and variant()."""
        return Call(self, tensors, rows, workspace, stream, variant)


class Call:
    def __init__(self, kernel, tensors, rows, workspace, stream, variant):
        self._kernel = kernel
        # The call holds addresses only, so the buffers are kept with it.
        self._tensors = tensors, workspace
        array = (_Tensor * len(tensors))()
        for slot, tensor in zip(array, tensors):
            slot.data = tensor.data_ptr() if tensor is not None else None
        self._array = array
        self._call = _Call(
            tensors=array,
            tensorCount=len(tensors),
            rows=rows,
            workspace=workspace.data_ptr() if workspace is not None else None,
            workspaceBytes=workspace.numel() if workspace is not None else 0,
            stream=stream,
            flags=0,
            variant=variant.encode() if variant else None,
        )
        self._pointer = ctypes.byref(self._call)
        self._launch = kernel.package._lib.rmsrtKernelLaunch

    def launch(self):
        if self._launch(self._kernel._handle, self._pointer):
            raise Error(self._kernel.package._lib.rmsrtLastError().decode())

    def variant(self):
        """The variant that the runtime takes for this call."""
        name = ctypes.c_char_p()
        self._kernel.package._check(
            self._kernel.package._lib.rmsrtKernelSelect(
                self._kernel._handle, self._pointer, ctypes.byref(name)
            )
        )
        return name.value.decode()
