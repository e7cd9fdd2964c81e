// Data only. Values and texts are as published at the address beside each.
#include "app/anchors.h"

namespace podium {
namespace {

constexpr float kFp32 = 1e-3f;
constexpr float kFp16 = 0.02f;

constexpr const char* kBase = "BAAI/bge-reranker-base";
constexpr const char* kV2M3 = "BAAI/bge-reranker-v2-m3";
constexpr const char* kMiniLm6 = "cross-encoder/ms-marco-MiniLM-L6-v2";
constexpr const char* kMiniLm12 = "cross-encoder/ms-marco-MiniLM-L12-v2";

constexpr const char* kXlmRoberta = "XLMRobertaForSequenceClassification";
constexpr const char* kBert = "BertForSequenceClassification";

// Of models with the same shape the first is assumed, unless the folder's name says another.
constexpr KnownModel kKnownModels[] = {
    {kBase, kXlmRoberta, 12, 768, 250002, 514, false},
    {"maidalun1020/bce-reranker-base_v1", kXlmRoberta, 12, 768, 250002, 514, false},
    {"BAAI/bge-reranker-large", kXlmRoberta, 24, 1024, 250002, 514, false},
    {kV2M3, kXlmRoberta, 24, 1024, 250002, 8194, true},
    {kMiniLm6, kBert, 6, 384, 30522, 512, false},
    {kMiniLm12, kBert, 12, 384, 30522, 512, false},
    {"cross-encoder/ms-marco-MiniLM-L4-v2", kBert, 4, 384, 30522, 512, false},
    {"cross-encoder/ms-marco-MiniLM-L2-v2", kBert, 2, 384, 30522, 512, false},
    {"cross-encoder/ms-marco-TinyBERT-L2-v2", kBert, 2, 128, 30522, 512, false},
};

constexpr const char* kPanda =
    "The giant panda (Ailuropoda melanoleuca), sometimes called a panda bear or simply panda, is a "
    "bear species endemic to China.";
constexpr const char* kBerlinQuery = "How many people live in Berlin?";
constexpr const char* kBerlinPopulation =
    "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square "
    "kilometers.";
constexpr const char* kBerlinMuseums = "Berlin is well known for its museums.";

constexpr const char* kSourceBase = "https://github.com/FlagOpen/FlagEmbedding/issues/108";
constexpr const char* kSourceM3 = "https://huggingface.co/BAAI/bge-reranker-v2-m3";
constexpr const char* kSourceM3Panda =
    "https://huggingface.co/BAAI/bge-reranker-v2-m3/discussions/31";
constexpr const char* kSourceLlamaCpp = "https://github.com/ggml-org/llama.cpp/pull/9510";
constexpr const char* kSourceRain = "https://github.com/FlagOpen/FlagEmbedding/issues/811";
constexpr const char* kSourceMiniLm6 = "https://huggingface.co/cross-encoder/ms-marco-MiniLM-L6-v2";
constexpr const char* kSourceMiniLm12 =
    "https://huggingface.co/cross-encoder/ms-marco-MiniLM-L12-v2";
constexpr const char* kSourceIds = "https://github.com/nurl-lang/nurl/pull/531";

constexpr ScoreAnchor kScoreAnchors[] = {
    {"A1", kBase, "query", "passage", 0.447488f, kFp32, kSourceBase},
    {"A2", kBase, "what is panda?", "hi", -8.154392f, kFp32, kSourceBase},
    {"A3", kBase, "what is panda?", kPanda, 6.182112f, kFp32, kSourceBase},
    {"A4", kV2M3, "query", "passage", -5.65234375f, kFp16, kSourceM3},
    {"A5a", kV2M3, "what is panda?", "hi", -8.1875f, kFp16, kSourceM3Panda},
    {"A5b", kV2M3, "what is panda?", kPanda, 5.26171875f, kFp16, kSourceM3Panda},
    {"A6a", kV2M3, "A red apple", "A llama in the garden", -8.7265625f, kFp16, kSourceLlamaCpp},
    {"A6b", kV2M3, "I want some fruit", "A llama in the garden", -0.10467530f, kFp16,
     kSourceLlamaCpp},
    {"A7", kV2M3, "下雨", "如何创建直播", -11.0234375f, kFp16, kSourceRain},
    {"A8a", kMiniLm6, kBerlinQuery, kBerlinPopulation, 8.607138f, kFp32, kSourceMiniLm6},
    {"A8b", kMiniLm6, kBerlinQuery, kBerlinMuseums, -4.320078f, kFp32, kSourceMiniLm6},
    {"A9a", kMiniLm12, kBerlinQuery, kBerlinPopulation, 9.218911f, kFp32, kSourceMiniLm12},
    {"A9b", kMiniLm12, kBerlinQuery, kBerlinMuseums, -4.078029f, kFp32, kSourceMiniLm12},
};

const TokenAnchor kTokenAnchors[] = {
    {"T1", "Hello, world!", nullptr, {0, 35378, 4, 8999, 38, 2}, kSourceIds},
    {"T2",
     "The quick brown fox jumps over the lazy dog.",
     nullptr,
     {0, 581, 63773, 119455, 6, 147797, 88203, 7, 645, 70, 21, 3285, 10269, 5, 2},
     kSourceIds},
    {"T3",
     "你好世界，这是一个测试。",
     nullptr,
     {0, 6, 124084, 3221, 4, 100013, 49125, 30, 2},
     kSourceIds},
    {"T4",
     "double  spaces   and\ttab\tcharacters",
     nullptr,
     {0, 41929, 32628, 7, 136, 20928, 124850, 2},
     kSourceIds},
    {"T5",
     "ﬁ ligature ＦＵＬＬＷＩＤＴＨ ｈａｌｆ",
     nullptr,
     {0, 809, 19881, 6644, 167765, 1456, 7146, 23415, 23552, 2},
     kSourceIds},
    {"T6",
     "Ｎｏｒｍａｌｉｚａｔｉｏｎ: ①②③ Ⅳ Ⅴ ㎞ ㎡",
     nullptr,
     {0, 28723, 47691, 12, 37638, 7610, 310, 1785, 347, 304, 2},
     kSourceIds},
    {"T7",
     "🚀 emojis 😀🎉 and ½ symbols © ™ € — dashes…",
     nullptr,
     {0, 6, 247206, 18255, 40292, 21119, 243816, 136, 78660, 26582, 7, 950, 50523, 2505, 292, 48,
      114942, 27, 2},
     kSourceIds},
    {"T8",
     "   leading and trailing spaces   ",
     nullptr,
     {0, 105207, 136, 141037, 214, 32628, 7, 6, 2},
     kSourceIds},
    {"T9",
     "<s> special </s> tokens <mask> inline <unk>",
     nullptr,
     {0, 0, 5361, 6, 2, 47, 84694, 250001, 23, 2256, 6, 3, 2},
     kSourceIds},
    {"T10a", "x<mask>y", nullptr, {0, 1022, 250001, 113, 2}, kSourceIds},
    {"T10b", "x <mask>", nullptr, {0, 1022, 250001, 2}, kSourceIds},
    {"T10c", "<mask> x", nullptr, {0, 250001, 1022, 2}, kSourceIds},
    {"T11a", "a", nullptr, {0, 10, 2}, kSourceIds},
    {"T11b", "", nullptr, {0, 2}, kSourceIds},
    {"T12",
     "A red apple",
     "A llama in the garden",
     {0, 62, 4842, 108787, 2, 2, 62, 67140, 23, 70, 80583, 2},
     kSourceIds},
};

}  // namespace

std::span<const KnownModel> KnownModels() { return kKnownModels; }
std::span<const ScoreAnchor> ScoreAnchors() { return kScoreAnchors; }
std::span<const TokenAnchor> TokenAnchors() { return kTokenAnchors; }

}  // namespace podium
