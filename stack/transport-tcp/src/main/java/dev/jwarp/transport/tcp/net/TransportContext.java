package dev.jwarp.transport.tcp.net;

import dev.jwarp.ddp.llp.LimitSink;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounters;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What all parts of one transport have in common, whatever drives it. Any thread. */
public final class TransportContext implements AutoCloseable {
    private final TcpSettings settings;
    private final TcpCounters counters = new TcpCounters();
    private final PathMtu pathMtu = new PathMtu();
    private final int maxConnections;
    private final AtomicInteger connections = new AtomicInteger();
    private final @Nullable Capture capture;

    /**
     * A context.
     *
     * @param epochNanos what to add to the driver's clock to get nanoseconds since 1970
     * @throws IllegalArgumentException if the capture file that the settings ask for cannot be written
     */
    public TransportContext(TcpSettings settings, long epochNanos) {
        this.settings = settings;
        maxConnections = (int) settings.number(TcpSetting.MAX_CONNECTIONS);
        capture = Capture.of(settings, epochNanos);
    }

    /** {@return the settings} */
    public TcpSettings settings() {
        return settings;
    }

    /** {@return the counters} */
    public TcpCounters counters() {
        return counters;
    }

    /** {@return the sizes of TCP segments} */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /** {@return a factory for one more owner; it copies payload up to {@code copyLimit} unless a setting says other} */
    public StreamEngineFactory newEngines(int copyLimit) {
        MpaEngineFactory engines = new MpaEngineFactory(settings, counters, copyLimit);
        return capture == null ? engines : capture.tap(engines);
    }

    /** {@return the most connections at a time} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return whether there may be one more connection, which is counted then} */
    public boolean reserveConnection() {
        if (connections.incrementAndGet() <= maxConnections) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    /** A reserved connection is over. */
    public void releaseConnection() {
        connections.decrementAndGet();
    }

    /** Tells how much of its limits is used. */
    public void limits(LimitSink sink) {
        sink.limit("tcp-connections", connections.get(), maxConnections);
    }

    /** {@return connections at this moment} */
    public int connections() {
        return connections.get();
    }

    /** Ends the capture, if there is one. */
    @Override
    public void close() {
        if (capture != null) {
            capture.close();
        }
    }
}
