// The exporter: parses one C file with clang and writes what it found as one JSON document, the
// other side of which is `src/ast.rs`.

#include "declarations.h"
#include "json.h"
#include "spans.h"
#include "types.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticDriver.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <set>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace attest {

using namespace clang;

namespace {

struct Message {
  const char *Severity;
  std::string Text;
  std::string File;
  unsigned Line, Column;
};

const char *severityName(DiagnosticsEngine::Level Level) {
  switch (Level) {
  case DiagnosticsEngine::Fatal:
    return "fatal";
  case DiagnosticsEngine::Error:
    return "error";
  case DiagnosticsEngine::Warning:
    return "warning";
  default:
    return "note";
  }
}

// Keeps what clang says, with the places that `#line` makes of them, as clang prints them.
class Collector : public DiagnosticConsumer {
public:
  explicit Collector(std::vector<Message> &Messages) : Messages(Messages) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    llvm::SmallString<256> Text;
    Info.FormatDiagnostic(Text);
    Message Said{severityName(Level), Text.str().str(), "", 0, 0};
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      PresumedLoc Place = Info.getSourceManager().getPresumedLoc(Info.getLocation());
      if (Place.isValid())
        Said = {Said.Severity, Said.Text, Place.getFilename(), Place.getLine(), Place.getColumn()};
    }
    Messages.push_back(std::move(Said));
  }

private:
  std::vector<Message> &Messages;
};

// Keeps what the driver says of flags that clang leaves out though they change the program. Flags that only other
// compilers know do not count.
class DriverCollector : public DiagnosticConsumer {
public:
  explicit DriverCollector(std::vector<Message> &Messages) : Messages(Messages) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Info.getID() != diag::warn_drv_clang_unsupported)
      return;
    llvm::SmallString<256> Text;
    Info.FormatDiagnostic(Text);
    Messages.push_back({severityName(Level), Text.str().str(), "", 0, 0});
  }

private:
  std::vector<Message> &Messages;
};

void writeMessages(Json &J, const std::vector<Message> &Messages) {
  J.attributeArray("diagnostics", [&] {
    for (const Message &Each : Messages)
      J.object([&] {
        J.attribute("severity", Each.Severity);
        J.attribute("message", utf8(Each.Text));
        field(J, "place", [&] {
          if (Each.File.empty())
            return J.value(nullptr);
          J.array([&] {
            J.value(utf8(Each.File));
            J.value(Each.Line);
            J.value(Each.Column);
          });
        });
      });
  });
}

// Whether copies of floating numbers may go through the x87 unit, in some function of the unit at least.
bool movesByX87(const ASTContext &Context) {
  const TargetInfo &Target = Context.getTargetInfo();
  if (!Target.getTriple().isX86())
    return false;
  const bool Wide = Target.getTriple().getArch() == llvm::Triple::x86_64;
  if (!Wide || !Target.hasFeature("sse2"))
    return true;
  for (const Decl *Each : Context.getTranslationUnitDecl()->decls())
    if (const auto *Attribute = Each->getAttr<TargetAttr>())
      if (Attribute->getFeaturesStr().contains("no-sse"))
        return true;
  return false;
}

void writeTarget(Json &J, const ASTContext &Context) {
  const TargetInfo &Target = Context.getTargetInfo();
  const LangOptions &Language = Context.getLangOpts();
  J.attributeObject("target", [&] {
    J.attribute("triple", Target.getTriple().str());
    J.attribute("pointer_width", Context.getTypeSize(Context.VoidPtrTy));
    J.attribute("big_endian", Target.isBigEndian());
    J.attribute("signed_overflow_wraps",
                Language.getSignedOverflowBehavior() == LangOptions::SOB_Defined);
    J.attribute("freestanding", bool(Language.Freestanding));
    J.attribute("moves_by_x87", movesByX87(Context));
  });
}

// Whether a definition makes a symbol that other units may use.
bool makesSymbol(const FunctionDecl *Function) {
  return Function->isExternallyVisible() &&
         (!Function->isInlined() || Function->isInlineDefinitionExternallyVisible());
}

// Mentions what the main file defines, and what files that it includes define for other units; all else
// follows from that.
void mentionDefinitions(const ASTContext &Context, Declarations &Mentioned) {
  const SourceManager &Sources = Context.getSourceManager();
  for (const Decl *Each : Context.getTranslationUnitDecl()->decls()) {
    SourceLocation Place = Sources.getExpansionLoc(Each->getLocation());
    const bool InMainFile = Sources.isInMainFile(Place);
    if (!InMainFile && Sources.isInSystemHeader(Place))
      continue;
    if (const auto *Function = dyn_cast<FunctionDecl>(Each)) {
      if (Function->doesThisDeclarationHaveABody() && (InMainFile || makesSymbol(Function)))
        Mentioned.function(Function);
    } else if (const auto *Variable = dyn_cast<VarDecl>(Each)) {
      if (Variable->isThisDeclarationADefinition() != VarDecl::DeclarationOnly &&
          isDefined(Variable) &&
          (InMainFile || Variable->isExternallyVisible()))
        Mentioned.variable(Variable);
    }
  }
}

// Whether a macro stands for a name and its own behind it: glibc names members so (`sa_handler`).
bool namesItself(const IdentifierInfo *Name, const MacroInfo *Definition) {
  auto Tokens = Definition->tokens();
  return Definition->isObjectLike() && Tokens.size() > 1 &&
         llvm::any_of(Tokens, [&](const Token &T) { return T.getIdentifierInfo() == Name; });
}

// The names that are macros where the unit ends, those of the compiler and most of the system's headers
// excepted: what is compiled behind the unit's text has to get by without them.
void writeMacros(Json &J, Preprocessor &Macros) {
  const SourceManager &Sources = Macros.getSourceManager();
  std::set<std::string> Names;
  for (const auto &Each : Macros.macros()) {
    const MacroInfo *Definition = Macros.getMacroInfo(Each.first);
    if (!Definition || Definition->isBuiltinMacro())
      continue;
    SourceLocation Place = Definition->getDefinitionLoc();
    bool System = Sources.isWrittenInBuiltinFile(Place) || Sources.isInSystemHeader(Place);
    if (!System || namesItself(Each.first, Definition))
      Names.insert(Each.first->getName().str());
  }
  J.array([&] {
    for (const std::string &Each : Names)
      J.value(utf8(Each));
  });
}

void writeUnit(Json &J, const ASTContext &Context, Preprocessor &Macros, bool RelaxedAliasing) {
  Spans Places(Context);
  Types TypeTable(Context);
  Declarations Mentioned(Context, TypeTable, Places);
  mentionDefinitions(Context, Mentioned);
  Mentioned.mentionExposed();
  writeTarget(J, Context);
  // The tables that bodies refer to grow while these are written, and come after.
  field(J, "functions", [&] { Mentioned.writeFunctions(J); });
  field(J, "variables", [&] { Mentioned.writeVariables(J); });
  TypeTable.finish();
  field(J, "types", [&] { TypeTable.writeTypes(J); });
  field(J, "records", [&] { TypeTable.writeRecords(J); });
  field(J, "enums", [&] { TypeTable.writeEnums(J); });
  field(J, "files", [&] { Places.writeFiles(J); });
  field(J, "spans", [&] { Places.writeSpans(J); });
  field(J, "macros", [&] { writeMacros(J, Macros); });
  field(J, "exposed", [&] { Mentioned.writeExposed(J); });
  field(J, "aliases", [&] { Mentioned.writeAliases(J); });
  field(J, "symbols", [&] { Mentioned.writeSymbols(J); });
  J.attribute("strict_aliasing", !RelaxedAliasing && !TypeTable.mayAlias());
  J.attribute("strict_alignment", !TypeTable.lowersAlignment());
}

class UnitConsumer : public ASTConsumer {
public:
  UnitConsumer(Json &J, Preprocessor &Macros, bool RelaxedAliasing)
      : J(J), Macros(Macros), RelaxedAliasing(RelaxedAliasing) {}

  void HandleTranslationUnit(ASTContext &Context) override {
    DiagnosticsEngine &Diagnostics = Context.getDiagnostics();
    const LangOptions &Language = Context.getLangOpts();
    if (Language.CPlusPlus || Language.ObjC)
      Diagnostics.Report(
          Diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "this is not a C file"));
    if (!Diagnostics.hasErrorOccurred())
      writeUnit(J, Context, Macros, RelaxedAliasing);
  }

private:
  Json &J;
  Preprocessor &Macros;
  // `-fno-strict-aliasing`
  bool RelaxedAliasing;
};

class ExportAction : public ASTFrontendAction {
public:
  explicit ExportAction(Json &J) : J(J) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 StringRef) override {
    return std::make_unique<UnitConsumer>(J, Compiler.getPreprocessor(),
                                          bool(Compiler.getCodeGenOpts().RelaxedAliasing));
  }

private:
  Json &J;
};

// Parses, and writes the fields of the document; after errors only the messages.
void run(Json &J, ArrayRef<const char *> Arguments) {
  std::vector<Message> Messages;
  CompilerInstance Driver;
  Driver.createDiagnostics(new DriverCollector(Messages), true);
  CreateInvocationOptions Options;
  Options.Diags = &Driver.getDiagnostics();
  Options.RecoverOnError = true;
  if (std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Arguments, Options)) {
    CompilerInstance Compiler;
    Compiler.setInvocation(Invocation);
    Compiler.createDiagnostics(new Collector(Messages), true);
    ExportAction Action(J);
    Compiler.ExecuteAction(Action);
  } else {
    Messages.push_back({"fatal", "clang does not understand the command line", "", 0, 0});
  }
  writeMessages(J, Messages);
}

} // namespace

} // namespace attest

// Exports the unit that the arguments of clang's driver (the first is its name) describe, to a
// file, within a limit of seconds of processor time, after which a SIGXCPU ends the process. Returns
// 0, or 1 if the document could not be written.
extern "C" int attest_export_unit(int Count, const char *const *Arguments, const char *Output,
                                  unsigned Seconds) {
  struct rlimit Limit = {Seconds, Seconds + 1};
  setrlimit(RLIMIT_CPU, &Limit);
  std::error_code Error;
  llvm::raw_fd_ostream Stream(Output, Error, llvm::sys::fs::OF_None);
  if (Error) {
    llvm::errs() << "cannot write " << Output << ": " << Error.message() << "\n";
    return 1;
  }
  {
    attest::Json J(Stream);
    J.object([&] { attest::run(J, llvm::ArrayRef<const char *>(Arguments, Count)); });
  }
  Stream.close();
  if (Stream.has_error()) {
    llvm::errs() << "cannot write " << Output << ": " << Stream.error().message() << "\n";
    Stream.clear_error();
    return 1;
  }
  return 0;
}
