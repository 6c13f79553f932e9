package dev.jwarp.conformance.script;

import java.io.InterruptedIOException;

/**
 * How long the tester waits, and what it puts up with.
 *
 * @param answerMillis for what must come
 * @param quietMillis for what must not come: silence that long counts as silence
 * @param atOnceMillis an end that comes so soon was not brought by a timer of the device
 * @param closeMillis for the end of a connection that must end, and for time-outs of the peer's start-up
 * @param settleMillis behind the device's Reply, before the first FPDU: 0, but for devices that lose one that comes at once
 * @param delayMillis before each connection
 * @param swappedTerminates the device writes the control field of a Terminate in siw's order of bits: it is read so, and only the cases for
 *     the layout fail
 */
public record Patience(
        long answerMillis,
        long quietMillis,
        long atOnceMillis,
        long closeMillis,
        long settleMillis,
        long delayMillis,
        boolean swappedTerminates) {
    private static final long MOST_LATE_MILLIS = 6_000;

    /** Sooner than any device gives up waiting. */
    private static final long AT_ONCE_MILLIS = 1_000;

    /** For a device that needs neither time behind its Reply nor its Terminates read otherwise. */
    public static Patience of(long answerMillis, long quietMillis, long closeMillis) {
        return new Patience(answerMillis, quietMillis, AT_ONCE_MILLIS, closeMillis, 0, 0, false);
    }

    /** With this behind the device's Reply, this before each connection, and Terminates read so. */
    public Patience with(long settleMillis, long delayMillis, boolean swappedTerminates) {
        return new Patience(
                answerMillis, quietMillis, atOnceMillis, closeMillis, settleMillis, delayMillis, swappedTerminates);
    }

    /** For a device that took so long for an answer: what it does at once may take twice as long. */
    public Patience slowed(long tookMillis) {
        return new Patience(
                answerMillis,
                quietMillis,
                Math.max(atOnceMillis, 2 * tookMillis),
                closeMillis,
                settleMillis,
                delayMillis,
                swappedTerminates);
    }

    /** Much less: for first tries on a device of which it is known why it does not answer. */
    public Patience hurried() {
        return new Patience(
                Math.min(answerMillis, Math.max(quietMillis, answerMillis / 8)),
                quietMillis,
                atOnceMillis,
                Math.min(closeMillis, Math.max(quietMillis, closeMillis / 8)),
                settleMillis,
                delayMillis,
                swappedTerminates);
    }

    /** Behind {@link #answerMillis}: an answer that comes so late says that the peer is slow. */
    public long lateMillis() {
        return Math.max(0, Math.min(closeMillis - answerMillis, MOST_LATE_MILLIS));
    }

    /** Waits as long as is wanted before a connection. */
    public void delay() throws InterruptedIOException {
        try {
            Thread.sleep(delayMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
