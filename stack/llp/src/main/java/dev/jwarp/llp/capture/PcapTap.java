package dev.jwarp.llp.capture;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.UpperLayer;

/**
 * Captures the traffic of the engines of a factory: wrap the factory of a driver with it. Each write of an engine
 * becomes one TCP segment if it fits, however driver and network split it. If both sides of a connection are captured
 * with the same writer, the traffic is written once.
 *
 * <p>A write is captured before it is made, so that a capture of both sides has every response after its request. It is
 * in the capture even if an abort prevents the write.
 *
 * <p>A tap copies every byte: it is for diagnosis, not for measurements. Its threads are those of the wrapped factory;
 * several taps may share a writer.
 */
public final class PcapTap implements StreamEngineFactory {
    private final StreamEngineFactory engines;
    private final PcapWriter writer;

    /** Creates a tap for the engines of {@code engines}. */
    public PcapTap(StreamEngineFactory engines, PcapWriter writer) {
        this.engines = engines;
        this.writer = writer;
    }

    @Override
    public StreamEngine initiator(
            StreamDriver driver,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler,
            long nowNanos) {
        StreamEngine engine = engines.initiator(driver, offer, timeoutNanos, upper, handler, nowNanos);
        return new TappedEngine(engine, driver, writer, true);
    }

    @Override
    public StreamEngine responder(StreamDriver driver, ConnectionHandler handler, long nowNanos) {
        StreamEngine engine = engines.responder(driver, handler, nowNanos);
        return new TappedEngine(engine, driver, writer, false);
    }
}
