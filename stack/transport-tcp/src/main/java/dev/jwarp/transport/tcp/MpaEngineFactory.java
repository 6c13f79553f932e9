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
    private final ReassemblyPool reassembly;
    private final BatchPool batches;
    private final long sendTimeout;
    private final long linger;
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
        this.settings = settings;
        this.counters = counters;
        reassembly = new ReassemblyPool(settings.number(TcpSetting.REASSEMBLY));
        int chosen = (int) settings.number(TcpSetting.COPY_LIMIT);
        batches = new BatchPool(
                (int) settings.number(TcpSetting.BATCH),
                Math.max(MIN_COPY_LIMIT, chosen == 0 ? copyLimit : chosen),
                (int) settings.number(TcpSetting.BATCHES),
                counters);
        sendTimeout = settings.nanos(TcpSetting.SEND_TIMEOUT);
        linger = settings.nanos(TcpSetting.LINGER);
        tapped = !settings.text(TcpSetting.PCAP).isEmpty();
    }

    /** Gathering smaller pieces than this makes more slices than one system call takes. */
    private static final int MIN_COPY_LIMIT = 512;

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

    /** {@return whether somebody records the stream; Wireshark wants one FPDU a segment where there are Markers} */
    boolean isTapped() {
        return tapped;
    }
}
