package dev.jwarp.tools.perf;

import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import org.jspecify.annotations.Nullable;

/** What a test takes of an end's memory, roughly. A client asks for it, so a server has a limit. */
final class PerfFootprint {
    private static final int MIB = 1 << 20;
    /** A place in a send or receive queue, with what comes back of it. */
    private static final long REQUEST = 512;
    /** A queue pair with its buffers in the stack and in the kernel. */
    private static final long CONNECTION = 256 << 10;

    private static final long PORT = 512 << 10;

    private PerfFootprint() {}

    /** {@return bytes} */
    static long of(PerfSettings settings) {
        PerfSettings.Load load = settings.load();
        long each = load.type() == QueuePairType.RC ? CONNECTION : PORT;
        long requests = (long) TrafficEnd.sendDepth(settings.traffic(Progress.INLINE))
                + settings.queues().rxDepth();
        return 2L * load.largest() + load.queuePairs() * (each + requests * REQUEST);
    }

    /**
     * {@return what a client is told that asks for too much; null if it does not}
     *
     * @param own what the server's user asked for: as much is allowed in any case
     * @param asked the same with the load of the client
     * @param most bytes that a client may ask for
     */
    static @Nullable String objection(PerfSettings own, PerfSettings asked, long most) {
        long wanted = of(asked);
        return wanted <= Math.max(most, of(own))
                ? null
                : "it takes about " + (wanted + MIB - 1) / MIB + " MiB of memory, the server gives " + most / MIB
                        + " MiB: --max-memory there";
    }
}
