// Functions and objects of static storage duration by index, as they are found to be used.
#pragma once

#include "constants.h"
#include "json.h"
#include "spans.h"
#include "types.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>

#include <optional>
#include <string>
#include <vector>

namespace attest {

struct Mentions;

// Whether a unit defines an object itself: no other name of one is defined, though `#pragma weak` makes it so.
bool isDefined(const clang::VarDecl *Variable);

class Declarations {
public:
  Declarations(const clang::ASTContext &Context, Types &TypeTable, Spans &Places)
      : Context(Context), TypeTable(TypeTable), Places(Places) {}

  const clang::ASTContext &Context;
  Types &TypeTable;
  Spans &Places;

  unsigned function(const clang::FunctionDecl *Function);
  // Mentions what other code can come to by names that C does not know.
  void mentionExposed();
  // A variable of static storage duration.
  unsigned variable(const clang::VarDecl *Variable);
  unsigned string(const clang::StringLiteral *Literal);
  unsigned compoundLiteral(const clang::CompoundLiteralExpr *Literal);

  // Whether a name of an object has the type that the object has.
  bool hasTypeOfObject(const clang::VarDecl *Variable);
  // Says that a static variable belongs to a function.
  void staticLocal(const clang::VarDecl *Variable, unsigned Function);

  // Writes the array of functions, and evaluates the initialisers of variables meanwhile, until
  // nothing new is mentioned.
  void writeFunctions(Json &J);
  void writeVariables(Json &J);
  // Writes what other code can come to by names that C does not know.
  void writeExposed(Json &J) const;
  // Writes the array of other names of functions and objects that other units see.
  void writeAliases(Json &J) const;
  // Writes the array of names that the linker knows by others.
  void writeSymbols(Json &J) const;

private:
  struct Variable {
    const clang::VarDecl *Declaration = nullptr;
    const clang::StringLiteral *String = nullptr;
    const clang::CompoundLiteralExpr *Compound = nullptr;
    std::optional<unsigned> Function;
    unsigned Type = 0;
    bool Defined = true;
    std::optional<ConstantData> Initializer;
    std::optional<unsigned> Span;
  };

  void expose(const Mentions &Found);
  const clang::VarDecl *sameSymbol(const clang::VarDecl *Variable);
  const clang::FunctionDecl *sameSymbol(const clang::FunctionDecl *Function);
  const clang::Decl *aliasee(const clang::NamedDecl *Declared) const;
  unsigned literal(const clang::Expr *Literal, Variable Entry);
  void evaluate(size_t Index);
  void evaluateDeclared(Variable &Entry);
  void addFlexibleElements(const clang::VarDecl &Initialized, ConstantData &Data) const;
  bool callsGoElsewhere(const clang::FunctionDecl *Definition) const;
  const clang::FunctionDecl *called(const clang::FunctionDecl *Function) const;
  std::string nameOf(const clang::FunctionDecl *Function, bool IsDefined) const;
  void writeFunction(Json &J, unsigned Index);
  void writeParameters(Json &J, const clang::FunctionDecl *Function);
  void writeAttributes(Json &J, const clang::FunctionDecl *Function,
                       const clang::FunctionDecl *Typed);
  bool isNonNull(const clang::FunctionDecl *Function, unsigned Parameter) const;
  std::optional<uint64_t> arrayLength(const clang::FunctionDecl *Function, unsigned Index) const;
  bool returnsNonNull(const clang::FunctionDecl *Function) const;
  void writeVariable(Json &J, const Variable &Entry) const;
  void writeVariableKind(Json &J, const Variable &Entry) const;

  std::vector<const clang::FunctionDecl *> Functions;
  llvm::DenseMap<const clang::FunctionDecl *, unsigned> FunctionIndices;
  std::vector<Variable> Variables;
  llvm::DenseMap<const clang::VarDecl *, unsigned> VariableIndices;
  llvm::DenseMap<const clang::Expr *, unsigned> LiteralIndices;
  // External names, which redeclarations in separate scopes share.
  llvm::StringMap<unsigned> ExternalFunctions, ExternalVariables;
  // The variables outside functions by their assembler names: for each its definition, or the first
  // declaration.
  std::optional<llvm::StringMap<const clang::VarDecl *>> Symbols;
  // The functions that are defined, by their assembler names.
  std::optional<llvm::StringMap<const clang::FunctionDecl *>> DefinedSymbols;
  // What `writeExposed` writes.
  std::vector<unsigned> StartedFunctions, ExposedFunctions, ExposedVariables;
};

} // namespace attest
