# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb for a program that heddle replays (heddle replay --gdb).

The program is run by heddle's runtime, one thread at a time, as the recorded schedule says.  What the commands know
comes from the runtime's object heddle_gdb (src/rt/debug.h describes it), read through gdb as plain memory, so that a
program without debug information will do; the events so far come from the tool, over a socket.  The runtime calls
heddle_gdb_stop when there is something to look at, and the breakpoint there is the only one of ours.
"""
import os
import socket
import struct

import gdb

VERSION = 1
REASON_EVENT, REASON_FINDING, REASON_END, REASON_DIVERGED = 1, 2, 3, 4
REASONS = {
    REASON_FINDING: "a finding; 'heddle events' shows what led to it",
    REASON_END: "the recorded run went no further",
    REASON_DIVERGED: "the schedule cannot be followed any more",
}
THREAD_READY, THREAD_BLOCKED, THREAD_ENDED = 0, 1, 2
# By number: the nouns of src/wire/sync.def (tools/check compares them).
OBJECTS = ["object", "mutex", "rwlock", "rwlock", "spin lock", "condition variable", "stream", "barrier", "semaphore",
           "once control", "annotated lock", "annotated lock", "futex"]


class Runtime:
    """The object heddle_gdb, field by field."""

    HEAD = struct.Struct("<IIIIQQQQQQQQ11I")
    STOP_EVENT = 16     # offsets of what is written
    ATTACHED = 8

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        try:
            self.address = int(gdb.parse_and_eval("(unsigned long)&heddle_gdb"))
        except gdb.error:
            raise gdb.GdbError("this program has no runtime of heddle in it, or it does not run")
        if self.number(self.address, "<I") != VERSION:
            raise gdb.GdbError("the program was built by another version of heddle; build it again")

    def bytes(self, address, size):
        return self.inferior.read_memory(address, size).tobytes()

    def number(self, address, form):
        return struct.unpack(form, self.bytes(address, struct.calcsize(form)))[0]

    def read(self):
        (_, self.reason, _, _, self.stop_event, self.end_event, self.left_at, self.running_at, self.live_at,
         self.count_at, self.code_start, self.code_end, self.thread_id, self.thread_tid, self.thread_state,
         self.thread_name, self.thread_start, self.thread_wait_on, self.thread_wait_thread,
         self.thread_wait_is_timed, self.sync_addr, self.sync_mode, self.sync_owner) = self.HEAD.unpack(self.bytes(self.address, self.HEAD.size))
        return self

    def events(self):
        """How many events have happened: the number of the next one."""
        return (self.stop_event - self.number(self.left_at, "<Q")) % 2**64

    def set_stop(self, event):
        """Stop before this event, or at the end of the run."""
        left = event - self.events()
        self.inferior.write_memory(self.address + self.STOP_EVENT, struct.pack("<Q", event))
        self.inferior.write_memory(self.left_at, struct.pack("<Q", left))
        self.stop_event = event

    def attach(self):
        self.inferior.write_memory(self.address + self.ATTACHED, struct.pack("<I", 1))

    def thread(self, address):
        return Thread(self, address)

    def running(self):
        address = self.number(self.running_at, "<Q")
        return self.thread(address) if address else None

    def live(self):
        count = self.number(self.count_at, "<I")
        addresses = struct.unpack("<%dQ" % count, self.bytes(self.live_at, 8 * count)) if count else ()
        return [self.thread(a) for a in addresses]


class Thread:
    """One thread of the program as the runtime knows it."""

    def __init__(self, runtime, address):
        self.runtime = runtime
        self.address = address
        self.id = runtime.number(address + runtime.thread_id, "<I")
        self.tid = runtime.number(address + runtime.thread_tid, "<I")
        self.state = runtime.number(address + runtime.thread_state, "<I")
        self.name = runtime.bytes(address + runtime.thread_name, 16).split(b"\0")[0].decode(errors="replace")

    def title(self):
        """As in heddle's reports: by its name, or by the function that it began with."""
        start = self.runtime.number(self.address + self.runtime.thread_start, "<Q")
        name = self.name or (symbol(start) if start else "main")
        return "T%d '%s'" % (self.id, name)

    def doing(self, running):
        r = self.runtime
        if self.state == THREAD_ENDED:
            return "has ended"
        if self.state == THREAD_READY:
            return "runs" if running and running.address == self.address else "can run"
        sync = r.number(self.address + r.thread_wait_on, "<Q")
        other = r.number(self.address + r.thread_wait_thread, "<Q")
        timed = r.bytes(self.address + r.thread_wait_is_timed, 1) != b"\0"
        if sync:
            text = "waits for " + self.describe(sync)
        elif other:
            text = "waits for the end of " + r.thread(other).title()
        else:
            return "sleeps" if timed else "waits"
        return text + (", or for its time to pass" if timed else "")

    def describe(self, sync):
        r = self.runtime
        mode = r.bytes(sync + r.sync_mode, 1)[0]
        owner = r.number(sync + r.sync_owner, "<Q")
        text = "%s %s" % (OBJECTS[mode if mode < len(OBJECTS) else 0], symbol(r.number(sync + r.sync_addr, "<Q")))
        return text + (", held by " + r.thread(owner).title() if owner else "")


def symbol(address):
    """The name of an object, as gdb knows it."""
    text = gdb.execute("info symbol %d" % address, to_string=True)
    if text.startswith("No symbol"):
        return hex(address)
    name, _, rest = text.partition(" in section")
    return name.strip()


def gdb_thread(tid):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            return thread
    return None


def is_alive():
    inferior = gdb.selected_inferior()
    return inferior.pid != 0 and len(inferior.threads()) > 0


def runtime():
    if not is_alive():
        raise gdb.GdbError("the program does not run any more")
    return Runtime().read()


# ---- stops ----

class StopHere(gdb.Breakpoint):
    """Where the runtime calls for attention."""

    def __init__(self):
        super().__init__("*heddle_gdb_stop", internal=True)
        self.silent = True


def is_runtime(r, frame):
    return r.code_start <= frame.pc() < r.code_end


class HideRuntime:
    """A frame filter: backtraces begin and end with the program's own functions."""

    def __init__(self):
        self.name = "heddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        r = runtime()
        return (f for f in frames if not is_runtime(r, f.inferior_frame()))


def select_user_frame(r):
    """The innermost frame of the program itself, which has sources and is not the runtime's."""
    frame = gdb.newest_frame()
    while frame and (is_runtime(r, frame) or frame.find_sal().symtab is None):
        frame = frame.older()
    (frame or gdb.newest_frame()).select()


def name_threads(r):
    """gdb's list of threads shows heddle's numbers."""
    known = {t.tid: t.title() for t in r.live()}
    for thread in gdb.selected_inferior().threads():
        name = known.get(thread.ptid[1], "ended")
        if thread.name != name:
            thread.name = name


def tell_stop(r):
    running = r.running()
    where = "before event %d" % r.events()
    reason = "" if r.reason == REASON_EVENT else ": " + REASONS.get(r.reason, "stopped")
    gdb.write("heddle: %s, %s%s\n" % (where, running.title() if running else "no thread", reason))
    select_user_frame(r)
    gdb.execute("frame")


def on_stop(event):
    if not is_alive():
        return
    r = Runtime().read()
    name_threads(r)
    if isinstance(event, gdb.BreakpointEvent) and r.reason and stop_here in event.breakpoints:
        tell_stop(r)


def on_leave(_=None):
    """The program belongs to this session: it ends with it."""
    if is_alive():
        try:
            gdb.execute("kill", to_string=True)
        except gdb.error:
            pass


# ---- commands ----

def number(argument, default):
    argument = argument.strip()
    if not argument and default is not None:
        return default
    try:
        return int(gdb.parse_and_eval(argument))
    except (gdb.error, ValueError):
        raise gdb.GdbError("a number is wanted, not '%s'" % argument)


def run_to(event):
    r = runtime()
    now = r.events()
    if event < now:
        raise gdb.GdbError("event %d has happened already; the next one is %d" % (event, now))
    if event == now and r.reason == REASON_EVENT:
        tell_stop(r)
        return
    if event > r.end_event:
        gdb.write("heddle: the recorded run has only %d events\n" % r.end_event)
        event = r.end_event
    r.set_stop(event)
    gdb.execute("continue")
    # Something else stopped the program on the way: the wish is over.
    if is_alive():
        r = runtime()
        if r.stop_event != r.end_event:
            r.set_stop(r.end_event)


class Heddle(gdb.Command):
    """Commands for a run that heddle replays.

heddle step [N]    go on to the next event, or the N-th from here
heddle until N     go on until event N is the next one
heddle events [N]  the last N steps (default 20), in columns by thread
heddle threads     heddle's threads: number, name, state, what each waits for
heddle race        of the witness of a race: go on to its next access, then show it

Events are numbered as in 'heddle trace print' and 'heddle replay --until'.  Breakpoints, stepping and looking at
variables work as ever; while one thread runs, the others wait for their turn in the schedule."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class Step(gdb.Command):
    """Go on to the next event, or to the N-th from here.

heddle step [N]

The program stops just before the event, in the thread that is about to cause it."""

    def __init__(self):
        super().__init__("heddle step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        count = number(argument, 1)
        if count < 1:
            raise gdb.GdbError("a number from 1 on is wanted")
        run_to(runtime().events() + count)


class Until(gdb.Command):
    """Go on until event N is the next one.

heddle until N

The program stops just before the event, in the thread that is about to cause it, unless something else stops it
earlier."""

    def __init__(self):
        super().__init__("heddle until", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        run_to(number(argument, None))


class Events(gdb.Command):
    """Show the last steps of the program, in columns by thread.

heddle events [N]

N is how many, 20 if it is not given."""

    def __init__(self):
        super().__init__("heddle events", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        count = number(argument, 20)
        gdb.write(ask("events %d" % max(count, 1)))


class Threads(gdb.Command):
    """Show heddle's threads: number, name, state, what each waits for, and gdb's number for it.

heddle threads

The running one is marked by a star."""

    def __init__(self):
        super().__init__("heddle threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        r = runtime()
        running = r.running()
        gdb.write("before event %d\n" % r.events())
        rows = [("", "heddle", "gdb", "state")]
        for t in r.live():
            other = gdb_thread(t.tid)
            mark = "*" if running and running.address == t.address else " "
            rows.append((mark, t.title(), str(other.num) if other else "-", t.doing(running)))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for row in rows:
            gdb.write("%-*s %-*s  %*s  %s\n" % (widths[0], row[0], widths[1], row[1], widths[2], row[2], row[3]))


class Race(gdb.Command):
    """Go on to the next access of the race that the witness is of, and show the race after the second one.

heddle race

The program stops just before an access, in the thread that is about to make it."""

    def __init__(self):
        super().__init__("heddle race", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        events = [int(word) for word in ask("race").split()]
        if not events:
            raise gdb.GdbError("this is not the witness of a race")
        now = runtime().events()
        coming = [(n, event) for n, event in enumerate(events) if event > now or (event == now and not self.is_at(now))]
        if coming:
            n, event = coming[0]
            run_to(event)
            if is_alive() and runtime().events() == event:
                self.at = event
                gdb.write("heddle: the thread is about to make the %s access of the race; 'heddle race' goes on\n"
                          % ("first", "second")[n])
            return
        if now == events[1]:
            run_to(now + 1)
        gdb.write(ask("findings"))

    at = None

    def is_at(self, event):
        return self.at == event


# ---- the tool ----

def ask(question):
    """Ask the tool, which has followed all events so far."""
    if tool is None:
        raise gdb.GdbError("this gdb was not started by heddle")
    try:
        tool.sendall(question.encode() + b"\n")
        answer = tool.makefile("rb")
        size = int(answer.readline())
        return answer.read(size).decode(errors="replace")
    except (OSError, ValueError):
        raise gdb.GdbError("heddle does not answer any more")


def connect():
    fd = os.environ.pop("HEDDLE_GDB_SOCKET", None)
    return socket.socket(fileno=int(fd)) if fd else None


def begin():
    """The program waits for us before its first instruction; let it go on to main."""
    r = Runtime().read()
    # The runtime handles these itself: faults that are a missing piece of its tables, or a finding, at which it stops;
    # system calls of the program, which it catches by a signal.
    for signal in ("SIGSEGV", "SIGBUS", "SIGSYS"):
        gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
    gdb.execute("skip -gfi src/rt/*", to_string=True)
    gdb.execute("skip -gfi */src/rt/*", to_string=True)
    r.attach()
    gdb.events.stop.connect(on_stop)
    if hasattr(gdb.events, "gdb_exiting"):
        gdb.events.gdb_exiting.connect(on_leave)
    try:
        gdb.Breakpoint("main", temporary=True)
        gdb.execute("continue")
    except gdb.error as e:
        gdb.write("heddle: %s\n" % e)


gdb.execute("set pagination off", to_string=True)
tool = connect()
Heddle()
Step()
Until()
Events()
Threads()
Race()
if is_alive():
    stop_here = StopHere()
    HideRuntime()
    begin()
    gdb.write("heddle: a replay of %d events; 'help heddle' lists the commands\n" % runtime().end_event)
else:
    gdb.write("heddle: gdb could not attach to the program\n")
