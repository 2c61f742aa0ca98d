#include "constants.h"

#include "body.h"
#include "compat.h"
#include "declarations.h"

#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/StringExtras.h>

namespace attest {

using namespace clang;

namespace {

// No initialiser of a real program has more bytes that are not zero at its end.
constexpr uint64_t MostBytes = uint64_t(64) << 20;

class Flattener {
public:
  Flattener(Declarations &Mentioned, ConstantData &Data)
      : Mentioned(Mentioned), Context(Mentioned.Context), Data(Data) {}

  // Puts a value of a type at an offset.
  void put(const APValue &Value, QualType Type, uint64_t Offset) {
    switch (Value.getKind()) {
    case APValue::None:
    case APValue::Indeterminate:
      return;
    case APValue::Int:
      return putBits(Value.getInt(), Offset * 8, Context.getTypeSize(Type));
    case APValue::Float:
      return putBits(Value.getFloat().bitcastToAPInt(), Offset * 8,
                     Value.getFloat().bitcastToAPInt().getBitWidth());
    case APValue::LValue:
      return putPointer(Value, Type, Offset);
    case APValue::Array:
      return putArray(Value, Type, Offset);
    case APValue::Struct:
      return putStruct(Value, Type, Offset);
    case APValue::Union:
      if (const FieldDecl *Field = Value.getUnionField())
        putField(Value.getUnionValue(), Field, 0, Offset);
      return;
    case APValue::AddrLabelDiff:
      return fail("difference of label addresses");
    case APValue::ComplexInt:
    case APValue::ComplexFloat:
      return fail("_Complex initialiser");
    case APValue::Vector:
      return fail("vector initialiser");
    default:
      return fail("initialiser of a kind that C does not have");
    }
  }

  // Puts the pieces of an initialiser at an offset.
  void putPieces(const Expr *Init, QualType Type, uint64_t Offset) {
    Init = strip(Init);
    Expr::EvalResult Result;
    const auto *List = dyn_cast<InitListExpr>(Init);
    if (List && !List->isSemanticForm())
      List = List->getSemanticForm();
    if (List && Type->isRecordType() && !List->isTransparent())
      return putRecordPieces(List, Type, Offset);
    if (List && Type->isArrayType() && !List->isTransparent() && !List->isStringLiteralInit())
      return putArrayPieces(List, Type, Offset);
    if (List && List->getNumInits() == 0)
      return;
    if (List)
      return putPieces(List->getInit(0), Type, Offset);
    if (const auto *String = dyn_cast<StringLiteral>(Init); String && Type->isArrayType())
      return putString(String, Offset);
    if (isa<ImplicitValueInitExpr>(Init))
      return;
    if (!Init->EvaluateAsRValue(Result, Context) || Result.HasSideEffects)
      return fail("initialiser that is no constant");
    put(Result.Val, Type, Offset);
  }

private:
  void putRecordPieces(const InitListExpr *List, QualType Type, uint64_t Offset) {
    const RecordDecl *Record = Type->castAs<RecordType>()->getDecl()->getDefinition();
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
    unsigned Next = 0;
    for (const FieldDecl *Field : Record->fields()) {
      bool Skipped = Record->isUnion() ? Field != List->getInitializedFieldInUnion()
                                       : isUnnamedBitField(Field);
      if (Skipped || Next >= List->getNumInits())
        continue;
      const Expr *Init = List->getInit(Next++);
      uint64_t Bit = Layout.getFieldOffset(Field->getFieldIndex());
      Expr::EvalResult Result;
      if (!Field->isBitField())
        putPieces(Init, Field->getType(), Offset + Bit / 8);
      else if (isa<ImplicitValueInitExpr>(strip(Init)))
        continue;
      else if (Init->EvaluateAsRValue(Result, Context))
        putField(Result.Val, Field, Field->getFieldIndex(), Offset);
      else
        fail("initialiser that is no constant");
    }
  }

  void putArrayPieces(const InitListExpr *List, QualType Type, uint64_t Offset) {
    QualType Element = Context.getAsArrayType(Type)->getElementType();
    uint64_t Size = Context.getTypeSizeInChars(Element).getQuantity();
    for (unsigned Index = 0; Index < List->getNumInits(); Index++)
      putPieces(List->getInit(Index), Element, Offset + Index * Size);
    if (List->hasArrayFiller() && !isa<ImplicitValueInitExpr>(List->getArrayFiller()))
      fail("initialiser of a kind that C does not have");
  }

  void putString(const StringLiteral *Literal, uint64_t Offset) {
    std::vector<uint8_t> Text = flattenString(Literal, Context).Bytes;
    for (size_t Index = 0; Index < Text.size(); Index++)
      if (uint8_t *Byte = byte(Offset + Index))
        *Byte = Text[Index];
  }

  void fail(StringRef Why) {
    if (Data.Unsupported.empty())
      Data.Unsupported = Why.str();
  }

  // Little-endian: bit 0 of the value is bit BitOffset of the object.
  void putBits(llvm::APInt Value, uint64_t BitOffset, uint64_t Width) {
    Value = Value.zextOrTrunc(Width);
    for (uint64_t Bit = 0; Bit < Width;) {
      unsigned Shift = (BitOffset + Bit) % 8;
      unsigned Count = std::min<uint64_t>(8 - Shift, Width - Bit);
      uint64_t Piece = Value.extractBitsAsZExtValue(Count, Bit);
      if (Piece)
        if (uint8_t *Byte = byte((BitOffset + Bit) / 8))
          *Byte |= Piece << Shift;
      Bit += Count;
    }
  }

  uint8_t *byte(uint64_t Offset) {
    if (Offset >= MostBytes) {
      fail("initialiser too large");
      return nullptr;
    }
    if (Offset >= Data.Bytes.size())
      Data.Bytes.resize(Offset + 1);
    return &Data.Bytes[Offset];
  }

  void putPointer(const APValue &Value, QualType Type, uint64_t Offset) {
    uint64_t Width = Context.getTypeSize(Type);
    int64_t Addend = Value.getLValueOffset().getQuantity();
    APValue::LValueBase Base = Value.getLValueBase();
    if (!Base) {
      llvm::APInt Address(64, Value.isNullPointer() ? 0 : uint64_t(Addend));
      return putBits(Address, Offset * 8, Width);
    }
    if (Width != Context.getTypeSize(Context.VoidPtrTy))
      return fail("address in an integer of another width");
    if (const auto *Declaration = Base.dyn_cast<const ValueDecl *>()) {
      if (const auto *Function = dyn_cast<FunctionDecl>(Declaration))
        return relocate(Offset, true, Mentioned.function(Function), Addend);
      if (const auto *Variable = dyn_cast<VarDecl>(Declaration))
        return relocate(Offset, false, Mentioned.variable(Variable), Addend);
    } else if (const auto *Literal = Base.dyn_cast<const Expr *>()) {
      Literal = Literal->IgnoreParens();
      if (const auto *Name = dyn_cast<PredefinedExpr>(Literal))
        Literal = Name->getFunctionName();
      if (const auto *String = dyn_cast<StringLiteral>(Literal))
        return relocate(Offset, false, Mentioned.string(String), Addend);
      if (const auto *Compound = dyn_cast<CompoundLiteralExpr>(Literal))
        return relocate(Offset, false, Mentioned.compoundLiteral(Compound), Addend);
      if (isa<AddrLabelExpr>(Literal))
        return fail("address of a label");
    }
    fail("address of something that C does not have");
  }

  void relocate(uint64_t Offset, bool ToFunction, unsigned Target, int64_t Addend) {
    Data.Relocations.push_back({Offset, ToFunction, Target, Addend});
  }

  void putArray(const APValue &Value, QualType Type, uint64_t Offset) {
    const ArrayType *Array = Context.getAsArrayType(Type);
    if (!Array)
      return fail("array initialiser for something else");
    QualType Element = Array->getElementType();
    uint64_t Size = Context.getTypeSizeInChars(Element).getQuantity();
    unsigned Initialized = Value.getArrayInitializedElts();
    for (unsigned Index = 0; Index < Initialized; Index++)
      put(Value.getArrayInitializedElt(Index), Element, Offset + Index * Size);
    if (!Value.hasArrayFiller() || isZero(Value.getArrayFiller()))
      return;
    for (uint64_t Index = Initialized; Index < Value.getArraySize(); Index++) {
      put(Value.getArrayFiller(), Element, Offset + Index * Size);
      if (!Data.Unsupported.empty())
        return;
    }
  }

  // Whether a value is known to be all zero, so that long fillers cost nothing.
  static bool isZero(const APValue &Value) {
    switch (Value.getKind()) {
    case APValue::None:
    case APValue::Indeterminate:
      return true;
    case APValue::Int:
      return Value.getInt() == 0;
    case APValue::Float:
      return Value.getFloat().isPosZero();
    case APValue::LValue:
      return !Value.getLValueBase() && Value.getLValueOffset().isZero();
    case APValue::Array:
      for (unsigned Index = 0; Index < Value.getArrayInitializedElts(); Index++)
        if (!isZero(Value.getArrayInitializedElt(Index)))
          return false;
      return !Value.hasArrayFiller() || isZero(Value.getArrayFiller());
    case APValue::Struct:
      for (unsigned Index = 0; Index < Value.getStructNumFields(); Index++)
        if (!isZero(Value.getStructField(Index)))
          return false;
      return true;
    case APValue::Union:
      return !Value.getUnionField() || isZero(Value.getUnionValue());
    default:
      return false;
    }
  }

  void putStruct(const APValue &Value, QualType Type, uint64_t Offset) {
    const auto *Record = Type->getAs<RecordType>();
    if (!Record)
      return fail("structure initialiser for something else");
    unsigned Index = 0;
    for (const FieldDecl *Field : Record->getDecl()->getDefinition()->fields()) {
      if (Index < Value.getStructNumFields() && !isUnnamedBitField(Field))
        putField(Value.getStructField(Index), Field, Index, Offset);
      Index++;
    }
  }

  void putField(const APValue &Value, const FieldDecl *Field, unsigned Index, uint64_t Offset) {
    uint64_t Bit = Context.getASTRecordLayout(Field->getParent()).getFieldOffset(Index);
    if (!Field->isBitField())
      return put(Value, Field->getType(), Offset + Bit / 8);
    if (Value.isInt())
      return putBits(Value.getInt(), Offset * 8 + Bit, bitWidth(Field, Context));
    if (Value.hasValue())
      fail("address in a bit-field");
  }

  Declarations &Mentioned;
  const ASTContext &Context;
  ConstantData &Data;
};

} // namespace

ConstantData flatten(const APValue &Value, QualType Type, Declarations &Mentioned) {
  ConstantData Data;
  Flattener(Mentioned, Data).put(Value, Type, 0);
  return Data;
}

ConstantData flattenPieces(const Expr *Init, QualType Type, Declarations &Mentioned) {
  ConstantData Data;
  Flattener(Mentioned, Data).putPieces(Init, Type, 0);
  return Data;
}

ConstantData flattenString(const StringLiteral *Literal, const ASTContext &Context) {
  ConstantData Data;
  unsigned Width = Literal->getCharByteWidth();
  for (unsigned Index = 0; Index < Literal->getLength(); Index++)
    for (unsigned Byte = 0; Byte < Width; Byte++)
      Data.Bytes.push_back(Literal->getCodeUnit(Index) >> (8 * Byte));
  uint64_t Size = Context.getTypeSizeInChars(Literal->getType()).getQuantity();
  if (Data.Bytes.size() > Size)
    Data.Bytes.resize(Size);
  return Data;
}

void writeConstant(Json &J, const ConstantData &Data) {
  if (!Data.Unsupported.empty())
    return taggedValue(J, "Unsupported", Data.Unsupported);
  tagged(J, "Data", [&] {
    J.attribute("bytes", llvm::toHex(Data.Bytes, true));
    J.attribute("open", llvm::toHex(Data.Open, true));
    J.attributeArray("relocations", [&] {
      for (const Relocation &Each : Data.Relocations)
        J.object([&] {
          J.attribute("offset", Each.Offset);
          field(J, "target", [&] {
            taggedValue(J, Each.ToFunction ? "Function" : "Variable", Each.Target);
          });
          J.attribute("addend", Each.Addend);
        });
    });
  });
}

} // namespace attest
