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
  if (const auto *Function = dyn_cast<FunctionDecl>(Declared))
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

Mentions mentions(const Stmt *S, const ASTContext &Context) {
  Mentions Found;
  MentionCollector(Context, Found).TraverseStmt(const_cast<Stmt *>(S));
  return Found;
}

Mentions exposed(const ASTContext &Context) {
  Mentions Found;
  for (const Decl *Each : Context.getTranslationUnitDecl()->decls()) {
    if (const auto *Assembly = dyn_cast<FileScopeAsmDecl>(Each))
      addNamed(Assembly->getAsmString()->getString(), Context, Found);
    if (const auto *Named = dyn_cast<NamedDecl>(Each))
      if (const auto *Alias = Named->getAttr<AliasAttr>();
          Alias && Named->isExternallyVisible())
        addNamed(Alias->getAliasee(), Context, Found);
  }
  return Found;
}

} // namespace attest
