//===-- Npy.cpp - NumPy's array files ---------------------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npy.h"
#include "rmscheck/Numbers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace rmsc;
using rmsrt::Dtype;

static constexpr llvm::StringLiteral magic("\x93NUMPY");
/// Of a complex double.
static constexpr int64_t maxTypeBytes = 16;

int64_t NpyArray::elements() const {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

/// 0 for a type that NumPy has not.
static int64_t sizeOfType(llvm::StringRef type) {
  int64_t size = 0;
  bool known = !type.drop_front().getAsInteger(10, size) && size > 0 &&
               size <= maxTypeBytes;
  return known ? size : 0;
}

/// The text after `'key':` in the header's dictionary.
static llvm::StringRef valueOf(llvm::StringRef header, llvm::StringRef key) {
  std::string quoted = ("'" + key + "':").str();
  size_t at = header.find(quoted);
  return at == llvm::StringRef::npos
             ? llvm::StringRef()
             : header.substr(at + quoted.size()).ltrim();
}

llvm::Expected<NpyArray> rmsc::readNpy(llvm::StringRef path) {
  auto fail = [&](const llvm::Twine &text) {
    return llvm::createStringError("'" + path + "': " + text);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("cannot read the file: " + buffer.getError().message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (!bytes.consume_front(magic) || bytes.size() < 6)
    return fail("not a .npy file; numpy.save writes one");
  bool longHeader = bytes[0] >= 2;
  size_t length = longHeader
                      ? llvm::support::endian::read32le(bytes.data() + 2)
                      : llvm::support::endian::read16le(bytes.data() + 2);
  bytes = bytes.drop_front(longHeader ? 6 : 4);
  if (length > bytes.size())
    return fail("the file is cut short");
  llvm::StringRef header = bytes.take_front(length);
  NpyArray array;
  llvm::StringRef descr = valueOf(header, "descr");
  descr.consume_front("'");
  descr = descr.take_until([](char c) { return c == '\''; });
  if (descr.starts_with(">"))
    return fail("big-endian arrays are not supported");
  array.type =
      descr.drop_while([](char c) { return c == '<' || c == '|' || c == '='; })
          .str();
  if (valueOf(header, "fortran_order").starts_with("True"))
    return fail("arrays in Fortran order are not supported; save "
                "numpy.ascontiguousarray(a)");
  llvm::StringRef shape = valueOf(header, "shape");
  shape.consume_front("(");
  llvm::SmallVector<llvm::StringRef> sizes;
  int64_t elements = 1;
  shape.take_until([](char c) { return c == ')'; })
      .split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef text : sizes) {
    int64_t size;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, size) || size < 0)
      return fail("the header's shape cannot be read");
    array.shape.push_back(size);
    // Larger than any memory; the product might wrap to a size that fits.
    if (llvm::MulOverflow(elements, size, elements) ||
        elements > std::numeric_limits<int64_t>::max() / maxTypeBytes)
      return fail("the header's shape is larger than any array");
  }
  array.data = bytes.drop_front(length).str();
  if (array.type.empty() || sizeOfType(array.type) == 0)
    return fail("the header's type cannot be read");
  if (int64_t(array.data.size()) != array.elements() * sizeOfType(array.type))
    return fail("the file holds " + llvm::Twine(array.data.size()) +
                " bytes of data, its header says " +
                llvm::Twine(array.elements() * sizeOfType(array.type)));
  return array;
}

bool rmsc::canHold(const NpyArray &array, Dtype dtype) {
  if (array.type == "f4" || array.type == "f2" || array.type == "f8")
    return true;
  return dtype == Dtype::BF16 && (array.type == "u2" || array.type == "V2");
}

void rmsc::copyElement(const NpyArray &array, int64_t index, Dtype dtype,
                       void *target) {
  const char *source = array.data.data() + index * sizeOfType(array.type);
  float value;
  if (array.type == "f4") {
    std::memcpy(&value, source, 4);
  } else if (array.type == "f8") {
    double wide;
    std::memcpy(&wide, source, 8);
    value = float(wide);
  } else if (array.type == "f2") {
    value = rmscheck::loadElement(Dtype::F16, source, 0);
  } else {
    std::memcpy(target, source, 2);
    return;
  }
  rmscheck::storeElement(dtype, target, 0, value);
}

llvm::Error rmsc::writeNpy(llvm::StringRef path, llvm::ArrayRef<int64_t> shape,
                           Dtype dtype, const void *data, int64_t count,
                           int64_t columns, int64_t stride) {
  std::string header;
  llvm::raw_string_ostream os(header);
  os << "{'descr': '" << (dtype == Dtype::F16 ? "<f2" : "<f4")
     << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    os << size << ",";
  os << "), }";
  // The data starts on a multiple of 64 bytes.
  while ((magic.size() + 4 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &file) {
    file << magic << '\x01' << '\x00' << char(header.size() & 0xff)
         << char(header.size() >> 8) << header;
    for (int64_t row = 0; row < count; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        int64_t index = row * stride + column;
        if (dtype == Dtype::F16) {
          file.write(static_cast<const char *>(data) + index * 2, 2);
          continue;
        }
        float value = rmscheck::loadElement(dtype, data, index);
        file.write(reinterpret_cast<const char *>(&value), 4);
      }
    return llvm::Error::success();
  });
}
