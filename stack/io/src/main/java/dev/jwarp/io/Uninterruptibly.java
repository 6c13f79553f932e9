package dev.jwarp.io;

import java.util.concurrent.CountDownLatch;

/** Waits that an interrupt does not end; it is kept for later. */
public final class Uninterruptibly {
    private Uninterruptibly() {}

    /** Waits until the latch is open. */
    public static void await(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
