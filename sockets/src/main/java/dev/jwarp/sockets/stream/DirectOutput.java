package dev.jwarp.sockets.stream;

import org.jspecify.annotations.Nullable;

/**
 * The sender's part of zero-copy data. Lent memory is written to the memory of the receiver's ASK, or else offered to
 * the receiver, which reads it. One piece at a time; the program gets the memory back when the piece is moved.
 */
final class DirectOutput {
    /** Maximum of attempts to change the word for one piece; the receiver can change the word in between. */
    private static final int MOST_TRIES = 3;

    private enum State {
        /** No memory is lent, or the memory can be taken back. */
        IDLE,
        /** The compare-and-swap is outstanding. */
        SWAPPING,
        /** The receiver was first, and its ASK will arrive. */
        AWAITING_ASK,
        /** An offer is sent, which the receiver reads. */
        OFFERED,
        /** The RDMA Write is outstanding. */
        WRITING
    }

    private final CreditSender sender;
    private final DirectWire wire;
    private final long wordAddress;
    private final int wordKey;

    private State state = State.IDLE;
    /** The last known value of the peer's word. */
    private long known;

    private long expected;
    private long replacement;
    /** The last ASK of the receiver. */
    private @Nullable DirectMemory asked;

    private long address;
    private int key;
    private int length;
    /** Whether a message of the program ends with the lent bytes. */
    private boolean last;

    private int tries;
    private int moved;

    /**
     * Made for the word of the peer.
     *
     * @param place of the word
     */
    DirectOutput(CreditSender sender, DirectWire wire, DirectWord.Place place) {
        this.sender = sender;
        this.wire = wire;
        wordAddress = place.address();
        wordKey = place.key();
    }

    /** {@return whether the lent memory cannot be taken back yet} No other data may be sent until then. */
    boolean busy() {
        return state != State.IDLE;
    }

    /** {@return whether the receiver has to read the lent memory} */
    boolean offered() {
        return state == State.OFFERED;
    }

    /** Begins to move lent bytes. Not while {@link #busy}. */
    void lend(long from, int withKey, int bytes, boolean endsMessage) {
        address = from;
        key = withKey;
        length = bytes;
        last = endsMessage;
        tries = 0;
        moved = 0;
        go();
    }

    /** {@return the number of moved bytes; 0: the bytes must be sent in messages} Not while {@link #busy}. */
    int takeBack() {
        int bytes = moved;
        moved = 0;
        return bytes;
    }

    /** Tries to change the word; but if the receiver was first, waits for its ASK. */
    private void go() {
        if (DirectWord.state(known) == DirectWord.ASKED && (asked == null || asked.word() != known)) {
            state = State.AWAITING_ASK;
        } else {
            swap();
        }
    }

    private void swap() {
        tries++;
        state = State.SWAPPING;
        expected = known;
        replacement = DirectWord.next(known, canWrite() ? DirectWord.CLAIMED : DirectWord.OFFERED);
        wire.swap(wordAddress, wordKey, expected, replacement, sender.id(CreditSender.Request.SWAP));
    }

    /** {@return whether the ASK of the receiver is for the next bytes of the stream} */
    private boolean canWrite() {
        return asked != null && asked.word() == known && asked.position() == sender.position();
    }

    /** The compare-and-swap has completed. */
    void onSwapped() {
        if (state != State.SWAPPING) {
            return; // the peer has closed
        }
        long old = wire.swapped();
        if (old == expected) {
            known = replacement;
            begin();
            return;
        }
        boolean ofReceiver = DirectWord.state(old) == DirectWord.FREE || DirectWord.state(old) == DirectWord.ASKED;
        if (!ofReceiver || !DirectWord.later(old, expected)) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "its word is " + Long.toHexString(old) + ", and was " + Long.toHexString(expected));
            return;
        }
        if (DirectWord.later(old, known)) {
            known = old;
        }
        if (tries == MOST_TRIES) {
            state = State.IDLE;
        } else {
            go();
        }
    }

    private void begin() {
        DirectMemory target = asked;
        if (DirectWord.state(replacement) == DirectWord.CLAIMED && target != null) {
            state = State.WRITING;
            moved = Math.min(length, target.length());
            sender.moved(moved);
            wire.put(target.address(), target.key(), moved, sender.id(CreditSender.Request.PUT));
            sender.say(CreditMessage.WRITTEN, known, moved, last && moved == length);
        } else {
            state = State.OFFERED;
            sender.say(CreditMessage.OFFER, new DirectMemory(known, sender.position(), address, key, length), last);
        }
    }

    void onAsk(DirectMemory memory) {
        long last = asked == null ? 0 : asked.word();
        if (DirectWord.state(memory.word()) != DirectWord.ASKED
                || !DirectWord.later(memory.word(), last)
                || memory.length() <= 0) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it asks for " + memory + ", and its last request had the word " + Long.toHexString(last));
            return;
        }
        asked = memory;
        if (DirectWord.later(memory.word(), known)) {
            known = memory.word();
        }
        if (state == State.AWAITING_ASK && memory.word() == known) { // not an earlier ASK, which was cancelled
            swap();
        }
    }

    /** The RDMA Write has completed. */
    void onPut() {
        state = State.IDLE;
    }

    void onTaken(long word, int bytes) {
        if (state != State.OFFERED || word != known || bytes != length) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it has taken " + bytes + " bytes with the word " + Long.toHexString(word) + ", and was offered "
                            + (state == State.OFFERED ? "others" : "none"));
            return;
        }
        moved = length;
        sender.moved(length);
        state = State.IDLE;
    }

    /** Notes that the peer reads no more. An outstanding RDMA Write still completes. */
    void onPeerClosed() {
        if (state != State.WRITING) {
            state = State.IDLE;
        }
    }
}
