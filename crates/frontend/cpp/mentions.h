// What a piece of source mentions that the document leaves out otherwise.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <vector>

namespace attest {

struct Mentions {
  std::vector<const clang::FunctionDecl *> Functions;
  // Those of which more than the value is used: they may be written, or their address kept.
  std::vector<const clang::VarDecl *> Variables;
  // Static variables that are declared inside.
  std::vector<const clang::VarDecl *> StaticLocals;
};

// What a statement or an expression mentions, with the names in its assembly.
Mentions mentions(const clang::Stmt *S, const clang::ASTContext &Context);

// What the types of a function's parameters mention.
Mentions parameterMentions(const clang::FunctionDecl *Definition,
                           const clang::ASTContext &Context);

// Whether a parameter is declared as an array whose length does more than give a number.
bool hasLengthEffects(const clang::ParmVarDecl *Parameter, const clang::ASTContext &Context);
// Whether an expression is evaluated, with effects, where a type is written, for the lengths of its own
// type.
bool hasTypeofEffects(clang::QualType Type, const clang::ASTContext &Context);

// The functions that run before main or when the program ends in ways that C does not know: sections
// of pointers, assembly outside functions, and resolvers of `ifunc`.
std::vector<const clang::FunctionDecl *> started(const clang::ASTContext &Context);

// What other code can come to by names that C does not know: what has an alias, and what assembly
// outside functions names.
Mentions exposed(const clang::ASTContext &Context);

// The attribute by which a declaration is another name that other units see; null if it is none. A name that
// `#pragma weak` makes is seen, though it is declared as its target is.
const clang::AliasAttr *seenAlias(const clang::NamedDecl *Declared);

} // namespace attest
