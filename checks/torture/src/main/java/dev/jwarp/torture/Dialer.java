package dev.jwarp.torture;

import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Connects two contexts, one connection at a time, through a listener of its own. Threads: one at a time. */
public final class Dialer implements AutoCloseable {
    private static final long MOMENT_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    /** The connecting and the accepting id. */
    public record Ends(CmId near, @Nullable CmId far, boolean established) {
        /** {@return the far end of an established connection} */
        public CmId peer() {
            return Objects.requireNonNull(far);
        }
    }

    private final Context near;
    private final CmEventChannel nearEvents;
    private final CmEventChannel farEvents;
    private final CmId listener;
    private long dials;

    /** Listens in {@code far} on any port of the loopback address. */
    public Dialer(Context near, Context far) {
        this(near, far, InetAddress.getLoopbackAddress());
    }

    /** Listens in {@code far} on any port of {@code address}. */
    public Dialer(Context near, Context far, InetAddress address) {
        this.near = near;
        nearEvents = near.createEventChannel();
        farEvents = far.createEventChannel();
        listener = far.createId(farEvents);
        listener.bind(new InetSocketAddress(address, 0));
        listener.listen(0);
    }

    /** As the method below; threads drive the contexts, or this thread does. */
    public Ends dial(Consumer<CmId> prepareNear, Consumer<CmId> prepareFar, Duration patience) {
        return dial(prepareNear, prepareFar, patience, () -> {
            if (!near.poll()) {
                LockSupport.parkNanos(MOMENT_NANOS);
            }
        });
    }

    /**
     * {@return the two ids, unconnected if the set-up failed or took too long; the caller closes them}
     *
     * @param prepareNear gives the connecting id its queue pair
     * @param prepareFar gives the accepting id its queue pair
     * @param patience the longest wait
     * @param move drives the contexts while there is no event
     */
    public Ends dial(Consumer<CmId> prepareNear, Consumer<CmId> prepareFar, Duration patience, Runnable move) {
        byte[] mark = Long.toString(++dials).getBytes(StandardCharsets.US_ASCII);
        CmId id = near.createId(nearEvents);
        CmId peer = null;
        boolean nearDone = false;
        boolean farDone = false;
        try {
            id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
            prepareNear.accept(id);
            id.connect(ConnectionParameters.DEFAULT.withTimeout(patience).withPrivateData(mark));
            long end = System.nanoTime() + patience.toNanos() + TimeUnit.SECONDS.toNanos(1);
            while (!(nearDone && farDone) && System.nanoTime() < end) {
                move.run();
                CmEvent event = farEvents.poll();
                if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
                    if (!Arrays.equals(event.parameters().privateData(), mark)) {
                        event.id().close(); // a late event of a set-up that was given up
                        continue;
                    }
                    peer = event.id();
                    prepareFar.accept(peer);
                    peer.accept(ConnectionParameters.DEFAULT);
                } else if (event != null && event.id() == peer) {
                    farDone = event.type() == CmEventType.ESTABLISHED;
                    if (!farDone) {
                        break;
                    }
                }
                event = nearEvents.poll();
                if (event != null && event.id() == id && event.type() != CmEventType.ADDR_RESOLVED) {
                    nearDone = event.type() == CmEventType.ESTABLISHED;
                    if (!nearDone) {
                        break;
                    }
                }
            }
        } catch (RuntimeException e) {
            id.close();
            if (peer != null) {
                peer.close();
            }
            throw e;
        }
        return new Ends(id, peer, nearDone && farDone);
    }

    @Override
    public void close() {
        listener.close();
        nearEvents.close();
        farEvents.close();
    }
}
