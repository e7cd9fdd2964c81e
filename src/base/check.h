// CHECK is for our own bugs: it prints file, line and the condition, and aborts. The world's errors
// are Status.
#ifndef PODIUM_BASE_CHECK_H_
#define PODIUM_BASE_CHECK_H_

namespace podium {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}

#define PODIUM_CHECK(condition)                                              \
  do {                                                                       \
    if (!(condition)) ::podium::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#endif  // PODIUM_BASE_CHECK_H_
