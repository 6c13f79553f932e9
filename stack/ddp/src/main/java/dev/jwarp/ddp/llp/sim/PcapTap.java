package dev.jwarp.ddp.llp.sim;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.ddp.llp.UpperLayer;

/**
 * Captures what the engines of a factory send and receive: put it around the factory that is given to a driver. Each
 * write of an engine becomes one TCP segment where it fits, however the driver and the network cut it. Where both ends
 * of a connection are tapped with the same writer, what one receives is what the other has sent already, and is written
 * once.
 *
 * <p>A write is written down before it is made, so that a capture of both ends has every answer behind its question;
 * what an abort keeps from being written stands there all the same.
 *
 * <p>A tap copies every byte: it is for looking, not for measuring. Its threads are those of the factory it is put
 * around; several taps may share one writer.
 */
public final class PcapTap implements StreamEngineFactory {
    private final StreamEngineFactory engines;
    private final PcapWriter writer;

    /** Taps the engines that {@code engines} makes. */
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
