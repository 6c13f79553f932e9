package dev.jwarp.llp.capture;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramBatch;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.DatagramEngine;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.llp.datagram.DatagramPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Captures the traffic of the datagram engines of a factory: wrap the factory of a driver with it. Datagrams from a
 * port that is captured with the same writer are not written a second time. Datagrams that the system has coalesced are
 * written as one.
 *
 * <p>A tap copies every byte: it is for diagnosis, not for measurements. Its threads are those of the wrapped factory;
 * several taps may share a writer.
 */
public final class PcapDatagramTap implements DatagramEngineFactory {
    private final DatagramEngineFactory engines;
    private final PcapWriter writer;

    /** Creates a tap for the engines of {@code engines}. */
    public PcapDatagramTap(DatagramEngineFactory engines, PcapWriter writer) {
        this.engines = engines;
        this.writer = writer;
    }

    @Override
    public DatagramEngine open(DatagramDriver driver, long nowNanos) {
        writer.tapped(driver.localAddress());
        return new Tapped(engines.open(driver, nowNanos), driver.localAddress(), writer);
    }

    private record Tapped(DatagramEngine engine, InetSocketAddress local, PcapWriter writer) implements DatagramEngine {
        @Override
        public DatagramPort port() {
            return engine.port();
        }

        @Override
        public void receive(
                ByteBuffer in,
                boolean coalesced,
                DatagramAddress source,
                @Nullable DatagramAddress group,
                long nowNanos) {
            InetSocketAddress from = source.toSocketAddress();
            if (!writer.isTapped(from)) {
                InetSocketAddress to = group == null ? local : group.toSocketAddress();
                writer.datagram(from, to, in.duplicate(), nowNanos);
            }
            engine.receive(in, coalesced, source, group, nowNanos);
        }

        private static ByteBuffer octets(ByteBuffer buffer, int offset, int length) {
            return buffer.duplicate().clear().limit(offset + length).position(offset);
        }

        @Override
        public boolean prepareOutput(long nowNanos) {
            return engine.prepareOutput(nowNanos);
        }

        @Override
        public DatagramBatch output() {
            return engine.output();
        }

        @Override
        public void onWritten(int octets, long nowNanos) {
            DatagramBatch batch = engine.output();
            InetSocketAddress to = batch.destination().toSocketAddress();
            for (int at = 0; at < octets; at += batch.datagramSize()) {
                int length = Math.min(batch.datagramSize(), octets - at);
                writer.datagram(local, to, octets(batch.memory(), batch.offset() + at, length), nowNanos);
            }
            engine.onWritten(octets, nowNanos);
        }

        @Override
        public void onUnsendable(String sentence, long nowNanos) {
            engine.onUnsendable(sentence, nowNanos);
        }

        @Override
        public long nextSend() {
            return engine.nextSend();
        }

        @Override
        public long nextTimeout() {
            return engine.nextTimeout();
        }

        @Override
        public void onTimeout(long nowNanos) {
            engine.onTimeout(nowNanos);
        }

        @Override
        public void onClosed(long nowNanos) {
            engine.onClosed(nowNanos);
        }
    }
}
