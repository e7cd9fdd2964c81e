"""Keeping a process and its children from AMX, whatever variables their libraries obey: Linux grants tiles only to a process that asks,
and a filter of system calls refuses the question. AMX instructions without the permission end a process.
"""
import ctypes
import struct
import sys

ARCH_PRCTL, GET_PERMISSION, ASK_PERMISSION, TILE_DATA = 158, 0x1022, 0x1023, 18
NO_NEW_PRIVILEGES, SET_FILTER, FILTER_MODE = 38, 22, 2
# struct sock_filter: code, jump if true, jump if false, operand. Of struct seccomp_data: the call's number, its first argument.
REFUSE = [(0x20, 0, 0, 0), (0x15, 0, 3, ARCH_PRCTL), (0x20, 0, 0, 16), (0x15, 0, 1, ASK_PERMISSION), (0x06, 0, 0, 0x00050001),
          (0x06, 0, 0, 0x7fff0000)]


class Filter(ctypes.Structure):
  _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def refuse_tiles():
  libc = ctypes.CDLL(None, use_errno=True)
  steps = b"".join(struct.pack("=HBBI", *step) for step in REFUSE)
  if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or libc.prctl(
      SET_FILTER, FILTER_MODE, ctypes.byref(Filter(len(REFUSE), steps)), 0, 0) != 0:
    sys.exit(f"seccomp: errno {ctypes.get_errno()}")


def has_tiles():
  allowed = ctypes.c_uint64()
  ctypes.CDLL(None).syscall(ARCH_PRCTL, GET_PERMISSION, ctypes.byref(allowed))
  return bool(allowed.value >> TILE_DATA & 1)
