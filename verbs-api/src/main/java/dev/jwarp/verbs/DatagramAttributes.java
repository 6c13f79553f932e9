package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.OptionalInt;

/**
 * What a datagram queue pair has in addition to its {@link QueuePairAttributes}. The limits of the memory that peers
 * can make it use are settings of the device: {@code jwarp.datagram.*}.
 *
 * @param localAddress where its UDP port is; port 0 for any. Queue pairs of one context with the same address share the port
 * @param queuePairNumber 16 to 0xFFFFFE; peers must know it; empty: a random one. A number given here must not have
 *     been used by another queue pair within the last 4 s
 * @param key its Q_Key, which every datagram to it has to carry; empty: a random one
 * @param byDefault whether it receives the datagrams for queue pair number 0 of the port
 * @param reportIncomplete what happens with the receive of a Send that did not come as a whole: true: it completes as
 *     {@link WorkCompletionStatus#INCOMPLETE}; false: it goes back to the head of the receive queue without a
 *     completion
 * @param timeouts how long it waits for data that may never come
 * @param maxMessage bytes of the longest message it takes or sends, 256 to 2^32 - 1
 * @param maxRead bytes of the longest RDMA Read that it serves, 0 to {@code maxMessage}
 * @param pathMtu bytes of IP packets to peers whose address handle says nothing else, 576 to 65,535; 0 to find out
 * what each path takes (RFC 8899)
 * @param errorStopsAll RD: whether an error with one peer stops the queue pair for all, until it is modified to RTS again
 * @param weight its share, in bytes, where queue pairs of one port have more to send than leaves: so many times that of one with
 *     weight 1; 1 to 64, or 0 for what the setting {@code jwarp.datagram.weight} says
 * @param oneIpVersion whether the wildcard address of IPv4 is of IPv4 alone; else it is that of both versions of IP where there are both, as with the JDK's sockets
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
        int weight,
        boolean oneIpVersion) {
    /**
     * Checks that nothing is null.
     *
     * @param localAddress where its UDP port is
     * @param queuePairNumber 16 to 0xFFFFFE
     * @param key its Q_Key, which every datagram to it has to carry
     * @param byDefault whether it receives the datagrams for queue pair number 0 of the port
     * @param reportIncomplete what happens with the receive of a Send that did not come as a whole
     * @param timeouts how long it waits for data that may never come
     * @param maxMessage bytes of the longest message it takes or sends, 256 to 2^32 - 1
     * @param maxRead bytes of the longest RDMA Read that it serves, 0 to {@code maxMessage}
     * @param pathMtu bytes of IP packets to peers whose address handle says nothing else, 576 to 65,535; 0 to find out
     *     what each path takes (RFC 8899)
     * @param errorStopsAll RD: whether an error with one peer stops the queue pair for all, until it is modified to RTS again
     * @param weight its share of what its port sends: 1 to 64, or 0 for what the setting says
     * @param oneIpVersion whether the wildcard address of IPv4 is of IPv4 alone
     */
    public DatagramAttributes {
        RdmaException.requireArgument(localAddress, "localAddress");
        RdmaException.requireArgument(queuePairNumber, "queuePairNumber");
        RdmaException.requireArgument(key, "key");
        RdmaException.requireArgument(timeouts, "timeouts");
    }

    /**
     * {@return a builder that starts with the defaults: random number and key, messages up to 16 MiB, Reads up to 1 MiB}
     *
     * @param localAddress where its UDP port is; port 0 for any
     */
    public static Builder builder(InetSocketAddress localAddress) {
        return new Builder(RdmaException.requireArgument(localAddress, "localAddress"));
    }

    /** Collects attributes; the setters return the builder itself. Threads: one at a time. */
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
        private int weight;
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
         * Sets whether it is the default queue pair of its port.
         *
         * @param yes true if so
         * @return this builder
         */
        public Builder byDefault(boolean yes) {
            byDefault = yes;
            return this;
        }

        /**
         * Sets whether incomplete Sends are reported.
         *
         * @param yes true if so
         * @return this builder
         */
        public Builder reportIncomplete(boolean yes) {
            reportIncomplete = yes;
            return this;
        }

        /**
         * Sets the time-outs.
         *
         * @param values the new values
         * @return this builder
         */
        public Builder timeouts(DatagramTimeouts values) {
            timeouts = RdmaException.requireArgument(values, "values");
            return this;
        }

        /**
         * Sets the length of the longest message.
         *
         * @param bytes length of the longest message
         * @return this builder
         */
        public Builder maxMessage(long bytes) {
            maxMessage = bytes;
            return this;
        }

        /**
         * Sets the length of the longest RDMA Read that is served.
         *
         * @param bytes length of the longest RDMA Read that is served
         * @return this builder
         */
        public Builder maxRead(long bytes) {
            maxRead = bytes;
            return this;
        }

        /**
         * Sets the path MTU for address handles that do not have their own.
         *
         * @param bytes of IP packets; 0 to find out what each path takes (RFC 8899)
         * @return this builder
         */
        public Builder pathMtu(int bytes) {
            pathMtu = bytes;
            return this;
        }

        /**
         * RD: sets whether an error with one peer stops the queue pair for all.
         *
         * @param yes true if so
         * @return this builder
         */
        public Builder errorStopsAll(boolean yes) {
            errorStopsAll = yes;
            return this;
        }

        /**
         * Sets its share of what its port sends. Without effect while all that is posted leaves.
         *
         * @param times so many times the bytes of a queue pair with weight 1: 1 to 64, or 0 for what the setting says
         * @return this builder
         */
        public Builder weight(int times) {
            weight = times;
            return this;
        }

        /**
         * Sets whether the wildcard address of IPv4 is of IPv4 alone.
         *
         * @param yes true if so
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
                    weight,
                    oneIpVersion);
        }
    }
}
