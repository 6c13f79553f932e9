package dev.jwarp.transport.tcp.nio;

/** Something with a time at which it wants to be called; lives in a {@link TimerHeap}. */
abstract class Timed {
    /** Its place in the heap, -1 outside. */
    int timerIndex = -1;

    long timerAt = Long.MAX_VALUE;

    abstract void onTimer(long nowNanos);

    /** A call of it threw: what it stands for ends, and nothing else. Throws nothing itself. */
    abstract void fault(Throwable cause, long nowNanos);
}
