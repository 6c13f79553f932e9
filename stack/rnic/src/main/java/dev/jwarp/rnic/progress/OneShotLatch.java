package dev.jwarp.rnic.progress;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A latch that opens once. A thread waits for it with a timeout, uninterruptibly. Any thread. */
public final class OneShotLatch {
    private final CountDownLatch latch = new CountDownLatch(1);

    /** Creates a closed latch. */
    public OneShotLatch() {}

    /** Opens the latch for good. */
    public void open() {
        latch.countDown();
    }

    /**
     * Waits until the latch is open, or up to {@code nanos}. An interrupt does not end the wait; the interrupt flag is
     * set at the return.
     *
     * @return the rest of {@code nanos}, at least 1; 0 if the latch is not open
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
