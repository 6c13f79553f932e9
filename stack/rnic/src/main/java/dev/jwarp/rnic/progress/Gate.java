package dev.jwarp.rnic.progress;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Opens once; who comes before that waits, but not without end. Any thread. */
public final class Gate {
    private final CountDownLatch latch = new CountDownLatch(1);

    /** Creates a closed gate. */
    public Gate() {}

    /** Opens it for good. */
    public void open() {
        latch.countDown();
    }

    /** Back when it is open, or after so long: answers whether it is open. An interrupt is kept for the caller. */
    public boolean awaitUninterruptibly(long nanos) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        for (long left = nanos; left > 0 && latch.getCount() > 0; left = end - System.nanoTime()) {
            try {
                latch.await(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return latch.getCount() == 0;
    }
}
