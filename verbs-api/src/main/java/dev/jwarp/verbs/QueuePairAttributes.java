package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The attributes that a queue pair is created with: {@code ibv_qp_init_attr}.
 *
 * @param sendCompletionQueue completion queue of sends
 * @param receiveCompletionQueue completion queue of receives; may be the same queue
 * @param sharedReceiveQueue shared receive queue; null for a receive queue of the queue pair's own
 * @param maxSendWorkRequests maximum number of outstanding sends
 * @param maxReceiveWorkRequests maximum number of outstanding receives; always 0 with a shared receive queue
 * @param maxSendElements maximum number of scatter/gather elements of a send
 * @param maxReceiveElements maximum number of scatter/gather elements of a receive; always 0 with a shared receive
 *     queue
 * @param maxInlineData maximum size of inline data of a send in bytes
 * @param signalAll true if every send has a completion, even an unsignalled one ({@code sq_sig_all})
 * @param weight 1 to 64: a queue pair of weight n gets n times the share of one of weight 1 while there is not enough
 *     for both. Datagrams share the bytes that a UDP port sends. Connections share the turns of their event loop or
 *     inline context: n times as many writes and received FPDUs, so bytes only for messages of equal size.
 */
public record QueuePairAttributes(
        CompletionQueue sendCompletionQueue,
        CompletionQueue receiveCompletionQueue,
        @Nullable SharedReceiveQueue sharedReceiveQueue,
        int maxSendWorkRequests,
        int maxReceiveWorkRequests,
        int maxSendElements,
        int maxReceiveElements,
        int maxInlineData,
        boolean signalAll,
        int weight) {
    /**
     * Checks that the completion queues are not null.
     *
     * @param sendCompletionQueue completion queue of sends
     * @param receiveCompletionQueue completion queue of receives
     * @param sharedReceiveQueue shared receive queue, or null
     * @param maxSendWorkRequests maximum number of outstanding sends
     * @param maxReceiveWorkRequests maximum number of outstanding receives
     * @param maxSendElements maximum number of scatter/gather elements of a send
     * @param maxReceiveElements maximum number of scatter/gather elements of a receive
     * @param maxInlineData maximum size of inline data of a send in bytes
     * @param signalAll true if every send has a completion, even an unsignalled one ({@code sq_sig_all})
     * @param weight its share while there is not enough for all, 1 to 64
     */
    public QueuePairAttributes {
        RdmaException.requireArgument(sendCompletionQueue, "sendCompletionQueue");
        RdmaException.requireArgument(receiveCompletionQueue, "receiveCompletionQueue");
        if (sharedReceiveQueue != null) {
            maxReceiveWorkRequests = 0;
            maxReceiveElements = 0;
        }
    }

    /**
     * {@return a builder with the defaults: 128 sends and 128 receives of up to 4 elements, no inline data}
     *
     * @param sendCompletionQueue completion queue of sends
     * @param receiveCompletionQueue completion queue of receives
     */
    public static Builder builder(CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue) {
        return new Builder(
                RdmaException.requireArgument(sendCompletionQueue, "sendCompletionQueue"),
                RdmaException.requireArgument(receiveCompletionQueue, "receiveCompletionQueue"));
    }

    /**
     * {@return a builder with one completion queue for both directions}
     *
     * @param completionQueue completion queue of sends and receives
     */
    public static Builder builder(CompletionQueue completionQueue) {
        RdmaException.requireArgument(completionQueue, "completionQueue");
        return new Builder(completionQueue, completionQueue);
    }

    /** Builds {@link QueuePairAttributes}. Threads: one at a time. */
    public static final class Builder {
        private final CompletionQueue sendCompletionQueue;
        private final CompletionQueue receiveCompletionQueue;
        private @Nullable SharedReceiveQueue sharedReceiveQueue;
        private int maxSendWorkRequests = 128;
        private int maxReceiveWorkRequests = 128;
        private int maxSendElements = 4;
        private int maxReceiveElements = 4;
        private int maxInlineData;
        private boolean signalAll;
        private int weight = 1;

        private Builder(CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue) {
            this.sendCompletionQueue = sendCompletionQueue;
            this.receiveCompletionQueue = receiveCompletionQueue;
        }

        /**
         * Sets the shared receive queue.
         *
         * @param queue the shared receive queue
         * @return this builder
         */
        public Builder sharedReceiveQueue(SharedReceiveQueue queue) {
            sharedReceiveQueue = RdmaException.requireArgument(queue, "queue");
            return this;
        }

        /**
         * Sets the maximum number of outstanding sends.
         *
         * @param count number of sends
         * @return this builder
         */
        public Builder maxSendWorkRequests(int count) {
            maxSendWorkRequests = count;
            return this;
        }

        /**
         * Sets the maximum number of outstanding receives.
         *
         * @param count number of receives
         * @return this builder
         */
        public Builder maxReceiveWorkRequests(int count) {
            maxReceiveWorkRequests = count;
            return this;
        }

        /**
         * Sets the maximum number of scatter/gather elements of a send.
         *
         * @param count number of elements
         * @return this builder
         */
        public Builder maxSendElements(int count) {
            maxSendElements = count;
            return this;
        }

        /**
         * Sets the maximum number of scatter/gather elements of a receive.
         *
         * @param count number of elements
         * @return this builder
         */
        public Builder maxReceiveElements(int count) {
            maxReceiveElements = count;
            return this;
        }

        /**
         * Sets the maximum size of inline data of a send.
         *
         * @param bytes size in bytes
         * @return this builder
         */
        public Builder maxInlineData(int bytes) {
            maxInlineData = bytes;
            return this;
        }

        /**
         * Sets whether every send has a completion.
         *
         * @param all true for every send, false for signalled sends only
         * @return this builder
         */
        public Builder signalAll(boolean all) {
            signalAll = all;
            return this;
        }

        /**
         * Sets the share of the queue pair while there is not enough for all. It has no effect at other times.
         *
         * @param times 1 to 64: the multiple of the share of a queue pair of weight 1
         * @return this builder
         */
        public Builder weight(int times) {
            weight = times;
            return this;
        }

        /** {@return the attributes} */
        public QueuePairAttributes build() {
            return new QueuePairAttributes(
                    sendCompletionQueue,
                    receiveCompletionQueue,
                    sharedReceiveQueue,
                    maxSendWorkRequests,
                    maxReceiveWorkRequests,
                    maxSendElements,
                    maxReceiveElements,
                    maxInlineData,
                    signalAll,
                    weight);
        }
    }
}
