// Pieces of source by index, at the places that clang's coverage mapping gives them, so that a
// condition's span can be looked up in the output of llvm-cov.
#pragma once

#include "json.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/DenseMap.h>

#include <string>
#include <vector>

namespace attest {

class Spans {
public:
  explicit Spans(const clang::ASTContext &Context);

  // The piece from the first token to the last one, that included.
  unsigned tokens(clang::SourceRange Range);

  // The piece from the first token up to the last one, that excluded.
  unsigned upTo(clang::SourceRange Range);

  void writeFiles(Json &J) const;
  void writeSpans(Json &J) const;

private:
  struct Point {
    unsigned File, Line, Column;
  };
  struct Expansion {
    std::string Macro;
    Point At;
  };
  struct Span {
    Point Begin, End;
    std::vector<Expansion> Expansions;
  };

  unsigned add(clang::SourceLocation Begin, clang::SourceLocation End);
  Span resolve(clang::SourceLocation Begin, clang::SourceLocation End);
  std::vector<Expansion> expansions(clang::SourceLocation Location);
  clang::SourceLocation leaveArguments(clang::SourceLocation Location) const;
  clang::SourceLocation parent(clang::SourceLocation Location) const;
  clang::SourceLocation endOfToken(clang::SourceLocation Location) const;
  unsigned depth(clang::SourceLocation Location) const;
  Point point(clang::SourceLocation Location);
  static void write(Json &J, const Point &Where);

  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  std::vector<std::string> Files;
  llvm::DenseMap<clang::FileID, unsigned> FileIndices;
  std::vector<Span> Table;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> Indices;
};

} // namespace attest
