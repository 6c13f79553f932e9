package dev.jwarp.conformance.script;

import java.io.InterruptedIOException;

/**
 * How long the tester waits, and what it tolerates. Times are in milliseconds.
 *
 * @param answerMillis for what must come
 * @param quietMillis for what must not come: so long without a byte counts as silence
 * @param atOnceMillis an end that comes so soon was not caused by a timer of the device
 * @param closeMillis for the end of a connection that must end, and for time-outs of the device at start-up
 * @param settleMillis between the Reply of the device and the first FPDU: 0, except for devices that lose an FPDU that comes at once
 * @param delayMillis before each connection
 * @param swappedTerminates whether the device writes the control field of a Terminate in siw's order of bits; then only the cases for the
 *     layout fail
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

    /** So soon no device gives up waiting. */
    private static final long AT_ONCE_MILLIS = 1_000;

    /** For a device that needs no time behind its Reply and writes Terminates in the right order of bits. */
    public static Patience of(long answerMillis, long quietMillis, long closeMillis) {
        return new Patience(answerMillis, quietMillis, AT_ONCE_MILLIS, closeMillis, 0, 0, false);
    }

    /** The same with these times and this order of bits in Terminates. */
    public Patience with(long settleMillis, long delayMillis, boolean swappedTerminates) {
        return new Patience(
                answerMillis, quietMillis, atOnceMillis, closeMillis, settleMillis, delayMillis, swappedTerminates);
    }

    /** For a device that took so long to answer: what it does at once may take twice as long. */
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

    /** The same with shorter times, for a first try on a device whose fault is known already. */
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

    /** How long after {@link #answerMillis} a late answer may come. Such an answer shows that the device is slow. */
    public long lateMillis() {
        return Math.max(0, Math.min(closeMillis - answerMillis, MOST_LATE_MILLIS));
    }

    /** Waits before a connection. */
    public void delay() throws InterruptedIOException {
        try {
            Thread.sleep(delayMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
