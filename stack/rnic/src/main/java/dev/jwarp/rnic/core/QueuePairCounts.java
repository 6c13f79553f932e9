package dev.jwarp.rnic.core;

/**
 * The counters of one queue pair, so that the data path shares no counter with other threads. Each counter has one
 * writer at a time; readers get a recent value.
 */
public final class QueuePairCounts {
    private long sendsPosted;
    private long receivesPosted;
    private long sendsCompleted;
    private long receivesCompleted;
    private long bytesReceived;
    private long sendsFailed;
    private long receivesFailed;

    public void sendPosted() {
        sendsPosted++;
    }

    public void receivePosted() {
        receivesPosted++;
    }

    public void sendCompleted() {
        sendsCompleted++;
    }

    public void receiveCompleted(int octets) {
        receivesCompleted++;
        bytesReceived += octets;
    }

    public void sendFailed() {
        sendsFailed++;
    }

    public void receiveFailed() {
        receivesFailed++;
    }

    public void add(QueuePairCounts other) {
        sendsPosted += other.sendsPosted;
        receivesPosted += other.receivesPosted;
        sendsCompleted += other.sendsCompleted;
        receivesCompleted += other.receivesCompleted;
        bytesReceived += other.bytesReceived;
        sendsFailed += other.sendsFailed;
        receivesFailed += other.receivesFailed;
    }

    /** {@return whether queue pairs have this counter} */
    public static boolean has(RnicCounter counter) {
        return switch (counter) {
            case SENDS_POSTED,
                    RECEIVES_POSTED,
                    SENDS_COMPLETED,
                    RECEIVES_COMPLETED,
                    BYTES_RECEIVED,
                    COMPLETIONS_IN_ERROR -> true;
            default -> false;
        };
    }

    /** {@return the value; 0 if queue pairs do not have this counter} */
    public long get(RnicCounter counter) {
        return switch (counter) {
            case SENDS_POSTED -> sendsPosted;
            case RECEIVES_POSTED -> receivesPosted;
            case SENDS_COMPLETED -> sendsCompleted;
            case RECEIVES_COMPLETED -> receivesCompleted;
            case BYTES_RECEIVED -> bytesReceived;
            case COMPLETIONS_IN_ERROR -> sendsFailed + receivesFailed;
            default -> 0;
        };
    }
}
