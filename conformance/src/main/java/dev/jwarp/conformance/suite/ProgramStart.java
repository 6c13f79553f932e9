package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Starts a device's program and waits until it accepts a connection. Used by one thread; any thread may call {@link
 * #gone}.
 */
final class ProgramStart {
    private static final long COMES_MILLIS = 10_000;
    private static final long LOOK_MILLIS = 50;

    /** After so many consecutive failed starts the program counts as gone. */
    private static final int ENOUGH_LOST = 3;

    private final TestedDevice device;
    private final Runnable start;
    private final long comesMillis;
    /** Number of consecutive failed starts. */
    private int lost;

    private volatile boolean gone;

    ProgramStart(TestedDevice device, Runnable start) {
        this(device, start, COMES_MILLIS);
    }

    ProgramStart(TestedDevice device, Runnable start, long comesMillis) {
        this.device = device;
        this.start = start;
        this.comesMillis = comesMillis;
    }

    /** Starts the program and returns the first connection with it. */
    Wire connect() throws IOException {
        start.run();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(comesMillis);
        while (true) {
            try {
                Wire wire = device.connect();
                lost = 0;
                return wire;
            } catch (IOException e) {
                if (System.nanoTime() >= deadline || Thread.currentThread().isInterrupted()) {
                    gone |= ++lost >= ENOUGH_LOST;
                    throw e;
                }
            }
            pause();
        }
    }

    /** Waits between two attempts to connect. */
    static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether the program does not come back. The device's own count is of no use: it counts refused connections during
     * a start, too.
     */
    boolean gone() {
        return gone;
    }
}
