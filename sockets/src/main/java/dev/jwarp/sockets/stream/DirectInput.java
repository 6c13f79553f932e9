package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's part of zero-copy data. Lent memory is announced to the sender, which writes to it; or, if the sender
 * was first, its offer is read into the lent memory. An offer to a program that has lent no memory is fetched piece by
 * piece into a staging buffer, and copied.
 */
final class DirectInput {
    /**
     * Minimum of bytes that each buffered piece counts for, because memory has a cost of its own and a peer may offer
     * single bytes.
     */
    private static final int LEAST_KEPT = 1024;

    private final CreditSender sender;
    private final DirectWire wire;
    private final ByteBuffer stage;

    /** The last known value of this end's word. */
    private long known;
    /** Bytes of the stream that have arrived. */
    private long position;

    private boolean lent;
    private long address;
    private int key;
    private int length;
    /** Bytes that have arrived in the lent memory. */
    private int landed;
    /** Whether a message of the sender's program ends with {@link #landed}. */
    private boolean landedEnds;
    /** Whether an ASK is sent, so that the sender may write to the lent memory. */
    private boolean asking;
    /** Whether the sender had begun to write when this end wanted to cancel its ASK. */
    private boolean claimed;

    /** The current offer of the sender; null if there is none. */
    private @Nullable DirectMemory offer;
    /** Whether a message of the sender's program ends with the offer. */
    private boolean offerEnds;

    private int fetched;
    /** Bytes of the offer in the outstanding RDMA Read. */
    private int fetching;

    private DirectWire.Target target = DirectWire.Target.STAGE;
    private int stagedAt;
    private int staged;
    private boolean stagedEnds;
    /** Whether a message ends with the bytes that were read last. */
    private boolean readEnds;

    /** Bytes that were fetched to spare memory, and the position of the first one in the stream. */
    private record Piece(ByteBuffer bytes, long from, boolean ends) {
        long next() {
            return from + bytes.position();
        }

        /** {@return the bytes that the piece counts for} */
        int cost() {
            return Math.max(bytes.limit(), LEAST_KEPT);
        }
    }

    private final Deque<Piece> kept = new ArrayDeque<>();
    private int keptBytes;
    /** The bytes that all pieces count for; each counts until it is completely read. */
    private int held;

    /** The offer that was completely read, and for which no TAKEN is sent yet. */
    private @Nullable DirectMemory taken;

    private boolean takenUnderWay;
    private boolean open = true;

    DirectInput(CreditSender sender, DirectWire wire) {
        this.sender = sender;
        this.wire = wire;
        stage = wire.stage().duplicate();
    }

    /**
     * {@return bytes that have arrived and that the program does not have: those in memory of this end and in lent
     * memory}
     */
    int unread() {
        return staged + keptBytes + landed;
    }

    /** {@return whether there is an offer that {@link #lend} would read} */
    boolean offered() {
        return offer != null && fetching == 0;
    }

    /** {@return whether the lent memory cannot be taken back yet} */
    boolean busy() {
        return lent && (claimed || (fetching > 0 && target == DirectWire.Target.LENT));
    }

    /**
     * Lends memory. All received bytes must have been read.
     *
     * @param ask whether an ASK can be sent
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
            if (wire.swapWord(known, word)) { // else the sender was first, and its offer will arrive
                known = word;
                asking = true;
                sender.say(CreditMessage.ASK, new DirectMemory(word, position, address, key, length), false);
            }
        }
    }

    /**
     * {@return the number of bytes that have arrived in the lent memory, which the program owns again; negative: the
     * memory is still in use}
     */
    int takeBack() {
        if (asking && !claimed) {
            long word = DirectWord.next(known, DirectWord.FREE);
            if (wire.swapWord(known, word)) {
                asking = false;
                known = word;
            } else if (wire.word() == DirectWord.next(known, DirectWord.OFFERED)) {
                asking = false; // the sender made an offer before it received the ASK
            } else {
                claimed = true;
            }
        }
        return busy() ? -1 : end();
    }

    /** {@return as {@link #takeBack}, for a stream that has ended} */
    int end() {
        int bytes = landed;
        landed = 0;
        lent = false;
        asking = false;
        claimed = false;
        return bytes;
    }

    /** Reads from the current offer, if there is one. */
    void fetch(boolean toLent) {
        if (offer == null || fetching > 0 || unread() > 0 || lent != toLent) {
            return;
        }
        int left = offer.length() - fetched;
        fetch(
                offer,
                Math.min(left, toLent ? length : stage.capacity()),
                toLent ? DirectWire.Target.LENT : DirectWire.Target.STAGE);
    }

    private void fetch(DirectMemory from, int bytes, DirectWire.Target to) {
        fetching = bytes;
        target = to;
        wire.fetch(from.address() + fetched, from.key(), bytes, to, sender.id(CreditSender.Request.FETCH));
    }

    /**
     * {@return whether there is an offer, but the program has not read the bytes before it}
     *
     * @param inMessages unread bytes that came in messages
     */
    boolean waitsForReader(int inMessages) {
        return offer != null && fetching == 0 && !lent && inMessages + unread() > 0;
    }

    /**
     * Fetches the offer to spare memory if it {@link #waitsForReader}.
     *
     * @param most limit of the spare memory in bytes; a piece counts completely until it is completely read
     * @param inMessages as for {@link #waitsForReader}
     */
    void keep(int most, int inMessages) {
        DirectMemory from = offer;
        int left = from == null ? 0 : from.length() - fetched;
        if (from == null || !waitsForReader(inMessages) || left > most - held) {
            return;
        }
        ByteBuffer spare = wire.spare(left);
        if (spare != null) {
            Piece more = new Piece(spare.duplicate().limit(left), position, offerEnds);
            kept.add(more);
            held += more.cost();
            fetch(from, left, DirectWire.Target.SPARE);
        }
    }

    /** {@return bytes of the stream that have arrived} */
    long position() {
        return position;
    }

    /** {@return whether a message of the sender's program ends with the last bytes of {@link #takeBack}} */
    boolean landedEnds() {
        return landedEnds;
    }

    /** {@return whether a message of the sender's program ends with the last bytes of {@link #read}} */
    boolean readEnds() {
        return readEnds;
    }

    /**
     * {@return whether fetched bytes come before all unread messages}
     *
     * @param inMessages as for {@link #waitsForReader}
     */
    boolean isNext(int inMessages) {
        return staged > 0 || (keptBytes > 0 && kept.element().next() == position - inMessages - unread());
    }

    /** {@return the number of bytes that were read from the oldest fetched piece} Only if {@link #isNext}. */
    int read(StreamSink into, int most) {
        if (staged > 0) {
            int bytes = Math.min(staged, most);
            into.take(stage, stagedAt, bytes);
            stagedAt += bytes;
            staged -= bytes;
            readEnds = stagedEnds && staged == 0;
            return bytes;
        }
        Piece first = kept.element();
        ByteBuffer from = first.bytes;
        int bytes = Math.min(from.remaining(), most);
        into.take(from, from.position(), bytes);
        from.position(from.position() + bytes);
        keptBytes -= bytes;
        readEnds = first.ends && !from.hasRemaining();
        if (!from.hasRemaining()) {
            freeFirst();
        }
        return bytes;
    }

    // ---- received messages and completed requests

    /** Notes data or a FIN in a message: the sender does not write to the memory of the ASK. */
    void onMessage(int bytes) {
        if (offer != null || claimed) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it sends a message, and has " + (claimed ? "begun to write" : "offered " + offer));
            return;
        }
        position += bytes;
        asking = false;
        claimed = false;
    }

    void onOffer(DirectMemory memory, boolean last) {
        if (offer != null
                || taken != null
                || asking
                || memory.word() != DirectWord.next(known, DirectWord.OFFERED)
                || memory.word() != wire.word()
                || memory.position() != position
                || memory.length() <= 0) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it offers " + memory + ", but the word is " + Long.toHexString(wire.word()) + ", and " + position
                            + " bytes have arrived");
            return;
        }
        known = memory.word();
        offer = memory;
        offerEnds = last;
        fetched = 0;
        if (!open) {
            forgetOffer();
        }
    }

    void onWritten(long word, int bytes, boolean last) {
        if (!asking
                || word != DirectWord.next(known, DirectWord.CLAIMED)
                || DirectWord.later(word, wire.word()) // the sender may have changed the word again
                || bytes <= 0
                || bytes > length) {
            sender.end.fail(
                    PeerFault.TURN_WRONG,
                    "it has written " + bytes + " bytes with the word " + Long.toHexString(word) + ", and was "
                            + (asking ? "asked for " + length + " with " + Long.toHexString(known) : "not asked"));
            return;
        }
        known = word;
        asking = false;
        claimed = false;
        landed = bytes;
        landedEnds = last;
        position += bytes;
    }

    /** The RDMA Read has completed. */
    void onFetched() {
        DirectMemory from = offer;
        int bytes = fetching;
        fetching = 0;
        if (from == null) {
            return;
        }
        fetched += bytes;
        position += bytes;
        boolean ends = offerEnds && fetched == from.length();
        if (target == DirectWire.Target.LENT) {
            landed += lent ? bytes : 0;
            landedEnds = ends;
        } else if (!open) {
            freeIfSpare();
        } else if (target == DirectWire.Target.SPARE) {
            keptBytes += bytes;
        } else {
            stagedAt = 0;
            staged = bytes;
            stagedEnds = ends;
        }
        if (fetched == from.length()) {
            take(from);
        } else if (!open) {
            forgetOffer();
        }
    }

    private void freeIfSpare() {
        if (target == DirectWire.Target.SPARE) {
            freeFirst();
        }
    }

    private void freeFirst() {
        held -= kept.remove().cost();
        wire.freeSpare();
    }

    private void take(DirectMemory all) {
        offer = null;
        taken = all;
    }

    /** Sends TAKEN if an offer was completely read. */
    void sayTaken() {
        DirectMemory all = taken;
        if (all != null && !takenUnderWay) {
            taken = null;
            takenUnderWay = true;
            sender.say(CreditMessage.TAKEN, all.word(), all.length(), false);
        }
    }

    void onTakenSent() {
        takenUnderWay = false;
    }

    /** {@return whether an RDMA Read is outstanding} */
    boolean fetching() {
        return fetching > 0;
    }

    /** Shuts down the input: from now on offers are acknowledged without being read. */
    void shut() {
        open = false;
        staged = 0;
        keptBytes = 0;
        int underWay = fetching > 0 && target == DirectWire.Target.SPARE ? 1 : 0;
        while (kept.size() > underWay) {
            freeFirst();
        }
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
