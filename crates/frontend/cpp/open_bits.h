// Bits of static objects that their initialisers leave open.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <vector>

namespace attest {

// A mask of the object's bytes, from its start to the last with such a bit: those of unions beside the
// values of the member that is initialised (C17 6.2.6.1p6 and p7). Clang gives them undefined values. Those
// of unions that an initialiser leaves out are zero (6.7.9p10).
std::vector<uint8_t> openBits(const clang::Expr *Init, clang::QualType Type,
                              const clang::ASTContext &Context);

} // namespace attest
