package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.OptionalInt;

/**
 * The additional attributes of a datagram queue pair, beside its {@link QueuePairAttributes}. The settings
 * {@code jwarp.datagram.*} limit the memory that peers can make a queue pair use.
 *
 * @param localAddress address of the UDP port; port 0 for any free port. Queue pairs of one context with the same
 *     address share the port.
 * @param queuePairNumber number of the queue pair, 16 to 0xFFFFFE, which peers must know; empty for a random one. No
 *     other queue pair may have used the number within the last 4 s.
 * @param key Q_Key, which every datagram to the queue pair must carry; empty for a random one
 * @param byDefault whether this is the default queue pair of the port, which receives the datagrams for number 0
 * @param reportIncomplete what happens to the receive of an incomplete Send. True: the receive completes as
 *     {@link WorkCompletionStatus#INCOMPLETE}. False: the receive returns to the head of the receive queue without a
 *     completion.
 * @param timeouts timeouts of incomplete messages and RDMA Reads
 * @param maxMessage maximum size of a message sent or received in bytes, 256 to 2^32 - 1
 * @param maxRead maximum size of an RDMA Read that the queue pair answers in bytes, 0 to {@code maxMessage}
 * @param pathMtu size of IP packets in bytes for address handles without a path MTU of their own, 576 to 65,535; 0
 *     discovers the path MTU (RFC 8899)
 * @param errorStopsAll RD: whether an error with one peer stops the queue pair for all peers, until the program
 *     modifies it to RTS again
 * @param oneIpVersion whether the IPv4 wildcard address stands for IPv4 only; if false it stands for IPv4 and IPv6, as
 *     with sockets of the JDK
 */
public record DatagramAttributes(
        InetSocketAddress localAddress,
        OptionalInt queuePairNumber,
        OptionalInt key,
        boolean byDefault,
        boolean reportIncomplete,
        DatagramTimeouts timeouts,
        long maxMessage,
        long maxRead,
        int pathMtu,
        boolean errorStopsAll,
        boolean oneIpVersion) {
    /**
     * Checks that nothing is null.
     *
     * @param localAddress address of the UDP port
     * @param queuePairNumber number of the queue pair, 16 to 0xFFFFFE
     * @param key Q_Key
     * @param byDefault whether this is the default queue pair of the port
     * @param reportIncomplete whether the receive of an incomplete Send completes
     * @param timeouts timeouts of incomplete messages and RDMA Reads
     * @param maxMessage maximum size of a message in bytes, 256 to 2^32 - 1
     * @param maxRead maximum size of an answered RDMA Read in bytes, 0 to {@code maxMessage}
     * @param pathMtu size of IP packets in bytes, 576 to 65,535; 0 discovers the path MTU
     * @param errorStopsAll RD: whether an error with one peer stops the queue pair for all peers
     * @param oneIpVersion whether the IPv4 wildcard address stands for IPv4 only
     */
    public DatagramAttributes {
        RdmaException.requireArgument(localAddress, "localAddress");
        RdmaException.requireArgument(queuePairNumber, "queuePairNumber");
        RdmaException.requireArgument(key, "key");
        RdmaException.requireArgument(timeouts, "timeouts");
    }

    /**
     * {@return a builder with the defaults: random number and key, messages up to 16 MiB, Reads up to 1 MiB}
     *
     * @param localAddress address of the UDP port; port 0 for any free port
     */
    public static Builder builder(InetSocketAddress localAddress) {
        return new Builder(RdmaException.requireArgument(localAddress, "localAddress"));
    }

    /** Builds {@link DatagramAttributes}. Threads: one at a time. */
    public static final class Builder {
        private final InetSocketAddress localAddress;
        private OptionalInt queuePairNumber = OptionalInt.empty();
        private OptionalInt key = OptionalInt.empty();
        private boolean byDefault;
        private boolean reportIncomplete;
        private DatagramTimeouts timeouts = DatagramTimeouts.DEFAULT;
        private long maxMessage = 16 << 20;
        private long maxRead = 1 << 20;
        private int pathMtu;
        private boolean errorStopsAll;
        private boolean oneIpVersion;

        private Builder(InetSocketAddress localAddress) {
            this.localAddress = localAddress;
        }

        /**
         * Sets the number of the queue pair.
         *
         * @param number 16 to 0xFFFFFE
         * @return this builder
         */
        public Builder queuePairNumber(int number) {
            queuePairNumber = OptionalInt.of(number);
            return this;
        }

        /**
         * Sets the Q_Key.
         *
         * @param value the Q_Key
         * @return this builder
         */
        public Builder key(int value) {
            key = OptionalInt.of(value);
            return this;
        }

        /**
         * Sets whether this is the default queue pair of its port.
         *
         * @param yes the new value
         * @return this builder
         */
        public Builder byDefault(boolean yes) {
            byDefault = yes;
            return this;
        }

        /**
         * Sets whether the receive of an incomplete Send completes.
         *
         * @param yes the new value
         * @return this builder
         */
        public Builder reportIncomplete(boolean yes) {
            reportIncomplete = yes;
            return this;
        }

        /**
         * Sets the timeouts.
         *
         * @param values the new timeouts
         * @return this builder
         */
        public Builder timeouts(DatagramTimeouts values) {
            timeouts = RdmaException.requireArgument(values, "values");
            return this;
        }

        /**
         * Sets the maximum size of a message.
         *
         * @param bytes size in bytes
         * @return this builder
         */
        public Builder maxMessage(long bytes) {
            maxMessage = bytes;
            return this;
        }

        /**
         * Sets the maximum size of an RDMA Read that the queue pair answers.
         *
         * @param bytes size in bytes
         * @return this builder
         */
        public Builder maxRead(long bytes) {
            maxRead = bytes;
            return this;
        }

        /**
         * Sets the path MTU for address handles without a path MTU of their own.
         *
         * @param bytes size of IP packets in bytes; 0 discovers the path MTU (RFC 8899)
         * @return this builder
         */
        public Builder pathMtu(int bytes) {
            pathMtu = bytes;
            return this;
        }

        /**
         * RD: sets whether an error with one peer stops the queue pair for all peers.
         *
         * @param yes the new value
         * @return this builder
         */
        public Builder errorStopsAll(boolean yes) {
            errorStopsAll = yes;
            return this;
        }

        /**
         * Sets whether the IPv4 wildcard address stands for IPv4 only.
         *
         * @param yes the new value
         * @return this builder
         */
        public Builder oneIpVersion(boolean yes) {
            oneIpVersion = yes;
            return this;
        }

        /** {@return the attributes} */
        public DatagramAttributes build() {
            return new DatagramAttributes(
                    localAddress,
                    queuePairNumber,
                    key,
                    byDefault,
                    reportIncomplete,
                    timeouts,
                    maxMessage,
                    maxRead,
                    pathMtu,
                    errorStopsAll,
                    oneIpVersion);
        }
    }
}
