//===-- Diagnostics.cpp - diagnostics as one message ------------*- C++ -*-===//
//
// Part of the rmsc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace rmsc;

/// Prints "file:line:column: " where a location has that, else nothing. A
/// module that the text does not spell out is at line 0 of its file.
static void printPlace(Location location, llvm::raw_ostream &stream) {
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    stream << place.getFilename().getValue() << ':';
    if (place.getLine() != 0)
      stream << place.getLine() << ':' << place.getColumn() << ':';
    stream << ' ';
    return WalkResult::interrupt();
  });
}

DiagnosticKeeper::DiagnosticKeeper(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
            !message.empty())
          return success();
        llvm::raw_string_ostream stream(message);
        printPlace(diagnostic.getLocation(), stream);
        stream << diagnostic;
        for (Diagnostic &note : diagnostic.getNotes()) {
          stream << "\n  note: ";
          printPlace(note.getLocation(), stream);
          stream << note;
        }
        return success();
      }) {}

llvm::Error DiagnosticKeeper::take(const llvm::Twine &what) {
  if (message.empty())
    return makeError(what + " failed without saying why; please report this "
                            "with the program");
  return makeError(std::exchange(message, {}));
}
