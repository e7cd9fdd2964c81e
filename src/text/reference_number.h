// Numbers as the reference reads them.
#ifndef PODIUM_TEXT_REFERENCE_NUMBER_H_
#define PODIUM_TEXT_REFERENCE_NUMBER_H_

namespace podium {

/// What the `tokenizers` library makes of a JSON number whose nearest double is `value`. Its parser
/// divides the digits by a power of ten, in doubles, so that a number of 17 digits can come out one
/// unit in the last place off; and a unit decides between ways to cut a text that are equally good.
/// The file is taken to have the fewest digits that tell its doubles apart, as every writer of such
/// files does it.
double ReferenceNumber(double value);

}  // namespace podium

#endif  // PODIUM_TEXT_REFERENCE_NUMBER_H_
