package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.TimerHeap;

/** Something of a loop, with a time at which it wants to be called. */
abstract class Timed extends TimerHeap.Entry {
    final TcpLoop loop;

    Timed(TcpLoop loop) {
        this.loop = loop;
    }

    abstract void onTimer(long nowNanos);

    /** {@return whether it is one of {@code other}} */
    @SuppressWarnings("ReferenceEquality") // that very one
    final boolean isOf(TcpLoop other) {
        return loop == other;
    }

    /** A call of it threw: what it stands for ends, and nothing else. Throws nothing itself. */
    abstract void fault(Throwable cause, long nowNanos);
}
