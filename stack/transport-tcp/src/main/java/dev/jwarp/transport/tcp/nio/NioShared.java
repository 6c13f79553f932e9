package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.TransportContext;
import java.util.concurrent.TimeUnit;

/** What the parts of one transport have in common. Any thread, but for the engines, which are the owner's. */
final class NioShared implements AutoCloseable {
    final TransportContext context;
    final NioSockets sockets;
    final StreamEngineFactory engines;

    NioShared(TcpSettings settings) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        context = new TransportContext(settings, epoch);
        sockets = new NioSockets(settings);
        engines = context.newEngines(FpduBatch.DEFAULT_COPY_LIMIT);
    }

    TcpSettings settings() {
        return context.settings();
    }

    void count(TcpCounter counter) {
        context.counters().count(counter);
    }

    @Override
    public void close() {
        context.close();
    }
}
