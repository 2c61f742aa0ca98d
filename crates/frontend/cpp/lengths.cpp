// The lengths of variable-length arrays: where each is evaluated.
#include "body.h"

#include "mentions.h"

namespace attest {

using namespace clang;

// The lengths that a type names, in the order in which they are evaluated.
static void collectLengths(QualType Type, const ASTContext &Context, std::vector<const Expr *> &Found) {
  while (!Type.isNull() && Type->isVariablyModifiedType()) {
    if (const auto *Array = dyn_cast<ArrayType>(Type.getTypePtr())) {
      const auto *Variable = dyn_cast<VariableArrayType>(Array);
      if (Variable && Variable->getSizeExpr())
        Found.push_back(Variable->getSizeExpr());
      Type = Array->getElementType();
    } else if (const auto *Pointer = dyn_cast<PointerType>(Type.getTypePtr())) {
      Type = Pointer->getPointeeType();
    } else if (const auto *Function = dyn_cast<FunctionType>(Type.getTypePtr())) {
      Type = Function->getReturnType();
    } else {
      QualType Next = Type.getSingleStepDesugaredType(Context);
      if (Next.getTypePtr() == Type.getTypePtr())
        return;
      Type = Next;
    }
  }
}

// The lengths that a type names and that nothing before it named.
std::vector<const Expr *> BodyWriter::newLengths(QualType Type) {
  std::vector<const Expr *> Found, New;
  collectLengths(Type, Context, Found);
  for (const Expr *Length : Found)
    if (Evaluated.insert(Length).second)
      New.push_back(Length);
  return New;
}

void BodyWriter::writeLengths(const std::vector<const Expr *> &Lengths) {
  if (Lengths.empty())
    return;
  J.attributeArray("lengths", [&] {
    for (const Expr *Length : Lengths)
      J.object([&] {
        J.attribute("length", TypeTable.length(Length));
        expressionField("value", Length);
      });
  });
}

// No use is made of the outermost length of a parameter, which is a pointer.
void BodyWriter::writeLengths(const FunctionDecl *Definition) {
  std::vector<const Expr *> All;
  for (const ParmVarDecl *Parameter : Definition->parameters()) {
    QualType Type = Parameter->getOriginalType();
    if (const ArrayType *Array = Context.getAsArrayType(Type))
      Type = Array->getElementType();
    std::vector<const Expr *> Lengths = newLengths(Type);
    All.insert(All.end(), Lengths.begin(), Lengths.end());
  }
  writeLengths(All);
}

// A value of which the type, as written, names lengths: these are evaluated before it.
template <typename Value>
void BodyWriter::sized(QualType Written, const Expr *E, Value Content) {
  std::vector<const Expr *> Lengths = newLengths(Written);
  if (Lengths.empty())
    return Content();
  tagged(J, "Sized", [&] {
    writeLengths(Lengths);
    J.attributeObject("value", [&] {
      field(J, "kind", Content);
      typeField("ty", E->getType());
      J.attribute("span", Places.tokens(E->getSourceRange()));
    });
  });
}

void BodyWriter::VisitUnaryExprOrTypeTraitExpr(const UnaryExprOrTypeTraitExpr *E) {
  QualType Asked = E->getTypeOfArgument();
  if (E->getKind() != UETT_SizeOf || !TypeTable.hasVariableLength(Asked))
    return evaluated(E, "a property of a type that is not constant");
  // The operand is evaluated, since its type is that of a variable-length array.
  if (!E->isArgumentType() && E->getArgumentExpr()->HasSideEffects(Context))
    return unsupported("the size of an expression with effects", E);
  if (E->isArgumentType() && hasTypeofEffects(Asked, Context))
    return unsupported("the size of a type with effects", E);
  sized(Asked, E, [&] { taggedValue(J, "SizeOf", TypeTable.index(Asked)); });
}

void BodyWriter::VisitExplicitCastExpr(const ExplicitCastExpr *E) {
  if (hasTypeofEffects(E->getTypeAsWritten(), Context))
    return unsupported("a conversion with effects in its type", E);
  sized(E->getTypeAsWritten(), E, [&] { VisitCastExpr(E); });
}

} // namespace attest
