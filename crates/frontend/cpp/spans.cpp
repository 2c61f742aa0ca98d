#include "spans.h"

#include "compat.h"

#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace attest {

using namespace clang;

Spans::Spans(const ASTContext &Context)
    : Sources(Context.getSourceManager()), Language(Context.getLangOpts()) {
  // The main file is number 0, which code without a place falls back to.
  point(Sources.getLocForStartOfFile(Sources.getMainFileID()));
}

unsigned Spans::tokens(SourceRange Range) {
  if (Range.isInvalid())
    return add(SourceLocation(), SourceLocation());
  SourceLocation Begin = leaveArguments(Range.getBegin());
  return add(Begin, endOfToken(leaveArguments(Range.getEnd())));
}

unsigned Spans::upTo(SourceRange Range) {
  if (Range.isInvalid())
    return add(SourceLocation(), SourceLocation());
  return add(leaveArguments(Range.getBegin()), Range.getEnd());
}

unsigned Spans::add(SourceLocation Begin, SourceLocation End) {
  auto Key = std::make_pair(Begin.getRawEncoding(), End.getRawEncoding());
  auto [Entry, New] = Indices.try_emplace(Key, Table.size());
  if (New)
    Table.push_back(resolve(Begin, End));
  return Entry->second;
}

// A piece whose two ends came through different macros is widened to the innermost expansion (or
// file) that holds both, as clang's coverage mapping does for branches.
Spans::Span Spans::resolve(SourceLocation Begin, SourceLocation End) {
  if (Begin.isInvalid() || End.isInvalid())
    return {{0, 1, 1}, {0, 1, 1}, {}};
  unsigned BeginDepth = depth(Begin), EndDepth = depth(End);
  while (!Sources.isWrittenInSameFile(Begin, End)) {
    bool RaiseBegin = BeginDepth >= EndDepth, RaiseEnd = EndDepth >= BeginDepth;
    if (RaiseEnd && EndDepth > 0) {
      End = endOfToken(parent(End));
      EndDepth--;
    }
    if (RaiseBegin && BeginDepth > 0) {
      Begin = parent(Begin);
      BeginDepth--;
    }
    if (BeginDepth == 0 && EndDepth == 0)
      break;
  }
  if (!Sources.isWrittenInSameFile(Begin, End))
    End = endOfToken(Begin);
  return {point(Begin), point(End), expansions(Begin)};
}

std::vector<Spans::Expansion> Spans::expansions(SourceLocation Location) {
  std::vector<Expansion> Chain;
  while (Location.isMacroID()) {
    StringRef Macro = Lexer::getImmediateMacroName(Location, Sources, Language);
    Location = leaveArguments(parent(Location));
    Chain.push_back({Macro.str(), point(Location)});
  }
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

// Code in the argument of a macro counts as standing where the body uses its parameter; code of
// macros without a file (predefined, on the command line, pasted together), where they are expanded.
SourceLocation Spans::leaveArguments(SourceLocation Location) const {
  while (Location.isMacroID() &&
         (Sources.isMacroArgExpansion(Location) ||
          !fileName(Sources, Sources.getFileID(Sources.getSpellingLoc(Location)))))
    Location = parent(Location);
  return Location;
}

// Where the macro is expanded or the file is included that a location is in.
SourceLocation Spans::parent(SourceLocation Location) const {
  return Location.isMacroID() ? Sources.getImmediateExpansionRange(Location).getBegin()
                              : Sources.getIncludeLoc(Sources.getFileID(Location));
}

SourceLocation Spans::endOfToken(SourceLocation Location) const {
  return Location.getLocWithOffset(
      Lexer::MeasureTokenLength(Sources.getSpellingLoc(Location), Sources, Language));
}

unsigned Spans::depth(SourceLocation Location) const {
  unsigned Depth = 0;
  for (Location = parent(Location); Location.isValid(); Location = parent(Location))
    Depth++;
  return Depth;
}

Spans::Point Spans::point(SourceLocation Location) {
  auto [File, Offset] = Sources.getDecomposedSpellingLoc(Location);
  auto [Entry, New] = FileIndices.try_emplace(File, Files.size());
  if (New) {
    std::string Name = fileName(Sources, File).value_or("<built-in>");
    auto Known = std::find(Files.begin(), Files.end(), Name);
    Entry->second = Known - Files.begin();
    if (Known == Files.end())
      Files.push_back(Name);
  }
  return {Entry->second, Sources.getLineNumber(File, Offset),
          Sources.getColumnNumber(File, Offset)};
}

void Spans::writeFiles(Json &J) const {
  J.array([&] {
    for (const std::string &File : Files)
      J.value(utf8(File));
  });
}

void Spans::write(Json &J, const Point &Where) {
  J.array([&] {
    J.value(Where.File);
    J.value(Where.Line);
    J.value(Where.Column);
  });
}

void Spans::writeSpans(Json &J) const {
  J.array([&] {
    for (const Span &Each : Table)
      J.object([&] {
        field(J, "begin", [&] { write(J, Each.Begin); });
        field(J, "end", [&] { write(J, Each.End); });
        if (Each.Expansions.empty())
          return;
        J.attributeArray("expansions", [&] {
          for (const Expansion &Outer : Each.Expansions)
            J.array([&] {
              J.value(utf8(Outer.Macro));
              write(J, Outer.At);
            });
        });
      });
  });
}

} // namespace attest
