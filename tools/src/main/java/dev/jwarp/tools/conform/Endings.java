package dev.jwarp.tools.conform;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ends of the latest conversations, by the TCP port of the connecting end. Any thread. */
final class Endings {
    private static final int KEPT = 64;

    private final Map<Integer, Ending> last = new LinkedHashMap<>();

    /**
     * The end of a conversation.
     *
     * @param delivered messages that were delivered
     * @param good work requests that ended well
     * @param failed work requests that ended in error, but were not flushed
     * @param flushed work requests that were flushed
     * @param outstanding work requests that never completed
     * @param clean whether the connection ended in order
     * @param memory the first bytes of the region with all rights
     */
    record Ending(int delivered, int good, int failed, int flushed, int outstanding, boolean clean, byte[] memory) {
        byte[] octets() {
            return ByteBuffer.allocate(24)
                    .putInt(delivered)
                    .putInt(good)
                    .putInt(failed)
                    .putInt(flushed)
                    .putInt(outstanding)
                    .putInt(clean ? 1 : 0)
                    .array();
        }
    }

    synchronized void put(int port, Ending ending) {
        last.remove(port);
        last.put(port, ending);
        if (last.size() > KEPT) {
            last.remove(last.keySet().iterator().next());
        }
        notifyAll();
    }

    /** {@return its end; null after the time limit} Waits for the end of a conversation. */
    synchronized @Nullable Ending await(int port, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + millis * 1_000_000;
        while (!last.containsKey(port)) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return null;
            }
            wait(left);
        }
        return last.get(port);
    }
}
