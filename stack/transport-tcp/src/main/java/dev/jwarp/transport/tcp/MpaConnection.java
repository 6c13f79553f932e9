package dev.jwarp.transport.tcp;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.UpperLayer;
import java.net.InetSocketAddress;

/** The connection of an {@link MpaEngine}, as the layers above see it. */
final class MpaConnection implements LlpConnection {
    private final MpaEngine engine;
    private final StreamDriver driver;

    MpaConnection(MpaEngine engine, StreamDriver driver) {
        this.engine = engine;
        this.driver = driver;
    }

    @Override
    public int mulpdu() {
        return engine.phase().mulpdu();
    }

    @Override
    public boolean ordered() {
        return true; // RFC 5044 §1.1: MPA keeps TCP's reliable, ordered delivery
    }

    @Override
    public void doorbell() {
        driver.wakeup();
    }

    @Override
    public void close() {
        if (!engine.isOver()) {
            engine.phase().close();
            driver.wakeup();
        }
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) {
        if (!engine.isOver()) {
            driver.keepAlive(wanted);
        }
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        driver.afterCall(task);
    }

    @Override
    public void abort() {
        engine.abort();
    }

    @Override
    public InetSocketAddress localAddress() {
        return driver.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return driver.remoteAddress();
    }

    @Override
    public void accept(StartParameters reply, UpperLayer upper) {
        // The connection may have failed before the program's decision; onFailed has reported that.
        if (!engine.isOver() && !engine.isAborting()) {
            engine.phase().accept(reply, upper);
            driver.wakeup();
        }
    }

    @Override
    public void reject(byte[] privateData) {
        if (!engine.isOver() && !engine.isAborting()) {
            engine.phase().reject(privateData);
            driver.wakeup();
        }
    }

    @Override
    public void execute(Runnable task) {
        driver.execute(task);
    }

    @Override
    public String toString() {
        return "connection with " + HostPort.text(remoteAddress());
    }
}
