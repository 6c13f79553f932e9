package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** What one end of an rsocket sends: data and the words behind them, words alone, and writes to the peer's map; and what of it is under way. */
final class RsocketSender {
    // Three bits of a word say what it is, 29 how many or which.
    static final int KIND_SHIFT = 29;
    static final int DATA = 0;
    static final int CREDITS = 4;
    static final int MAP = 6;
    static final int CONTROL = 7;

    static final int DISCONNECT = 0;
    static final int KEEPALIVE = 1;
    static final int SHUTDOWN = 2;

    /** Words without data that may be under way; a new place counts as two (RS_QP_CTRL_SIZE). */
    static final int MOST_CONTROLS = 4;

    /** As librdmacm has it (RS_MAX_TRANSFER). Its shorter ones at the beginning of a call would bring nothing: what a call posts leaves together. */
    private static final int LARGEST_MESSAGE = 65_536;

    /** Data go when so much of the send memory is free (RS_SNDLOWAT), or half of it. */
    private static final int LOW_WATER = 2048;

    /** What a word that is under way frees when it is done: of data the bytes; else one of these. */
    private static final int ONE_CONTROL = -1;

    private static final int TWO_CONTROLS = -2;
    private static final int GOODBYE = -3;
    /** An RDMA Write without a word: so much, less its bytes. */
    private static final int ALONE = -4;

    /** Data that were not copied. */
    private static final int GATHERED = Integer.MIN_VALUE;

    private static final int SEQUENCE = 0xFFFF;

    private final RsocketWire wire;
    private final ByteBuffer scratch = ByteBuffer.allocate(RemoteMap.ENTRY);
    private final RemotePlaces places;
    final RemoteMap map;
    private @Nullable RsocketRecord peer;

    private int sequence;
    private int granted;
    /**
     * Credits that are not used: librdmacm has as many receives as it gives credits, and none besides for words, which cost no credit. InfiniBand asks again
     * where there is no receive; iWARP ends the connection.
     */
    private int kept;

    private final ByteBuffer sent;
    private final int sendSize;
    private int sendAt;
    private int sendFree;
    /** Bytes at {@link #sendAt} that wait for others. There is always room to post them, and another message behind them. */
    private int held;

    /** Work requests of data that may be posted: two a message. */
    private int slots;

    private int controls;
    private final int[] underWay;
    private long posted;
    private long done;
    /** Messages under way whose bytes are the program's. */
    private int gathered;

    /** In the peer's table. */
    private int placeIndex = 1;

    /**
     * Of one end.
     *
     * @param sent memory that data are sent from
     * @param slots work requests that may be posted
     */
    RsocketSender(RsocketWire wire, ByteBuffer sent, int slots, RemotePlaces places, RemoteMap map) {
        this.wire = wire;
        this.sent = sent.duplicate();
        this.slots = slots - MOST_CONTROLS;
        this.places = places;
        this.map = map;
        sendSize = sent.capacity();
        sendFree = sendSize;
        underWay = new int[slots];
    }

    /** There is a connection. */
    void connected(RsocketRecord told) {
        peer = told;
        scratch.order(told.order());
        places.begin(told.data());
        granted = told.credits();
        kept = Math.min(
                RsocketEngine.SPARE_RECEIVES, granted / 2); // the peer gives credits again when half of them are used
    }

    /** {@return what the peer has told of itself; null: there is no connection yet} */
    @Nullable
    RsocketRecord peer() {
        return peer;
    }

    /** {@return the order of the peer's words} */
    ByteOrder order() {
        return scratch.order();
    }

    /** The peer has given {@code count} credits in all, and maybe a place. */
    void granted(int count) {
        granted = count & SEQUENCE;
        places.update();
    }

    // ---- data

    boolean canSend() {
        return sendable() && taken();
    }

    /** {@return whether the peer takes another message, and it can be posted} A message of the held bytes goes before it. */
    private boolean taken() {
        int before = held > 0 ? 1 : 0;
        return peer != null
                && slots >= 2 + 2 * before
                && (granted - sequence & SEQUENCE) > kept + before
                && places.room() > held;
    }

    /** {@return whether a write to memory of the peer can go, which needs neither credits nor a place} */
    boolean canWriteAlone() {
        return peer != null && slots > 0 && sendable();
    }

    private boolean sendable() {
        return sendFree - held >= Math.min(LOW_WATER, sendSize / 2);
    }

    /** {@return how many bytes are held in addition, until {@link #flush}} Only if this end {@link #canSend}. */
    int hold(StreamSource from, int most) {
        return fill(from, Math.min(Math.min(most, LARGEST_MESSAGE - held), places.room() - held));
    }

    /** {@return whether no more can be held} */
    boolean full() {
        return held == LARGEST_MESSAGE || sendAt + held == sendSize || !canSend();
    }

    boolean holds() {
        return held > 0;
    }

    /** Sends the bytes that are held. */
    void flush() {
        if (held > 0) {
            int length = held;
            wire.write(sendAt, length, places.address(), places.key());
            used(length);
            told(length, length);
        }
    }

    /** {@return how many bytes go from where they are} The position of the data moves by that. */
    int gather(ByteBuffer data) {
        int before = data.position();
        while (data.hasRemaining() && taken()) {
            int length = Math.min(Math.min(data.remaining(), LARGEST_MESSAGE), places.room());
            wire.gather(data.position(), length, places.address(), places.key());
            gathered++;
            told(length, GATHERED);
            data.position(data.position() + length);
        }
        return data.position() - before;
    }

    /** {@return whether bytes of the program's are under way} */
    boolean borrowed() {
        return gathered > 0;
    }

    /** Puts data into the send memory: as much as there is room for in one piece. They are held until {@link #used}. */
    private int fill(StreamSource from, int most) {
        int at = sendAt + held;
        int length = Math.min(most, Math.min(sendFree - held, sendSize - at));
        from.give(sent, at, length);
        held += length;
        return length;
    }

    private void used(int length) {
        sendAt = (sendAt + length) % sendSize;
        sendFree -= length;
        held -= length;
    }

    /** The peer is told of data that are posted. */
    private void told(int length, int frees) {
        places.use(length);
        message(DATA, length, frees);
    }

    /** A word that costs a credit. */
    private void message(int kind, int value, int frees) {
        slots -= 2;
        sequence = sequence + 1 & SEQUENCE;
        word(kind, value, frees);
    }

    // ---- memory that is written to by offsets

    /** Tells the peer of memory. Only if this end {@link #canSend}. */
    void tell(int entry, long offset, long address, int key, int length) {
        scratch.clear();
        scratch.putLong(RemoteMap.OFFSET_OFFSET, offset)
                .putLong(RemoteMap.ADDRESS_OFFSET, address)
                .putInt(RemoteMap.KEY_OFFSET, key)
                .putInt(RemoteMap.LENGTH_OFFSET, length);
        RsocketRecord.Place table = table();
        copy(table, (long) table.length() * RsocketRecord.Place.LENGTH + (long) entry * RemoteMap.ENTRY);
        message(MAP, entry, 0);
    }

    /** {@return how many bytes go to memory of the peer, which has the offset {@code at} in an entry} Only if it {@link #canWriteAlone}. */
    int writeAlone(int entry, long at, StreamSource from, int most) {
        int length = fill(from, (int) Math.min(Math.min(most, map.left(entry, at)), LARGEST_MESSAGE));
        underWay[(int) (posted % underWay.length)] = ALONE - length;
        wire.writeAlone(sendAt, length, map.address(entry, at), map.key(entry), posted++);
        slots--;
        used(length);
        return length;
    }

    // ---- words that cost no credit

    /** {@return whether the word of the end has gone; false: others have to be done first} */
    boolean sayEnd(int word) {
        if (peer == null || controls == MOST_CONTROLS) {
            return false;
        }
        controls++;
        word(CONTROL, word, word == DISCONNECT ? GOODBYE : ONE_CONTROL);
        return true;
    }

    /** {@return whether credits and a place may be given} */
    boolean mayGrant() {
        return peer != null && controls <= MOST_CONTROLS - 2;
    }

    /**
     * Gives credits.
     *
     * @param count of all that were given
     * @param place that is given, too; null: none
     */
    void grant(int count, RsocketWire.@Nullable Place place) {
        if (place != null) {
            scratch.clear().limit(RsocketRecord.Place.LENGTH);
            RsocketRecord.Place.write(scratch, 0, place.address(), place.key(), place.length());
            RsocketRecord.Place table = table();
            copy(table, (long) placeIndex * RsocketRecord.Place.LENGTH);
            placeIndex = (placeIndex + 1) % table.length();
        }
        controls += place == null ? 1 : 2;
        word(CREDITS, count, place == null ? ONE_CONTROL : TWO_CONTROLS);
    }

    private RsocketRecord.Place table() {
        RsocketRecord told = peer;
        if (told == null) {
            throw new IllegalStateException("there is no connection yet");
        }
        return told.places();
    }

    private void copy(RsocketRecord.Place to, long offset) {
        wire.writeCopy(scratch, to.address() + offset, to.key());
    }

    private void word(int kind, int value, int frees) {
        underWay[(int) (posted % underWay.length)] = frees;
        scratch.clear().limit(RsocketEngine.WORD);
        scratch.putInt(0, kind << KIND_SHIFT | value);
        wire.send(scratch, posted++);
    }

    // ---- what is under way

    /** {@return whether this end's last word is done} All to that id is. */
    boolean done(long id) {
        boolean goodbye = false;
        for (; done <= id; done++) {
            int frees = underWay[(int) (done % underWay.length)];
            if (frees >= 0) {
                slots += 2;
                sendFree += frees;
            } else if (frees == GATHERED) {
                slots += 2;
                gathered--;
            } else if (frees <= ALONE) {
                slots++;
                sendFree += ALONE - frees;
            } else if (frees == GOODBYE) {
                controls--;
                goodbye = true;
            } else {
                controls += frees;
            }
        }
        return goodbye;
    }

    /** {@return whether nothing is under way} */
    boolean allDone() {
        return done == posted;
    }

    /** {@return whether all data have gone} */
    boolean allGone() {
        return held == 0 && sendFree == sendSize && gathered == 0;
    }
}
