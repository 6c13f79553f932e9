package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers service resolution requests: {@code ib_cm_sidr_req}. An input/output thread calls the handler once per
 * request, so the handler must not block. The answer is not confidential: any host that can send a request can read it.
 */
@FunctionalInterface
public interface ServiceHandler {
    /**
     * One answer.
     *
     * @param queuePair the queue pair of the service; null refuses the request
     * @param privateData at most 216 bytes
     */
    record Answer(@Nullable DatagramQueuePair queuePair, byte[] privateData) {
        /**
         * Checks that the private data are not null.
         *
         * @param queuePair the queue pair of the service; null refuses the request
         * @param privateData at most 216 bytes
         */
        public Answer {
            RdmaException.requireArgument(privateData, "privateData");
        }

        /** {@return a refusal without private data} */
        public static Answer refused() {
            return new Answer(null, new byte[0]);
        }

        /**
         * {@return an answer with a queue pair and without private data}
         *
         * @param queuePair the queue pair of the service
         */
        public static Answer at(DatagramQueuePair queuePair) {
            return new Answer(queuePair, new byte[0]);
        }
    }

    /**
     * {@return the answer to one request}
     *
     * @param source address of the requester; validated by a challenge
     * @param types types of queue pairs that the requester accepts
     * @param privateData private data of the requester; a copy
     */
    Answer resolve(InetSocketAddress source, Set<QueuePairType> types, byte[] privateData);
}
