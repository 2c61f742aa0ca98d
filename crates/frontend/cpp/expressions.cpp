#include "body.h"

#include "mentions.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/StringExtras.h>

namespace attest {

using namespace clang;

const Expr *strip(const Expr *E) {
  while (true) {
    const Expr *Inner = E->IgnoreParens();
    if (const auto *Full = dyn_cast<FullExpr>(Inner))
      Inner = Full->getSubExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
}

namespace {

const char *unaryName(UnaryOperatorKind Kind) {
  switch (Kind) {
  case UO_Plus:
    return "Plus";
  case UO_Minus:
    return "Minus";
  case UO_Not:
    return "Complement";
  case UO_LNot:
    return "LogicalNot";
  case UO_Deref:
    return "Dereference";
  case UO_AddrOf:
    return "AddressOf";
  case UO_PreInc:
    return "PreIncrement";
  case UO_PreDec:
    return "PreDecrement";
  case UO_PostInc:
    return "PostIncrement";
  case UO_PostDec:
    return "PostDecrement";
  default:
    return nullptr;
  }
}

// Of a compound assignment, the operator without the assignment.
const char *binaryName(BinaryOperatorKind Kind) {
  switch (Kind) {
  case BO_Add:
  case BO_AddAssign:
    return "Add";
  case BO_Sub:
  case BO_SubAssign:
    return "Sub";
  case BO_Mul:
  case BO_MulAssign:
    return "Mul";
  case BO_Div:
  case BO_DivAssign:
    return "Div";
  case BO_Rem:
  case BO_RemAssign:
    return "Rem";
  case BO_And:
  case BO_AndAssign:
    return "And";
  case BO_Or:
  case BO_OrAssign:
    return "Or";
  case BO_Xor:
  case BO_XorAssign:
    return "Xor";
  case BO_Shl:
  case BO_ShlAssign:
    return "Shl";
  case BO_Shr:
  case BO_ShrAssign:
    return "Shr";
  case BO_EQ:
    return "Eq";
  case BO_NE:
    return "Ne";
  case BO_LT:
    return "Lt";
  case BO_LE:
    return "Le";
  case BO_GT:
    return "Gt";
  case BO_GE:
    return "Ge";
  case BO_LAnd:
    return "LogicalAnd";
  case BO_LOr:
    return "LogicalOr";
  case BO_Comma:
    return "Comma";
  case BO_Assign:
    return "Assign";
  default:
    return nullptr;
  }
}

// The casts that the document has; the others only arise with types that attest has no values of.
bool isKnownCast(CastKind Kind) {
  switch (Kind) {
  case CK_LValueToRValue:
  case CK_NoOp:
  case CK_ArrayToPointerDecay:
  case CK_FunctionToPointerDecay:
  case CK_NullToPointer:
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_ToVoid:
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_BooleanToSignedIntegral:
  case CK_IntegralToPointer:
  case CK_PointerToIntegral:
  case CK_PointerToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingCast:
    return true;
  default:
    return false;
  }
}

} // namespace

void BodyWriter::expressionField(StringRef Name, const Expr *E) {
  field(J, Name, [&] { expression(E); });
}

void BodyWriter::conditionField(StringRef Name, const Expr *E) {
  field(J, Name, [&] { condition(E); });
}

void BodyWriter::typeField(StringRef Name, QualType Type) {
  J.attribute(Name, TypeTable.index(Type));
}

void BodyWriter::condition(const Expr *E) {
  foldable(E);
  // The coverage mapping does not see through the parentheses.
  expressionAt(strip(E), Places.condition(E->getSourceRange()));
}

void BodyWriter::expression(const Expr *E) {
  E = strip(E);
  expressionAt(E, Places.tokens(E->getSourceRange()));
}

void BodyWriter::expressionAt(const Expr *E, unsigned Span) {
  J.object([&] {
    field(J, "kind", [&] {
      std::optional<std::string> Why = TypeTable.whyUnsupported(E->getType());
      if (Why && !isa<CXXNullPtrLiteralExpr>(E))
        unsupported(*Why, E);
      else
        Visit(E);
    });
    bool Null = isa<CXXNullPtrLiteralExpr>(E);
    typeField("ty", Null ? QualType(Context.IntTy) : E->getType());
    J.attribute("span", Span);
    folded(E);
  });
}

void BodyWriter::integer(const llvm::APSInt &Value) {
  taggedValue(J, "Integer", llvm::toString(Value, 10));
}

void BodyWriter::evaluated(const Expr *E, StringRef Name) {
  Expr::EvalResult Result;
  if (E->EvaluateAsInt(Result, Context) && Result.Val.isInt())
    integer(Result.Val.getInt());
  else
    unsupported(Name, E);
}

void BodyWriter::VisitExpr(const Expr *E) { unsupported(E->getStmtClassName(), E); }

void BodyWriter::VisitIntegerLiteral(const IntegerLiteral *E) {
  integer(llvm::APSInt(E->getValue(), E->getType()->isUnsignedIntegerOrEnumerationType()));
}

void BodyWriter::VisitCharacterLiteral(const CharacterLiteral *E) {
  evaluated(E, "character constant");
}

void BodyWriter::VisitFloatingLiteral(const FloatingLiteral *E) {
  llvm::APInt Bits = E->getValue().bitcastToAPInt();
  taggedValue(J, "Float", llvm::toString(Bits, 16, false));
}

void BodyWriter::VisitStringLiteral(const StringLiteral *E) {
  taggedValue(J, "String", Mentioned.string(E));
}

void BodyWriter::VisitPredefinedExpr(const PredefinedExpr *E) {
  if (const StringLiteral *Name = E->getFunctionName())
    VisitStringLiteral(Name);
  else
    unsupported("function name", E);
}

void BodyWriter::VisitCXXBoolLiteralExpr(const CXXBoolLiteralExpr *E) {
  taggedValue(J, "Integer", E->getValue() ? "1" : "0");
}

void BodyWriter::VisitCXXNullPtrLiteralExpr(const CXXNullPtrLiteralExpr *) {
  taggedValue(J, "Integer", "0");
}

void BodyWriter::VisitOffsetOfExpr(const OffsetOfExpr *E) { evaluated(E, "offsetof with a variable"); }

void BodyWriter::VisitTypeTraitExpr(const TypeTraitExpr *E) { evaluated(E, "type trait"); }

void BodyWriter::VisitSourceLocExpr(const SourceLocExpr *E) {
  evaluated(E, "name of the source's place");
}

// Whether a function of the user without a body says of its result that it is aligned by more than its
// type: no test's object is.
static bool alignsResult(const FunctionDecl *Callee) {
  const SourceManager &Sources = Callee->getASTContext().getSourceManager();
  return (Callee->hasAttr<AssumeAlignedAttr>() || Callee->hasAttr<AllocAlignAttr>()) &&
         !Callee->hasBody() && !Sources.isInSystemHeader(Callee->getLocation());
}

void BodyWriter::VisitDeclRefExpr(const DeclRefExpr *E) {
  const ValueDecl *Declaration = E->getDecl();
  if (const auto *Constant = dyn_cast<EnumConstantDecl>(Declaration)) {
    integer(Constant->getInitVal());
  } else if (const auto *Callee = dyn_cast<FunctionDecl>(Declaration)) {
    if (Callee->isMultiVersion())
      return unsupported("a function with several versions", E);
    if (Callee->hasAttr<WeakRefAttr>())
      return unsupported("a weak reference to another function", E);
    if (alignsResult(Callee))
      return unsupported("a function whose result is aligned by more than its type", E);
    taggedValue(J, "Function", Mentioned.function(Callee));
  } else if (const auto *Variable = dyn_cast<VarDecl>(Declaration)) {
    if (Variable->getStorageClass() == SC_Register && Variable->hasAttr<AsmLabelAttr>())
      unsupported("a variable that stands for a register", E);
    else if (Variable->hasGlobalStorage() && !Mentioned.hasTypeOfObject(Variable))
      unsupported("another name of an object, of another type", E);
    else if (Variable->hasGlobalStorage())
      taggedValue(J, "Variable", Mentioned.variable(Variable));
    else
      taggedValue(J, "Local", local(Variable));
  } else {
    unsupported(Declaration->getDeclKindName(), E);
  }
}

void BodyWriter::VisitUnaryOperator(const UnaryOperator *E) {
  const char *Name = unaryName(E->getOpcode());
  if (!Name)
    return unsupported(UnaryOperator::getOpcodeStr(E->getOpcode()), E);
  if (E->getOpcode() == UO_LNot)
    foldable(E->getSubExpr());
  tagged(J, "Unary", [&] {
    J.attribute("op", Name);
    expressionField("operand", E->getSubExpr());
  });
}

void BodyWriter::VisitBinaryOperator(const BinaryOperator *E) {
  const char *Name = binaryName(E->getOpcode());
  if (!Name)
    return unsupported(E->getOpcodeStr(), E);
  auto Operand = E->isLogicalOp() ? &BodyWriter::conditionField : &BodyWriter::expressionField;
  tagged(J, "Binary", [&] {
    J.attribute("op", Name);
    (this->*Operand)("left", E->getLHS());
    (this->*Operand)("right", E->getRHS());
  });
}

void BodyWriter::VisitCompoundAssignOperator(const CompoundAssignOperator *E) {
  const char *Name = binaryName(E->getOpcode());
  if (!Name)
    return unsupported(E->getOpcodeStr(), E);
  tagged(J, "CompoundAssign", [&] {
    J.attribute("op", Name);
    expressionField("left", E->getLHS());
    expressionField("right", E->getRHS());
    typeField("computation_left", E->getComputationLHSType());
    typeField("computation_result", E->getComputationResultType());
  });
}

void BodyWriter::VisitConditionalOperator(const ConditionalOperator *E) {
  tagged(J, "Conditional", [&] {
    conditionField("condition", E->getCond());
    expressionField("then", E->getTrueExpr());
    expressionField("otherwise", E->getFalseExpr());
  });
}

void BodyWriter::VisitBinaryConditionalOperator(const BinaryConditionalOperator *E) {
  unsigned Number = Opaques.size();
  Opaques[E->getOpaqueValue()] = Number;
  tagged(J, "BinaryConditional", [&] {
    expressionField("common", E->getCommon());
    J.attribute("opaque", Number);
    conditionField("condition", E->getCond());
    expressionField("then", E->getTrueExpr());
    expressionField("otherwise", E->getFalseExpr());
  });
}

void BodyWriter::VisitOpaqueValueExpr(const OpaqueValueExpr *E) {
  auto Known = Opaques.find(E);
  if (Known != Opaques.end())
    taggedValue(J, "Opaque", Known->second);
  else
    unsupported("value named twice", E);
}

void BodyWriter::VisitCastExpr(const CastExpr *E) {
  if (E->getCastKind() == CK_BuiltinFnToFnPtr)
    return builtinCallee(E);
  if (E->getCastKind() == CK_ToUnion)
    return unionCast(E);
  if (!isKnownCast(E->getCastKind()))
    return unsupported(std::string("conversion ") + E->getCastKindName(), E);
  tagged(J, "Cast", [&] {
    J.attribute("kind", E->getCastKindName());
    expressionField("operand", E->getSubExpr());
    J.attribute("explicit", isa<ExplicitCastExpr>(E));
  });
}

// A builtin's name has no type of its own; in the document it decays like any function's.
void BodyWriter::builtinCallee(const CastExpr *E) {
  const auto *Reference = dyn_cast<DeclRefExpr>(strip(E->getSubExpr()));
  const auto *Callee = Reference ? dyn_cast<FunctionDecl>(Reference->getDecl()) : nullptr;
  if (!Callee)
    return unsupported("builtin function", E);
  tagged(J, "Cast", [&] {
    J.attribute("kind", "FunctionToPointerDecay");
    J.attributeObject("operand", [&] {
      field(J, "kind", [&] { taggedValue(J, "Function", Mentioned.function(Callee)); });
      typeField("ty", Callee->getType());
      J.attribute("span", Places.tokens(Reference->getSourceRange()));
    });
    J.attribute("explicit", false);
  });
}

void BodyWriter::VisitCallExpr(const CallExpr *E) {
  if (foldedCall(E))
    return;
  const FunctionDecl *Callee = E->getDirectCallee();
  if (Callee && Callee->getIdentifier() && Callee->getName().ends_with("_chk"))
    for (const Expr *Argument : E->arguments())
      Unobserved.insert(strip(Argument));
  const bool IsAssumption = E->getBuiltinCallee() == Builtin::BI__builtin_assume;
  tagged(J, "Call", [&] {
    expressionField("callee", E->getCallee());
    J.attributeArray("arguments", [&] {
      // An assumption with side effects is not evaluated.
      for (const Expr *Argument : E->arguments())
        if (!IsAssumption || !Argument->HasSideEffects(Context))
          expression(Argument);
    });
  });
}

void BodyWriter::VisitMemberExpr(const MemberExpr *E) {
  const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!Field)
    return unsupported("member that is no field", E);
  tagged(J, "Member", [&] {
    expressionField("base", E->getBase());
    J.attribute("arrow", E->isArrow());
    J.attribute("record", TypeTable.record(Field->getParent()));
    J.attribute("field", Field->getFieldIndex());
  });
}

void BodyWriter::VisitArraySubscriptExpr(const ArraySubscriptExpr *E) {
  if (E->getBase()->getType()->isVectorType())
    return unsupported("vector type", E);
  tagged(J, "Subscript", [&] {
    expressionField("base", E->getBase());
    expressionField("index", E->getIdx());
    J.attribute("index_first", E->getLHS() == E->getIdx());
  });
}

void BodyWriter::VisitStmtExpr(const StmtExpr *E) {
  J.object([&] { statementField("Statement", E->getSubStmt()); });
}

void BodyWriter::VisitVAArgExpr(const VAArgExpr *E) {
  tagged(J, "VaArg", [&] { expressionField("list", E->getSubExpr()); });
}

void BodyWriter::VisitAddrLabelExpr(const AddrLabelExpr *E) { unsupported("address of a label", E); }

void BodyWriter::VisitAtomicExpr(const AtomicExpr *E) { unsupported("atomic operation", E); }

void BodyWriter::VisitBlockExpr(const BlockExpr *E) { unsupported("block", E); }

} // namespace attest
