package dev.jwarp.conformance.script;

import java.io.InterruptedIOException;

/**
 * How long the tester waits, and what it tolerates. Times are in milliseconds.
 *
 * @param answerMillis time limit for bytes that must come
 * @param quietMillis time without a byte that counts as silence
 * @param atOnceMillis time limit for an end that no timer of the device has caused
 * @param closeMillis time limit for the end of a connection that must end, and for time-outs of the device at start-up
 * @param settleMillis pause between the Reply of the device and the first FPDU: 0, except for devices that lose an
 *     early FPDU
 * @param delayMillis pause before each connection
 * @param swappedTerminates whether the device writes the control field of a Terminate in siw's order of bits; then only
 *     the cases
 *     about the layout fail
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

    /** No device gives up waiting so soon. */
    private static final long AT_ONCE_MILLIS = 1_000;

    /** For a device that needs no pause after its Reply and writes Terminates in the right order of bits. */
    public static Patience of(long answerMillis, long quietMillis, long closeMillis) {
        return new Patience(answerMillis, quietMillis, AT_ONCE_MILLIS, closeMillis, 0, 0, false);
    }

    /** The same with these times and this order of bits in Terminates. */
    public Patience with(long settleMillis, long delayMillis, boolean swappedTerminates) {
        return new Patience(
                answerMillis, quietMillis, atOnceMillis, closeMillis, settleMillis, delayMillis, swappedTerminates);
    }

    /** For a device that took so long to answer: an immediate reaction of it may take twice as long. */
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

    /** The same with shorter times, for a first try on a device with a known fault. */
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

    /**
     * How long after {@link #answerMillis} the tester still waits for an answer. A late answer shows that the device is
     * slow.
     */
    public long lateMillis() {
        return Math.max(0, Math.min(closeMillis - answerMillis, MOST_LATE_MILLIS));
    }

    /** Pauses before a connection. */
    public void delay() throws InterruptedIOException {
        try {
            Thread.sleep(delayMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
