# SPDX-License-Identifier: Apache-2.0
"""For gdb: runs heddle and the program that it starts, and answers the program's question whether its shadow stack is
on with yes.  The processor has none, so nothing else changes."""
import gdb

SHADOW_STACK_STATUS = 0x5005

gdb.execute("set pagination off")
gdb.execute("set follow-fork-mode child")
gdb.execute("set breakpoint pending on")
gdb.execute("handle SIGSEGV nostop noprint pass")
gdb.execute("catch syscall arch_prctl")
gdb.execute("run")
is_return = False
while gdb.selected_inferior().pid and gdb.selected_inferior().threads():
    if int(gdb.parse_and_eval("$rdi")) == SHADOW_STACK_STATUS and is_return:
        gdb.execute("set *(unsigned long *)$rsi = 1")
        gdb.execute("set $rax = 0")
        gdb.execute("delete")
        gdb.execute("continue")
        break
    is_return = not is_return
    gdb.execute("continue")
