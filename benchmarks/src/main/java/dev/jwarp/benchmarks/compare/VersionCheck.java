package dev.jwarp.benchmarks.compare;

import dev.jwarp.messaging.EndpointOptions;
import dev.jwarp.messaging.MessageEndpoint;
import dev.jwarp.messaging.StaticDirectory;
import dev.jwarp.samples.cache.CachingProxy;
import dev.jwarp.samples.cache.Origin;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;

/** What an active cache does before each answer: a Read of the version of an object, or a call that asks its owner. */
final class VersionCheck implements Contender {
    private static final int OWNER = 9;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SLICE = Duration.ofMillis(20);
    private static final long COMPUTES_NANOS = 1_000_000;

    private final Origin origin;
    private final CachingProxy proxy;
    private final TimedRoundTrips trips = new TimedRoundTrips(Long.BYTES, new Turn());
    private final boolean byRead;
    private final String owner;
    private volatile boolean measured;

    /** @param arguments {@code by=read|call owner=waits|computes|stopped}, settings of jwarp */
    VersionCheck(Arguments arguments) throws Exception {
        byRead = arguments.is("by", "read");
        owner = arguments.text("owner", "waits");
        StaticDirectory directory = new StaticDirectory(Map.of(OWNER, MessageEcho.freeAddress()));
        EndpointOptions options =
                EndpointOptions.of(0).withCarriers(QueuePairType.RC).withTimeout(PATIENCE);
        Context far = context(arguments);
        Context near = context(arguments);
        MessageEndpoint service = MessageEndpoint.open(far, directory, options.withService(OWNER));
        origin = new Origin(far, service, InetAddress.getLoopbackAddress(), 1);
        Thread program = new Thread(this::serve, "owner");
        program.setDaemon(true);
        program.start();
        proxy = new CachingProxy(near, MessageEndpoint.open(near, directory, options), directory, OWNER, PATIENCE);
    }

    private static Context context(Arguments arguments) {
        return RdmaProvider.load().device("jwarp0").open(Progress.THREADED, arguments.settings());
    }

    /** The program of the owner. It computes only while it is measured, not during the turns of others. */
    private void serve() {
        origin.serve(PATIENCE); // where the versions are
        while (!owner.equals("stopped")) {
            boolean computes = measured && owner.equals("computes");
            origin.serve(computes ? Duration.ZERO : SLICE);
            long end = System.nanoTime() + (computes ? COMPUTES_NANOS : 0);
            while (System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public Sample round(long nanos) throws Exception {
        measured = true;
        try {
            return trips.round(nanos, this::check);
        } finally {
            measured = false;
        }
    }

    private void check() {
        long version = byRead ? proxy.version(0) : proxy.askedVersion(0);
        if (version != 0) {
            throw new IllegalStateException("version " + version);
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
