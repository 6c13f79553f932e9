package dev.jwarp.verbs;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of {@link CmId#connect} and {@link CmId#accept}: {@code rdma_conn_param}. Immutable.
 *
 * <p>Threads: any.
 */
public final class ConnectionParameters {
    /**
     * The default read depth. For connect: the maximum of the device. For accept: the depth that the peer requests,
     * within the limits of the device.
     */
    public static final int DEFAULT_DEPTH = -1;

    /** No private data, default depths, the context's timeout. */
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
     * {@return a copy with other private data for the peer; the bytes are copied}
     *
     * @param data at most {@link DeviceAttributes#maxPrivateData} bytes
     */
    public ConnectionParameters withPrivateData(byte[] data) {
        RdmaException.requireArgument(data, "data");
        byte[] copy = data.length == 0 ? DEFAULT.privateData : data.clone();
        return new ConnectionParameters(copy, responderResources, initiatorDepth, timeout, keepAlive);
    }

    /**
     * {@return a copy with another inbound read depth}
     *
     * @param ird maximum number of outstanding inbound RDMA Reads and Atomics (IRD, RFC 6581 §9.1)
     */
    public ConnectionParameters withResponderResources(int ird) {
        return new ConnectionParameters(privateData, ird, initiatorDepth, timeout, keepAlive);
    }

    /**
     * {@return a copy with another outbound read depth}
     *
     * @param ord maximum number of outstanding outbound RDMA Reads and Atomics (ORD, RFC 6581 §9.1)
     */
    public ConnectionParameters withInitiatorDepth(int ord) {
        return new ConnectionParameters(privateData, responderResources, ord, timeout, keepAlive);
    }

    /**
     * {@return a copy with another timeout of the connection set-up, for connect only}
     *
     * @param limit timeout of the whole set-up
     */
    public ConnectionParameters withTimeout(Duration limit) {
        RdmaException.requireArgument(limit, "limit");
        return new ConnectionParameters(privateData, responderResources, initiatorDepth, limit, keepAlive);
    }

    /**
     * {@return a copy with other keep-alive times, for connect and accept} They apply once the connection is
     * established.
     *
     * @param times {@link KeepAlive#OFF} for no probes; null for the setting {@code jwarp.tcp.keep-alive}
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

    /** {@return the timeout of the whole set-up; null for the setting {@code jwarp.cm.connect-timeout}} */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** {@return the keep-alive times; null for the setting {@code jwarp.tcp.keep-alive}} */
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
