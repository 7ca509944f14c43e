//===-- GlobalMemory.cpp - accesses to global memory ---------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "rmsc/Target/InlinePtx.h"

using namespace mlir;
using namespace rmsc;

Value rmsc::offsetPointer(ImplicitLocOpBuilder &b, Value pointer,
                          Type elementType, Value elements) {
  return LLVM::GEPOp::create(
      b, pointer.getType(), elementType, pointer, ValueRange{elements},
      LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw);
}

Value rmsc::offsetPointer(ImplicitLocOpBuilder &b, Value pointer,
                          Type elementType, int64_t elements) {
  if (elements == 0)
    return pointer;
  return LLVM::GEPOp::create(
      b, pointer.getType(), elementType, pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)},
      LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw);
}

static int64_t elementBytes(Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

/// The accesses that a vector is cut into: their type and the elements of each.
static VectorType getPartType(VectorType type, const Access &access) {
  int64_t elements =
      std::max<int64_t>(1, access.bytes / elementBytes(type.getElementType()));
  return VectorType::get({std::min(elements, type.getDimSize(0))},
                         type.getElementType());
}

static const InlinePtx *inlineAccess(InlinePtx::Kind kind, VectorType part,
                                     const Access &access) {
  if (access.policy == row::CachePolicy::Plain)
    return nullptr;
  // Widths without an entry stay plain: the policy is a hint.
  return cachedAccess(kind,
                      access.policy == row::CachePolicy::Streaming
                          ? PtxCache::Streaming
                          : PtxCache::NoAllocate,
                      part.getDimSize(0) * elementBytes(part.getElementType()));
}

static VectorType getWordsType(Builder &b, const InlinePtx &entry) {
  return VectorType::get({entry.bytes / 4}, b.getI32Type());
}

static Value loadPart(ImplicitLocOpBuilder &b, Value pointer, VectorType type,
                      const Access &access) {
  if (const InlinePtx *entry =
          inlineAccess(InlinePtx::Kind::Load, type, access)) {
    VectorType wordsType = getWordsType(b, *entry);
    SmallVector<Type> resultTypes(wordsType.getDimSize(0), b.getI32Type());
    auto load = NVVM::InlinePtxOp::create(b, resultTypes, pointer, ValueRange{},
                                          entry->text, Value());
    Value words =
        vector::FromElementsOp::create(b, wordsType, load.getResults());
    return vector::BitCastOp::create(b, type, words);
  }
  return LLVM::LoadOp::create(b, type, pointer, access.bytes);
}

static void storePart(ImplicitLocOpBuilder &b, Value part, Value pointer,
                      const Access &access) {
  auto type = cast<VectorType>(part.getType());
  if (const InlinePtx *entry =
          inlineAccess(InlinePtx::Kind::Store, type, access)) {
    Value words = vector::BitCastOp::create(b, getWordsType(b, *entry), part);
    SmallVector<Value> operands{pointer};
    auto elements = vector::ToElementsOp::create(b, words);
    llvm::append_range(operands, elements.getResults());
    NVVM::InlinePtxOp::create(b, TypeRange{}, operands, ValueRange{},
                              entry->text, Value());
    return;
  }
  LLVM::StoreOp::create(b, part, pointer, access.bytes);
}

Value rmsc::sliceVector(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                        int64_t count) {
  if (count == cast<VectorType>(vector.getType()).getDimSize(0))
    return vector;
  return vector::ExtractStridedSliceOp::create(
      b, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

Value rmsc::joinVectors(ImplicitLocOpBuilder &b, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      int64_t size = cast<VectorType>(parts[i].getType()).getDimSize(0);
      joined.push_back(vector::ShuffleOp::create(
          b, parts[i], parts[i + 1],
          llvm::to_vector(llvm::seq<int64_t>(0, 2 * size))));
    }
    parts = std::move(joined);
  }
  return parts.front();
}

Value rmsc::loadVector(ImplicitLocOpBuilder &b, Value pointer, VectorType type,
                       const Access &access) {
  VectorType partType = getPartType(type, access);
  int64_t partElements = partType.getDimSize(0);
  if (partElements == type.getDimSize(0))
    return loadPart(b, pointer, type, access);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < type.getDimSize(0); i += partElements)
    parts.push_back(
        loadPart(b, offsetPointer(b, pointer, type.getElementType(), i),
                 partType, access));
  return joinVectors(b, std::move(parts));
}

void rmsc::storeVector(ImplicitLocOpBuilder &b, Value vector, Value pointer,
                       const Access &access) {
  auto type = cast<VectorType>(vector.getType());
  VectorType partType = getPartType(type, access);
  int64_t partElements = partType.getDimSize(0);
  for (int64_t i = 0; i < type.getDimSize(0); i += partElements) {
    Value part = sliceVector(b, vector, i, partElements);
    storePart(b, part, offsetPointer(b, pointer, type.getElementType(), i),
              access);
  }
}

/// The 32-bit words of a vector, or a null type where it is not made of them.
/// Narrower vectors are met only where speed is not the point.
static VectorType getWordsOf(ImplicitLocOpBuilder &b, Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type ||
      type.getDimSize(0) * elementBytes(type.getElementType()) % 4 != 0)
    return {};
  return VectorType::get(
      {type.getDimSize(0) * elementBytes(type.getElementType()) / 4},
      b.getI32Type());
}

void rmsc::pinVectors(ImplicitLocOpBuilder &b, ValueRange vectors) {
  SmallVector<Value> words;
  for (Value vector : vectors) {
    VectorType wordsType = getWordsOf(b, vector);
    if (!wordsType)
      continue;
    Value cast = vector::BitCastOp::create(b, wordsType, vector);
    auto elements = vector::ToElementsOp::create(b, cast);
    llvm::append_range(words, elements.getResults());
  }
  if (!words.empty())
    NVVM::InlinePtxOp::create(b, TypeRange{}, words, ValueRange{}, pin().text,
                              Value());
}

SmallVector<Value, 4> rmsc::copyVectors(ImplicitLocOpBuilder &b,
                                        ValueRange vectors, Value zero) {
  SmallVector<Value, 4> copies;
  for (Value vector : vectors) {
    VectorType wordsType = getWordsOf(b, vector);
    if (!wordsType) {
      copies.push_back(vector);
      continue;
    }
    Value words = vector::BitCastOp::create(b, wordsType, vector);
    words = arith::XOrIOp::create(
        b, words, vector::BroadcastOp::create(b, wordsType, zero));
    copies.push_back(vector::BitCastOp::create(
        b, cast<VectorType>(vector.getType()), words));
  }
  return copies;
}
