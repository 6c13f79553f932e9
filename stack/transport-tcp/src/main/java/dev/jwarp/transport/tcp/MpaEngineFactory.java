package dev.jwarp.transport.tcp;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.UpperLayer;
import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.mpa.StartSettings;

/**
 * Makes the engines of one owner (a thread, or whoever polls), and holds what they share: settings, counters, send
 * buffers and buffers for half-received FPDUs. Engines may be made by any thread; all else belongs to the owner.
 */
public final class MpaEngineFactory implements StreamEngineFactory {
    private final TcpSettings settings;
    private final TcpCounters counters;
    private final OwnerCounters ownCounters;
    private final ReassemblyPool reassembly;
    private final BatchPool batches;
    private final long sendTimeout;
    private final long linger;
    private final long fpduTimeout;
    private final boolean tapped;

    /** A factory with java.nio's choice of what to copy. */
    public MpaEngineFactory(TcpSettings settings, TcpCounters counters) {
        this(settings, counters, FpduBatch.DEFAULT_COPY_LIMIT);
    }

    /**
     * A factory.
     *
     * @param copyLimit payload up to this many octets is copied into the send buffer, longer payload is gathered; for
     *     the case that the settings leave it to the driver
     */
    public MpaEngineFactory(TcpSettings settings, TcpCounters counters, int copyLimit) {
        this(settings, counters, new ReassemblyPool(reassemblyLimit(settings)), batches(settings, counters, copyLimit));
    }

    /** A factory with these pools. */
    MpaEngineFactory(TcpSettings settings, TcpCounters counters, ReassemblyPool reassembly, BatchPool batches) {
        this.settings = settings;
        this.counters = counters;
        ownCounters = counters.ofOwner();
        this.reassembly = reassembly;
        this.batches = batches;
        sendTimeout = settings.nanos(TcpSetting.SEND_TIMEOUT);
        linger = settings.nanos(TcpSetting.LINGER);
        fpduTimeout = settings.nanos(TcpSetting.FPDU_TIMEOUT);
        tapped = !settings.text(TcpSetting.PCAP).isEmpty();
    }

    /** Gathering smaller pieces than this makes more slices than one system call takes. */
    private static final int MIN_COPY_LIMIT = 512;

    /** Less than this may not hold two of the largest FPDUs. */
    private static final long MIN_REASSEMBLY = 1 << 17;

    private static final long MAX_DEFAULT_REASSEMBLY = 256 << 20;
    private static final long MAX_DEFAULT_BATCHES = 1024;

    private static long reassemblyLimit(TcpSettings settings) {
        long chosen = settings.number(TcpSetting.REASSEMBLY);
        return Math.max(
                MIN_REASSEMBLY, chosen == 0 ? Math.min(MAX_DEFAULT_REASSEMBLY, quarterOfDirectMemory()) : chosen);
    }

    private static BatchPool batches(TcpSettings settings, TcpCounters counters, int copyLimit) {
        int capacity = (int) settings.number(TcpSetting.BATCH);
        long chosenCopyLimit = settings.number(TcpSetting.COPY_LIMIT);
        long chosenLimit = settings.number(TcpSetting.BATCHES);
        long fitting =
                Math.max(1, Math.min(MAX_DEFAULT_BATCHES, quarterOfDirectMemory() / FpduBatch.arenaLength(capacity)));
        return new BatchPool(
                capacity,
                (int) Math.max(MIN_COPY_LIMIT, chosenCopyLimit == 0 ? copyLimit : chosenCopyLimit),
                (int) (chosenLimit == 0 ? fitting : chosenLimit),
                counters);
    }

    /** Unless told otherwise, the JVM allows as much direct memory as heap. */
    private static long quarterOfDirectMemory() {
        return Runtime.getRuntime().maxMemory() / 4;
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

    /** {@return octets that connections hold for FPDUs that have come in part} Owner only. */
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

    TcpCounters counters() {
        return counters;
    }

    /** {@return the counters of what happens with every message} */
    OwnerCounters ownCounters() {
        return ownCounters;
    }

    BufferPool reassembly() {
        return reassembly;
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

    /** {@return whether somebody records the stream; Wireshark wants one FPDU a segment where there are Markers} */
    boolean isTapped() {
        return tapped;
    }
}
