#include "mentions.h"

#include "body.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

namespace attest {

using namespace clang;

namespace {

// The symbol that a declaration stands for in assembly.
StringRef symbol(const NamedDecl *Declared) {
  if (const auto *Label = Declared->getAttr<AsmLabelAttr>())
    return Label->getLabel();
  return Declared->getIdentifier() ? Declared->getName() : StringRef();
}

void add(const NamedDecl *Declared, Mentions &Found) {
  const auto *Function = dyn_cast<FunctionDecl>(Declared);
  if (Function && Function->isMultiVersion())
    Function->getASTContext().forEachMultiversionedFunctionVersion(
        Function, [&](FunctionDecl *Version) { Found.Functions.push_back(Version); });
  else if (Function)
    Found.Functions.push_back(Function);
  else if (const auto *Variable = dyn_cast<VarDecl>(Declared))
    Found.Variables.push_back(Variable);
}

// What the unit declares outside functions, by symbols. A process exports one unit only.
const llvm::StringMap<const NamedDecl *> &symbols(const ASTContext &Context) {
  static const llvm::StringMap<const NamedDecl *> Declared = [&] {
    llvm::StringMap<const NamedDecl *> Found;
    for (const Decl *Each : Context.getTranslationUnitDecl()->decls())
      if (const auto *Named = dyn_cast<NamedDecl>(Each); Named && isa<FunctionDecl, VarDecl>(Named))
        Found[symbol(Named)] = Named;
    return Found;
  }();
  return Declared;
}

// What the text of assembly names.
void addNamed(StringRef Text, const ASTContext &Context, Mentions &Found) {
  const auto &Declared = symbols(Context);
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_' || C == '$'; };
  while (!Text.empty()) {
    Text = Text.drop_until(IsPart);
    StringRef Name = Text.take_while(IsPart);
    Text = Text.drop_front(Name.size());
    if (auto Known = Declared.find(Name); !Name.empty() && Known != Declared.end())
      add(Known->second, Found);
  }
}

class MentionCollector final : public RecursiveASTVisitor<MentionCollector> {
public:
  MentionCollector(const ASTContext &Context, Mentions &Found) : Context(Context), Found(Found) {}

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (!Read.contains(E))
      add(E->getDecl(), Found);
    return true;
  }

  bool VisitVarDecl(VarDecl *Variable) {
    if (Variable->isStaticLocal())
      Found.StaticLocals.push_back(Variable);
    if (const auto *Cleanup = Variable->getAttr<CleanupAttr>())
      Found.Functions.push_back(Cleanup->getFunctionDecl());
    return true;
  }

  // Of what is only read, the value counts, which matters of locals alone.
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_LValueToRValue)
      if (const auto *Whole = object(E->getSubExpr()))
        if (const auto *Variable = dyn_cast<VarDecl>(Whole->getDecl()))
          if (Variable->hasGlobalStorage())
            Read.insert(Whole);
    return true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    addNamed(S->getAsmString()->getString(), Context, Found);
    return true;
  }

  bool VisitMSAsmStmt(MSAsmStmt *S) {
    addNamed(S->getAsmString(), Context, Found);
    return true;
  }

private:
  // The object that an lvalue is a part of, if it is one with a name.
  static const DeclRefExpr *object(const Expr *E) {
    while (true) {
      E = strip(E);
      if (const auto *Reference = dyn_cast<DeclRefExpr>(E))
        return Reference;
      if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow()) {
        E = Member->getBase();
        continue;
      }
      const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E);
      const auto *Decay =
          Subscript ? dyn_cast<ImplicitCastExpr>(strip(Subscript->getBase())) : nullptr;
      if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
        return nullptr;
      E = Decay->getSubExpr();
    }
  }

  const ASTContext &Context;
  Mentions &Found;
  llvm::DenseSet<const DeclRefExpr *> Read;
};

} // namespace

Mentions parameterMentions(const FunctionDecl *Definition, const ASTContext &Context) {
  Mentions Found;
  MentionCollector Collector(Context, Found);
  for (const ParmVarDecl *Parameter : Definition->parameters())
    Collector.TraverseType(Parameter->getOriginalType());
  return Found;
}

Mentions mentions(const Stmt *S, const ASTContext &Context) {
  Mentions Found;
  MentionCollector(Context, Found).TraverseStmt(const_cast<Stmt *>(S));
  return Found;
}

namespace {

// Finds expressions whose type is asked for, and that are evaluated for that.
class TypeofEffects final : public RecursiveASTVisitor<TypeofEffects> {
public:
  explicit TypeofEffects(const ASTContext &Context) : Context(Context) {}

  // Where the type of an expression is asked for that has such sizes itself, the expression is evaluated.
  bool VisitTypeOfExprType(TypeOfExprType *Type) {
    const Expr *Asked = Type->getUnderlyingExpr();
    Found |= Asked->getType()->isVariablyModifiedType() && Asked->HasSideEffects(Context);
    return true;
  }

  bool Found = false;

private:
  const ASTContext &Context;
};

// Whether a section holds pointers to functions that run before main or when the program ends.
bool isOfStartup(StringRef Section) {
  for (StringRef Each : {".init", ".fini", ".preinit_array", ".ctors", ".dtors"})
    if (Section.contains(Each))
      return true;
  return false;
}

} // namespace

bool hasLengthEffects(const ParmVarDecl *Parameter, const ASTContext &Context) {
  const auto *Array = Context.getAsVariableArrayType(Parameter->getOriginalType());
  return Array && Array->getSizeExpr() && Array->getSizeExpr()->HasSideEffects(Context);
}

bool hasTypeofEffects(QualType Type, const ASTContext &Context) {
  if (!Type->isVariablyModifiedType())
    return false;
  TypeofEffects Effects(Context);
  Effects.TraverseType(Type);
  return Effects.Found;
}

std::vector<const FunctionDecl *> started(const ASTContext &Context) {
  Mentions Found;
  for (const Decl *Each : Context.getTranslationUnitDecl()->decls()) {
    if (const auto *Assembly = dyn_cast<FileScopeAsmDecl>(Each)) {
      StringRef Text = Assembly->getAsmString()->getString();
      if (isOfStartup(Text))
        addNamed(Text, Context, Found);
    } else if (const auto *Variable = dyn_cast<VarDecl>(Each)) {
      const auto *Section = Variable->getAttr<SectionAttr>();
      if (Section && isOfStartup(Section->getName()) && Variable->getInit())
        MentionCollector(Context, Found).TraverseStmt(const_cast<Expr *>(Variable->getInit()));
    } else if (const auto *Function = dyn_cast<FunctionDecl>(Each)) {
      if (const auto *Resolved = Function->getAttr<IFuncAttr>())
        addNamed(Resolved->getResolver(), Context, Found);
    }
  }
  return Found.Functions;
}

// Whether an object lies in a section that the program names.
static bool hasSection(const VarDecl *Variable) {
  return Variable->hasAttr<SectionAttr>() || Variable->hasAttr<PragmaClangBSSSectionAttr>() ||
         Variable->hasAttr<PragmaClangDataSectionAttr>() ||
         Variable->hasAttr<PragmaClangRodataSectionAttr>() ||
         Variable->hasAttr<PragmaClangRelroSectionAttr>();
}

Mentions exposed(const ASTContext &Context) {
  Mentions Found;
  for (const Decl *Each : Context.getTranslationUnitDecl()->decls()) {
    if (const auto *Assembly = dyn_cast<FileScopeAsmDecl>(Each))
      addNamed(Assembly->getAsmString()->getString(), Context, Found);
    // Linkers name where a section starts and ends.
    if (const auto *Variable = dyn_cast<VarDecl>(Each); Variable && hasSection(Variable))
      Found.Variables.push_back(Variable);
    if (const auto *Named = dyn_cast<NamedDecl>(Each))
      if (const AliasAttr *Alias = seenAlias(Named))
        addNamed(Alias->getAliasee(), Context, Found);
  }
  return Found;
}

const AliasAttr *seenAlias(const NamedDecl *Declared) {
  const auto *Alias = Declared->getAttr<AliasAttr>();
  return Alias && (Alias->isImplicit() || Declared->isExternallyVisible()) ? Alias : nullptr;
}

} // namespace attest
