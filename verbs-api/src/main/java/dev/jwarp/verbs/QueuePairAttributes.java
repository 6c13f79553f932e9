package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What a queue pair is made with: {@code ibv_qp_init_attr}.
 *
 * @param sendCompletionQueue where sends are reported
 * @param receiveCompletionQueue where receives are reported; may be the same
 * @param sharedReceiveQueue where receives are taken from; null for a receive queue of its own
 * @param maxSendWorkRequests sends that can be outstanding
 * @param maxReceiveWorkRequests receives that can be outstanding; 0 with a shared receive queue, whatever is asked for
 * @param maxSendElements scatter/gather elements of one send
 * @param maxReceiveElements scatter/gather elements of one receive; the same
 * @param maxInlineData bytes of inline data of one send
 * @param signalAll true if every send is reported, whatever its own flag says ({@code sq_sig_all})
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
        boolean signalAll) {
    /**
     * Checks that the completion queues are there.
     *
     * @param sendCompletionQueue where sends are reported
     * @param receiveCompletionQueue where receives are reported
     * @param sharedReceiveQueue where receives are taken from
     * @param maxSendWorkRequests sends that can be outstanding
     * @param maxReceiveWorkRequests receives that can be outstanding
     * @param maxSendElements scatter/gather elements of one send
     * @param maxReceiveElements scatter/gather elements of one receive
     * @param maxInlineData bytes of inline data of one send
     * @param signalAll true if every send is reported, whatever its own flag says ({@code sq_sig_all})
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
     * {@return a builder that starts with 128 sends and receives of up to 4 elements, no inline data}
     *
     * @param sendCompletionQueue where sends are reported
     * @param receiveCompletionQueue where receives are reported
     */
    public static Builder builder(CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue) {
        return new Builder(
                RdmaException.requireArgument(sendCompletionQueue, "sendCompletionQueue"),
                RdmaException.requireArgument(receiveCompletionQueue, "receiveCompletionQueue"));
    }

    /**
     * {@return a builder with one completion queue for both directions}
     *
     * @param completionQueue where sends and receives are reported
     */
    public static Builder builder(CompletionQueue completionQueue) {
        RdmaException.requireArgument(completionQueue, "completionQueue");
        return new Builder(completionQueue, completionQueue);
    }

    /** Collects attributes; the setters return the builder itself. Threads: one at a time. */
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

        private Builder(CompletionQueue sendCompletionQueue, CompletionQueue receiveCompletionQueue) {
            this.sendCompletionQueue = sendCompletionQueue;
            this.receiveCompletionQueue = receiveCompletionQueue;
        }

        /**
         * Takes receives from a shared queue.
         *
         * @param queue the shared receive queue
         * @return this builder
         */
        public Builder sharedReceiveQueue(SharedReceiveQueue queue) {
            sharedReceiveQueue = RdmaException.requireArgument(queue, "queue");
            return this;
        }

        /**
         * Sets how many sends can be outstanding.
         *
         * @param count how many
         * @return this builder
         */
        public Builder maxSendWorkRequests(int count) {
            maxSendWorkRequests = count;
            return this;
        }

        /**
         * Sets how many receives can be outstanding.
         *
         * @param count how many
         * @return this builder
         */
        public Builder maxReceiveWorkRequests(int count) {
            maxReceiveWorkRequests = count;
            return this;
        }

        /**
         * Sets how many scatter/gather elements a send can have.
         *
         * @param count how many
         * @return this builder
         */
        public Builder maxSendElements(int count) {
            maxSendElements = count;
            return this;
        }

        /**
         * Sets how many scatter/gather elements a receive can have.
         *
         * @param count how many
         * @return this builder
         */
        public Builder maxReceiveElements(int count) {
            maxReceiveElements = count;
            return this;
        }

        /**
         * Sets how many bytes of inline data a send can have.
         *
         * @param bytes how many
         * @return this builder
         */
        public Builder maxInlineData(int bytes) {
            maxInlineData = bytes;
            return this;
        }

        /**
         * Sets whether every send is reported.
         *
         * @param all true for all
         * @return this builder
         */
        public Builder signalAll(boolean all) {
            signalAll = all;
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
                    signalAll);
        }
    }
}
