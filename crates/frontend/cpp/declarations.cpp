#include "declarations.h"

#include "body.h"
#include "compat.h"
#include "mentions.h"
#include "open_bits.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace attest {

using namespace clang;

bool isDefined(const VarDecl *Variable) {
  const auto IsAlias = [](const Decl *Each) { return Each->hasAttr<AliasAttr>(); };
  return Variable->hasDefinition() != VarDecl::DeclarationOnly &&
         llvm::none_of(Variable->redecls(), IsAlias);
}

// The first declaration that the unit writes, which may be of another type than the builtin with this
// name that stands before it.
static const FunctionDecl *firstWritten(const FunctionDecl *Function) {
  const FunctionDecl *First = Function->getCanonicalDecl();
  if (!First->isImplicit())
    return First;
  // From the last to the first.
  for (const FunctionDecl *Each : Function->redecls())
    if (!Each->isImplicit())
      First = Each;
  return First;
}

unsigned Declarations::function(const FunctionDecl *Function) {
  if (const auto *Same = dyn_cast_or_null<FunctionDecl>(aliasee(Function)))
    Function = Same;
  Function = sameSymbol(Function)->getCanonicalDecl();
  auto Known = FunctionIndices.find(Function);
  if (Known != FunctionIndices.end())
    return Known->second;
  unsigned Index = Functions.size();
  // Overloads have one name and several symbols.
  if (Function->isExternallyVisible() && !Function->hasAttr<OverloadableAttr>())
    Index = ExternalFunctions.try_emplace(Function->getName(), Index).first->second;
  FunctionIndices[Function] = Index;
  if (Index == Functions.size())
    Functions.push_back(firstWritten(Function));
  else if (Function->hasBody())
    Functions[Index] = Function;
  return Index;
}

unsigned Declarations::variable(const VarDecl *Variable) {
  const auto TypeOf = [&](const VarDecl *Declared) {
    QualType Type = Declared->getType();
    Type.removeLocalConst();
    return TypeTable.index(Type);
  };
  // The linker refuses an alias of another type.
  const auto *Same = dyn_cast_or_null<VarDecl>(aliasee(Variable));
  if (Same && TypeOf(Same) == TypeOf(Variable))
    Variable = Same;
  Variable = sameSymbol(Variable->getCanonicalDecl());
  auto Known = VariableIndices.find(Variable);
  if (Known != VariableIndices.end())
    return Known->second;
  unsigned Index = Variables.size();
  if (Variable->isExternallyVisible())
    Index = ExternalVariables.try_emplace(Variable->getName(), Index).first->second;
  VariableIndices[Variable] = Index;
  if (Index == Variables.size()) {
    Variables.emplace_back();
    Variables.back().Declaration = Variable;
  } else if (isDefined(Variable)) {
    Variables[Index].Declaration = Variable;
  }
  return Index;
}

void Declarations::mentionExposed() {
  expose(exposed(Context));
  for (const FunctionDecl *Each : started(Context))
    if (Each->hasBody())
      StartedFunctions.push_back(function(Each));
}

void Declarations::expose(const Mentions &Found) {
  for (const FunctionDecl *Each : Found.Functions)
    if (Each->hasBody())
      ExposedFunctions.push_back(function(Each));
  for (const VarDecl *Each : Found.Variables)
    if (Each->hasGlobalStorage() && isDefined(Each))
      ExposedVariables.push_back(variable(Each));
}

void Declarations::writeExposed(Json &J) const {
  J.object([&] {
    J.attributeArray("started", [&] {
      for (unsigned Each : StartedFunctions)
        J.value(Each);
    });
    J.attributeArray("functions", [&] {
      for (unsigned Each : ExposedFunctions)
        J.value(Each);
    });
    J.attributeArray("variables", [&] {
      for (unsigned Each : ExposedVariables)
        J.value(Each);
    });
  });
}

void Declarations::writeAliases(Json &J) const {
  J.array([&] {
    for (const Decl *Each : Context.getTranslationUnitDecl()->decls()) {
      const auto *Named = dyn_cast<NamedDecl>(Each);
      const AliasAttr *Alias = Named ? seenAlias(Named) : nullptr;
      if (!Alias)
        continue;
      J.object([&] {
        J.attribute("name", utf8(Named->getName()));
        J.attribute("target", utf8(Alias->getAliasee()));
      });
    }
  });
}

// The name that the linker knows a declaration by.
static StringRef symbolOf(const NamedDecl *Declared) {
  const auto *Label = Declared->getMostRecentDecl()->getAttr<AsmLabelAttr>();
  return Label ? Label->getLabel() : Declared->getName();
}

// The same of an object; those of the C library with two names have one.
static StringRef symbolOf(const VarDecl *Variable) {
  const StringRef Symbol = symbolOf(static_cast<const NamedDecl *>(Variable));
  if (isDefined(Variable))
    return Symbol;
  return llvm::StringSwitch<StringRef>(Symbol)
      .Cases("__environ", "_environ", "environ")
      .Case("__daylight", "daylight")
      .Case("__timezone", "timezone")
      .Case("__tzname", "tzname")
      .Case("__progname", "program_invocation_short_name")
      .Case("__progname_full", "program_invocation_name")
      .Default(Symbol);
}

namespace {

// Finds what has an assembler name, in blocks too.
class LabelCollector final : public RecursiveASTVisitor<LabelCollector> {
public:
  bool VisitNamedDecl(NamedDecl *Named) {
    if (isa<FunctionDecl, VarDecl>(Named) && Named->hasAttr<AsmLabelAttr>())
      Found.push_back(Named);
    return true;
  }

  std::vector<const NamedDecl *> Found;
};

} // namespace

// Names of the system's headers that stand for others (`stat64`) are the library's own matter. A pragma of the
// unit is about what a header declares, too.
void Declarations::writeSymbols(Json &J) const {
  LabelCollector Labels;
  Labels.TraverseDecl(Context.getTranslationUnitDecl());
  // A function that nothing declares is none of the unit's declarations.
  for (const FunctionDecl *Each : Functions)
    if (Each->isImplicit() && Each->hasAttr<AsmLabelAttr>())
      Labels.Found.push_back(Each);
  J.array([&] {
    for (const NamedDecl *Named : Labels.Found) {
      const SourceLocation Label = Named->getAttr<AsmLabelAttr>()->getLocation();
      if (!Named->isExternallyVisible() || Context.getSourceManager().isInSystemHeader(Label))
        continue;
      J.object([&] {
        J.attribute("name", utf8(Named->getName()));
        J.attribute("target", utf8(symbolOf(Named)));
      });
    }
  });
}

// The declaration that stands for all whose assembler names are one symbol.
const VarDecl *Declarations::sameSymbol(const VarDecl *Variable) {
  if (!Symbols) {
    Symbols.emplace();
    for (const Decl *Each : Context.getTranslationUnitDecl()->decls())
      if (const auto *Declared = dyn_cast<VarDecl>(Each); Declared && Declared->isCanonicalDecl()) {
        const VarDecl *&Chosen = (*Symbols)[symbolOf(Declared)];
        // A header of the system comes first, and says whose it is.
        if (!Chosen || isDefined(Declared))
          Chosen = Declared;
      }
  }
  // A static local has a symbol of its own, unless it is given one.
  if (Variable->isStaticLocal() && !Variable->hasAttr<AsmLabelAttr>())
    return Variable;
  auto Known = Symbols->find(symbolOf(Variable));
  return Known == Symbols->end() ? Variable : Known->second;
}

// The definition whose assembler name is the symbol of a function that has none.
const FunctionDecl *Declarations::sameSymbol(const FunctionDecl *Function) {
  if (!DefinedSymbols) {
    DefinedSymbols.emplace();
    for (const Decl *Each : Context.getTranslationUnitDecl()->decls())
      if (const auto *Defined = dyn_cast<FunctionDecl>(Each);
          Defined && Defined->doesThisDeclarationHaveABody())
        (*DefinedSymbols)[symbolOf(Defined)] = Defined;
  }
  if (Function->hasBody() || !Function->getIdentifier())
    return Function;
  auto Known = DefinedSymbols->find(symbolOf(Function));
  return Known == DefinedSymbols->end() ? Function : Known->second;
}

bool Declarations::hasTypeOfObject(const VarDecl *Variable) {
  const VarDecl *Object = sameSymbol(Variable->getCanonicalDecl());
  return Object == Variable->getCanonicalDecl() ||
         TypeTable.index(Object->getType()) == TypeTable.index(Variable->getType());
}

static bool isWeak(const NamedDecl *Declared) {
  return llvm::any_of(Declared->redecls(), [](const Decl *Each) { return Each->hasAttr<WeakAttr>(); });
}

// What a declaration with the attribute `alias` is another name of, through further such names. Where it or what it
// names is weak and other units see it, it is what the linker takes it for.
const Decl *Declarations::aliasee(const NamedDecl *Declared) const {
  const NamedDecl *Found = nullptr;
  // Names that stand for each other would never end.
  for (unsigned Steps = 0; Declared && Steps < 16; ++Steps) {
    const AliasAttr *Alias = nullptr;
    for (const Decl *Each : Declared->redecls())
      if (const auto *Attribute = Each->getAttr<AliasAttr>())
        Alias = Attribute;
    if (!Alias || (Declared->isExternallyVisible() && isWeak(Declared)))
      break;
    const bool IsSeen = Declared->isExternallyVisible();
    const NamedDecl *Next = nullptr;
    IdentifierInfo &Name = Context.Idents.get(Alias->getAliasee());
    for (const NamedDecl *Named : Context.getTranslationUnitDecl()->lookup(&Name))
      if (isa<FunctionDecl, VarDecl>(Named))
        Next = Named;
    if (Next && IsSeen && isWeak(Next))
      break;
    Declared = Next;
    if (Next)
      Found = Next;
  }
  return Found;
}

void Declarations::staticLocal(const VarDecl *Variable, unsigned Function) {
  Variables[variable(Variable)].Function = Function;
}

unsigned Declarations::literal(const Expr *Literal, Variable Entry) {
  auto [Known, New] = LiteralIndices.try_emplace(Literal, Variables.size());
  if (New) {
    Entry.Type = TypeTable.index(Literal->getType());
    Entry.Span = Places.tokens(Literal->getSourceRange());
    Variables.push_back(std::move(Entry));
  }
  return Known->second;
}

unsigned Declarations::string(const StringLiteral *Literal) {
  Variable Entry;
  Entry.String = Literal;
  return literal(Literal, std::move(Entry));
}

unsigned Declarations::compoundLiteral(const CompoundLiteralExpr *Literal) {
  Variable Entry;
  Entry.Compound = Literal;
  return literal(Literal, std::move(Entry));
}

// Entries may be added while an initialiser is evaluated, so none is held by reference meanwhile.
void Declarations::evaluate(size_t Index) {
  Variable Entry = Variables[Index];
  if (Entry.String) {
    Entry.Initializer = flattenString(Entry.String, Context);
  } else if (Entry.Compound) {
    Expr::EvalResult Result;
    const Expr *Init = Entry.Compound->getInitializer();
    if (Init->EvaluateAsRValue(Result, Context))
      Entry.Initializer = flatten(Result.Val, Entry.Compound->getType(), *this);
    else
      Entry.Initializer = ConstantData{{}, {}, {}, "initialiser that is no constant"};
    Entry.Initializer->Open = openBits(Init, Entry.Compound->getType(), Context);
  } else {
    evaluateDeclared(Entry);
  }
  if (Entry.Initializer && !Entry.Initializer->Unsupported.empty()) {
    const VarDecl *Initialized = nullptr;
    const Expr *Init = Entry.Compound ? Entry.Compound->getInitializer()
                                      : Entry.Declaration->getAnyInitializer(Initialized);
    if (Init)
      expose(mentions(Init, Context));
  }
  Variables[Index] = std::move(Entry);
}

void Declarations::evaluateDeclared(Variable &Entry) {
  const VarDecl *Last = Entry.Declaration->getMostRecentDecl();
  Entry.Defined = isDefined(Entry.Declaration);
  const VarDecl *Initialized = nullptr;
  const Expr *Init = Last->getAnyInitializer(Initialized);
  const VarDecl *Typed = Init ? Initialized : Last;
  if (const VarDecl *Acting = Entry.Declaration->getMostRecentDecl()->getActingDefinition();
      !Init && Acting && Last->getType()->isIncompleteType())
    Typed = Acting;
  Entry.Type = TypeTable.index(Typed->getType());
  Entry.Span = Places.tokens(Typed->getLocation());
  if (Last->hasAttr<LoaderUninitializedAttr>())
    Entry.Initializer = ConstantData{{}, {}, {}, "object that the loader does not initialise"};
  if (!Init)
    return;
  if (const APValue *Value = Initialized->evaluateValue())
    Entry.Initializer = flatten(*Value, Initialized->getType(), *this);
  else
    Entry.Initializer = flattenPieces(Init, Initialized->getType(), *this);
  Entry.Initializer->Open = openBits(Init, Initialized->getType(), Context);
  addFlexibleElements(*Initialized, *Entry.Initializer);
}

// Elements that the initialiser gives to a flexible array are part of the object, zeros too.
void Declarations::addFlexibleElements(const VarDecl &Initialized, ConstantData &Data) const {
  if (!Initialized.getType()->isRecordType() || !Data.Unsupported.empty())
    return;
  if (!Initialized.hasFlexibleArrayInit(Context))
    return;
  uint64_t Size = Context.getTypeSizeInChars(Initialized.getType()).getQuantity() +
                  Initialized.getFlexibleArrayInitChars(Context).getQuantity();
  if (Data.Bytes.size() < Size)
    Data.Bytes.resize(Size);
}

void Declarations::writeFunctions(Json &J) {
  size_t NextFunction = 0, NextVariable = 0;
  J.array([&] {
    while (NextFunction < Functions.size() || NextVariable < Variables.size()) {
      if (NextFunction < Functions.size())
        writeFunction(J, NextFunction++);
      else
        evaluate(NextVariable++);
    }
  });
}

// Whether a definition is a GNU `extern inline` one, which calls that are not inlined never go to.
// Those of the system's headers do what the library does.
bool Declarations::callsGoElsewhere(const FunctionDecl *Definition) const {
  bool Gnu = Definition->hasAttr<GNUInlineAttr>() || Context.getLangOpts().GNUInline;
  return Gnu && Definition->isExternallyVisible() && Definition->isInlined() &&
         !Definition->isInlineDefinitionExternallyVisible() &&
         !Definition->hasAttr<AlwaysInlineAttr>() &&
         !Context.getSourceManager().isInSystemHeader(Definition->getLocation());
}

// The definition of a function that calls go to, if there is one: behind a GNU `extern inline` one may come
// another, which is what is inlined always, too.
const FunctionDecl *Declarations::called(const FunctionDecl *Function) const {
  const FunctionDecl *Found = nullptr;
  for (const FunctionDecl *Each : Function->redecls())
    if (Each->doesThisDeclarationHaveABody() && !callsGoElsewhere(Each) &&
        (!Found || !Each->isInlineSpecified()))
      Found = Each;
  return Found;
}

// The name of a function; of an overloaded one that others define, its symbol.
std::string Declarations::nameOf(const FunctionDecl *Function, bool IsDefined) const {
  if (IsDefined || !Function->hasAttr<OverloadableAttr>())
    return Function->getName().str();
  std::unique_ptr<MangleContext> Mangler(Function->getASTContext().createMangleContext());
  if (!Mangler->shouldMangleDeclName(Function))
    return Function->getName().str();
  std::string Symbol;
  llvm::raw_string_ostream Stream(Symbol);
  Mangler->mangleName(GlobalDecl(Function), Stream);
  return Symbol;
}

// What is said of NULL; `_Nonnull` demands nothing of programs.
static StringRef nonnull(bool IsDemanded, QualType Type) {
  if (IsDemanded)
    return "Demanded";
  const bool IsMeant =
      Type->isPointerType() && Type->getNullability() == NullabilityKind::NonNull;
  return IsMeant ? "Meant" : "No";
}

// Whether a function takes pointers to variable-length arrays, of which its type in the table tells no
// more than their elements.
static bool namesLengths(const FunctionDecl *Function) {
  return llvm::any_of(Function->parameters(), [](const ParmVarDecl *Parameter) {
    return Parameter->getType()->isVariablyModifiedType();
  });
}

void Declarations::writeFunction(Json &J, unsigned Index) {
  const FunctionDecl *Function = Functions[Index];
  const FunctionDecl *Definition = called(Function);
  const FunctionDecl *Inline = nullptr;
  if (Definition)
    Function = Definition;
  else if (Function->hasBody(Inline))
    Function = Inline;
  const FunctionDecl *Typed = Definition ? Definition : Function->getMostRecentDecl();
  // An inline definition that makes no symbol is the unit's own.
  bool IsOwn = Definition && Definition->isInlined() &&
               !Definition->isInlineDefinitionExternallyVisible();
  bool Overload = Definition && Function->hasAttr<OverloadableAttr>();
  J.object([&] {
    J.attribute("name", utf8(nameOf(Function, Definition)));
    J.attribute("ty", TypeTable.index(Typed->getType()));
    J.attribute("internal", !Function->isExternallyVisible() || IsOwn || Overload);
    J.attribute("inline", Function->isExternallyVisible() && IsOwn);
    if (TypeTable.dropsQualifiers(Typed->getType()) || namesLengths(Typed))
      J.attribute("qualified", true);
    J.attribute("builtin", Function->getBuiltinID() != 0);
    J.attributeObject("attributes", [&] { writeAttributes(J, Function, Typed); });
    writeParameters(J, Typed);
    // A call without a declaration declares the function (C90 6.3.2.2), unless it is a builtin of the compiler.
    unsigned Builtin = Function->getBuiltinID();
    bool IsOfCompiler = Builtin != 0 && !Context.BuiltinInfo.isPredefinedLibFunction(Builtin);
    if ((Function->isImplicit() && IsOfCompiler) || Function->getLocation().isInvalid())
      J.attribute("span", nullptr);
    else
      J.attribute("span", Places.tokens(Function->getLocation()));
    if (Definition) {
      BodyWriter(*this, J, Index).write(Definition);
    } else {
      J.attribute("body", nullptr);
      J.attributeArray("locals", [] {});
      J.attributeArray("labels", [] {});
    }
  });
}

void Declarations::writeAttributes(Json &J, const FunctionDecl *Function,
                                   const FunctionDecl *Typed) {
  J.attribute("noreturn", Function->getMostRecentDecl()->isNoReturn() || Function->isNoReturn());
  J.attribute("weak", Function->getMostRecentDecl()->isWeak());
  J.attribute("result_nonnull", nonnull(returnsNonNull(Typed), Typed->getReturnType()));
  if (Function->hasAttr<ReturnsTwiceAttr>())
    J.attribute("returns_twice", true);
  // What is wrong with arguments of the library's is told all the same. Of a function that
  // returns a record, clang makes the call.
  if ((Function->hasAttr<PureAttr>() || Function->hasAttr<ConstAttr>()) &&
      Function->getReturnType()->isScalarType() &&
      !Context.getSourceManager().isInSystemHeader(Function->getLocation()) &&
      Function->getBuiltinID() == 0)
    J.attribute("pure", true);
  if (const auto *Before = Function->getAttr<ConstructorAttr>())
    J.attribute("constructor", Before->getPriority());
  if (const auto *After = Function->getAttr<DestructorAttr>())
    J.attribute("destructor", After->getPriority());
}

void Declarations::writeParameters(Json &J, const FunctionDecl *Function) {
  J.attributeArray("parameters", [&] {
    for (unsigned Index = 0; Index < Function->getNumParams(); Index++) {
      const ParmVarDecl *Parameter = Function->getParamDecl(Index);
      J.object([&] {
        if (Parameter->getIdentifier())
          J.attribute("name", utf8(Parameter->getName()));
        J.attribute("nonnull", nonnull(isNonNull(Function, Index), Parameter->getType()));
        if (std::optional<uint64_t> Length = arrayLength(Function, Index))
          J.attribute("length", *Length);
        if (Parameter->getType()->isVariablyModifiedType())
          J.attribute("rows", true);
      });
    }
  });
}

bool Declarations::isNonNull(const FunctionDecl *Function, unsigned Index) const {
  const ParmVarDecl *Parameter = Function->getParamDecl(Index);
  if (!Parameter->getType()->isPointerType())
    return false;
  if (const auto *Decayed = Parameter->getType()->getAs<DecayedType>())
    if (const ArrayType *Array = Context.getAsArrayType(Decayed->getOriginalType()))
      if (isStaticArrayBound(Array))
        return true;
  for (const FunctionDecl *Each : Function->redecls()) {
    if (Index < Each->getNumParams() && Each->getParamDecl(Index)->hasAttr<NonNullAttr>())
      return true;
    for (const auto *Attribute : Each->specific_attrs<NonNullAttr>())
      if (Attribute->isNonNull(Index))
        return true;
  }
  return false;
}

// The most that any declaration of the function says.
std::optional<uint64_t> Declarations::arrayLength(const FunctionDecl *Function,
                                                  unsigned Index) const {
  std::optional<uint64_t> Most;
  for (const FunctionDecl *Each : Function->redecls()) {
    if (Index >= Each->getNumParams())
      continue;
    const auto *Decayed = Each->getParamDecl(Index)->getType()->getAs<DecayedType>();
    if (!Decayed)
      continue;
    if (const auto *Array = Context.getAsConstantArrayType(Decayed->getOriginalType()))
      Most = std::max(Most.value_or(0), Array->getSize().getZExtValue());
  }
  return Most;
}

bool Declarations::returnsNonNull(const FunctionDecl *Function) const {
  if (!Function->getReturnType()->isPointerType())
    return false;
  for (const FunctionDecl *Each : Function->redecls())
    if (Each->hasAttr<ReturnsNonNullAttr>())
      return true;
  return false;
}

void Declarations::writeVariables(Json &J) {
  J.array([&] {
    for (const Variable &Entry : Variables)
      writeVariable(J, Entry);
  });
}

void Declarations::writeVariable(Json &J, const Variable &Entry) const {
  const VarDecl *Declared = Entry.Declaration;
  QualType Type = Entry.String     ? Entry.String->getType()
                  : Entry.Compound ? Entry.Compound->getType()
                                   : Declared->getMostRecentDecl()->getType();
  J.object([&] {
    J.attribute("name", Declared ? utf8(Declared->getName()) : "");
    J.attribute("ty", Entry.Type);
    field(J, "kind", [&] { writeVariableKind(J, Entry); });
    J.attribute("constant", TypeTable.isConst(Type));
    J.attribute("volatile", TypeTable.isVolatile(Type));
    J.attribute("weak", Declared && Declared->getMostRecentDecl()->isWeak());
    J.attribute("thread_local", Declared && Declared->getTLSKind() != VarDecl::TLS_None);
    J.attribute("defined", Entry.Defined);
    field(J, "init", [&] {
      if (Entry.Initializer)
        writeConstant(J, *Entry.Initializer);
      else
        J.value(nullptr);
    });
    if (Entry.Span)
      J.attribute("span", *Entry.Span);
    else
      J.attribute("span", nullptr);
  });
}

void Declarations::writeVariableKind(Json &J, const Variable &Entry) const {
  if (Entry.String)
    return J.value("StringLiteral");
  if (Entry.Compound)
    return J.value("CompoundLiteral");
  if (Entry.Function)
    return taggedValue(J, "StaticLocal", *Entry.Function);
  J.value(Entry.Declaration->isExternallyVisible() ? "External" : "Internal");
}

} // namespace attest
