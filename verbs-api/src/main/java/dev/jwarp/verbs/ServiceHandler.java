package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers hosts that ask for a service: {@code ib_cm_sidr_req}. Called once per question, by a thread that does input
 * and output: it must not wait. Every host that may ask can read what it answers.
 */
@FunctionalInterface
public interface ServiceHandler {
    /**
     * One answer.
     *
     * @param queuePair where the service is; null: refused
     * @param privateData at most 216 bytes
     */
    record Answer(@Nullable DatagramQueuePair queuePair, byte[] privateData) {
        /**
         * Checks that private data are there.
         *
         * @param queuePair where the service is
         * @param privateData at most 216 bytes
         */
        public Answer {
            RdmaException.requireArgument(privateData, "privateData");
        }

        /** {@return "no", without private data} */
        public static Answer refused() {
            return new Answer(null, new byte[0]);
        }

        /**
         * {@return a queue pair, without private data}
         *
         * @param queuePair where the service is
         */
        public static Answer at(DatagramQueuePair queuePair) {
            return new Answer(queuePair, new byte[0]);
        }
    }

    /**
     * {@return where the service is for this asker}
     *
     * @param source the address that asks; it was proved
     * @param types what it welcomes
     * @param privateData what it said; a copy
     */
    Answer resolve(InetSocketAddress source, Set<QueuePairType> types, byte[] privateData);
}
