package dev.jwarp.sockets.stream;

import org.jspecify.annotations.Nullable;

/**
 * The sender's part of what is not copied: memory that the program has lent is written to where the receiver has asked for it, or else offered for the receiver to read. One
 * piece at a time; the program has it back when it is moved.
 */
final class DirectOutput {
    /** So often it tries for one piece to change the word, which the receiver can change in between. */
    private static final int MOST_TRIES = 3;

    private enum State {
        /** Nothing is lent, or it can be taken back. */
        IDLE,
        /** The compare-and-swap is under way. */
        SWAPPING,
        /** The receiver was first: its message is under way. */
        AWAITING_ASK,
        /** The receiver reads. */
        OFFERED,
        /** The RDMA Write is under way. */
        WRITING
    }

    private final CreditSender sender;
    private final DirectWire wire;
    private final long wordAddress;
    private final int wordKey;

    private State state = State.IDLE;
    /** The last value of the word that this end knows of. */
    private long known;

    private long expected;
    private long replacement;
    /** What the receiver has told of last. */
    private @Nullable DirectMemory asked;

    private long address;
    private int key;
    private int length;
    /** A message of the program ends with what is lent. */
    private boolean last;

    private int tries;
    private int moved;

    /**
     * Begins with the word of the peer.
     *
     * @param place where it is
     */
    DirectOutput(CreditSender sender, DirectWire wire, DirectWord.Place place) {
        this.sender = sender;
        this.wire = wire;
        wordAddress = place.address();
        wordKey = place.key();
    }

    /** {@return whether lent memory cannot be taken back yet; nothing else may be sent until then} */
    boolean busy() {
        return state != State.IDLE;
    }

    /** {@return whether the receiver has to read what is lent} */
    boolean offered() {
        return state == State.OFFERED;
    }

    /** Begins to move what is lent. Nothing is {@link #busy}. */
    void lend(long from, int withKey, int bytes, boolean endsMessage) {
        address = from;
        key = withKey;
        length = bytes;
        last = endsMessage;
        tries = 0;
        moved = 0;
        go();
    }

    /** {@return how many bytes were moved; 0: they have to go in messages} Not while it is {@link #busy}. */
    int takeBack() {
        int bytes = moved;
        moved = 0;
        return bytes;
    }

    /** Tries for the word; but a receiver that was first is heard first. */
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

    /** {@return whether the receiver waits for just the bytes that come next} */
    private boolean canWrite() {
        return asked != null && asked.word() == known && asked.position() == sender.position();
    }

    /** The compare-and-swap is done. */
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
                    PeerFault.TURN_WRONG, "it asks for " + memory + ", and has asked with " + Long.toHexString(last));
            return;
        }
        asked = memory;
        if (DirectWord.later(memory.word(), known)) {
            known = memory.word();
        }
        if (state == State.AWAITING_ASK && memory.word() == known) { // not an earlier one, which was given up
            swap();
        }
    }

    /** The RDMA Write is done. */
    void onPut() {
        state = State.IDLE;
    }

    void onTaken(long word, int bytes) {
        if (state != State.OFFERED || word != known || bytes != length) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it has taken " + bytes + " bytes with the word " + Long.toHexString(word) + ", and it has "
                            + (state == State.OFFERED ? "others" : "none") + " to take");
            return;
        }
        moved = length;
        sender.moved(length);
        state = State.IDLE;
    }

    /** The peer reads nothing more. An RDMA Write that is under way still completes. */
    void onPeerClosed() {
        if (state != State.WRITING) {
            state = State.IDLE;
        }
    }
}
