package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The sending part of one end of an rsocket: data with their words, control words, writes to shared memory, and
 * outstanding requests.
 */
final class RsocketSender {
    // Three bits of a word are its kind, 29 bits its value.
    static final int KIND_SHIFT = 29;
    static final int DATA = 0;
    static final int CREDITS = 4;
    static final int MAP = 6;
    static final int CONTROL = 7;

    static final int DISCONNECT = 0;
    static final int KEEPALIVE = 1;
    static final int SHUTDOWN = 2;

    /** Maximum of outstanding control words; a new place counts as two (RS_QP_CTRL_SIZE). */
    static final int MOST_CONTROLS = 4;

    /**
     * As in librdmacm (RS_MAX_TRANSFER). The shorter first messages of librdmacm would bring no gain, because all
     * requests of one call are sent together.
     */
    private static final int LARGEST_MESSAGE = 65_536;

    /** Data are accepted when this much of the send memory (RS_SNDLOWAT), or half of it, is free. */
    private static final int LOW_WATER = 2048;

    /** The resources that a completed word frees: the bytes of its data, or one of these values. */
    private static final int ONE_CONTROL = -1;

    private static final int TWO_CONTROLS = -2;
    private static final int GOODBYE = -3;
    /** An RDMA Write without a word: this value minus its bytes. */
    private static final int ALONE = -4;

    /** Data in the program's memory. */
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
     * Credits that remain unused. librdmacm posts as many receives as it grants credits, and no further ones for
     * control words, which cost no credit. Without a posted receive InfiniBand repeats the message, but iWARP ends the
     * connection.
     */
    private int kept;

    private final ByteBuffer sent;
    private final int sendSize;
    private int sendAt;
    private int sendFree;
    /**
     * Bytes at {@link #sendAt} that wait for further bytes. There is always room to post them and one further message.
     */
    private int held;

    /** Free work requests for data: two per message. */
    private int slots;

    private int controls;
    private final int[] underWay;
    private long posted;
    private long done;
    /** Outstanding messages with data in the program's memory. */
    private int gathered;

    /** Index of the next place in the peer's table. */
    private int placeIndex = 1;

    /**
     * Made for one end.
     *
     * @param sent send memory
     * @param slots maximum of posted work requests
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

    /** Starts with the record of the peer. */
    void connected(RsocketRecord told) {
        peer = told;
        scratch.order(told.order());
        places.begin(told.data());
        granted = told.credits();
        kept = Math.min(
                RsocketEngine.SPARE_RECEIVES, granted / 2); // the peer grants credits again when half of them are used
    }

    /** {@return the record of the peer; null if there is no connection yet} */
    @Nullable
    RsocketRecord peer() {
        return peer;
    }

    /** {@return the byte order of the peer's words} */
    ByteOrder order() {
        return scratch.order();
    }

    /** Processes a grant of the peer: {@code count} is the total of credits; a place may be granted, too. */
    void granted(int count) {
        granted = count & SEQUENCE;
        places.update();
    }

    // ---- data

    boolean canSend() {
        return sendable() && taken();
    }

    /**
     * {@return whether the peer accepts another message, and the message can be posted} The held bytes are sent in a
     * message before it.
     */
    private boolean taken() {
        int before = held > 0 ? 1 : 0;
        return peer != null
                && slots >= 2 + 2 * before
                && (granted - sequence & SEQUENCE) > kept + before
                && places.room() > held;
    }

    /** {@return whether a write to shared memory of the peer can be posted, which needs neither credits nor a place} */
    boolean canWriteAlone() {
        return peer != null && slots > 0 && sendable();
    }

    private boolean sendable() {
        return sendFree - held >= Math.min(LOW_WATER, sendSize / 2);
    }

    /** {@return the number of additional bytes that are held until {@link #flush}} Only if {@link #canSend}. */
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

    /** {@return the number of bytes that are sent without a copy} The position of the data moves by this number. */
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

    /** {@return whether sends from the program's memory are outstanding} */
    boolean borrowed() {
        return gathered > 0;
    }

    /** Copies data into the send memory, as much as fits in one piece. They are held until {@link #used}. */
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

    /** Sends the word for posted data. */
    private void told(int length, int frees) {
        places.use(length);
        message(DATA, length, frees);
    }

    /** Sends a word that costs a credit. */
    private void message(int kind, int value, int frees) {
        slots -= 2;
        sequence = sequence + 1 & SEQUENCE;
        word(kind, value, frees);
    }

    // ---- shared memory

    /** Announces memory to the peer. Only if {@link #canSend}. */
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

    /**
     * {@return the number of bytes that are written to shared memory of the peer at the offset {@code at} of an entry}
     * Only if {@link #canWriteAlone}.
     */
    int writeAlone(int entry, long at, StreamSource from, int most) {
        int length = fill(from, (int) Math.min(Math.min(most, map.left(entry, at)), LARGEST_MESSAGE));
        underWay[(int) (posted % underWay.length)] = ALONE - length;
        wire.writeAlone(sendAt, length, map.address(entry, at), map.key(entry), posted++);
        slots--;
        used(length);
        return length;
    }

    // ---- words that cost no credit

    /** {@return whether the word for the end of the stream is sent; false: other control words must complete first} */
    boolean sayEnd(int word) {
        if (peer == null || controls == MOST_CONTROLS) {
            return false;
        }
        controls++;
        word(CONTROL, word, word == DISCONNECT ? GOODBYE : ONE_CONTROL);
        return true;
    }

    /** {@return whether credits and a place may be granted} */
    boolean mayGrant() {
        return peer != null && controls <= MOST_CONTROLS - 2;
    }

    /**
     * Grants credits.
     *
     * @param count total of granted credits
     * @param place that is granted, too; null: none
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

    // ---- outstanding requests

    /**
     * {@return whether the last word of this end has completed} Processes the completion of all requests up to the id.
     */
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

    /** {@return whether no request is outstanding} */
    boolean allDone() {
        return done == posted;
    }

    /** {@return whether all data are sent} */
    boolean allGone() {
        return held == 0 && sendFree == sendSize && gathered == 0;
    }
}
