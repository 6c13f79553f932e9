package dev.jwarp.benchmarks.compare;

import java.nio.ByteBuffer;
import org.HdrHistogram.Histogram;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * UCX through its Java binding, over TCP: tagged messages in round trips, one at a time, both ends polling. UCX 1.13
 * corrupts its heap at the end of a test: so each JVM runs one round, and the figures are for orientation only.
 */
final class JucxEcho implements Contender {
    private static final long TAG = 7;
    private static final long ALL_BITS = -1;
    /** Memory of the host; the binding's default, "unknown", has another number in each version. */
    private static final int HOST = 0;

    private static final long WARM_UP_NANOS = 500_000_000;

    private final End near;
    private final Histogram times = Contender.histogram();
    private final int size;

    JucxEcho(Arguments arguments) {
        size = arguments.number("size", 64);
        near = new End(size);
        End far = new End(size);
        near.connect(far);
        far.connect(near);
        Thread server = new Thread(
                () -> {
                    while (true) {
                        far.receive();
                        far.send();
                    }
                },
                "far end");
        server.setDaemon(true);
        server.start();
    }

    /** A worker of UCX, used by one thread. */
    private static final class End {
        private static final UcxCallback NOTHING = new UcxCallback();

        private final UcpWorker worker;
        private final ByteBuffer memory;
        private final int size;
        private final long out;
        private final long in;
        private UcpEndpoint peer;

        @SuppressWarnings("NullAway.Init") // connect() sets the field
        End(int size) {
            UcpContext context = new UcpContext(
                    new UcpParams().requestTagFeature().setConfig("TLS", "tcp").setConfig("NET_DEVICES", "lo"));
            worker = context.newWorker(new UcpWorkerParams());
            this.size = size;
            memory = ByteBuffer.allocateDirect(2 * size);
            out = UcxUtils.getAddress(memory);
            in = out + size;
        }

        void connect(End other) {
            peer = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(other.worker.getAddress()));
        }

        void send() {
            await(peer.sendTaggedNonBlocking(out, size, TAG, NOTHING, HOST));
        }

        void receive() {
            await(worker.recvTaggedNonBlocking(in, size, TAG, ALL_BITS, NOTHING, HOST));
        }

        private void await(UcpRequest request) {
            try {
                while (!request.isCompleted()) {
                    worker.progress();
                }
            } catch (Exception e) {
                throw new IllegalStateException("UCX failed", e);
            }
        }
    }

    @Override
    public Sample round(long nanos) {
        repeat(WARM_UP_NANOS);
        times.reset();
        return Sample.ofRoundTrips(times, size, repeat(nanos));
    }

    private long repeat(long nanos) {
        long start = System.nanoTime();
        long now = start;
        do {
            long sent = now;
            near.send();
            near.receive();
            now = System.nanoTime();
            times.recordValue(now - sent);
        } while (now - start < nanos);
        return now - start;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
