#include <filesystem>
#include <system_error>

#include "app/calibration.h"
#include "app/commands.h"
#include "app/display_width.h"
#include "app/table.h"
#include "base/byte_size.h"
#include "base/concat.h"
#include "engine/pack.h"
#include "json/writer.h"
#include "model/model.h"
#include "ranker/loader.h"

namespace podium {
namespace {

// A hub name as it was given; of a folder its own name: where it lies on this machine is nobody's
// business.
std::string SourceName(const std::string& name, const std::string& folder) {
  if (name != folder) return name;
  std::error_code error;
  return std::filesystem::weakly_canonical(folder, error).filename().string();
}

// What a packed file is, as names and values: numbers for JSON, sizes spelt out for people.
struct PackFacts {
  std::string path;
  const PackedDirectory* directory;
  uint64_t file_bytes;
  bool verified;
};

struct Shares {
  uint64_t words = 0;  // word embeddings
  uint64_t bytes = 0;  // linear layers in bytes
  uint64_t files = 0;
  uint64_t rest = 0;
  std::string word_type;
  std::vector<std::string> in_float;  // linear layers of the encoder that are not in bytes
};

Shares SharesOf(const PackedDirectory& directory) {
  Shares shares;
  for (const PackedSection& section : directory.sections) {
    const std::string& name = section.name;
    if (name == "embeddings.word") {
      shares.words += section.bytes;
      shares.word_type = section.type;
    } else if (name.starts_with("file/")) {
      shares.files += section.bytes;
    } else if (name.ends_with(".panels")) {
      shares.bytes += section.bytes;
    } else {
      shares.rest += section.bytes;
      constexpr std::string_view kWeight = ".weight";
      if (name.starts_with("layers.") && name.ends_with(kWeight)) {
        shares.in_float.push_back(name.substr(0, name.size() - kWeight.size()));
      }
    }
  }
  return shares;
}

std::string Render(const PackFacts& facts, bool table) {
  const PackedDirectory& directory = *facts.directory;
  const Shares shares = SharesOf(directory);
  std::string in_float;
  for (const std::string& name : shares.in_float) in_float += (in_float.empty() ? "" : ", ") + name;
  if (table) {
    return RenderFacts(
        {{"file", Printable(facts.path, 400)},
         {"size", ByteSize(facts.file_bytes)},
         {"version",
          Concat(directory.version, ", made by Podium ", Printable(directory.made_by, 40))},
         {"model", Printable(directory.source, 200)},
         {"parameters", Concat(directory.parameters)},
         {"precision", Printable(directory.precision, 40)},
         {"calibration",
          directory.calibration.empty() ? "none" : Printable(directory.calibration, 400)},
         {"in float", in_float.empty() ? "none" : Printable(in_float, 2000)},
         {"linear layers in bytes", ByteSize(shares.bytes)},
         {"word embeddings", Concat(ByteSize(shares.words), ", ", shares.word_type)},
         {"scales, norms, head", ByteSize(shares.rest)},
         {"tokenizer and config", ByteSize(shares.files)},
         {"sections", Concat(directory.sections.size(),
                             facts.verified ? ", each with the bytes of its checksum" : "")}});
  }
  std::string out;
  json::Writer writer(out);
  const auto text = [&](const char* key, const std::string& value) {
    writer.Key(key);
    writer.String(value);
  };
  const auto number = [&](const char* key, uint64_t value) {
    writer.Key(key);
    writer.Int(static_cast<int64_t>(value));
  };
  writer.BeginObject();
  text("file", facts.path);
  number("bytes", facts.file_bytes);
  number("version", directory.version);
  text("made_by", directory.made_by);
  text("model", directory.source);
  number("parameters", directory.parameters);
  text("precision", directory.precision);
  text("calibration", directory.calibration);
  writer.Key("in_float");
  writer.BeginArray();
  for (const std::string& name : shares.in_float) writer.String(name);
  writer.EndArray();
  number("bytes_of_linear_layers", shares.bytes);
  number("bytes_of_word_embeddings", shares.words);
  text("word_embeddings", shares.word_type);
  number("bytes_of_files", shares.files);
  number("sections", directory.sections.size());
  writer.Key("verified");
  writer.Bool(facts.verified);
  writer.EndObject();
  out += '\n';
  return out;
}

Status Pack(const PackCommand& command, Session session) {
  Team team(command.threads > 0 ? command.threads : UsableCores());
  const bool table = command.format == OutputFormat::kTable ||
                     (command.format == OutputFormat::kAuto && session.out.is_terminal());
  std::string path = command.output;
  if (command.verify) {
    path = command.model;
    PODIUM_RETURN_IF_ERROR(VerifyPacked(path, team));
  } else {
    PODIUM_ASSIGN_OR_RETURN(const std::string name, ChooseModel(command.model));
    PODIUM_ASSIGN_OR_RETURN(const std::string folder, FindModelFolder(name));
    PODIUM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model, OpenModel(folder));
    // A file without a tokenizer that works is of no use: found out now.
    PODIUM_ASSIGN_OR_RETURN(const std::unique_ptr<Tokenizer> tokenizer, OpenTokenizer(*model));
    PackOptions options{.source = SourceName(name, folder),
                        .embeddings = command.embeddings,
                        .in_float = command.in_float};
    if (!command.calibrate.path.empty()) {
      PODIUM_ASSIGN_OR_RETURN(const Calibration calibration,
                              CalibrateOnLists(command, model, *tokenizer, team, session));
      options.inputs = calibration.inputs;
      options.in_float = calibration.in_float;
      options.calibration = CalibrationText(calibration);
    }
    PODIUM_RETURN_IF_ERROR(PackModel(model, options, team, path).status());
  }
  PODIUM_ASSIGN_OR_RETURN(const PackedFile file, PackedFile::Open(path));
  session.out.Write(Render({path, &file.directory(), file.size(), command.verify}, table));
  return session.out.Finish();
}

}  // namespace

int Run(const PackCommand& command, Session session) {
  if (command.verify && (command.model.empty() || !command.output.empty())) {
    return UsageFail("--verify: expected the packed file, and no --output", "pack");
  }
  if (!command.calibrate.path.empty() && !command.in_float.empty()) {
    return UsageFail("--calibrate and --float: expected one of them", "pack");
  }
  if (!command.verify && command.output.empty()) {
    return UsageFail("--output: expected the file to write", "pack");
  }
  const Status status = Pack(command, session);
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
