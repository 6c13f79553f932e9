package dev.jwarp.tools.cli;

/**
 * A request to end a running command early: from the user (Ctrl-C), or because standard output cannot be written any
 * more. Commands check for the request wherever they wait, print their results so far, and end with 128 plus the
 * signal's number, which {@link Console#ended} replaces if results are lost. Any thread.
 */
public final class Interruption {
    /** Ctrl-C. */
    public static final int SIGINT = 2;
    /** Standard output is not read any more, as with {@code | head -1}, or cannot be written. */
    public static final int SIGPIPE = 13;

    private volatile int signal;

    /** Made without a request. */
    public Interruption() {}

    /** Requests that the command ends. Later requests have no effect. */
    public synchronized void request(int reason) {
        if (signal == 0) {
            signal = reason;
            notifyAll();
        }
    }

    /** {@return whether the command has to end} */
    public boolean requested() {
        return signal != 0;
    }

    /** {@return the number of the signal; 0 without a request} */
    public int signal() {
        return signal;
    }

    /** Waits for that time, or until the command has to end. */
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
