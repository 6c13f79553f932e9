package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.TransportContext;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of one transport have in common. Any thread, but for the engines, which are the owner's. */
final class NioShared implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NioShared.class);

    final TransportContext context;
    final NioSockets sockets;
    final StreamEngineFactory engines;

    NioShared(TcpSettings settings) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        context = new TransportContext(settings, epoch, 1);
        try {
            sockets = new NioSockets(settings);
            engines = context.newEngines(FpduBatch.DEFAULT_COPY_LIMIT);
        } catch (Throwable e) {
            context.close();
            throw e;
        }
    }

    TcpSettings settings() {
        return context.settings();
    }

    void count(TcpCounter counter) {
        context.counters().countShared(counter);
    }

    /** Something that was asked of the owner threw; there is no caller that could be told. */
    void noteFailed(Throwable cause) {
        count(TcpCounter.LAYER_ABOVE_FAILED);
        LOG.error("What was asked of the owner of the connections failed", cause);
    }

    @Override
    public void close() {
        context.close();
    }
}
