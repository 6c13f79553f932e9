package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's part of what is not copied: memory that the program has lent is told to the sender, which writes there; or the sender was first, and what it offers is read
 * to there. What is offered to a program that has lent nothing is fetched into a stage, piece by piece, and copied.
 */
final class DirectInput {
    /** Bytes that each piece counts for at least which is kept: memory has a cost of its own, and a peer may offer byte by byte. */
    private static final int LEAST_KEPT = 1024;

    private final CreditSender sender;
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
    /** A message of the sender's program ends with them. */
    private boolean landedEnds;
    /** The sender is asked; it may write to what is lent. */
    private boolean asking;
    /** This end wanted to take its request back, and the sender had begun to write. */
    private boolean claimed;

    /** What the sender offers; null: nothing. */
    private @Nullable DirectMemory offer;
    /** A message of its program ends with that. */
    private boolean offerEnds;

    private int fetched;
    /** Bytes of it that are under way. */
    private int fetching;

    private DirectWire.Target target = DirectWire.Target.STAGE;
    private int stagedAt;
    private int staged;
    private boolean stagedEnds;
    /** A message ends with what was read last. */
    private boolean readEnds;

    /** Bytes that were fetched to spare memory, and how many of the stream come before the first of them. */
    private record Piece(ByteBuffer bytes, long from, boolean ends) {
        long next() {
            return from + bytes.position();
        }

        /** {@return what its memory counts for} */
        int cost() {
            return Math.max(bytes.limit(), LEAST_KEPT);
        }
    }

    private final Deque<Piece> kept = new ArrayDeque<>();
    private int keptBytes;
    /** What their memory counts for, until all of a piece is read. */
    private int held;

    /** All of an offer is here, and its sender does not know yet. */
    private @Nullable DirectMemory taken;

    private boolean takenUnderWay;
    private boolean open = true;

    DirectInput(CreditSender sender, DirectWire wire) {
        this.sender = sender;
        this.wire = wire;
        stage = wire.stage().duplicate();
    }

    /** {@return bytes that came, and that the program has not got: in memory of this end's own, and where it has lent some} */
    int unread() {
        return staged + keptBytes + landed;
    }

    /** {@return whether something is on offer that {@link #lend} would read} */
    boolean offered() {
        return offer != null && fetching == 0;
    }

    /** {@return whether what is lent cannot be taken back yet} */
    boolean busy() {
        return lent && (claimed || (fetching > 0 && target == DirectWire.Target.LENT));
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
                sender.say(CreditMessage.ASK, new DirectMemory(word, position, address, key, length), false);
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
     * {@return whether something is on offer, and the program does not read what came before it}
     *
     * @param inMessages bytes that came in messages, and that it has not read
     */
    boolean waitsForReader(int inMessages) {
        return offer != null && fetching == 0 && !lent && inMessages + unread() > 0;
    }

    /**
     * Fetches what is on offer to spare memory, if it {@link #waitsForReader}.
     *
     * @param most bytes that may be there: a piece counts whole until all of it is read
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

    /** {@return bytes of the stream that have come} */
    long position() {
        return position;
    }

    /** {@return whether a message of the sender's program ends with what {@link #takeBack} gave last, if it gave something} */
    boolean landedEnds() {
        return landedEnds;
    }

    /** {@return whether a message of the sender's program ends with what {@link #read} took last} */
    boolean readEnds() {
        return readEnds;
    }

    /**
     * {@return whether bytes were fetched that come before all that waits in messages}
     *
     * @param inMessages as for {@link #waitsForReader}
     */
    boolean isNext(int inMessages) {
        return staged > 0 || (keptBytes > 0 && kept.element().next() == position - inMessages - unread());
    }

    /** {@return how many bytes are taken of the piece that was fetched first, and {@link #isNext}} */
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

    // ---- what comes

    /** Bytes, or the end of them, have come in a message: the sender does not write where it is asked to. */
    void onMessage(int bytes) {
        if (offer != null || claimed) {
            sender.end.fail(
                    PeerFault.TURN_WRONG, "it goes on, and has " + (claimed ? "begun to write" : "offered " + offer));
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
                    "it offers " + memory + ", and here the word is " + Long.toHexString(wire.word()) + ", and "
                            + position + " bytes have come");
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
                || DirectWord.later(word, wire.word()) // it may have gone on already
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

    /** Says that an offer is taken, if it is. */
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

    /** {@return whether an RDMA Read is under way} */
    boolean fetching() {
        return fetching > 0;
    }

    /** The program has shut down its input: offers are taken without being read. */
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
