// What differs between the LLVM versions that build.rs accepts (16 and later).
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Type.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>

#include <optional>
#include <string>

namespace attest {

inline bool isUnnamedBitField(const clang::FieldDecl *Field) {
#if CLANG_VERSION_MAJOR >= 19
  return Field->isUnnamedBitField();
#else
  return Field->isUnnamedBitfield();
#endif
}

inline unsigned bitWidth(const clang::FieldDecl *Field, const clang::ASTContext &Context) {
#if CLANG_VERSION_MAJOR >= 20
  return Field->getBitWidthValue();
#else
  return Field->getBitWidthValue(Context);
#endif
}

inline bool isStaticArrayBound(const clang::ArrayType *Type) {
#if CLANG_VERSION_MAJOR >= 18
  return Type->getSizeModifier() == clang::ArraySizeModifier::Static;
#else
  return Type->getSizeModifier() == clang::ArrayType::Static;
#endif
}

// The name of a file as it was opened; none for clang's own buffers.
inline std::optional<std::string> fileName(const clang::SourceManager &Sources,
                                           clang::FileID File) {
#if CLANG_VERSION_MAJOR >= 17
  if (auto Entry = Sources.getFileEntryRefForID(File))
    return Entry->getName().str();
#else
  if (const clang::FileEntry *Entry = Sources.getFileEntryForID(File))
    return Entry->getName().str();
#endif
  return std::nullopt;
}

} // namespace attest
