package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's part of what is not copied: memory that the program has lent is told to the sender, which writes there; or the sender was first, and what it offers is read
 * to there. What is offered to a program that has lent nothing is fetched into a stage, piece by piece, and copied.
 */
final class DirectInput {
    private final DirectHost host;
    private final DirectWire wire;
    private final ByteBuffer stage;

    /** The last value of this end's word that it knows of. */
    private long known;
    /** Bytes of the stream that have come. */
    private long position;

    private boolean lent;
    private long address;
    private int key;
    private int length;
    /** Bytes that have come to what is lent. */
    private int landed;
    /** The sender is asked; it may write to what is lent. */
    private boolean asking;
    /** It was to be asked no more, and had begun to write. */
    private boolean claimed;

    /** What the sender offers; null: nothing. */
    private @Nullable DirectMemory offer;

    private int fetched;
    /** Bytes of it that are under way; to what is lent, else to the stage. */
    private int fetching;

    private boolean fetchingLent;
    private int stagedAt;
    private int staged;
    /** All of an offer is here, and its sender does not know yet. */
    private @Nullable DirectMemory taken;

    private boolean takenUnderWay;
    private boolean open = true;

    DirectInput(DirectHost host, DirectWire wire) {
        this.host = host;
        this.wire = wire;
        stage = wire.stage().duplicate();
    }

    /** {@return bytes that came, and that the program has not got: in the stage, and where it has lent memory} */
    int unread() {
        return staged + landed;
    }

    /** {@return whether something is on offer that {@link #lend} would read} */
    boolean offered() {
        return offer != null && fetching == 0;
    }

    /** {@return whether what is lent cannot be taken back yet} */
    boolean busy() {
        return lent && (claimed || (fetching > 0 && fetchingLent));
    }

    /**
     * Lends memory. All that has come was read.
     *
     * @param ask whether a message can go that asks for bytes
     */
    void lend(long to, int withKey, int bytes, boolean ask) {
        lent = true;
        address = to;
        key = withKey;
        length = bytes;
        landed = 0;
        fetch(true);
        if (ask && offer == null && open) {
            long word = DirectWord.next(known, DirectWord.ASKED);
            if (wire.swapWord(known, word)) { // else the sender was first, and what it offers is under way
                known = word;
                asking = true;
                host.say(CreditEngine.ASK, new DirectMemory(word, position, address, key, length));
            }
        }
    }

    /** {@return how many bytes have come to what was lent, which is the program's again; negative: not yet} */
    int takeBack() {
        if (asking && !claimed) {
            long word = DirectWord.next(known, DirectWord.FREE);
            if (wire.swapWord(known, word)) {
                asking = false;
                known = word;
            } else if (wire.word() == DirectWord.next(known, DirectWord.OFFERED)) {
                asking = false; // the sender had gone on before it heard of this
            } else {
                claimed = true;
            }
        }
        return busy() ? -1 : end();
    }

    /** {@return as {@link #takeBack}, of a stream that is over} */
    int end() {
        int bytes = landed;
        landed = 0;
        lent = false;
        asking = false;
        claimed = false;
        return bytes;
    }

    /** Reads what is on offer, if anything is. */
    void fetch(boolean toLent) {
        if (offer == null || fetching > 0 || unread() > 0 || lent != toLent) {
            return;
        }
        int left = offer.length() - fetched;
        fetching = Math.min(left, toLent ? length : stage.capacity());
        fetchingLent = toLent;
        wire.fetch(offer.address() + fetched, offer.key(), fetching, toLent, host.id(CreditEngine.FETCH));
    }

    /** {@return how many bytes are taken of what was fetched} */
    int read(StreamSink into, int most) {
        int bytes = Math.min(staged, most);
        if (bytes > 0) {
            into.take(stage, stagedAt, bytes);
            stagedAt += bytes;
            staged -= bytes;
        }
        return bytes;
    }

    // ---- what comes

    /** Bytes, or the end of them, have come in a message: the sender does not write where it is asked to. */
    void onMessage(int bytes) {
        if (offer != null || claimed) {
            host.fail(PeerFault.TURN_WRONG, "it goes on, and has " + (claimed ? "begun to write" : "offered " + offer));
        }
        position += bytes;
        asking = false;
        claimed = false;
    }

    void onOffer(DirectMemory memory) {
        if (offer != null
                || taken != null
                || asking
                || memory.word() != DirectWord.next(known, DirectWord.OFFERED)
                || memory.word() != wire.word()
                || memory.position() != position
                || memory.length() <= 0) {
            host.fail(
                    PeerFault.TURN_WRONG,
                    "it offers " + memory + ", and here the word is " + Long.toHexString(wire.word()) + ", and "
                            + position + " bytes have come");
            return;
        }
        known = memory.word();
        offer = memory;
        fetched = 0;
        if (!open) {
            forgetOffer();
        }
    }

    void onWritten(long word, int bytes) {
        if (!asking
                || word != DirectWord.next(known, DirectWord.CLAIMED)
                || DirectWord.later(word, wire.word()) // it may have gone on already
                || bytes <= 0
                || bytes > length) {
            host.fail(
                    PeerFault.TURN_WRONG,
                    "it has written " + bytes + " bytes with the word " + Long.toHexString(word) + ", and was "
                            + (asking ? "asked for " + length + " with " + Long.toHexString(known) : "not asked"));
            return;
        }
        known = word;
        asking = false;
        claimed = false;
        landed = bytes;
        position += bytes;
    }

    /** The RDMA Read is done. */
    void onFetched() {
        DirectMemory from = offer;
        int bytes = fetching;
        fetching = 0;
        if (from == null) {
            return;
        }
        fetched += bytes;
        position += bytes;
        if (fetchingLent) {
            landed += lent ? bytes : 0;
        } else if (open) {
            stagedAt = 0;
            staged = bytes;
        }
        if (fetched == from.length()) {
            take(from);
        } else if (!open) {
            forgetOffer();
        }
    }

    private void take(DirectMemory all) {
        offer = null;
        taken = all;
    }

    /** Says that an offer is taken, if it is. */
    void sayTaken() {
        DirectMemory all = taken;
        if (all != null && !takenUnderWay) {
            taken = null;
            takenUnderWay = true;
            host.say(CreditEngine.TAKEN, all.word(), all.length());
        }
    }

    void onTakenSent() {
        takenUnderWay = false;
    }

    /** {@return whether an RDMA Read is under way} */
    boolean fetching() {
        return fetching > 0;
    }

    /** The program reads no more: what is offered is taken, and not read. */
    void shut() {
        open = false;
        staged = 0;
        if (fetching == 0) {
            forgetOffer();
        }
    }

    private void forgetOffer() {
        DirectMemory rest = offer;
        if (rest != null) {
            position += rest.length() - fetched;
            take(rest);
        }
    }
}
