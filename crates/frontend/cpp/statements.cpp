#include "body.h"

#include "mentions.h"

#include <clang/AST/Attr.h>
#include <llvm/ADT/StringExtras.h>

namespace attest {

using namespace clang;

void BodyWriter::write(const FunctionDecl *Definition) {
  for (const ParmVarDecl *Parameter : Definition->parameters())
    local(Parameter);
  writeLengths(Definition);
  field(J, "body", [&] { body(Definition); });
  J.attributeArray("locals", [&] {
    for (const VarDecl *Local : Locals)
      J.object([&] {
        if (Local->getIdentifier())
          J.attribute("name", utf8(Local->getName()));
        else
          J.attribute("name", nullptr);
        typeField("ty", Local->getType());
        J.attribute("constant", TypeTable.isConst(Local->getType()));
        if (TypeTable.isVolatile(Local->getType()))
          J.attribute("volatile", true);
        J.attribute("span", Places.tokens(Local->getLocation()));
      });
  });
  J.attributeArray("labels", [&] {
    for (const LabelDecl *Label : Labels)
      J.value(utf8(Label->getName()));
  });
}

// What the sizes in its parameters' types do comes before a function's first statement.
void BodyWriter::body(const FunctionDecl *Definition) {
  const Stmt *Body = Definition->getBody();
  const ParmVarDecl *Sized = nullptr;
  for (const ParmVarDecl *Parameter : Definition->parameters())
    if (hasLengthEffects(Parameter, Context) ||
        hasTypeofEffects(Parameter->getOriginalType(), Context))
      Sized = Parameter;
  if (!Sized)
    return statement(Body);
  J.object([&] {
    field(J, "kind", [&] {
      J.object([&] {
        J.attributeArray("Compound", [&] {
          J.object([&] {
            field(J, "kind", [&] { unsupported("a parameter with effects in its type", Definition); });
            J.attribute("span", Places.tokens(Sized->getSourceRange()));
          });
          statement(Body);
        });
      });
    });
    J.attribute("span", Places.tokens(Body->getSourceRange()));
  });
}

unsigned BodyWriter::local(const VarDecl *Variable) {
  auto [Entry, New] = LocalIndices.try_emplace(Variable, Locals.size());
  if (New)
    Locals.push_back(Variable);
  return Entry->second;
}

unsigned BodyWriter::label(const LabelDecl *Label) {
  auto [Entry, New] = LabelIndices.try_emplace(Label, Labels.size());
  if (New)
    Labels.push_back(Label);
  return Entry->second;
}

void BodyWriter::statementField(StringRef Name, const Stmt *S) {
  field(J, Name, [&] {
    if (S)
      statement(S);
    else
      J.value(nullptr);
  });
}

void BodyWriter::statement(const Stmt *S) {
  while (const auto *Attributed = dyn_cast<AttributedStmt>(S))
    S = Attributed->getSubStmt();
  J.object([&] {
    field(J, "kind", [&] {
      if (const auto *E = dyn_cast<Expr>(S))
        J.object([&] { expressionField("Expression", E); });
      else
        Visit(S);
    });
    J.attribute("span", Places.tokens(S->getSourceRange()));
  });
}

void BodyWriter::unsupported(StringRef Name, const Stmt *S) {
  unsupported(Name, mentions(S, Context));
}

void BodyWriter::unsupported(StringRef Name, const FunctionDecl *Definition) {
  unsupported(Name, parameterMentions(Definition, Context));
}

// Whether a function matters where it is mentioned: it has a body, or may call the unit back.
static bool isOfUser(const FunctionDecl *Function) {
  const SourceManager &Sources = Function->getASTContext().getSourceManager();
  return Function->hasBody() ||
         (Function->getBuiltinID() == 0 && !Function->hasAttr<WeakRefAttr>() &&
          !Sources.isInSystemHeader(Function->getLocation()));
}

void BodyWriter::unsupported(StringRef Name, const Mentions &Found) {
  for (const VarDecl *Variable : Found.StaticLocals)
    Mentioned.staticLocal(Variable, Function);
  tagged(J, "Unsupported", [&] {
    J.attribute("construct", utf8(Name));
    J.attributeArray("functions", [&] {
      for (const FunctionDecl *Each : Found.Functions)
        if (isOfUser(Each))
          J.value(Mentioned.function(Each));
    });
    J.attributeArray("variables", [&] {
      for (const VarDecl *Each : Found.Variables)
        if (Each->hasGlobalStorage())
          J.value(Mentioned.variable(Each));
    });
    J.attributeArray("locals", [&] {
      for (const VarDecl *Each : Found.Variables)
        if (auto Known = LocalIndices.find(Each); Known != LocalIndices.end())
          J.value(Known->second);
    });
  });
}

void BodyWriter::VisitStmt(const Stmt *S) { unsupported(S->getStmtClassName(), S); }

void BodyWriter::VisitNullStmt(const NullStmt *) { J.value("Null"); }

void BodyWriter::VisitCompoundStmt(const CompoundStmt *S) {
  J.object([&] {
    J.attributeArray("Compound", [&] {
      for (const Stmt *Each : S->body())
        statement(Each);
    });
  });
}

void BodyWriter::VisitDeclStmt(const DeclStmt *S) {
  std::vector<const Decl *> Written;
  StringRef Unsupported;
  for (const Decl *Each : S->decls()) {
    const auto *Name = dyn_cast<TypedefNameDecl>(Each);
    if (Name)
      Written.push_back(Name);
    if (Name && hasTypeofEffects(Name->getUnderlyingType(), Context))
      Unsupported = "a declaration with effects in its type";
    const auto *Variable = dyn_cast<VarDecl>(Each);
    if (!Variable)
      continue;
    if (Variable->isStaticLocal()) {
      Mentioned.staticLocal(Variable, Function);
    } else if (!Variable->hasGlobalStorage()) {
      local(Variable);
      Written.push_back(Variable);
    }
    if (hasTypeofEffects(Variable->getType(), Context))
      Unsupported = "a declaration with effects in its type";
    else if (Variable->hasAttr<CleanupAttr>())
      Unsupported = "cleanup attribute";
    else if (TypeTable.hasVariableLength(Variable->getType()) && Variable->getInit())
      Unsupported = "an initialiser of a variable-length array";
  }
  if (!Unsupported.empty())
    return unsupported(Unsupported, S);
  J.object([&] {
    J.attributeArray("Declaration", [&] {
      for (const Decl *Each : Written)
        declaration(Each);
    });
  });
}

// A type's name is written if it names lengths that are evaluated where it is declared.
void BodyWriter::declaration(const Decl *Declared) {
  const auto *Variable = dyn_cast<VarDecl>(Declared);
  const auto *Name = dyn_cast<TypedefNameDecl>(Declared);
  std::vector<const Expr *> Lengths =
      newLengths(Variable ? Variable->getType() : Name->getUnderlyingType());
  if (!Variable && Lengths.empty())
    return;
  J.object([&] {
    writeLengths(Lengths);
    if (Variable)
      J.attribute("local", local(Variable));
    else
      J.attribute("local", nullptr);
    if (const Expr *Init = Variable ? Variable->getInit() : nullptr)
      expressionField("init", Init);
    else
      J.attribute("init", nullptr);
  });
}

void BodyWriter::VisitIfStmt(const IfStmt *S) {
  tagged(J, "If", [&] {
    conditionField("condition", S->getCond());
    statementField("then", S->getThen());
    statementField("otherwise", S->getElse());
  });
}

void BodyWriter::VisitWhileStmt(const WhileStmt *S) {
  tagged(J, "While", [&] {
    conditionField("condition", S->getCond());
    statementField("body", S->getBody());
  });
}

void BodyWriter::VisitDoStmt(const DoStmt *S) {
  tagged(J, "Do", [&] {
    statementField("body", S->getBody());
    conditionField("condition", S->getCond());
  });
}

void BodyWriter::VisitForStmt(const ForStmt *S) {
  tagged(J, "For", [&] {
    statementField("init", S->getInit());
    if (S->getCond())
      conditionField("condition", S->getCond());
    else
      J.attribute("condition", nullptr);
    if (S->getInc())
      expressionField("increment", S->getInc());
    else
      J.attribute("increment", nullptr);
    statementField("body", S->getBody());
  });
}

void BodyWriter::VisitSwitchStmt(const SwitchStmt *S) {
  tagged(J, "Switch", [&] {
    conditionField("condition", S->getCond());
    statementField("body", S->getBody());
  });
}

void BodyWriter::VisitCaseStmt(const CaseStmt *S) {
  auto Value = [&](const Expr *E) { return llvm::toString(E->EvaluateKnownConstInt(Context), 10); };
  tagged(J, "Case", [&] {
    J.attribute("low", Value(S->getLHS()));
    if (S->getRHS())
      J.attribute("high", Value(S->getRHS()));
    else
      J.attribute("high", nullptr);
    J.attribute("label", Places.label(S->getBeginLoc(), S->getColonLoc()));
    statementField("body", S->getSubStmt());
  });
}

void BodyWriter::VisitDefaultStmt(const DefaultStmt *S) {
  tagged(J, "Default", [&] {
    J.attribute("label", Places.label(S->getBeginLoc(), S->getColonLoc()));
    statementField("body", S->getSubStmt());
  });
}

void BodyWriter::VisitBreakStmt(const BreakStmt *) { J.value("Break"); }

void BodyWriter::VisitContinueStmt(const ContinueStmt *) { J.value("Continue"); }

void BodyWriter::VisitReturnStmt(const ReturnStmt *S) {
  J.object([&] {
    if (S->getRetValue())
      expressionField("Return", S->getRetValue());
    else
      J.attribute("Return", nullptr);
  });
}

void BodyWriter::VisitGotoStmt(const GotoStmt *S) { taggedValue(J, "Goto", label(S->getLabel())); }

void BodyWriter::VisitLabelStmt(const LabelStmt *S) {
  tagged(J, "Label", [&] {
    J.attribute("label", label(S->getDecl()));
    statementField("body", S->getSubStmt());
  });
}

void BodyWriter::VisitIndirectGotoStmt(const IndirectGotoStmt *S) {
  unsupported("computed goto", S);
}

void BodyWriter::VisitAsmStmt(const AsmStmt *S) {
  // Nothing is executed and nothing written; with the clobber "memory" it is a barrier.
  const auto *Gcc = dyn_cast<GCCAsmStmt>(S);
  bool Empty = Gcc && Gcc->getAsmString()->getString().trim().empty() &&
               Gcc->getNumOutputs() == 0 && Gcc->getNumInputs() == 0 && !Gcc->isAsmGoto();
  bool Memory = false;
  for (unsigned I = 0; Empty && I < Gcc->getNumClobbers(); ++I)
    Memory |= Gcc->getClobber(I) == "memory";
  if (Empty)
    J.value(Memory ? "Barrier" : "Null");
  else
    unsupported("inline assembly", S);
}

} // namespace attest
