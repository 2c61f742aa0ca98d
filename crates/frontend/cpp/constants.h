// Evaluated initialisers, flattened to bytes and relocations.
#pragma once

#include "json.h"

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <string>
#include <vector>

namespace attest {

class Declarations;

struct Relocation {
  uint64_t Offset;
  bool ToFunction;
  unsigned Target;
  int64_t Addend;
};

struct ConstantData {
  std::vector<uint8_t> Bytes;
  std::vector<Relocation> Relocations;
  // Which bits of these bytes C leaves open.
  std::vector<uint8_t> Open;
  // Why there is no value, if there is none.
  std::string Unsupported;
};

// The bytes of a value of this type. What its pointers point to is mentioned to Mentioned.
ConstantData flatten(const clang::APValue &Value, clang::QualType Type, Declarations &Mentioned);

// The bytes of an initialiser that clang evaluates only piece by piece, as it does where a flexible
// array member gets elements.
ConstantData flattenPieces(const clang::Expr *Init, clang::QualType Type, Declarations &Mentioned);

// The bytes of a string literal that fills an array of this size.
ConstantData flattenString(const clang::StringLiteral *Literal, const clang::ASTContext &Context);

void writeConstant(Json &J, const ConstantData &Data);

} // namespace attest
