#include "app/commands.h"
#include "app/display_width.h"
#include "app/machine.h"
#include "app/table.h"
#include "app/verify.h"
#include "base/concat.h"
#include "json/writer.h"
#include "model/model.h"
#include "podium/reranker.h"
#include "ranker/loader.h"
#include "text/tokenizer.h"

namespace podium {
namespace {

const char* Name(HeadKind head) {
  switch (head) {
    case HeadKind::kDenseTanhProject:
      return "dense, tanh, projection of the first token";
    case HeadKind::kPoolerTanhProject:
      return "pooler, tanh, projection of the first token";
  }
  return "?";
}

const char* Name(Activation activation) {
  switch (activation) {
    case Activation::kGeluErf:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_tanh";
    case Activation::kRelu:
      return "relu";
    case Activation::kSilu:
      return "silu";
  }
  return "?";
}

// How the default score comes from the head's outputs.
const char* Name(const EncoderSpec& spec) {
  if (spec.labels == 2) return "sigmoid of output 1 less output 0, the probability of label 1";
  return spec.score_scale == ScoreScale::kLogit ? "the logit" : "sigmoid of the logit";
}

// A fact as it is printed: name, and a number or a text.
struct Fact {
  const char* name;
  std::string text;
  bool is_number;
};
template <typename T>
Fact Number(const char* name, T value) {
  return {name, Concat(value), true};
}
Fact Text(const char* name, std::string value) { return {name, std::move(value), false}; }

// Of a packed file.
std::vector<Fact> PackedFacts(const PackedFile& file) {
  const PackedDirectory& directory = file.directory();
  return {Number("packed_version", directory.version), Text("packed_by", directory.made_by),
          Text("packed_model", directory.source), Text("packed_calibration", directory.calibration),
          Number("packed_bytes", file.size())};
}

std::vector<Fact> Facts(const ModelInfo& info, const EncoderSpec& spec,
                        const Tokenizer& tokenizer) {
  return {Text("model", info.name),
          Text("folder", info.folder),
          Text("architecture", info.architecture),
          Number("layers", spec.layers),
          Number("hidden", spec.hidden),
          Number("heads", spec.heads),
          Number("ffn", spec.ffn),
          Text("activation", Name(spec.activation)),
          Text("head", Name(spec.head)),
          Number("labels", spec.labels),
          Text("score", Name(spec)),
          Number("norm_eps", spec.norm_eps),
          Number("positions", spec.positions),
          Number("position_offset", spec.position_offset),
          Number("token_types", spec.token_types),
          Number("vocabulary", spec.vocabulary),
          Number("parameters", info.parameters),
          Number("max_length", info.max_length),
          Number("tokenizer_pieces", tokenizer.vocabulary()),
          Number("tokenizer_length_max", tokenizer.length_max()),
          Number("special_tokens_of_a_pair", tokenizer.pair_template().special_tokens()),
          Text("precision", info.precision),
          Text("isa", info.isa),
          Number("threads", info.threads),
          Number("weight_bytes", info.weight_bytes),
          Number("arena_bytes", info.arena_bytes)};
}

void WriteFacts(const std::vector<Fact>& facts, json::Writer& writer) {
  for (const Fact& fact : facts) {
    writer.Key(fact.name);
    if (fact.is_number) {
      writer.Double(std::stod(fact.text));
    } else {
      writer.String(fact.text);
    }
  }
}

void WriteVerification(const Verification& verification, json::Writer& writer) {
  writer.Key("verified_as");
  writer.String(verification.model);
  writer.Key("assumption");
  writer.String(verification.assumption);
  writer.Key("checks");
  writer.BeginArray();
  for (const Check& check : verification.checks) {
    writer.BeginObject();
    writer.Key("id");
    writer.String(check.id);
    writer.Key("what");
    writer.String(check.what);
    writer.Key("expected");
    writer.String(check.expected);
    writer.Key("got");
    writer.String(check.got);
    writer.Key("source");
    writer.String(check.source);
    writer.Key("ok");
    writer.Bool(check.ok);
    writer.EndObject();
  }
  writer.EndArray();
}

std::string RenderVerification(const Verification& verification, int columns) {
  constexpr int kCellColumns = 40;
  Table table({false, false, false, false, false});
  table.Add({"check", "", "expected", "got", "of"});
  size_t failed = 0;
  for (const Check& check : verification.checks) {
    if (!check.ok) ++failed;
    table.Add({check.id, check.ok ? "ok" : "FAIL", CutToWidth(check.expected, kCellColumns),
               CutToWidth(check.got, kCellColumns), Printable(check.what, columns)});
  }
  std::string out;
  if (!verification.assumption.empty()) out += verification.assumption + "\n";
  out += table.Render(columns);
  out += Concat(verification.checks.size() - failed, " of ", verification.checks.size(),
                " checks hold", verification.model.empty() ? "" : " for ", verification.model,
                failed == 0 ? "\n" : ": FAIL\n");
  return out;
}

// True when every check that was asked for holds.
Result<bool> Inspect(const InspectCommand& command, Session session) {
  OpenOptions open = command.open;
  PODIUM_ASSIGN_OR_RETURN(open.model, ChooseModel(open.model));
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Reranker> reranker, Reranker::Open(open));
  const ModelInfo& info = reranker->info();
  PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, OpenModel(info.folder));
  PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Tokenizer> tokenizer, OpenTokenizer(*model));
  std::vector<Fact> facts = Facts(info, model->spec(), *tokenizer);
  // Of this process, now: what it holds and what of mapped files is in memory, which other
  // processes share.
  facts.push_back(Text("resident", Field("/proc/self/status", "VmRSS")));
  if (const PackedFile* file = model->packed()) {
    for (Fact& fact : PackedFacts(*file)) facts.push_back(std::move(fact));
  }
  Verification verification;
  if (command.verify) {
    PODIUM_ASSIGN_OR_RETURN(verification, Verify(*reranker, model->spec(), *tokenizer));
  }

  std::string out;
  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  if (table && command.verify) {
    out = RenderVerification(verification, session.out.columns());
  } else if (table) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Fact& fact : facts) lines.emplace_back(fact.name, Printable(fact.text, 400));
    out = RenderFacts(lines);
  } else {
    json::Writer writer(out);
    writer.BeginObject();
    WriteFacts(facts, writer);
    if (command.verify) WriteVerification(verification, writer);
    writer.EndObject();
    out += '\n';
  }
  session.out.Write(out);
  PODIUM_RETURN_IF_ERROR(session.out.Finish());
  for (const Check& check : verification.checks) {
    if (!check.ok) return false;
  }
  return true;
}

}  // namespace

int Run(const InspectCommand& command, Session session) {
  const Result<bool> good = Inspect(command, session);
  if (!good.ok()) return Fail(good.status());
  return *good ? kExitOk : kExitError;
}

}  // namespace podium
