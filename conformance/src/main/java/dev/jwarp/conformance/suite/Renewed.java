package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A device whose program serves one connection at a time, and may end then or serve no more: it can be started anew for each. */
public final class Renewed implements TestedDevice {
    private static final long COMES_MILLIS = 10_000;
    private static final long LOOK_MILLIS = 50;

    private final TestedDevice device;
    private final @Nullable Runnable start;

    /**
     * A device that is started.
     *
     * @param start ends its program if it runs, and starts it; null if it listens again by itself
     */
    public Renewed(TestedDevice device, @Nullable Runnable start) {
        this.device = device;
        this.start = start;
    }

    @Override
    public Wire connect() throws IOException {
        if (start == null) {
            return device.connect();
        }
        start.run();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(COMES_MILLIS);
        while (true) {
            try {
                return device.connect();
            } catch (IOException e) {
                if (System.nanoTime() >= deadline || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public Wire connect(int port) throws IOException {
        return device.connect(port);
    }

    /** A second connection would not be served, or end the program of the first one. */
    @Override
    public boolean single() {
        return role() == Role.RESPONDER;
    }

    @Override
    public Role role() {
        return device.role();
    }

    @Override
    public Application application() {
        return device.application();
    }

    @Override
    public boolean gone() {
        return device.gone();
    }

    @Override
    public Survey survey() {
        return device.survey();
    }

    @Override
    public List<String> said() {
        return device.said();
    }

    @Override
    public void close() {
        device.close();
    }
}
