// What the processor can do at most: registers only, no memory. Results are stated as a share of
// this, measured in the same run.
//
// measure/ times an engine against its processor: peak.h the unit's own limit, pass.h batches of
// made-up sequences, their nominal work and the time they take. It may include batch/, engine/,
// model/, kernels/ and base/. Runs on the caller's team and starts no thread.
#ifndef PODIUM_MEASURE_PEAK_H_
#define PODIUM_MEASURE_PEAK_H_

#include <string>

#include "base/team.h"

namespace podium::measure {

enum class Unit { kFp32, kInt8 };

/// The unit that a precision's products run on.
Unit UnitOf(const std::string& precision);

/// The widest instruction that a table has for the unit: FMA for fp32; tdpbusd or vpdpbusd for
/// int8, and FMA where a table has neither. "" for the scalar table, which has no FMA either.
const char* PeakInstruction(const std::string& table, Unit unit);

/// Operations per second (a multiply-add is two) of one thread that runs that instruction for about
/// `seconds`, the best of its milliseconds. 0 where there is none.
double Peak(const std::string& table, Unit unit, double seconds);

/// The same on all of the team at once, added up.
double TeamPeak(const std::string& table, Unit unit, double seconds, Team& team);

}  // namespace podium::measure

#endif  // PODIUM_MEASURE_PEAK_H_
