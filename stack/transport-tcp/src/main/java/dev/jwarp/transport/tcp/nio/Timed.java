package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.TimerHeap;

/** Something with a time at which it wants to be called. */
abstract class Timed extends TimerHeap.Entry {
    abstract void onTimer(long nowNanos);

    /** {@return whether it is one of {@code loop}} */
    abstract boolean isOf(TcpLoop loop);

    /** A call of it threw: what it stands for ends, and nothing else. Throws nothing itself. */
    abstract void fault(Throwable cause, long nowNanos);
}
