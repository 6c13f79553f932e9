package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A device whose program is started again when it has ended. The next connection shows whether the program has ended,
 * and is kept for the next case. So a device that takes only one connection before it ends is asked for no other.
 */
public final class RestartingDevice implements TestedDevice.Wrapped {
    /** Time in milliseconds that an ending program needs to end. */
    private static final int MOMENT_MILLIS = 20;

    private final TestedDevice device;
    private final ProgramStart started;
    /** The connection for the next case; no byte was sent on it. */
    private @Nullable Wire next;

    private boolean connected;
    /** Whether the device has taken a second connection. */
    private boolean lasts;

    /** Whether the device has ended after its first connection. */
    private boolean single;

    private boolean ended;

    /** Whether there was a connection since the latest start of the program. */
    private boolean alive;

    /**
     * Wraps a device.
     *
     * @param restart starts the program; called when the program has ended
     */
    public RestartingDevice(TestedDevice device, Runnable restart) {
        this(device, new ProgramStart(device, restart));
    }

    RestartingDevice(TestedDevice device, ProgramStart started) {
        this.device = device;
        this.started = started;
    }

    @Override
    public TestedDevice device() {
        return device;
    }

    @Override
    public Wire connect() throws IOException {
        Wire ready = next;
        next = null;
        return ready != null && stands(ready) ? ready : fresh();
    }

    private static boolean stands(Wire wire) {
        if (wire.held().length == 0 && !wire.ended()) {
            wire.awaitAnything(MOMENT_MILLIS);
        }
        if (wire.held().length > 0 || !wire.ended()) {
            return true;
        }
        wire.close();
        return false;
    }

    private Wire fresh() throws IOException {
        try {
            Wire wire = device.connect();
            // An ending program may still take a connection.
            if (!connected || lasts || stands(wire)) {
                lasts |= connected;
                connected = true;
                alive = true;
                return wire;
            }
        } catch (IOException e) {
            Wire again = lasts && alive ? another() : null;
            if (again != null) {
                return again;
            }
            // A program that did not come back after its last end cannot have ended again.
            ended |= lasts && alive;
        }
        alive = false;
        single |= connected && !lasts;
        Wire wire = started.connect();
        connected = true;
        alive = true;
        return wire;
    }

    /** Connects once more, because a busy device may refuse a connection. Null if the device refuses again. */
    private @Nullable Wire another() {
        ProgramStart.pause();
        try {
            return device.connect();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Opens the connection for the next case, which shows whether the program has ended. A device that ends
     * after each connection has survived.
     */
    @Override
    public boolean survived() {
        try {
            if (connected && (next == null || !stands(next))) {
                next = fresh();
                // An ending program may have taken the connection.
                if (!stands(next)) {
                    next = fresh();
                }
            }
        } catch (IOException e) {
            next = null; // the program does not come back: the next case reports that
        }
        boolean survived = !ended;
        ended = false;
        return survived;
    }

    @Override
    public boolean single() {
        return single && !lasts;
    }

    @Override
    public boolean gone() {
        return started.gone();
    }

    @Override
    public void close() {
        if (next != null) {
            next.close();
        }
        device.close();
    }
}
