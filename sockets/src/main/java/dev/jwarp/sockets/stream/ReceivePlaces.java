package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * The receive memory of an rsocket and the credits of the peer. The memory consists of two places, which the peer fills
 * alternately and the program reads alternately. A place that is completely read is granted again. If the peer had
 * filled all memory and the program had read all of it, there was too little memory, and a larger place is granted
 * instead.
 */
final class ReceivePlaces {
    private static final int SEQUENCE = 0xFFFF;

    private final RsocketWire.Place[] places;
    private final RsocketWire wire;
    private int reading;
    private int readAt;
    private int giving = 1;
    /** Places that are completely read and not granted again. */
    private int free = 1;
    /** Bytes that the peer may still write. */
    private int room;

    private int unread;
    /** Since memory last grew: whether the peer has filled all memory, and whether the program has read everything. */
    private boolean filled;

    private boolean emptied;
    /** How often more memory was needed, and how often each place has grown. */
    private int wanted;

    private final int[] grown = new int[2];

    /** Unread bytes of each message that the program has not completely read. */
    private final int[] messages;

    private int firstMessage;
    private int unreadMessages;
    /** Messages that were completely read, and the count at which the next credits are granted; modulo 65,536. */
    private int consumed;

    private int grantAt;

    /**
     * Made with the first place granted.
     *
     * @param credits that are granted
     */
    ReceivePlaces(RsocketWire.Place first, RsocketWire.Place second, int credits, RsocketWire wire) {
        places = new RsocketWire.Place[] {first, second};
        this.wire = wire;
        room = first.length();
        messages = new int[credits];
        grantAt = credits / 2;
    }

    /** {@return the place for the record that the peer gets} */
    RsocketWire.Place first() {
        return places[0];
    }

    int room() {
        return room;
    }

    int unread() {
        return unread;
    }

    /** {@return whether the peer has used all credits} */
    boolean full() {
        return unreadMessages == messages.length;
    }

    /** Adds a message with at most {@link #room} bytes. Not if {@link #full}. */
    void came(int bytes) {
        messages[(firstMessage + unreadMessages) % messages.length] = bytes;
        unreadMessages++;
        room -= bytes;
        unread += bytes;
        filled |= room == 0;
    }

    /** {@return the number of bytes that the sink has consumed, at most {@code most}} */
    int read(StreamSink into, int most) {
        int read = 0;
        while (read < most && unread > 0) {
            ByteBuffer memory = places[reading].memory();
            int length = Math.min(Math.min(most - read, unread), memory.capacity() - readAt);
            into.take(memory, readAt, length);
            read += length;
            unread -= length;
            readAt += length;
            if (readAt == memory.capacity()) {
                readAt = 0;
                reading ^= 1;
                free++;
            }
        }
        emptied |= unread == 0;
        count(read);
        return read;
    }

    /** Counts messages that are completely read now; each frees a credit. */
    private void count(int bytes) {
        int left = bytes;
        while (unreadMessages > 0 && messages[firstMessage] <= left) {
            left -= messages[firstMessage];
            firstMessage = (firstMessage + 1) % messages.length;
            unreadMessages--;
            consume();
        }
        if (left > 0) {
            messages[firstMessage] -= left;
        }
    }

    /** Counts a message that was completely read or has no data. */
    void consume() {
        consumed = consumed + 1 & SEQUENCE;
    }

    /** {@return whether half of the credits can be granted again} */
    boolean creditsDue() {
        return (short) (consumed - grantAt) >= 0;
    }

    /**
     * {@return the total of credits that were granted, including those that are granted now; the caller reduces it
     * modulo 65,536}
     */
    int giveCredits() {
        grantAt = consumed + messages.length / 2 & SEQUENCE;
        return consumed + messages.length;
    }

    /** Discards unread data. */
    void forget() {
        unread = 0;
    }

    /** {@return whether a place can be granted} */
    boolean placeDue() {
        return free > 0;
    }

    /** {@return the place that is granted now; the caller announces it to the peer} */
    RsocketWire.Place give() {
        if (filled && emptied) {
            filled = false;
            emptied = false;
            wanted++;
        }
        if (grown[giving] != wanted) {
            grown[giving] = wanted;
            places[giving] = wire.larger(places[giving]);
        }
        RsocketWire.Place place = places[giving];
        giving ^= 1;
        free--;
        room += place.length();
        return place;
    }
}
