package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.StreamEngineFactory;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounters;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.Capture;
import dev.jwarp.transport.tcp.net.PathMtu;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What the parts of one transport have in common. Any thread, but for the engines, which are the owner's. */
final class NioShared implements AutoCloseable {
    final TcpSettings settings;
    final TcpCounters counters = new TcpCounters();
    final NioSockets sockets;
    final PathMtu pathMtu = new PathMtu();
    final StreamEngineFactory engines;
    final int maxConnections;
    private final AtomicInteger connections = new AtomicInteger();
    private final @Nullable Capture capture;

    NioShared(TcpSettings settings) {
        this.settings = settings;
        sockets = new NioSockets(settings);
        maxConnections = (int) settings.number(TcpSetting.MAX_CONNECTIONS);
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        capture = Capture.of(settings, epoch);
        MpaEngineFactory plain = new MpaEngineFactory(settings, counters, FpduBatch.DEFAULT_COPY_LIMIT);
        engines = capture == null ? plain : capture.tap(plain);
    }

    /** {@return whether there may be one more connection, which is counted then} */
    boolean reserveConnection() {
        if (connections.incrementAndGet() <= maxConnections) {
            return true;
        }
        connections.decrementAndGet();
        return false;
    }

    void releaseConnection() {
        connections.decrementAndGet();
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() {
        if (capture != null) {
            capture.close();
        }
    }
}
