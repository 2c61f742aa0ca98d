#include "open_bits.h"

#include "body.h"
#include "compat.h"

#include <clang/AST/RecordLayout.h>

namespace attest {

using namespace clang;

namespace {

class OpenBits {
public:
  explicit OpenBits(const ASTContext &Context) : Context(Context) {}

  std::vector<uint8_t> Mask;

  // Closes the bits that an initialiser of this type at an offset gives values to, in bits, and opens
  // those of unions that it does not.
  void walk(const Expr *Init, QualType Type, uint64_t Offset) {
    Init = strip(Init);
    if (const auto *Literal = dyn_cast<CompoundLiteralExpr>(Init))
      return walk(Literal->getInitializer(), Type, Offset);
    const auto *List = dyn_cast<InitListExpr>(Init);
    if (List && !List->isSemanticForm())
      List = List->getSemanticForm();
    if (!List || List->isStringLiteralInit())
      return close(Offset, valueWidth(Type));
    if (List->isTransparent())
      return walk(List->getInit(0), Type, Offset);
    if (const auto *Record = Type->getAs<RecordType>())
      return walkRecord(List, Record->getDecl()->getDefinition(), Offset);
    if (Type->isArrayType())
      return walkArray(List, Context.getAsArrayType(Type)->getElementType(), Type, Offset);
    close(Offset, valueWidth(Type));
  }

private:
  void walkRecord(const InitListExpr *List, const RecordDecl *Record, uint64_t Offset) {
    if (Record->isUnion())
      open(Offset, Context.toBits(Context.getASTRecordLayout(Record).getSize()));
    unsigned Next = 0;
    for (const FieldDecl *Field : Record->fields()) {
      if (isUnnamedBitField(Field))
        continue;
      const FieldDecl *Only = List->getInitializedFieldInUnion();
      if (Record->isUnion() && Only && Field != Only)
        continue;
      const Expr *Init = Next < List->getNumInits() ? List->getInit(Next) : nullptr;
      Next++;
      walkField(Init, Field, Offset + Context.getFieldOffset(Field));
      if (Record->isUnion())
        return;
    }
  }

  void walkField(const Expr *Init, const FieldDecl *Field, uint64_t Offset) {
    if (Field->isBitField())
      close(Offset, bitWidth(Field, Context));
    else if (Init)
      walk(Init, Field->getType(), Offset);
    else if (!Field->getType()->isIncompleteType())
      close(Offset, Context.getTypeSize(Field->getType()));
  }

  void walkArray(const InitListExpr *List, QualType Element, QualType Type, uint64_t Offset) {
    uint64_t Size = Context.getTypeSize(Element);
    for (unsigned Index = 0; Index < List->getNumInits(); Index++)
      walk(List->getInit(Index), Element, Offset + Index * Size);
    uint64_t Given = List->getNumInits() * Size;
    if (!Type->isIncompleteType() && Context.getTypeSize(Type) > Given)
      close(Offset + Given, Context.getTypeSize(Type) - Given);
  }

  // How many bits of a type's objects are values: all but the end of a long double.
  uint64_t valueWidth(QualType Type) const {
    if (Type->isIncompleteType())
      return 0;
    if (Type->isRealFloatingType() &&
        &Context.getFloatTypeSemantics(Type) == &llvm::APFloat::x87DoubleExtended())
      return 80;
    return Context.getTypeSize(Type);
  }

  void open(uint64_t Offset, uint64_t Width) {
    uint64_t End = (Offset + Width + 7) / 8;
    if (Mask.size() < End)
      Mask.resize(End);
    for (uint64_t Bit = Offset; Bit < Offset + Width; Bit++)
      Mask[Bit / 8] |= 1 << Bit % 8;
  }

  void close(uint64_t Offset, uint64_t Width) {
    uint64_t End = std::min<uint64_t>(Offset + Width, Mask.size() * 8);
    for (uint64_t Bit = Offset; Bit < End; Bit++)
      Mask[Bit / 8] &= ~(1 << Bit % 8);
  }

  const ASTContext &Context;
};

} // namespace

std::vector<uint8_t> openBits(const Expr *Init, QualType Type, const ASTContext &Context) {
  OpenBits Walker(Context);
  Walker.walk(Init, Type, 0);
  while (!Walker.Mask.empty() && Walker.Mask.back() == 0)
    Walker.Mask.pop_back();
  return Walker.Mask;
}

} // namespace attest
