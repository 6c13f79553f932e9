package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.Faults;
import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.capture.PcapFile;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shared objects of one transport, for all drivers. Any thread. */
public final class TransportContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransportContext.class);
    private static final Faults FAULTS = new Faults(LOG::error);

    private final TcpSettings settings;
    private final Tally<TcpCounter> counters = new Tally<>(TcpCounter.class);
    private final PathMtu pathMtu = new PathMtu();
    private final int maxConnections;
    private final int owners;
    private final AtomicInteger connections = new AtomicInteger();
    private final @Nullable PcapFile capture;

    /** The shares of accepted connections; used by one thread at a time. */
    private final Shares accepted;

    /** Connections are not displaced by others, because a program may keep idle connections. */
    private static final ShareHolder KEEPS = nowNanos -> {};

    /**
     * Creates a context.
     *
     * @param epochNanos offset of the driver's clock to nanoseconds since 1970
     * @param owners number of owners of connections
     * @throws IllegalArgumentException if the capture file of the settings cannot be written
     */
    public TransportContext(TcpSettings settings, long epochNanos, int owners) {
        this.settings = settings;
        this.owners = owners;
        maxConnections = (int) settings.number(TcpSetting.MAX_CONNECTIONS);
        long chosen = settings.number(TcpSetting.MAX_CONNECTIONS_PER_SOURCE);
        ShareLimits limits = ShareLimits.of(
                        "connections", TcpSetting.MAX_CONNECTIONS_PER_SOURCE.key(), maxConnections, 0, Long.MAX_VALUE)
                .perSource(chosen == 0 ? ShareLimits.mostOfOneSource(maxConnections) : chosen);
        accepted = new Shares(limits, new SecureRandom().nextLong(), MpaEngineFactory.WATCHER);
        capture = PcapFile.ofSetting(TcpSetting.PCAP.key(), settings.text(TcpSetting.PCAP), epochNanos, LOG::error);
    }

    /** {@return the settings} */
    public TcpSettings settings() {
        return settings;
    }

    /** {@return the counters} */
    public Tally<TcpCounter> counters() {
        return counters;
    }

    /** {@return the sizes of TCP segments} */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /** {@return a factory for another owner} */
    public StreamEngineFactory newEngines() {
        MpaEngineFactory engines = new MpaEngineFactory(settings, counters, owners);
        return capture == null ? engines : capture.tap(engines);
    }

    /** {@return the maximum number of connections} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return whether one more connection to a peer is permitted, which is counted then} */
    boolean reserveConnection() {
        if (connections.incrementAndGet() <= maxConnections) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    /**
     * {@return the share of one more accepted connection, which is counted; null if none is permitted}
     *
     * @param last whether to count a refusal; false if another transport may still accept the connection
     */
    @Nullable
    Share reserveConnection(InetSocketAddress remote, long nowNanos, boolean last) {
        if (!reserveConnection()) {
            countRefused(TcpCounter.REFUSED_AT_LIMIT, last);
            return null;
        }
        Share place;
        try {
            place = takePlace(remote, nowNanos);
        } catch (Throwable e) {
            connections.decrementAndGet();
            throw e;
        }
        if (place != null) {
            return place;
        }
        connections.decrementAndGet();
        countRefused(TcpCounter.REFUSED_AT_SOURCE_LIMIT, last);
        return null;
    }

    private void countRefused(TcpCounter limit, boolean last) {
        if (last) {
            counters.countShared(limit);
        }
    }

    private @Nullable Share takePlace(InetSocketAddress remote, long nowNanos) {
        synchronized (accepted) {
            Share place = accepted.join(SourceKey.of(remote), KEEPS, nowNanos);
            boolean taken = false;
            try {
                taken = place.take(1, nowNanos);
            } finally {
                if (!taken) {
                    place.leave();
                }
            }
            return taken ? place : null;
        }
    }

    /**
     * A reserved connection has ended; {@code place} is the share of an accepted connection, null for a connection to a
     * peer.
     */
    void releaseConnection(@Nullable Share place) {
        connections.decrementAndGet();
        if (place != null) {
            synchronized (accepted) {
                place.leave();
            }
        }
    }

    /**
     * A call of a driver threw an exception: ends only the connection of that call, and never the thread, which drives
     * other connections too. The caller then acts on {@link StreamEngine#ending}. Owner of the engine.
     */
    void fault(StreamEngine engine, InetSocketAddress remote, Throwable cause, long nowNanos) {
        engine.onFault(cause, nowNanos);
        counters.countShared(TcpCounter.LAYER_ABOVE_FAILED);
        FAULTS.tell("This side failed; its connection with {} is aborted", remote, cause);
    }

    /** A task of an owner threw an exception, which has no caller to report to. */
    public void noteFailed(Throwable cause) {
        counters.countShared(TcpCounter.LAYER_ABOVE_FAILED);
        LOG.error("A task of the owner of the connections failed", cause);
    }

    /** Reports the use of the limits. */
    public void limits(LimitSink sink) {
        sink.limit("tcp-connections", connections.get(), maxConnections);
    }

    /** {@return the current number of connections} */
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
