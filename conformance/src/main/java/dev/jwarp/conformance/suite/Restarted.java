package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A device whose program is started again when it has ended. That it has ended shows in the connection that is opened next, and that one
 * is kept for the case that comes next: so nothing is asked of a device that takes only one connection before it ends.
 */
public final class Restarted implements TestedDevice.Wrapped {
    /** After that a program that is about to end has ended. */
    private static final int MOMENT_MILLIS = 20;

    private final TestedDevice device;
    private final Started started;
    /** Nothing has been said on it. */
    private @Nullable Wire next;

    private boolean connected;
    /** It has taken a second connection. */
    private boolean lasts;

    /** It has ended after its first connection. */
    private boolean single;

    private boolean ended;

    /** A connection stood since its program was started last. */
    private boolean alive;

    /**
     * Looks after a device.
     *
     * @param restart starts its program; called when that has ended
     */
    public Restarted(TestedDevice device, Runnable restart) {
        this(device, new Started(device, restart));
    }

    Restarted(TestedDevice device, Started started) {
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
            // One that is about to end may still be connected to.
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
            // What has not come back since it ended last cannot have ended again.
            ended |= lasts && alive;
        }
        alive = false;
        single |= connected && !lasts;
        return revived();
    }

    /** A second try: a device that is only busy may refuse a connection. Null if it is not there, either. */
    private @Nullable Wire another() {
        Started.pause();
        try {
            return device.connect();
        } catch (IOException e) {
            return null;
        }
    }

    private Wire revived() throws IOException {
        Wire wire = started.connect();
        connected = true;
        alive = true;
        return wire;
    }

    /** Another connection, for the next case, shows it; a device that ends after each connection has survived. */
    @Override
    public boolean survived() {
        try {
            if (connected && (next == null || !stands(next))) {
                next = fresh();
                // It may have been taken by a program that is about to end.
                if (!stands(next)) {
                    next = fresh();
                }
            }
        } catch (IOException e) {
            next = null; // it does not come back: the next case says so
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
