package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a service is: what {@link Context#resolve} found out, enough for
 * {@link DatagramQueuePair#createAddressHandle(ResolvedService)}.
 *
 * @param type of its queue pair: UD or RD
 * @param address of its port
 * @param queuePairNumber of its queue pair
 * @param key the Q_Key of its queue pair
 * @param maxDatagram bytes of the largest UDP payload it takes
 * @param maxMessage bytes of the longest message it takes
 * @param maxRead bytes of the longest RDMA Read it serves
 * @param privateData of the program there
 */
public record ResolvedService(
        QueuePairType type,
        InetSocketAddress address,
        int queuePairNumber,
        int key,
        int maxDatagram,
        long maxMessage,
        long maxRead,
        byte[] privateData) {
    /**
     * Copies the private data.
     *
     * @param type of its queue pair: UD or RD
     * @param address of its port
     * @param queuePairNumber of its queue pair
     * @param key the Q_Key of its queue pair
     * @param maxDatagram bytes of the largest UDP payload it takes
     * @param maxMessage bytes of the longest message it takes
     * @param maxRead bytes of the longest RDMA Read it serves
     * @param privateData of the program there
     */
    public ResolvedService {
        privateData = privateData.clone();
    }

    /** {@return a copy of the private data} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResolvedService that
                && type == that.type
                && address.equals(that.address)
                && queuePairNumber == that.queuePairNumber
                && key == that.key
                && maxDatagram == that.maxDatagram
                && maxMessage == that.maxMessage
                && maxRead == that.maxRead
                && Arrays.equals(privateData, that.privateData);
    }

    @Override
    public int hashCode() {
        return Objects.hash(type, address, queuePairNumber, key);
    }

    @Override
    public String toString() {
        return type + " queue pair " + queuePairNumber + " at " + address;
    }
}
