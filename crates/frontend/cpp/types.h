// Types, records and enums by index, with their layouts.
#pragma once

#include "json.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace attest {

class Types {
public:
  explicit Types(const clang::ASTContext &Context) : Context(Context) {}

  // The index of a type without its qualifiers.
  unsigned index(clang::QualType Type);

  // The index of a struct or union.
  unsigned record(const clang::RecordDecl *Record);

  // Why attest has no values of this type, if it has none.
  std::optional<std::string> whyUnsupported(clang::QualType Type) const;

  // Whether it is `const`, or an array of such elements.
  bool isConst(clang::QualType Type) const;
  // Whether a type has qualifiers that the table leaves out: those of the results of functions, and `restrict` of what
  // pointers lead to.
  bool dropsQualifiers(clang::QualType Type) const;

  // Whether it is `volatile`, or an array of such elements.
  bool isVolatile(clang::QualType Type) const;

  // Whether it is a variable-length array, or an array of such.
  bool hasVariableLength(clang::QualType Type) const;
  // The number of an expression that is the length of an array.
  unsigned length(const clang::Expr *Length);

  // Lays out the records that were mentioned. More types may be mentioned on the way.
  void finish();

  void writeTypes(Json &J) const;
  void writeRecords(Json &J) const;
  void writeEnums(Json &J) const;

  // Whether one of the types has the attribute `may_alias`.
  bool mayAlias() const { return MayAlias; }
  // Whether some type that was met has a name that lowers its alignment.
  bool lowersAlignment() const { return LowersAlignment; }

private:
  bool MayAlias = false;
  bool LowersAlignment = false;
  void noteMayAlias(clang::QualType Type);
  void noteAlignment(clang::QualType Type);
  void layOutFrom(size_t &Next);
  void mentionUnions(const clang::DeclContext *Around);
  // JSON of the shape: equal text, equal type.
  struct Entry {
    std::string Kind;
    uint64_t Size, Align;
  };
  struct Field {
    std::optional<std::string> Name;
    unsigned Type;
    bool Constant;
    bool Volatile;
    uint64_t Offset;
    std::optional<unsigned> Width;
  };
  struct Record {
    const clang::RecordDecl *Declaration;
    std::vector<Field> Fields;
    uint64_t Size = 0, Align = 1;
  };
  struct Enum {
    const clang::EnumDecl *Declaration;
    unsigned Underlying;
  };

  unsigned enumeration(const clang::EnumDecl *Enum);
  unsigned intern(std::string Kind, uint64_t Size, uint64_t Align);
  std::string kind(clang::QualType Type);
  std::optional<std::string> builtinKind(const clang::BuiltinType *Type) const;
  std::string functionKind(const clang::FunctionType *Type,
                           llvm::ArrayRef<clang::QualType> Parameters, bool Variadic,
                           bool Prototyped);
  std::string variableArrayKind(clang::QualType Type);
  void layOut(Record &Entry);

  const clang::ASTContext &Context;
  std::vector<Entry> Table;
  llvm::DenseMap<const clang::Type *, unsigned> TypeIndices;
  llvm::StringMap<unsigned> Shapes;
  std::deque<Record> Records;
  llvm::DenseMap<const clang::RecordDecl *, unsigned> RecordIndices;
  llvm::DenseMap<const clang::Expr *, unsigned> LengthIndices;
  std::vector<Enum> Enums;
  llvm::DenseMap<const clang::EnumDecl *, unsigned> EnumIndices;
};

} // namespace attest
