package dev.jwarp.rnic.progress;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Opens once; a thread that comes before that waits, but not without end. Any thread. */
public final class Gate {
    private final CountDownLatch latch = new CountDownLatch(1);

    /** Creates a closed gate. */
    public Gate() {}

    /** Opens it; it stays open. */
    public void open() {
        latch.countDown();
    }

    /**
     * Back when it is open, or after so long. An interrupt is kept for the caller.
     *
     * @return what is left of that time, at least 1; 0 if it is not open
     */
    public long awaitUninterruptibly(long nanos) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        long left = nanos;
        while (left > 0 && latch.getCount() > 0) {
            try {
                latch.await(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = end - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return latch.getCount() == 0 ? Math.max(left, 1) : 0;
    }
}
