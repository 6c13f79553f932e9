package dev.jwarp.io;

import dev.jwarp.base.SettingKey;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.Progressing;
import java.nio.channels.SelectionKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A transport on loops. With inline progress, a caller polls its only loop. */
public abstract class LoopTransport implements Progressing {
    /** How a caller waits: one of {@link WaitMode}. */
    public static final SettingKey WAIT = SettingKey.oneOf(
            "jwarp.progress.wait",
            "select",
            List.of("select", "spin", "block"),
            "Inline progress: how a program waits. select serves many connections and ports; spin reads in a loop,"
                    + " for the shortest latency; block reads the only connection with a blocking call, if the wait"
                    + " has no time limit: only one thread may post and poll then, and an interrupt ends the"
                    + " connection. For datagrams, block means select.");

    /** Whether the native parts of Netty are used if the system has them. */
    public static final SettingKey NATIVE = SettingKey.onOff(
            "jwarp.progress.native",
            "on",
            "Whether the native parts of Netty are used where the system has them: epoll for threaded progress, the bytes that"
                    + " TCP holds unsent, UDP_SEGMENT and UDP_GRO.");

    /** SO_REUSEPORT. */
    public static final SettingKey SHARED_PORT = SettingKey.onOff(
            "jwarp.progress.shared-port",
            "off",
            "Whether several contexts, such as one for each thread, may share one port: the system divides the"
                    + " connections, or the sources of datagrams, among them. Inline contexts then do without"
                    + " UDP_SEGMENT and UDP_GRO.");

    /** Creates a transport. */
    protected LoopTransport() {}

    /** {@return the transport on whose loops another one runs; null if the program gave other loops or none} */
    public static @Nullable LoopTransport host(@Nullable GivenLoops given) {
        return given != null && given.loops() instanceof LoopTransport host ? host : null;
    }

    /** {@return the loops of its sockets; the same object at every call} Any thread. */
    public abstract Loops loops();

    @Override
    public final boolean inline() {
        return loops().inline();
    }

    @Override
    public final void useOnlyHere() {
        loops().first().useOnlyHere();
    }

    @Override
    public final boolean poll() {
        return inline() && loops().first().poll();
    }

    @Override
    public final boolean flush() {
        return inline() && loops().first().flush();
    }

    @Override
    public final void await(long nanos) {
        if (inline()) {
            loops().first().await(nanos);
        }
    }

    @Override
    public final void wakeup() {
        if (inline()) {
            loops().first().wakeup();
        }
    }

    @Override
    public final boolean ready(SelectionKey key) {
        return inline() && loops().first().ready(key);
    }

    @Override
    public final long untilPoll() {
        return inline() ? loops().first().untilPoll() : Long.MAX_VALUE;
    }

    @Override
    public final void later(Runnable task) {
        Loop here = loops().here();
        (here == null ? loops().next() : here).later(task);
    }

    @Override
    public final boolean movedHere() {
        return loops().here() != null;
    }
}
