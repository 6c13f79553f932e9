package dev.jwarp.rdmap;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to send: answers to the peer's Reads and Atomics, or our own send queue. A message is sent to its end
 * before another begins. Owner thread only.
 */
final class OutboundTurns {
    private final InboundRequests requests;
    private final SendSide sends;
    private final int maximumInARow;
    private int inARow;

    /**
     * Creates the turns.
     *
     * @param maximumInARow answers, before work of our own that waits gets its turn
     */
    OutboundTurns(InboundRequests requests, SendSide sends, int maximumInARow) {
        this.requests = requests;
        this.sends = sends;
        this.maximumInARow = maximumInARow;
    }

    /** {@return false if {@link #poll} would do nothing now} */
    boolean ready() {
        return requests.ready() || sends.ready();
    }

    /**
     * Writes the next segment.
     *
     * @return false if there is none now, or it could not be made: the {@code fault} of one of the two sides tells
     */
    boolean poll(UlpduWriter out) {
        if (requests.underWay()) {
            return requests.poll(out);
        }
        if (sends.underWay()) {
            return sends.poll(out);
        }
        // RFC 6581 §5, MPA2-5-1: nothing goes before the ready-to-receive message.
        if (sends.pollReadyToReceive(out)) {
            return true;
        }
        boolean ownTurn = inARow >= maximumInARow && sends.waiting();
        if (requests.ready() && !ownTurn) {
            inARow++;
            return requests.poll(out);
        }
        inARow = 0;
        // Our own work may have to wait for a credit; then answers go on.
        return sends.poll(out) || (sends.fault() == null && requests.poll(out));
    }

    /**
     * Composes the Terminate that says why {@link #poll} failed.
     *
     * @return its code, or null if nothing failed
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
