#include "types.h"

#include "compat.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/StringExtras.h>

namespace attest {

using namespace clang;

namespace {

// The JSON that Body writes, as text.
template <typename Body> std::string text(Body Write) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  Json J(Stream);
  Write(J);
  J.flush();
  return Stream.str();
}

// The document's name of an integer type, or null.
const char *integerName(BuiltinType::Kind Kind) {
  switch (Kind) {
  case BuiltinType::Bool:
    return "bool";
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
    return "char";
  case BuiltinType::SChar:
    return "schar";
  case BuiltinType::UChar:
    return "uchar";
  case BuiltinType::Short:
    return "short";
  case BuiltinType::UShort:
    return "ushort";
  case BuiltinType::Int:
    return "int";
  case BuiltinType::UInt:
    return "uint";
  case BuiltinType::Long:
    return "long";
  case BuiltinType::ULong:
    return "ulong";
  case BuiltinType::LongLong:
    return "longlong";
  case BuiltinType::ULongLong:
    return "ulonglong";
  case BuiltinType::Int128:
    return "int128";
  case BuiltinType::UInt128:
    return "uint128";
  default:
    return nullptr;
  }
}

// The document's name of a floating type, or null.
const char *floatName(BuiltinType::Kind Kind) {
  switch (Kind) {
  case BuiltinType::Half:
  case BuiltinType::Float16:
    return "half";
  case BuiltinType::Float:
    return "float";
  case BuiltinType::Double:
    return "double";
  case BuiltinType::LongDouble:
    return "longdouble";
  case BuiltinType::Float128:
    return "float128";
  default:
    return nullptr;
  }
}

// `struct cell`, a typedef's name for one without a tag, or nothing.
std::optional<std::string> tagName(const TagDecl *Tag) {
  if (Tag->getIdentifier())
    return (Tag->getKindName() + " " + Tag->getName()).str();
  if (const TypedefNameDecl *Typedef = Tag->getTypedefNameForAnonDecl())
    return Typedef->getNameAsString();
  return std::nullopt;
}

// Whether the declarations between the parentheses and the body of a function in the old style declare
// the type. Clang puts such types in front of the function, as if the file declared them.
bool isOfOldParameters(const TagDecl *Tag) {
  const Decl *Next = Tag->getNextDeclInContext();
  while (Next && isa<TagDecl>(Next))
    Next = Next->getNextDeclInContext();
  const auto *Function = dyn_cast_or_null<FunctionDecl>(Next);
  if (!Function || !Function->isThisDeclarationADefinition() || Function->hasWrittenPrototype())
    return false;
  const SourceManager &Sources = Tag->getASTContext().getSourceManager();
  return Sources.isBeforeInTranslationUnit(Function->getLocation(), Tag->getLocation());
}

// Whether a function declares the type, or the compiler by itself: it has no name that a file can use.
bool isLocal(const TagDecl *Tag) {
  return Tag->isImplicit() || isOfOldParameters(Tag) ||
         Tag->getDeclContext()->getRedeclContext()->isFunctionOrMethod();
}

void writeName(Json &J, const std::optional<std::string> &Name) {
  if (Name)
    J.attribute("name", utf8(*Name));
  else
    J.attribute("name", nullptr);
}

} // namespace

unsigned Types::intern(std::string Kind, uint64_t Size, uint64_t Align) {
  std::string Key = Kind + " " + std::to_string(Size) + " " + std::to_string(Align);
  auto [Entry, New] = Shapes.try_emplace(Key, Table.size());
  if (New)
    Table.push_back({std::move(Kind), Size, Align});
  return Entry->second;
}

// Canonical types have lost what a typedef says, so all the names of a type are looked at; those of
// the system's headers do not count.
void Types::noteAlignment(QualType Type) {
  if (LowersAlignment || Type.isNull() || Type->isIncompleteType() || Type->isFunctionType() ||
      Type->isDependentType())
    return;
  LowersAlignment = Context.getTypeAlign(Type) < Context.getTypeAlign(Type.getCanonicalType());
}

void Types::noteMayAlias(QualType Type) {
  const SourceManager &Sources = Context.getSourceManager();
  auto Says = [&](const Decl *Named) {
    return Named->hasAttr<MayAliasAttr>() && !Sources.isInSystemHeader(Named->getLocation());
  };
  while (!MayAlias && !Type.isNull()) {
    if (const auto *Typedef = dyn_cast<TypedefType>(Type.getTypePtr()))
      MayAlias |= Says(Typedef->getDecl());
    if (const auto *Tag = dyn_cast<TagType>(Type.getTypePtr()))
      MayAlias |= Says(Tag->getDecl());
    QualType Next = Type.getSingleStepDesugaredType(Context);
    if (Next.getTypePtr() != Type.getTypePtr())
      Type = Next;
    else if (Type->isPointerType())
      Type = Type->getPointeeType();
    else if (const auto *Array = Context.getAsArrayType(Type))
      Type = Array->getElementType();
    else
      return;
  }
}

unsigned Types::index(QualType Type) {
  noteMayAlias(Type);
  noteAlignment(Type);
  Qualifiers Dropped;
  QualType Plain = Context.getUnqualifiedArrayType(Context.getCanonicalType(Type), Dropped);
  auto Known = TypeIndices.find(Plain.getTypePtr());
  if (Known != TypeIndices.end())
    return Known->second;
  uint64_t Size = 0, Align = 1;
  bool Sized = !Plain->isFunctionType() && !Plain->isPlaceholderType() &&
               !Plain->isDependentType() && !hasVariableLength(Plain);
  if (hasVariableLength(Plain))
    Align = Context.getTypeAlignInChars(Context.getBaseElementType(Plain)).getQuantity();
  if (Sized && !Plain->isIncompleteType())
    Size = Context.getTypeSizeInChars(Plain).getQuantity();
  if (Sized && (!Plain->isIncompleteType() || Plain->isIncompleteArrayType()))
    Align = Context.getTypeAlignInChars(Plain).getQuantity();
  unsigned Index = intern(kind(Plain), Size, Align);
  TypeIndices[Plain.getTypePtr()] = Index;
  return Index;
}

bool Types::hasVariableLength(QualType Type) const {
  const ArrayType *Array = Context.getAsArrayType(Type);
  return Array && (isa<VariableArrayType>(Array) || hasVariableLength(Array->getElementType()));
}

unsigned Types::length(const Expr *Length) {
  return LengthIndices.try_emplace(Length, LengthIndices.size()).first->second;
}

// The element is the first type on the way in that has a size.
std::string Types::variableArrayKind(QualType Type) {
  std::vector<const ArrayType *> Dimensions;
  while (hasVariableLength(Type)) {
    Dimensions.push_back(Context.getAsArrayType(Type));
    Type = Dimensions.back()->getElementType();
  }
  unsigned Element = index(Type);
  return text([&](Json &J) {
    tagged(J, "VariableArray", [&] {
      J.attribute("element", Element);
      J.attributeArray("lengths", [&] {
        for (const ArrayType *Each : Dimensions) {
          const auto *Variable = dyn_cast<VariableArrayType>(Each);
          if (const auto *Constant = dyn_cast<ConstantArrayType>(Each))
            taggedValue(J, "Fixed", Constant->getSize().getZExtValue());
          else if (Variable && Variable->getSizeExpr())
            taggedValue(J, "Evaluated", length(Variable->getSizeExpr()));
          else
            J.value("Unknown");
        }
      });
    });
  });
}

std::optional<std::string> Types::whyUnsupported(QualType Type) const {
  if (const auto *Array = Context.getAsArrayType(Type))
    return whyUnsupported(Array->getElementType());
  if (Type.getAddressSpace() != LangAS::Default)
    return "address space";
  QualType Plain = Context.getCanonicalType(Type).getUnqualifiedType();
  if (Plain->isAtomicType())
    return "_Atomic";
  if (Plain->isAnyComplexType())
    return "_Complex";
  if (Plain->isVectorType())
    return "vector type";
  if (const auto *Builtin = Plain->getAs<BuiltinType>()) {
    if (Plain->isVoidType() || integerName(Builtin->getKind()) || floatName(Builtin->getKind()))
      return std::nullopt;
    return Plain.getAsString();
  }
  if (Plain->isPointerType() || Plain->isRecordType() || Plain->isFunctionType() ||
      Plain->isEnumeralType())
    return std::nullopt;
  return Plain.getAsString();
}

bool Types::dropsQualifiers(QualType Type) const {
  Type = Context.getCanonicalType(Type);
  if (const auto *Function = Type->getAs<FunctionType>()) {
    QualType Result = Function->getReturnType();
    if (Result.hasLocalQualifiers() || dropsQualifiers(Result))
      return true;
    const auto *Prototype = dyn_cast<FunctionProtoType>(Function);
    return Prototype && llvm::any_of(Prototype->param_types(),
                                     [&](QualType Each) { return dropsQualifiers(Each); });
  }
  QualType Inner = Type->getPointeeType();
  if (const ArrayType *Array = Context.getAsArrayType(Type))
    Inner = Array->getElementType();
  return !Inner.isNull() && (Inner.isRestrictQualified() || dropsQualifiers(Inner));
}

bool Types::isConst(QualType Type) const {
  return Type.isConstQualified() || Context.getBaseElementType(Type).isConstQualified();
}

bool Types::isVolatile(QualType Type) const {
  return Type.isVolatileQualified() || Context.getBaseElementType(Type).isVolatileQualified();
}

std::optional<std::string> Types::builtinKind(const BuiltinType *Type) const {
  if (const char *Name = integerName(Type->getKind())) {
    uint64_t Width = Context.getTypeSize(Type);
    bool Signed = Type->isSignedInteger();
    return text([&](Json &J) {
      tagged(J, "Int", [&] {
        J.attribute("name", Name);
        J.attribute("width", Width);
        J.attribute("signed", Signed);
      });
    });
  }
  if (const char *Name = floatName(Type->getKind()))
    return text([&](Json &J) { taggedValue(J, "Float", Name); });
  if (Type->getKind() == BuiltinType::Void)
    return text([&](Json &J) { J.value("Void"); });
  return std::nullopt;
}

// The attribute for how functions of the type are called, if that is not as usual.
static std::optional<std::string> convention(const FunctionType *Type) {
  if (Type->getHasRegParm())
    return "regparm(" + std::to_string(Type->getRegParmType()) + ")";
  switch (Type->getCallConv()) {
  case CC_C:
    return std::nullopt;
  case CC_Win64:
    return "ms_abi";
  case CC_X86_64SysV:
    return "sysv_abi";
  default:
    return FunctionType::getNameForCallConv(Type->getCallConv()).str();
  }
}

std::string Types::functionKind(const FunctionType *Type, ArrayRef<QualType> Parameters, bool Variadic,
                                bool Prototyped) {
  QualType Result = Type->getReturnType();
  unsigned ResultIndex = index(Result);
  std::vector<unsigned> Indices;
  for (QualType Parameter : Parameters)
    Indices.push_back(index(Parameter));
  return text([&](Json &J) {
    tagged(J, "Function", [&] {
      J.attribute("result", ResultIndex);
      J.attributeArray("parameters", [&] {
        for (unsigned Parameter : Indices)
          J.value(Parameter);
      });
      J.attribute("variadic", Variadic);
      J.attribute("prototyped", Prototyped);
      J.attribute("noreturn", Type->getNoReturnAttr());
      std::optional<std::string> Convention = convention(Type);
      if (Convention)
        J.attribute("convention", *Convention);
      else
        J.attribute("convention", nullptr);
    });
  });
}

std::string Types::kind(QualType Type) {
  if (!Type->isFunctionType() && !Type->isArrayType())
    if (std::optional<std::string> Why = whyUnsupported(Type)) {
      bool HasSpelling = Type->isAtomicType() || Type->isAnyComplexType() || Type->isVectorType();
      QualType Plain = Context.getCanonicalType(Type).getUnqualifiedType();
      std::string Spelling = Plain.getAsString();
      return text([&](Json &J) {
        taggedValue(J, "Unsupported", utf8(HasSpelling ? Spelling : *Why));
      });
    }
  if (const auto *Builtin = Type->getAs<BuiltinType>())
    if (std::optional<std::string> Kind = builtinKind(Builtin))
      return *Kind;
  if (const auto *Pointer = Type->getAs<PointerType>()) {
    unsigned Pointee = index(Pointer->getPointeeType());
    bool Constant = isConst(Pointer->getPointeeType());
    bool Volatile = isVolatile(Pointer->getPointeeType());
    return text([&](Json &J) {
      tagged(J, "Pointer", [&] {
        J.attribute("pointee", Pointee);
        J.attribute("constant", Constant);
        J.attribute("volatile", Volatile);
      });
    });
  }
  const ArrayType *Array = Context.getAsArrayType(Type);
  if (hasVariableLength(Type))
    return variableArrayKind(Type);
  if (Array) {
    unsigned Element = index(Array->getElementType());
    return text([&](Json &J) {
      tagged(J, "Array", [&] {
        J.attribute("element", Element);
        if (const auto *Constant = dyn_cast<ConstantArrayType>(Array))
          J.attribute("length", Constant->getSize().getZExtValue());
        else
          J.attribute("length", nullptr);
      });
    });
  }
  if (const auto *Record = Type->getAs<RecordType>())
    return text([&](Json &J) { taggedValue(J, "Record", record(Record->getDecl())); });
  if (const auto *Enum = Type->getAs<EnumType>())
    return text([&](Json &J) { taggedValue(J, "Enum", enumeration(Enum->getDecl())); });
  if (const auto *Function = Type->getAs<FunctionProtoType>())
    return functionKind(Function, Function->getParamTypes(), Function->isVariadic(), true);
  if (const auto *Function = Type->getAs<FunctionNoProtoType>())
    return functionKind(Function, {}, false, false);
  return text([&](Json &J) { taggedValue(J, "Unsupported", utf8(Type.getAsString())); });
}

unsigned Types::record(const RecordDecl *Record) {
  Record = cast<RecordDecl>(Record->getCanonicalDecl());
  auto [Entry, New] = RecordIndices.try_emplace(Record, Records.size());
  if (New)
    Records.push_back({Record, {}});
  return Entry->second;
}

unsigned Types::enumeration(const EnumDecl *Enum) {
  Enum = cast<EnumDecl>(Enum->getCanonicalDecl());
  auto Known = EnumIndices.find(Enum);
  if (Known != EnumIndices.end())
    return Known->second;
  const EnumDecl *Definition = Enum->getDefinition() ? Enum->getDefinition() : Enum;
  QualType Integer = Definition->getIntegerType();
  unsigned Underlying = index(Integer.isNull() ? Context.IntTy : Integer);
  unsigned Index = Enums.size();
  Enums.push_back({Definition, Underlying});
  EnumIndices[Enum] = Index;
  return Index;
}

void Types::finish() {
  size_t Next = 0;
  layOutFrom(Next);
  // Members of one union may share what they begin with, though nothing names the union.
  mentionUnions(Context.getTranslationUnitDecl());
  layOutFrom(Next);
}

// Layouts mention further records, which join the end of the queue.
void Types::layOutFrom(size_t &Next) {
  for (; Next < Records.size(); Next++)
    layOut(Records[Next]);
}

void Types::mentionUnions(const DeclContext *Around) {
  for (const Decl *Each : Around->decls()) {
    const auto *Declared = dyn_cast<RecordDecl>(Each);
    if (!Declared || !Declared->isCompleteDefinition())
      continue;
    auto IsKnown = [&](const FieldDecl *Field) {
      const auto *Member = Context.getBaseElementType(Field->getType())->getAsRecordDecl();
      return Member && RecordIndices.count(cast<RecordDecl>(Member->getCanonicalDecl())) != 0;
    };
    if (Declared->isUnion() && llvm::count_if(Declared->fields(), IsKnown) > 1)
      index(Context.getTypeDeclType(Declared));
    mentionUnions(Declared);
  }
}

void Types::layOut(Record &Entry) {
  const RecordDecl *Definition = Entry.Declaration->getDefinition();
  if (!Definition || Definition->isInvalidDecl())
    return;
  Entry.Declaration = Definition;
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(Definition);
  Entry.Size = Layout.getSize().getQuantity();
  Entry.Align = Layout.getAlignment().getQuantity();
  for (const FieldDecl *Each : Definition->fields()) {
    Field Result{std::nullopt, index(Each->getType()), isConst(Each->getType()),
                 isVolatile(Each->getType()),
                 Layout.getFieldOffset(Each->getFieldIndex()), std::nullopt};
    if (Each->getIdentifier())
      Result.Name = Each->getNameAsString();
    if (Each->isBitField())
      Result.Width = bitWidth(Each, Context);
    Entry.Fields.push_back(Result);
  }
}

void Types::writeTypes(Json &J) const {
  J.array([&] {
    for (const Entry &Each : Table)
      J.object([&] {
        field(J, "kind", [&] { J.rawValue(Each.Kind); });
        J.attribute("size", Each.Size);
        J.attribute("align", Each.Align);
      });
  });
}

void Types::writeRecords(Json &J) const {
  J.array([&] {
    for (const Record &Each : Records)
      J.object([&] {
        writeName(J, isLocal(Each.Declaration) ? std::nullopt : tagName(Each.Declaration));
        J.attribute("union", Each.Declaration->isUnion());
        J.attribute("complete", Each.Declaration->isCompleteDefinition());
        J.attributeArray("fields", [&] {
          for (const Field &Member : Each.Fields)
            J.object([&] {
              writeName(J, Member.Name);
              J.attribute("ty", Member.Type);
              J.attribute("constant", Member.Constant);
              J.attribute("volatile", Member.Volatile);
              J.attribute("offset_bits", Member.Offset);
              if (Member.Width)
                J.attribute("bit_width", *Member.Width);
              else
                J.attribute("bit_width", nullptr);
            });
        });
        J.attribute("size", Each.Size);
        J.attribute("align", Each.Align);
      });
  });
}

void Types::writeEnums(Json &J) const {
  J.array([&] {
    for (const Enum &Each : Enums)
      J.object([&] {
        writeName(J, isLocal(Each.Declaration) ? std::nullopt : tagName(Each.Declaration));
        J.attribute("local", isLocal(Each.Declaration));
        J.attribute("underlying", Each.Underlying);
        J.attributeArray("enumerators", [&] {
          for (const EnumConstantDecl *Constant : Each.Declaration->enumerators())
            J.array([&] {
              J.value(utf8(Constant->getName()));
              J.value(llvm::toString(Constant->getInitVal(), 10));
            });
        });
      });
  });
}

} // namespace attest
