// What the allocator of a process that runs for weeks keeps for itself.
//
// glibc's raises its bound for blocks of their own (mmap) to the largest that was ever freed, up to
// 32 MiB. After one large request all later ones come from the heaps of the threads, whose pages
// stay: what is resident is then the most that ever was in use at once, plus the gaps between. A
// server's grew for as long as chance brought a larger crowd of requests (docs/load_report.md).
#ifndef PODIUM_BASE_HEAP_H_
#define PODIUM_BASE_HEAP_H_

namespace podium {

/// Blocks of 128 KiB and more are the system's: they are resident as far as they are touched, and
/// gone when they are freed. Before the first thread starts.
void KeepLargeBlocksApart();

/// Gives what is free in the heaps back to the system: a millisecond or so. Any thread.
void ReturnFreeMemory();

}  // namespace podium

#endif  // PODIUM_BASE_HEAP_H_
