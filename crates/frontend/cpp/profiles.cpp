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

// What `llvm-cov export` writes of the functions, or null for a profile that a run did not begin to write.
Error writeProfile(Json &J, const MemoryBuffer &Program, StringRef Path) {
  auto Raw = MemoryBuffer::getFile(Path);
  if (!Raw || (*Raw)->getBufferSize() == 0) {
    J.value(nullptr);
    return Error::success();
  }
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
  auto Coverage = CoverageMapping::load(Mappings, **Profile);
  if (!Coverage)
    return Coverage.takeError();
  J.object([&] {
    J.attributeArray("data", [&] {
      J.object([&] {
        J.attributeArray("functions", [&] {
          for (const FunctionRecord &Function : (*Coverage)->getCoveredFunctions())
            writeFunction(J, Function);
        });
      });
    });
  });
  return Error::success();
}

} // namespace

} // namespace attest

// Writes an array with an element for each of the profiles to standard output. The program is the first
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
    J.array([&] {
      for (int Index = 1; Index < Count && !Failed; Index++)
        Failed = attest::writeProfile(J, **Program, Arguments[Index]);
    });
  }
  llvm::outs().flush();
  if (!Failed)
    return 0;
  llvm::errs() << llvm::toString(std::move(Failed)) << "\n";
  return 1;
}
