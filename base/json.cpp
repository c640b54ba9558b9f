// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

namespace topolaunch {
namespace {

/// Counts lines up to how far the parser has come: that of the last character that was read; a
/// newline itself still belongs to its line.
class LineCounter {
 public:
  LineCounter(const char* text, const char* const& furthest)
      : counted_(text), furthest_(furthest) {}
  int line() {
    while (furthest_ - counted_ > 1) line_ += *counted_++ == '\n' ? 1 : 0;
    return line_;
  }

 private:
  const char* counted_;
  const char* const& furthest_;
  int line_ = 1;
};

/// Builds values from SAX events; nlohmann's own builder keeps the last of two equal keys silently.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(JsonLimits limits, LineCounter& counter, JsonLineTable* lines)
      : limits_(limits), counter_(counter), lines_(lines) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(number_integer_t v) override { return add(v); }
  bool number_unsigned(number_unsigned_t v) override { return add(v); }
  bool number_float(number_float_t v, const string_t&) override { return add(v); }
  bool string(string_t& v) override { return add(std::move(v)); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& v) override {
    if (is_known(v)) return refuse("key \"" + v + "\" appears twice");
    pending_key_ = std::move(v);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    message_ = e.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    if (const auto bracket = message_.find("] ");
        message_.starts_with("[json.exception") && bracket != std::string::npos) {
      message_.erase(0, bracket + 2);
    }
    if (const auto colon = message_.find(": "); colon != std::string::npos) {
      message_.erase(0, colon + 2);
    }
    return false;
  }

  std::optional<Json> root;
  std::string message() const { return message_; }

 private:
  bool refuse(std::string why) {
    message_ = std::move(why);
    return false;
  }
  /// Looks through the members of a small object; a large one gets a set of its keys.
  bool is_known(const std::string& key) {
    constexpr std::size_t kSmall = 16;
    const auto& members = stack_.back()->get_ref<const Json::object_t&>();
    if (members.size() < kSmall) {
      return std::ranges::any_of(members, [&](const auto& member) { return member.first == key; });
    }
    auto& keys = keys_.back();
    if (keys.empty()) {
      for (const auto& member : members) keys.insert(member.first);
    }
    return !keys.insert(key).second;
  }
  Json* place(Json value) {
    if (lines_ != nullptr) lines_->add(counter_.line());
    if (stack_.empty()) {
      root = std::move(value);
      return &*root;
    }
    Json& parent = *stack_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    // The key is known to be new: appending to the vector spares ordered_map's linear search.
    auto& members = parent.get_ref<Json::object_t&>();
    members.Container::emplace_back(std::move(pending_key_), std::move(value));
    return &members.Container::back().second;
  }
  bool add(Json value) {
    if (++count_ > limits_.members) return refuse("more values than topolaunch reads");
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (static_cast<int>(stack_.size()) >= limits_.depth) return refuse("nested too deeply");
    if (++count_ > limits_.members) return refuse("more values than topolaunch reads");
    stack_.push_back(place(std::move(container)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    stack_.pop_back();
    keys_.pop_back();
    return true;
  }

  JsonLimits limits_;
  LineCounter& counter_;
  JsonLineTable* lines_;
  // Pointers stay valid: while a child is open its parent gets no further element.
  std::vector<Json*> stack_;
  std::vector<std::set<std::string>> keys_;  ///< of the large objects among them
  std::string pending_key_;
  std::size_t count_ = 0;
  std::string message_;
};

/// Reads bytes and counts how far the parser has come, so that our own refusals have a line too.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at = nullptr;
  const char** furthest = nullptr;
  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    if (furthest != nullptr) *furthest = at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

/// Whether `wanted` is found at or below `at`; `index` counts the values that begin before it.
bool find_value(const Json& at, const Json& wanted, std::size_t& index) {
  if (&at == &wanted) return true;
  ++index;
  return at.is_structured() &&
         std::ranges::any_of(at, [&](const Json& part) { return find_value(part, wanted, index); });
}

}  // namespace

int JsonLineTable::of(const Json& document, const Json& value) const {
  std::size_t index = 0;
  return find_value(document, value, index) && index < lines_.size() ? lines_[index] : 0;
}

Result<Json> parse_json(std::string_view text, const std::string& name, JsonLimits limits,
                        JsonLineTable* table) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // nlohmann's lexer (3.11) takes a NUL byte for the end and would never look behind it.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto lines = std::ranges::count(text.substr(0, nul), '\n');
    return fail(Error{
        Code::invalid_input, "not valid JSON: a NUL byte", {}, name, 1 + static_cast<int>(lines)});
  }
  const char* furthest = text.data();
  LineCounter counter(text.data(), furthest);
  StrictBuilder builder(limits, counter, table);
  const bool ok = Json::sax_parse(CountingIterator{text.data(), &furthest},
                                  CountingIterator{text.data() + text.size(), nullptr}, &builder);
  if (ok && builder.root) return std::move(*builder.root);
  const int line = counter.line();
  std::string why = builder.message().empty() ? "not JSON" : builder.message();
  constexpr std::size_t longest = 300;  // "last read: ..." repeats a whole string of the input
  if (why.size() > longest) why.replace(longest, std::string::npos, "...");
  return fail(Error{Code::invalid_input, "not valid JSON: " + why, {}, name, line});
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_pretty(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace topolaunch
