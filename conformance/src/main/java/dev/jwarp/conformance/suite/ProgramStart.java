package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A device's program that is started, and then waited for until it takes a connection. Used by one thread; any may ask {@link #gone}. */
final class ProgramStart {
    private static final long COMES_MILLIS = 10_000;
    private static final long LOOK_MILLIS = 50;

    /** A program that is started in vain so often does not come back. */
    private static final int ENOUGH_LOST = 3;

    private final TestedDevice device;
    private final Runnable start;
    private final long comesMillis;
    /** How often in a row it did not come back. */
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

    /** Starts it. */
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

    /** A moment between two looks. */
    static void pause() {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It does not come back. What the device counts as gone is also a program that is about to come. */
    boolean gone() {
        return gone;
    }
}
