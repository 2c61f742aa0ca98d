// The body of one function: its statements, expressions, locals and labels.
#pragma once

#include "declarations.h"
#include "json.h"

#include <clang/AST/StmtVisitor.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <vector>

namespace attest {

// What the parentheses and the wrappers without a meaning of their own hold.
const clang::Expr *strip(const clang::Expr *E);

// Each Visit… writes one value: the `kind` of a statement or an expression.
class BodyWriter : public clang::ConstStmtVisitor<BodyWriter> {
public:
  BodyWriter(Declarations &Mentioned, Json &J, unsigned Function)
      : Mentioned(Mentioned), Context(Mentioned.Context), TypeTable(Mentioned.TypeTable),
        Places(Mentioned.Places), J(J), Function(Function) {}

  // Writes the fields `body`, `locals` and `labels` of a function that is defined.
  void write(const clang::FunctionDecl *Definition);

  // Statements.
  void VisitStmt(const clang::Stmt *S);
  void VisitNullStmt(const clang::NullStmt *S);
  void VisitCompoundStmt(const clang::CompoundStmt *S);
  void VisitDeclStmt(const clang::DeclStmt *S);
  void VisitIfStmt(const clang::IfStmt *S);
  void VisitWhileStmt(const clang::WhileStmt *S);
  void VisitDoStmt(const clang::DoStmt *S);
  void VisitForStmt(const clang::ForStmt *S);
  void VisitSwitchStmt(const clang::SwitchStmt *S);
  void VisitCaseStmt(const clang::CaseStmt *S);
  void VisitDefaultStmt(const clang::DefaultStmt *S);
  void VisitBreakStmt(const clang::BreakStmt *S);
  void VisitContinueStmt(const clang::ContinueStmt *S);
  void VisitReturnStmt(const clang::ReturnStmt *S);
  void VisitGotoStmt(const clang::GotoStmt *S);
  void VisitLabelStmt(const clang::LabelStmt *S);
  void VisitIndirectGotoStmt(const clang::IndirectGotoStmt *S);
  void VisitAsmStmt(const clang::AsmStmt *S);

  // Expressions.
  void VisitExpr(const clang::Expr *E);
  void VisitIntegerLiteral(const clang::IntegerLiteral *E);
  void VisitCharacterLiteral(const clang::CharacterLiteral *E);
  void VisitFloatingLiteral(const clang::FloatingLiteral *E);
  void VisitStringLiteral(const clang::StringLiteral *E);
  void VisitPredefinedExpr(const clang::PredefinedExpr *E);
  void VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr *E);
  void VisitCXXNullPtrLiteralExpr(const clang::CXXNullPtrLiteralExpr *E);
  void VisitUnaryExprOrTypeTraitExpr(const clang::UnaryExprOrTypeTraitExpr *E);
  void VisitOffsetOfExpr(const clang::OffsetOfExpr *E);
  void VisitTypeTraitExpr(const clang::TypeTraitExpr *E);
  void VisitSourceLocExpr(const clang::SourceLocExpr *E);
  void VisitDeclRefExpr(const clang::DeclRefExpr *E);
  void VisitUnaryOperator(const clang::UnaryOperator *E);
  void VisitBinaryOperator(const clang::BinaryOperator *E);
  void VisitCompoundAssignOperator(const clang::CompoundAssignOperator *E);
  void VisitConditionalOperator(const clang::ConditionalOperator *E);
  void VisitBinaryConditionalOperator(const clang::BinaryConditionalOperator *E);
  void VisitOpaqueValueExpr(const clang::OpaqueValueExpr *E);
  void VisitCastExpr(const clang::CastExpr *E);
  void VisitExplicitCastExpr(const clang::ExplicitCastExpr *E);
  void VisitCallExpr(const clang::CallExpr *E);
  void VisitMemberExpr(const clang::MemberExpr *E);
  void VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *E);
  void VisitCompoundLiteralExpr(const clang::CompoundLiteralExpr *E);
  void VisitInitListExpr(const clang::InitListExpr *E);
  void VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr *E);
  void VisitStmtExpr(const clang::StmtExpr *E);
  void VisitVAArgExpr(const clang::VAArgExpr *E);
  void VisitAddrLabelExpr(const clang::AddrLabelExpr *E);
  void VisitAtomicExpr(const clang::AtomicExpr *E);
  void VisitBlockExpr(const clang::BlockExpr *E);

private:
  void statement(const clang::Stmt *S);
  void body(const clang::FunctionDecl *Definition);
  void expression(const clang::Expr *E);
  // An expression that is a condition, or an operand of `&&` or `||`: it and its leaves are folded,
  // and its span is that of clang's coverage mapping.
  void condition(const clang::Expr *E);
  void expressionAt(const clang::Expr *E, unsigned Span);
  void foldable(const clang::Expr *E);
  void folded(const clang::Expr *E);

  void statementField(llvm::StringRef Name, const clang::Stmt *S);
  void expressionField(llvm::StringRef Name, const clang::Expr *E);
  void conditionField(llvm::StringRef Name, const clang::Expr *E);
  void typeField(llvm::StringRef Name, clang::QualType Type);

  // A construct that attest does not handle, with what it mentions.
  void unsupported(llvm::StringRef Name, const clang::Stmt *S);
  void unsupported(llvm::StringRef Name, const clang::FunctionDecl *Definition);
  void unsupported(llvm::StringRef Name, const Mentions &Found);
  void integer(const llvm::APSInt &Value);
  // An expression that clang must be able to evaluate.
  void evaluated(const clang::Expr *E, llvm::StringRef Name);
  bool foldedCall(const clang::CallExpr *E);
  void foldedFloat(const clang::CallExpr *E);
  void unionCast(const clang::CastExpr *E);
  void builtinCallee(const clang::CastExpr *E);
  void initRecord(const clang::InitListExpr *E, const clang::RecordDecl *Record);
  void initField(const clang::FieldDecl *Field, const clang::Expr *Value);
  void declaration(const clang::Decl *Declared);

  // The lengths of variable-length arrays.
  std::vector<const clang::Expr *> newLengths(clang::QualType Type);
  void writeLengths(const std::vector<const clang::Expr *> &Lengths);
  void writeLengths(const clang::FunctionDecl *Definition);
  template <typename Value> void sized(clang::QualType Written, const clang::Expr *E, Value Content);

  unsigned local(const clang::VarDecl *Variable);
  unsigned label(const clang::LabelDecl *Label);

  Declarations &Mentioned;
  const clang::ASTContext &Context;
  Types &TypeTable;
  Spans &Places;
  Json &J;
  unsigned Function;
  std::vector<const clang::VarDecl *> Locals;
  llvm::DenseMap<const clang::VarDecl *, unsigned> LocalIndices;
  std::vector<const clang::LabelDecl *> Labels;
  llvm::DenseMap<const clang::LabelDecl *, unsigned> LabelIndices;
  llvm::DenseMap<const clang::OpaqueValueExpr *, unsigned> Opaques;
  llvm::DenseSet<const clang::Expr *> Foldable;
  // The lengths of arrays that are written already.
  llvm::DenseSet<const clang::Expr *> Evaluated;
  // Sizes of objects that nothing depends on where they are not known.
  llvm::DenseSet<const clang::Expr *> Unobserved;
};

} // namespace attest
