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
    return add({});
  SourceLocation Begin = leaveFileless(leaveArguments(Range.getBegin()));
  SourceLocation End = leaveFileless(leaveArguments(Range.getEnd()));
  return add(inOneFile({Begin, endOfToken(End)}));
}

unsigned Spans::condition(SourceRange Range) {
  if (Range.isInvalid())
    return add({});
  SourceLocation Begin = leaveArguments(Range.getBegin());
  SourceLocation End = leaveArguments(Range.getEnd());
  return add(leaveSystemMacro(leaveScratch(inOneFile({Begin, endOfToken(End)}))));
}

unsigned Spans::label(SourceLocation Begin, SourceLocation Colon) {
  if (Begin.isInvalid() || Colon.isInvalid())
    return add({});
  return add(leaveSystemMacro(leaveScratch(inOneFile({leaveArguments(Begin), Colon}))));
}

unsigned Spans::add(Extent Piece) {
  auto Key = std::make_pair(Piece.Begin.getRawEncoding(), Piece.End.getRawEncoding());
  auto [Entry, New] = Indices.try_emplace(Key, Table.size());
  if (!New)
    return Entry->second;
  if (Piece.Begin.isValid())
    Table.push_back({point(Piece.Begin), point(Piece.End), expansions(Piece.Begin)});
  else
    Table.push_back({{0, 1, 1}, {0, 1, 1}, {}});
  return Entry->second;
}

// A piece whose two ends came through different macros is widened to the innermost expansion (or
// file) that holds both, as clang's coverage mapping does for branches.
Spans::Extent Spans::inOneFile(Extent Piece) const {
  auto [Begin, End] = Piece;
  unsigned BeginDepth = depth(Begin), EndDepth = depth(End);
  while (!Sources.isWrittenInSameFile(Begin, End)) {
    if (BeginDepth == 0 && EndDepth == 0)
      return {Begin, endOfToken(Begin)};
    bool RaiseBegin = BeginDepth >= EndDepth, RaiseEnd = EndDepth >= BeginDepth;
    if (RaiseEnd) {
      End = endOfToken(parent(End));
      EndDepth--;
    }
    if (RaiseBegin) {
      Begin = parent(Begin);
      BeginDepth--;
    }
  }
  return {Begin, End};
}

// A condition that starts with a token that `##` made stands where that is expanded.
Spans::Extent Spans::leaveScratch(Extent Piece) const {
  while (Piece.Begin.isMacroID() &&
         Sources.isWrittenInScratchSpace(Sources.getSpellingLoc(Piece.Begin))) {
    CharSourceRange Expanded = Sources.getImmediateExpansionRange(Piece.Begin);
    Piece = {Expanded.getBegin(), Expanded.getEnd()};
  }
  return Piece;
}

// A condition in a macro of a system header (`assert`, `isdigit`) stands where that is expanded in
// the user's file, and is empty there.
Spans::Extent Spans::leaveSystemMacro(Extent Piece) const {
  bool System = Sources.isInSystemMacro(Piece.Begin) &&
                Sources.isWrittenInSameFile(Sources.getSpellingLoc(Piece.Begin),
                                            Sources.getSpellingLoc(Piece.End));
  return System ? Extent{Sources.getFileLoc(Piece.Begin), Sources.getFileLoc(Piece.End)} : Piece;
}

std::vector<Spans::Expansion> Spans::expansions(SourceLocation Location) {
  std::vector<Expansion> Chain;
  while (Location.isMacroID()) {
    StringRef Macro = Lexer::getImmediateMacroName(Location, Sources, Language);
    Location = leaveBuiltIn(parent(Location));
    Chain.push_back({Macro.str(), point(Location)});
  }
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

// Code in the argument of a macro counts as standing where the body uses its parameter. A macro whose
// name is such an argument is expanded there.
SourceLocation Spans::leaveArguments(SourceLocation Location) const {
  while (Location.isMacroID() &&
         (Sources.isMacroArgExpansion(Location) || isBuiltIn(Location)))
    Location = parent(Location);
  return Location;
}

// Code of macros that are predefined or on the command line counts as standing where they are expanded.
SourceLocation Spans::leaveBuiltIn(SourceLocation Location) const {
  while (Location.isMacroID() && isBuiltIn(Location))
    Location = parent(Location);
  return Location;
}

bool Spans::isBuiltIn(SourceLocation Location) const {
  return Sources.getBufferName(Sources.getSpellingLoc(Location)) == "<built-in>";
}

// Tokens that `##` made, or that clang made up, count as standing where they are expanded.
SourceLocation Spans::leaveFileless(SourceLocation Location) const {
  while (Location.isMacroID() &&
         !fileName(Sources, Sources.getFileID(Sources.getSpellingLoc(Location))))
    Location = leaveArguments(parent(Location));
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

// Headers of the user that nothing refers to, such as those with macros only, come last.
void Spans::writeFiles(Json &J) const {
  std::vector<std::string> All = Files;
  for (unsigned I = 0; I < Sources.local_sloc_entry_size(); ++I) {
    const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
    if (!Entry.isFile())
      continue;
    auto Start = SourceLocation::getFromRawEncoding(Entry.getOffset());
    auto Name = fileName(Sources, Sources.getFileID(Start));
    if (Name && Name->rfind("/usr/", 0) != 0 &&
        std::find(All.begin(), All.end(), *Name) == All.end())
      All.push_back(*Name);
  }
  J.array([&] {
    for (const std::string &File : All)
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
