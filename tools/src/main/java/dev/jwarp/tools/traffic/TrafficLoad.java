package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.QueuePairType;
import java.time.Duration;

/**
 * The load of an end, and its resources.
 *
 * @param operation the operation that moves the bytes
 * @param service of the queue pairs
 * @param queuePairs number of queue pairs
 * @param largest bytes of the largest message
 * @param page bytes of the target's memory through which small RDMA Writes rotate; 0 if all messages go to one place
 * @param sends most messages in the send queue of a queue pair
 * @param receives receives of each queue pair, if messages or notes are Sends
 * @param inline messages up to so many bytes are copied when they are posted
 * @param waiting how the end waits for completions
 * @param telling how notes are sent to the other end
 */
public record TrafficLoad(
        Operation operation,
        QueuePairType service,
        int queuePairs,
        int largest,
        int page,
        int sends,
        int receives,
        int inline,
        Waiting waiting,
        Telling telling) {

    /** The operation that moves the bytes. */
    public enum Operation {
        SEND,
        /** RDMA Write; in datagrams Write-Record, which reports the arrived bytes to the target. */
        WRITE,
        READ,
        FETCH_AND_ADD,
        COMPARE_AND_SWAP;

        /** {@return whether only the initiator is active, so that the latency is that of a full round trip} */
        public boolean fetches() {
            return this == READ || this == FETCH_AND_ADD || this == COMPARE_AND_SWAP;
        }
    }

    /** How an end waits for completions. */
    public enum Waiting {
        /** It polls in a loop. */
        SPIN(Duration.ZERO),
        /** It polls, and sleeps for a moment without a completion: a Write into memory does not wake it. */
        NAP(Duration.ofMillis(1)),
        /** It sleeps until there is one. Only a thread that waits without a limit may sleep in a blocking read. */
        BLOCK(Duration.ofSeconds(Long.MAX_VALUE)),
        /** It sleeps until there is one, but not for long: a datagram may have been lost. */
        DOZE(Duration.ofMillis(20));

        final Duration patience;

        Waiting(Duration patience) {
            this.patience = patience;
        }
    }

    /** How an end receives counts of taken messages, and over a connection notices an RDMA Write. */
    public enum Telling {
        /** By polling its memory. */
        MEMORY,
        /**
         * By a Send, which wakes a sleeping end. A message of 8 bytes is a note; no measured message has this length.
         */
        SEND
    }

    /** {@return whether messages go in datagrams} */
    public boolean datagrams() {
        return service != QueuePairType.RC;
    }

    /** {@return whether this end receives Sends} */
    boolean takesReceives() {
        return operation == Operation.SEND || telling == Telling.SEND;
    }
}
