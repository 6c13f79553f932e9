package dev.jwarp.tools.cli;

/**
 * The wish that a running command ends early: the user's (Ctrl-C), or that of a reader of its output who has read
 * enough. Commands look at it wherever they wait, print what they have, and end with 128 plus the signal's number. Any
 * thread.
 */
public final class Interruption {
    /** Ctrl-C. */
    public static final int SIGINT = 2;
    /** Standard output is not read any more, as with {@code | head -1}, or cannot be written. */
    public static final int SIGPIPE = 13;

    private volatile int signal;

    /** Nothing has been asked for yet. */
    public Interruption() {}

    /** Asks the command to end; the first reason counts. */
    public synchronized void request(int reason) {
        if (signal == 0) {
            signal = reason;
            notifyAll();
        }
    }

    /** {@return whether the command shall end} */
    public boolean requested() {
        return signal != 0;
    }

    /** {@return the number of the signal, 0 if none came} */
    public int signal() {
        return signal;
    }

    /** Waits, but not longer than until the command shall end. */
    public synchronized void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && signal == 0; left = end - System.nanoTime()) {
            try {
                wait(left / 1_000_000, (int) (left % 1_000_000));
            } catch (InterruptedException e) {
                signal = SIGINT;
            }
        }
    }
}
