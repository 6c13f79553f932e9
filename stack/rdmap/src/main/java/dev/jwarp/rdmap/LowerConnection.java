package dev.jwarp.rdmap;

import dev.jwarp.ddp.llp.LowerLayer;
import org.jspecify.annotations.Nullable;

/** The lower layer of a stream, if it is there: not before start-up, and not after its end. Owner thread only. */
final class LowerConnection {
    private @Nullable LowerLayer layer;
    private boolean gone;
    private boolean closeRequested;

    void open(LowerLayer opened) {
        layer = opened;
    }

    /** {@return whether it is over, or was told to abort: it reads no memory of ours any more} */
    boolean gone() {
        return gone;
    }

    /** {@return whether it was told to close: nothing new is sent but a Terminate} */
    boolean closeRequested() {
        return closeRequested;
    }

    /** Says that there is something to send. */
    void doorbell() {
        LowerLayer open = layer;
        if (open != null && !gone) {
            open.doorbell();
        }
    }

    /**
     * RFC 5040 §6.2.1, RDMAP-6.2.1-1, RDMAP-7-1, DDP-7.1-12: ends in order even after an error, so that a Terminate
     * arrives.
     */
    void close() {
        closeRequested = true;
        LowerLayer open = layer;
        if (open != null && !gone) {
            open.close();
            open.doorbell();
        }
    }

    void abort() {
        LowerLayer open = layer;
        if (open != null && !gone) {
            gone = true;
            open.abort();
        }
    }

    void ended() {
        gone = true;
    }
}
