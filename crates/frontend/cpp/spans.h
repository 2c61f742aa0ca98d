// Pieces of source by index. Those of branches stand exactly where clang's coverage mapping puts
// them, so that a condition can be looked up in the output of llvm-cov.
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

  // The same for a condition, as clang's coverage mapping has it.
  unsigned condition(clang::SourceRange Range);

  // The label of a `case`, up to its colon, as clang's coverage mapping has it.
  unsigned label(clang::SourceLocation Begin, clang::SourceLocation Colon);

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

  // From a first character up to one that is excluded.
  struct Extent {
    clang::SourceLocation Begin, End;
  };

  unsigned add(Extent Piece);
  Extent inOneFile(Extent Piece) const;
  Extent leaveScratch(Extent Piece) const;
  Extent leaveSystemMacro(Extent Piece) const;
  std::vector<Expansion> expansions(clang::SourceLocation Location);
  clang::SourceLocation leaveArguments(clang::SourceLocation Location) const;
  clang::SourceLocation leaveBuiltIn(clang::SourceLocation Location) const;
  bool isBuiltIn(clang::SourceLocation Location) const;
  clang::SourceLocation leaveFileless(clang::SourceLocation Location) const;
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
