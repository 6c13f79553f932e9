package dev.jwarp.verbs;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one end says when it connects or accepts: {@code rdma_conn_param}. Immutable.
 *
 * <p>Threads: any.
 */
public final class ConnectionParameters {
    /** Read depth: connecting, the device's maximum; accepting, what the peer asked for, within our limits. */
    public static final int DEFAULT_DEPTH = -1;

    /** No private data, default depths, the context's time-out. */
    public static final ConnectionParameters DEFAULT =
            new ConnectionParameters(new byte[0], DEFAULT_DEPTH, DEFAULT_DEPTH, null, null);

    private final byte[] privateData;
    private final int responderResources;
    private final int initiatorDepth;
    private final @Nullable Duration timeout;
    private final @Nullable KeepAlive keepAlive;

    private ConnectionParameters(
            byte[] privateData,
            int responderResources,
            int initiatorDepth,
            @Nullable Duration timeout,
            @Nullable KeepAlive keepAlive) {
        this.privateData = privateData;
        this.responderResources = responderResources;
        this.initiatorDepth = initiatorDepth;
        this.timeout = timeout;
        this.keepAlive = keepAlive;
    }

    /**
     * {@return the same with private data for the peer, copied}
     *
     * @param data at most {@link DeviceAttributes#maxPrivateData} bytes
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        RdmaException.requireArgument(data, "data");
        byte[] copy = data.length == 0 ? DEFAULT.privateData : data.clone();
        return new ConnectionParameters(copy, responderResources, initiatorDepth, timeout, keepAlive);
    }

    /**
     * {@return the same with an inbound read depth}
     *
     * @param ird RDMA Reads and Atomics of the peer that we are ready to hold (IRD, RFC 6581 §9.1)
     */
    public ConnectionParameters withResponderResources(int ird) {
        return new ConnectionParameters(privateData, ird, initiatorDepth, timeout, keepAlive);
    }

    /**
     * {@return the same with an outbound read depth}
     *
     * @param ord RDMA Reads and Atomics of ours that may be outstanding (ORD, RFC 6581 §9.1)
     */
    public ConnectionParameters withInitiatorDepth(int ord) {
        return new ConnectionParameters(privateData, responderResources, ord, timeout, keepAlive);
    }

    /**
     * {@return the same with a limit of time for the whole set-up; connecting only}
     *
     * @param limit for the whole set-up; null for the default
     */
    public ConnectionParameters withTimeout(Duration limit) {
        RdmaException.requireArgument(limit, "limit");
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, limit, keepAlive);
    }

    /**
     * {@return the same with other times after which a peer that is gone is noticed} Holds from the moment the connection is
     * established; connecting and accepting.
     *
     * @param times {@link KeepAlive#OFF} for never; null for the settings {@code jwarp.tcp.keep-alive} and its times
     */
    public ConnectionParameters withKeepAlive(@Nullable KeepAlive times) {
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, timeout, times);
    }

    /** {@return a copy of the private data; empty if there is none} */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** {@return the inbound read depth, or {@link #DEFAULT_DEPTH}} */
    public int responderResources() {
        return responderResources;
    }

    /** {@return the outbound read depth, or {@link #DEFAULT_DEPTH}} */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /** {@return the limit of time for the whole set-up; null: the setting {@code jwarp.cm.connect-timeout}} */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** {@return the times after which a peer that is gone is noticed; null: the settings {@code jwarp.tcp.keep-alive…}} */
    public @Nullable KeepAlive keepAlive() {
        return keepAlive;
    }

    @Override
    public String toString() {
        return "ConnectionParameters[privateData=" + Arrays.toString(privateData) + ", responderResources="
                + responderResources + ", initiatorDepth=" + initiatorDepth + ", timeout=" + timeout + ", keepAlive="
                + keepAlive + "]";
    }
}
