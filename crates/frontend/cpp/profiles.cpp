// Reads raw profiles of a program that clang instrumented for coverage, and writes what each run of it
// covered.

#include "json.h"

#include <llvm/ProfileData/Coverage/CoverageMapping.h>
#include <llvm/ProfileData/Coverage/CoverageMappingReader.h>
#include <llvm/ProfileData/InstrProfReader.h>
#include <llvm/ProfileData/InstrProfWriter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace attest {

namespace {

using namespace llvm;
using namespace llvm::coverage;

// What llvm-profdata makes of a raw profile.
Expected<std::unique_ptr<IndexedInstrProfReader>> indexed(std::unique_ptr<MemoryBuffer> Raw) {
  auto Reader = InstrProfReader::create(std::move(Raw));
  if (!Reader)
    return Reader.takeError();
  InstrProfWriter Writer(/*Sparse=*/true);
  if (Error Mixed = Writer.mergeProfileKind((*Reader)->getProfileKind()))
    return std::move(Mixed);
  Error Refused = Error::success();
  for (NamedInstrProfRecord &Record : **Reader)
    Writer.addRecord(std::move(Record), 1, [&](Error Each) {
      Refused = joinErrors(std::move(Refused), std::move(Each));
    });
  if (Refused)
    return std::move(Refused);
  if ((*Reader)->hasError())
    return (*Reader)->getError();
  return IndexedInstrProfReader::create(Writer.writeBuffer());
}

void writeNumbers(Json &J, ArrayRef<uint64_t> Numbers) {
  J.array([&] {
    for (uint64_t Number : Numbers)
      J.value(Number);
  });
}

void writeFunction(Json &J, const FunctionRecord &Function) {
  J.object([&] {
    J.attribute("name", utf8(Function.Name));
    J.attributeArray("filenames", [&] {
      for (const std::string &Name : Function.Filenames)
        J.value(utf8(Name));
    });
    J.attributeArray("regions", [&] {
      for (const CountedRegion &Each : Function.CountedRegions)
        writeNumbers(J, {Each.LineStart, Each.ColumnStart, Each.LineEnd, Each.ColumnEnd,
                         Each.ExecutionCount, Each.FileID, Each.ExpandedFileID, Each.Kind});
    });
    J.attributeArray("branches", [&] {
      for (const CountedRegion &Each : Function.CountedBranchRegions)
        // Conditions that are folded to constants are not counted.
        if (!Each.Folded)
          writeNumbers(J, {Each.LineStart, Each.ColumnStart, Each.LineEnd, Each.ColumnEnd,
                           Each.ExecutionCount, Each.FalseExecutionCount, Each.FileID,
                           Each.ExpandedFileID, Each.Kind});
    });
  });
}

// The functions of a program with their counts in a profile; nothing for a profile that a run did not begin
// to write.
Expected<std::unique_ptr<CoverageMapping>> covered(const MemoryBuffer &Program, StringRef Path) {
  auto Raw = MemoryBuffer::getFile(Path);
  if (!Raw || (*Raw)->getBufferSize() == 0)
    return nullptr;
  auto Profile = indexed(std::move(*Raw));
  if (!Profile)
    return Profile.takeError();
  SmallVector<std::unique_ptr<MemoryBuffer>, 4> Parts;
  auto Readers = BinaryCoverageReader::create(Program.getMemBufferRef(), "", Parts);
  if (!Readers)
    return Readers.takeError();
  std::vector<std::unique_ptr<CoverageMappingReader>> Mappings;
  for (auto &Each : *Readers)
    Mappings.push_back(std::move(Each));
  return CoverageMapping::load(Mappings, **Profile);
}

bool didRun(const FunctionRecord &Function) {
  auto IsCounted = [](const CountedRegion &Each) {
    return Each.ExecutionCount != 0 || Each.FalseExecutionCount != 0;
  };
  return any_of(Function.CountedRegions, IsCounted) || any_of(Function.CountedBranchRegions, IsCounted);
}

// The functions that satisfy a condition, as `llvm-cov export` writes all.
template <typename Condition>
void writeFunctions(Json &J, const CoverageMapping &Coverage, Condition IsWritten) {
  J.object([&] {
    J.attributeArray("data", [&] {
      J.object([&] {
        J.attributeArray("functions", [&] {
          for (const FunctionRecord &Function : Coverage.getCoveredFunctions())
            if (IsWritten(Function))
              writeFunction(J, Function);
        });
      });
    });
  });
}

// What ran in each run, or null for a profile that it did not begin to write; and all functions, with some
// counts.
Error writeProfiles(Json &J, const MemoryBuffer &Program, ArrayRef<const char *> Paths) {
  std::unique_ptr<CoverageMapping> Any;
  Error Failed = Error::success();
  J.object([&] {
    J.attributeArray("runs", [&] {
      for (const char *Path : Paths) {
        auto Coverage = covered(Program, Path);
        if (!Coverage) {
          Failed = joinErrors(std::move(Failed), Coverage.takeError());
          return;
        }
        if (!*Coverage) {
          J.value(nullptr);
          continue;
        }
        writeFunctions(J, **Coverage, didRun);
        Any = std::move(*Coverage);
      }
    });
    if (Any) {
      J.attributeBegin("all");
      writeFunctions(J, *Any, [](const FunctionRecord &) { return true; });
      J.attributeEnd();
    }
  });
  return Failed;
}

} // namespace

} // namespace attest

// Writes what runs of a program did to standard output, by their raw profiles. The program is the first
// argument.
extern "C" int attest_read_profiles(int Count, const char *const *Arguments) {
  if (Count < 1)
    return 2;
  auto Program = llvm::MemoryBuffer::getFile(Arguments[0]);
  if (!Program) {
    llvm::errs() << "cannot read " << Arguments[0] << ": " << Program.getError().message() << "\n";
    return 1;
  }
  llvm::Error Failed = llvm::Error::success();
  {
    attest::Json J(llvm::outs());
    llvm::ArrayRef<const char *> Paths(Arguments + 1, static_cast<size_t>(Count - 1));
    Failed = attest::writeProfiles(J, **Program, Paths);
  }
  llvm::outs().flush();
  if (!Failed)
    return 0;
  llvm::errs() << llvm::toString(std::move(Failed)) << "\n";
  return 1;
}
