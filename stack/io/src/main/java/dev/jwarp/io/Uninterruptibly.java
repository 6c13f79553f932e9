package dev.jwarp.io;

import java.util.concurrent.CountDownLatch;

/** Waits that an interrupt does not end; the interrupt flag is set afterwards. */
public final class Uninterruptibly {
    private Uninterruptibly() {}

    /** Waits for the latch. */
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
