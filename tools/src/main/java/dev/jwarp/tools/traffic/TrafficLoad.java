package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.QueuePairType;
import java.time.Duration;

/**
 * What an end moves, and what it has for that.
 *
 * @param operation what moves the bytes
 * @param service of the queue pairs
 * @param queuePairs how many there are
 * @param largest bytes of the largest message
 * @param page small RDMA Writes walk through so many bytes of the target; 0: all messages go to one place
 * @param sends messages in the send queue of a queue pair at most
 * @param receives posted for each queue pair, where messages or notes come as Sends
 * @param inline messages up to so many bytes are copied when they are posted
 * @param waiting how the end waits for completions
 * @param telling how an end learns what the other has to tell
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

    /** What moves the bytes. */
    public enum Operation {
        SEND,
        /** RDMA Write; in datagrams Write-Record, which tells the target what came. */
        WRITE,
        READ,
        FETCH_AND_ADD,
        COMPARE_AND_SWAP;

        /** {@return whether the initiator alone does it, so that its time is that of the way there and back} */
        public boolean fetches() {
            return this == READ || this == FETCH_AND_ADD || this == COMPARE_AND_SWAP;
        }
    }

    /** How an end waits for completions. */
    public enum Waiting {
        /** It looks again and again. */
        SPIN(Duration.ZERO),
        /** It looks, and sleeps for a moment if there is none: what comes by memory alone does not wake it. */
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

    /** How an end learns how many messages the other has taken, and over a connection that an RDMA Write has come. */
    public enum Telling {
        /** It looks at its memory. */
        MEMORY,
        /** A Send tells it, which wakes an end that sleeps: a message of 8 bytes is such a note, and none that is measured is so long. */
        SEND
    }

    /** {@return whether messages go in datagrams} */
    public boolean datagrams() {
        return service != QueuePairType.RC;
    }

    /** {@return whether Sends come that need receives} */
    boolean takesReceives() {
        return operation == Operation.SEND || telling == Telling.SEND;
    }
}
