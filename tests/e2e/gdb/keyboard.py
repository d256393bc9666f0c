# SPDX-License-Identifier: Apache-2.0
"""keyboard.py HEDDLE DIRECTORY: gdb on a terminal, an endless program in it, and the key that interrupts.

The program must stop in gdb and go on from there; heddle itself must stay, and answer after it."""
import os
import pty
import select
import sys
import time

heddle, directory = sys.argv[1:]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "turns.c")
os.chdir(directory)
if os.system("%s cc -w -g -O0 -pthread %s -o turns 2>/dev/null" % (heddle, source)):
    sys.exit("turns.c does not compile")
if os.system("%s record -q --preempt 1000 -o k.trace --witness k.witness ./turns" % heddle):
    sys.exit("turns cannot be recorded")

child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execv(heddle, [heddle, "replay", "--gdb-args=-nx -ex 'set confirm off'", "k.witness", "./turns"])

said = ""


def wait_for(text, seconds=30):
    """Read until the text has come; what was before it counts no more."""
    global said
    end = time.monotonic() + seconds
    while text not in said:
        if time.monotonic() > end:
            sys.exit("no '%s' in: %s" % (text, said))
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                said += os.read(terminal, 4096).decode(errors="replace")
            except OSError:
                said += "<end>"
    said = said[said.index(text) + len(text):]


def type_in(text):
    os.write(terminal, text.encode())


wait_for("(gdb) ")
type_in("continue\n")
wait_for("Continuing.")
time.sleep(0.3)
type_in("\x03")
wait_for("SIGINT")
wait_for("(gdb) ")
type_in("heddle events 3\n")
wait_for("turns.c")
wait_for("(gdb) ")
type_in("heddle threads\n")
wait_for("runs")
wait_for("(gdb) ")
type_in("quit\n")
_, status = os.waitpid(child, 0)
if os.waitstatus_to_exitcode(status) != 0:
    sys.exit("heddle ended with status %d: %s" % (os.waitstatus_to_exitcode(status), said))
