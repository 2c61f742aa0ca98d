// What clang's evaluator makes constants of.

#include "body.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/StringExtras.h>

namespace attest {

using namespace clang;

namespace {

// Calls of functions whose result C says the sign of, and nothing more.
bool hasOnlySign(const CallExpr *E) {
  switch (E->getBuiltinCallee()) {
  case Builtin::BImemcmp:
  case Builtin::BIstrcmp:
  case Builtin::BIstrncmp:
  case Builtin::BIstrcasecmp:
  case Builtin::BIstrncasecmp:
  case Builtin::BIwcscmp:
  case Builtin::BIwcsncmp:
  case Builtin::BIwmemcmp:
  case Builtin::BIbcmp:
  case Builtin::BI__builtin_memcmp:
  case Builtin::BI__builtin_strcmp:
  case Builtin::BI__builtin_strncmp:
  case Builtin::BI__builtin_wcscmp:
  case Builtin::BI__builtin_wcsncmp:
  case Builtin::BI__builtin_wmemcmp:
  case Builtin::BI__builtin_bcmp:
    return true;
  default:
    return false;
  }
}

bool isZero(const Expr *E) {
  const auto *Literal = dyn_cast<IntegerLiteral>(strip(E->IgnoreParenImpCasts()));
  return Literal && Literal->getValue() == 0;
}

bool usesMagnitude(const Expr *E, bool WantsSign, const ASTContext &Context);

// The same of an operand whose value matters.
bool anyUsesMagnitude(const Expr *E, const ASTContext &Context) {
  for (const Stmt *Child : E->children())
    if (const auto *Operand = dyn_cast_or_null<Expr>(Child))
      if (usesMagnitude(Operand, false, Context))
        return true;
  return false;
}

// Whether the value of an expression rests on more of such a result than its sign.
bool usesMagnitude(const Expr *E, bool WantsSign, const ASTContext &Context) {
  E = strip(E);
  if (const auto *Call = dyn_cast<CallExpr>(E); Call && hasOnlySign(Call))
    return !WantsSign;
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Inner = Cast->getSubExpr();
    bool Keeps = Cast->getCastKind() != CK_IntegralCast ||
                 Context.getTypeSize(E->getType()) >= Context.getTypeSize(Inner->getType());
    return usesMagnitude(Inner, WantsSign && Keeps, Context);
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_LNot)
    return usesMagnitude(Unary->getSubExpr(), true, Context);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    bool ToZero = Binary->isComparisonOp() && isZero(Binary->getRHS());
    if (ToZero || Binary->isLogicalOp())
      return usesMagnitude(Binary->getLHS(), true, Context) ||
             usesMagnitude(Binary->getRHS(), true, Context);
  }
  return anyUsesMagnitude(E, Context);
}

} // namespace

void BodyWriter::foldable(const Expr *E) {
  E = strip(E);
  if (!Foldable.insert(E).second)
    return;
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return foldable(Cast->getSubExpr());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_LNot)
    return foldable(Unary->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isLogicalOp()) {
    foldable(Binary->getLHS());
    return foldable(Binary->getRHS());
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (Call->getBuiltinCallee() == Builtin::BI__builtin_expect && Call->getNumArgs() > 0)
      foldable(Call->getArg(0));
}

// The value of a condition that clang folds, if every compiler would come to it.
void BodyWriter::folded(const Expr *E) {
  Expr::EvalResult Result;
  if (Foldable.contains(E) && E->EvaluateAsInt(Result, Context) && Result.Val.isInt() &&
      !usesMagnitude(E, true, Context))
    J.attribute("folded", llvm::toString(Result.Val.getInt(), 10));
}

// Calls that have a value only to the compiler. Without one it is left to the lowering, which notes
// that the value is a matter of optimisation.
bool BodyWriter::foldedCall(const CallExpr *E) {
  Expr::EvalResult Result;
  switch (E->getBuiltinCallee()) {
  case Builtin::BI__builtin_classify_type:
    if (E->EvaluateAsInt(Result, Context) && Result.Val.isInt())
      integer(Result.Val.getInt());
    else
      taggedValue(J, "Integer", "0");
    return true;
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
    if (E->EvaluateAsInt(Result, Context) && Result.Val.isInt()) {
      integer(Result.Val.getInt());
      return true;
    }
    // To a function that checks the size, an unknown one makes no difference.
    if (Unobserved.contains(E)) {
      integer(llvm::APSInt(llvm::APInt::getAllOnes(Context.getTypeSize(E->getType())), true));
      return true;
    }
    return false;
  case Builtin::BI__builtin_inf:
  case Builtin::BI__builtin_inff:
  case Builtin::BI__builtin_infl:
  case Builtin::BI__builtin_huge_val:
  case Builtin::BI__builtin_huge_valf:
  case Builtin::BI__builtin_huge_vall:
  case Builtin::BI__builtin_nan:
  case Builtin::BI__builtin_nanf:
  case Builtin::BI__builtin_nanl:
    foldedFloat(E);
    return true;
  default:
    return false;
  }
}

void BodyWriter::foldedFloat(const CallExpr *E) {
  Expr::EvalResult Result;
  if (E->EvaluateAsRValue(Result, Context) && Result.Val.isFloat()) {
    llvm::APInt Bits = Result.Val.getFloat().bitcastToAPInt();
    taggedValue(J, "Float", llvm::toString(Bits, 16, false));
  } else {
    unsupported("floating constant", E);
  }
}

} // namespace attest
