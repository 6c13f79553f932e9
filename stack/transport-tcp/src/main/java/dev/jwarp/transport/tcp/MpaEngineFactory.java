package dev.jwarp.transport.tcp;

import dev.jwarp.base.Rate;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.ShareWatcher;
import dev.jwarp.base.Shares;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.StartSettings;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the engines of one owner (a thread of the transport, or the thread that polls), and holds their shared
 * objects: settings, counters, send buffers and buffers for half received FPDUs. Any thread may create engines; all
 * other methods are for the owner only.
 */
public final class MpaEngineFactory implements StreamEngineFactory {
    private static final Logger LOG = LoggerFactory.getLogger(MpaEngineFactory.class);

    private final TcpSettings settings;
    private final Tally<TcpCounter> counters;
    private final Tally<TcpCounter> ownCounters;
    private final ReassemblyPool reassembly;
    private final BatchPool batches;
    private final Shares stalled;

    /** Ends of connections whose peers do not read. */
    private final Rate endings = new Rate(ENDING_NANOS, 1, 0);

    /** Warnings about peers, by source. */
    private final Rate warnings;

    private final TurnLength turns = new TurnLength();
    private final long sendTimeout;
    private final long linger;
    private final long fpduTimeout;
    private final boolean tapped;

    /** Creates the only factory of a transport. */
    public MpaEngineFactory(TcpSettings settings, Tally<TcpCounter> counters) {
        this(settings, counters, 1);
    }

    /**
     * Creates a factory.
     *
     * @param owners number of factories of the transport, which share the resources of the process
     */
    public MpaEngineFactory(TcpSettings settings, Tally<TcpCounter> counters, int owners) {
        this(settings, counters, null, null, owners, new SecureRandom());
    }

    /** Creates a factory with other sources of memory; null for the default. */
    MpaEngineFactory(
            TcpSettings settings,
            Tally<TcpCounter> counters,
            @Nullable IntFunction<ByteBuffer> allocator,
            @Nullable Supplier<FpduBatch> maker) {
        this(settings, counters, allocator, maker, 1, new SecureRandom());
    }

    /** Creates the factory of one owner, with hash keys from {@code random}. */
    MpaEngineFactory(TcpSettings settings, Tally<TcpCounter> counters, RandomGenerator random) {
        this(settings, counters, null, null, 1, random);
    }

    private MpaEngineFactory(
            TcpSettings settings,
            Tally<TcpCounter> counters,
            @Nullable IntFunction<ByteBuffer> allocator,
            @Nullable Supplier<FpduBatch> maker,
            int owners,
            RandomGenerator random) {
        this.settings = settings;
        this.counters = counters;
        ownCounters = counters.part();
        Shares halves = new Shares(reassemblyLimits(settings, owners), random.nextLong(), WATCHER);
        reassembly = allocator == null ? new ReassemblyPool(halves) : new ReassemblyPool(halves, allocator);
        Shares buffers = new Shares(batchLimits(settings, owners), random.nextLong(), WATCHER);
        batches = maker == null ? batches(settings, buffers) : new BatchPool(maker, buffers);
        stalled = new Shares(stalledLimits(settings, owners), random.nextLong(), WATCHER);
        warnings = new Rate(WARNING_NANOS, WARNING_PLACES, random.nextLong());
        sendTimeout = settings.nanos(TcpSetting.STALL_TIMEOUT);
        linger = settings.nanos(TcpSetting.LINGER);
        fpduTimeout = sendTimeout / 2;
        tapped = !settings.text(TcpSetting.PCAP).isEmpty();
    }

    /** Minimum time between two ends of stalled connections. */
    static final long ENDING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Period in which each source gets one warning of each kind, and all sources {@link #MOST_WARNINGS}. */
    static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    static final int MOST_WARNINGS = 20;
    private static final int WARNING_PLACES = 256;

    /** Minimum memory, enough for about two of the largest FPDUs. */
    private static final long MIN_REASSEMBLY = 1 << 17;

    private static final long MAX_DEFAULT_REASSEMBLY = 256 << 20;
    private static final long MAX_DEFAULT_BATCHES = 1024;

    /** A connection without progress for this time is idle, and returns its memory first. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A connection that has held a send buffer for this time is slow: copying its rest costs less than the waits of
     * others.
     */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Guaranteed memory of each connection for unread octets. */
    private static final int LEAST_STALLED = 4 << 10;

    private static final long MIN_STALLED = 1 << 20;
    private static final long MAX_DEFAULT_STALLED = 256 << 20;

    static ShareLimits reassemblyLimits(TcpSettings settings, int owners) {
        long capacity = Math.max(MIN_REASSEMBLY, memory(settings, owners, 2, MAX_DEFAULT_REASSEMBLY));
        return ShareLimits.of(
                        "memory for FPDUs that have come in part",
                        TcpSetting.MEMORY.key(),
                        capacity,
                        ReassemblyPool.SMALLEST,
                        IDLE_NANOS)
                .perSource(Math.max(MIN_REASSEMBLY, ShareLimits.mostOfOneSource(capacity)));
    }

    static ShareLimits stalledLimits(TcpSettings settings, int owners) {
        long capacity = Math.max(MIN_STALLED, memory(settings, owners, 1, MAX_DEFAULT_STALLED));
        return ShareLimits.of(
                        "memory for what peers have not read",
                        TcpSetting.MEMORY.key(),
                        capacity,
                        LEAST_STALLED,
                        IDLE_NANOS)
                .perSource(ShareLimits.mostOfOneSource(capacity));
    }

    static ShareLimits batchLimits(TcpSettings settings, int owners) {
        long length = FpduBatch.arenaLength(FpduBatch.DEFAULT_CAPACITY);
        long buffers = Math.max(1, memory(settings, owners, 2, MAX_DEFAULT_BATCHES * length) / length);
        return ShareLimits.of("send buffers", TcpSetting.MEMORY.key(), buffers, 0, SLOW_NANOS)
                .perSource(ShareLimits.mostOfOneSource(buffers));
    }

    private static BatchPool batches(TcpSettings settings, Shares shares) {
        return new BatchPool(FpduBatch.DEFAULT_CAPACITY, (int) settings.number(TcpSetting.COPY_LIMIT), shares);
    }

    /** Only logs; the two holders count the outcome. */
    public static final ShareWatcher WATCHER = LOG::warn;

    /**
     * {@return bytes for each owner: {@code parts} fifths of the setting, or eighths of its part of the maximum heap}
     * By default the JVM allows as much direct memory as heap.
     */
    private static long memory(TcpSettings settings, int owners, int parts, long enough) {
        long chosen = settings.number(TcpSetting.MEMORY);
        return chosen == 0
                ? Math.min(enough, Runtime.getRuntime().maxMemory() / 8 * parts / owners)
                : chosen / 5 * parts;
    }

    @Override
    public StreamEngine initiator(
            StreamDriver driver,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler,
            long nowNanos) {
        return new MpaEngine(
                this, driver, engine -> new InitiatorStart(engine, offer, nowNanos, timeoutNanos, upper, handler));
    }

    @Override
    public StreamEngine responder(StreamDriver driver, ConnectionHandler handler, long nowNanos) {
        return new MpaEngine(this, driver, engine -> new ResponderStart(engine, handler, nowNanos));
    }

    /** {@return octets that connections hold for half received FPDUs} Owner only. */
    public long reassemblyOctets() {
        return reassembly.lent();
    }

    /** {@return send buffers that connections hold} Owner only. */
    public int batchesInUse() {
        return batches.lent();
    }

    TcpSettings settings() {
        return settings;
    }

    StartSettings startSettings() {
        return settings.start();
    }

    Tally<TcpCounter> counters() {
        return counters;
    }

    /** {@return the counters of events of every message} */
    Tally<TcpCounter> ownCounters() {
        return ownCounters;
    }

    ReassemblyPool reassembly() {
        return reassembly;
    }

    /** {@return the memory for unread octets of connections that had to return their send buffers} */
    Shares stalled() {
        return stalled;
    }

    /**
     * {@return whether a connection whose peer does not read may be ended now, which is counted} The system releases
     * megabytes at each end, so a thousand ends in a row would delay all other connections.
     */
    boolean mayEndStalled(long nowNanos) {
        boolean may = endings.all(nowNanos) == 0;
        if (may) {
            endings.count(0, nowNanos);
        }
        return may;
    }

    /**
     * Logs a warning about a peer, unless there were too many of its kind within a minute. Owner only.
     *
     * @param kind kind of the warning; kinds are limited separately
     */
    void warn(long source, Enum<?> kind, String sentence, long nowNanos) {
        long ofKind = kind.name().hashCode() * 0x9E37_79B9_7F4A_7C15L;
        long about = source + 31 * ofKind;
        if (warnings.of(ofKind, nowNanos) < MOST_WARNINGS && warnings.of(about, nowNanos) == 0) {
            warnings.count(ofKind, nowNanos);
            warnings.count(about, nowNanos);
            LOG.warn("{}. (Told once a minute for each address.)", sentence);
        }
    }

    /** {@return octets in use for unread output} Owner only. */
    public long stalledOctets() {
        return stalled.used();
    }

    /** {@return the length of turns} */
    TurnLength turns() {
        return turns;
    }

    BatchPool batches() {
        return batches;
    }

    long sendTimeout() {
        return sendTimeout;
    }

    long linger() {
        return linger;
    }

    long fpduTimeout() {
        return fpduTimeout;
    }

    /** {@return whether the traffic is captured; with Markers, Wireshark needs one FPDU per segment} */
    boolean isTapped() {
        return tapped;
    }
}
