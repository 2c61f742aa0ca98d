// Helpers to write the document in serde's form of an externally tagged enum.
#pragma once

#include <llvm/Support/JSON.h>

namespace attest {

using Json = llvm::json::OStream;

// {"Tag": {…}}
template <typename Body> void tagged(Json &J, llvm::StringRef Tag, Body Fields) {
  J.object([&] { J.attributeObject(Tag, Fields); });
}

// {"Tag": value}
template <typename Value> void taggedValue(Json &J, llvm::StringRef Tag, const Value &Content) {
  J.object([&] { J.attribute(Tag, Content); });
}

// "name": <what Body writes>
template <typename Body> void field(Json &J, llvm::StringRef Name, Body Content) {
  J.attributeBegin(Name);
  Content();
  J.attributeEnd();
}

// Text of the source, which need not be UTF-8, as JSON must be.
inline std::string utf8(llvm::StringRef Text) { return llvm::json::fixUTF8(Text); }

} // namespace attest
