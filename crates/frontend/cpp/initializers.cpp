#include "body.h"

#include "compat.h"
#include "mentions.h"

namespace attest {

using namespace clang;

void BodyWriter::VisitCompoundLiteralExpr(const CompoundLiteralExpr *E) {
  if (E->getTypeSourceInfo()->getType()->isVariablyModifiedType())
    return unsupported("a literal with the length of an array in its type", E);
  if (E->isFileScope())
    return taggedValue(J, "Variable", Mentioned.compoundLiteral(E));
  tagged(J, "CompoundLiteral", [&] {
    J.attribute("constant", TypeTable.isConst(E->getType()));
    expressionField("init", E->getInitializer());
  });
}

void BodyWriter::VisitInitListExpr(const InitListExpr *E) {
  if (!E->isSemanticForm())
    E = E->getSemanticForm();
  // They happen once, and the value stands in each element.
  if (E->hadArrayRangeDesignator() && E->HasSideEffects(Context))
    return unsupported("effects of a value for a range of elements", E);
  if (const auto *Record = E->getType()->getAs<RecordType>(); Record && !E->isTransparent())
    return initRecord(E, Record->getDecl()->getDefinition());
  bool Array = E->getType()->isArrayType() && !E->isStringLiteralInit();
  if (!Array || E->isTransparent()) {
    // Braces around one value.
    if (E->getNumInits() == 0)
      return J.value("ImplicitZero");
    return Visit(strip(E->getInit(0)));
  }
  tagged(J, "InitArray", [&] {
    J.attributeArray("elements", [&] {
      for (const Expr *Each : E->inits())
        expression(Each);
    });
    if (E->hasArrayFiller() && !isa<ImplicitValueInitExpr>(E->getArrayFiller()))
      expressionField("filler", E->getArrayFiller());
    else
      J.attribute("filler", nullptr);
  });
}

void BodyWriter::initRecord(const InitListExpr *E, const RecordDecl *Record) {
  tagged(J, "InitRecord", [&] {
    J.attribute("record", TypeTable.record(Record));
    J.attributeArray("fields", [&] {
      if (Record->isUnion()) {
        if (E->getNumInits() > 0 && E->getInitializedFieldInUnion())
          initField(E->getInitializedFieldInUnion(), E->getInit(0));
        return;
      }
      unsigned Next = 0;
      for (const FieldDecl *Field : Record->fields()) {
        if (isUnnamedBitField(Field))
          continue;
        if (Next >= E->getNumInits())
          return;
        initField(Field, E->getInit(Next++));
      }
    });
  });
}

void BodyWriter::initField(const FieldDecl *Field, const Expr *Value) {
  J.object([&] {
    J.attribute("field", Field->getFieldIndex());
    expressionField("value", Value);
  });
}

void BodyWriter::VisitImplicitValueInitExpr(const ImplicitValueInitExpr *) {
  J.value("ImplicitZero");
}

void BodyWriter::unionCast(const CastExpr *E) {
  const FieldDecl *Field = E->getTargetUnionField();
  tagged(J, "InitRecord", [&] {
    J.attribute("record", TypeTable.record(Field->getParent()));
    J.attributeArray("fields", [&] { initField(Field, E->getSubExpr()); });
  });
}

} // namespace attest
