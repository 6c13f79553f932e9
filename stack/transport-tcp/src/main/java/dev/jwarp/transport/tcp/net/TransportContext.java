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

/** What all parts of one transport share, with any driver. Any thread. */
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

    /** The connections that listeners took; used by one thread at a time. */
    private final Shares accepted;

    /** A connection is not ended to make room for another one: none is idle that its program keeps. */
    private static final ShareHolder KEEPS = nowNanos -> {};

    /**
     * A context.
     *
     * @param epochNanos what to add to the driver's clock to get nanoseconds since 1970
     * @param owners how many owners of connections there will be
     * @throws IllegalArgumentException if the capture file that the settings ask for cannot be written
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

    /** {@return a factory for one more owner} */
    public StreamEngineFactory newEngines() {
        MpaEngineFactory engines = new MpaEngineFactory(settings, counters, owners);
        return capture == null ? engines : capture.tap(engines);
    }

    /** {@return the most connections at a time} */
    public int maxConnections() {
        return maxConnections;
    }

    /** {@return whether there may be one more connection to a peer, which is counted then} */
    boolean reserveConnection() {
        if (connections.incrementAndGet() <= maxConnections) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    /**
     * {@return the place of one more connection from a peer, which is counted; null if there may be none}
     *
     * @param last whether it is counted that there may be none; not where another transport may have a place
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

    /** A reserved connection is over; {@code place} is that of one from a peer, null of one to a peer. */
    void releaseConnection(@Nullable Share place) {
        connections.decrementAndGet();
        if (place != null) {
            synchronized (accepted) {
                place.leave();
            }
        }
    }

    /**
     * Something threw in the middle of a call of a driver: the connection it was for ends, whatever it was, and nothing else. A
     * thread that drives others must not die of it. To be followed by what {@link StreamEngine#ending} says. Owner of the engine.
     */
    void fault(StreamEngine engine, InetSocketAddress remote, Throwable cause, long nowNanos) {
        engine.onFault(cause, nowNanos);
        counters.countShared(TcpCounter.LAYER_ABOVE_FAILED);
        FAULTS.tell("This side failed; its connection with {} is aborted", remote, cause);
    }

    /** Something that was asked of an owner threw; there is no caller that could be told. */
    public void noteFailed(Throwable cause) {
        counters.countShared(TcpCounter.LAYER_ABOVE_FAILED);
        LOG.error("What was asked of the owner of the connections failed", cause);
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
