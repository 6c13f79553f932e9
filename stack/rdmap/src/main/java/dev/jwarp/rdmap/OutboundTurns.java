package dev.jwarp.rdmap;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next message to send: a response to the peer's Reads and Atomics, or an operation of our send queue.
 * Messages do not interleave. Owner thread only.
 */
final class OutboundTurns {
    private final InboundRequests requests;
    private final SendSide sends;
    private final int maximumInARow;
    private int inARow;

    /**
     * Creates the turns.
     *
     * @param maximumInARow responses sent in a row while own work waits
     */
    OutboundTurns(InboundRequests requests, SendSide sends, int maximumInARow) {
        this.requests = requests;
        this.sends = sends;
        this.maximumInARow = maximumInARow;
    }

    /** {@return false if {@link #poll} has nothing to do} */
    boolean ready() {
        return requests.ready() || sends.ready();
    }

    /**
     * Writes the next segment.
     *
     * @return false if there is none now, or if the write failed: see the {@code fault} of the two sides
     */
    boolean poll(UlpduWriter out) {
        if (requests.underWay()) {
            return requests.poll(out);
        }
        if (sends.underWay()) {
            return sends.poll(out);
        }
        // RFC 6581 §5, MPA2-5-1: the ready-to-receive message is the first.
        if (sends.pollReadyToReceive(out)) {
            return true;
        }
        boolean ownTurn = inARow >= maximumInARow && sends.waiting();
        if (requests.ready() && !ownTurn) {
            inARow++;
            return requests.poll(out);
        }
        inARow = 0;
        // While own work waits for a credit, responses continue.
        return sends.poll(out) || (sends.fault() == null && requests.poll(out));
    }

    /**
     * Composes the Terminate for the fault of the last {@link #poll}.
     *
     * @return the code of the fault, or null if there is none
     */
    @Nullable
    TerminateCode composeFault(Termination termination) {
        TerminateCode code = requests.fault();
        if (code != null) {
            termination.compose(code, requests.oldest());
            return code;
        }
        code = sends.fault();
        if (code != null) {
            termination.compose(code);
        }
        return code;
    }
}
