package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Where the peer writes data, and the credits that it has for that: two places, which it fills in turn and the program reads in turn. One that was read to its end is given again, or one that is larger
 * in its stead: where the peer had to wait for the program, and the program had to wait for the peer, there was too little of it.
 */
final class ReceivePlaces {
    private static final int SEQUENCE = 0xFFFF;

    private final RsocketWire.Place[] places;
    private final RsocketWire wire;
    private int reading;
    private int readAt;
    private int giving = 1;
    /** Places that are read to their end, and not given again. */
    private int free = 1;
    /** Bytes that the peer may still write. */
    private int room;

    private int unread;
    /** Since more memory was wanted the last time, the peer had none left, and the program had read all. */
    private boolean filled;

    private boolean emptied;
    /** How often more memory was wanted, and how often each place has become larger. */
    private int wanted;

    private final int[] grown = new int[2];

    /** Bytes that are left of each message that the program has not read whole. */
    private final int[] messages;

    private int firstMessage;
    private int unreadMessages;
    /** Messages that were read whole, and of those how many bring the next credits; modulo 65,536. */
    private int consumed;

    private int grantAt;

    /**
     * The first one is given.
     *
     * @param credits that are given
     */
    ReceivePlaces(RsocketWire.Place first, RsocketWire.Place second, int credits, RsocketWire wire) {
        places = new RsocketWire.Place[] {first, second};
        this.wire = wire;
        room = first.length();
        messages = new int[credits];
        grantAt = credits / 2;
    }

    /** {@return the one that the peer's record tells of} */
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

    /** A message came, with not more bytes than {@link #room}. Not if it is {@link #full}. */
    void came(int bytes) {
        messages[(firstMessage + unreadMessages) % messages.length] = bytes;
        unreadMessages++;
        room -= bytes;
        unread += bytes;
        filled |= room == 0;
    }

    /** {@return how many bytes the sink has taken, not more than so many} */
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

    /** Messages that were read whole give a credit each. */
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

    /** A message without bytes was read, or one with bytes, whole. */
    void consume() {
        consumed = consumed + 1 & SEQUENCE;
    }

    /** {@return whether half of the credits can be given again} */
    boolean creditsDue() {
        return (short) (consumed - grantAt) >= 0;
    }

    /** {@return credits in all that were given, with those that are given now; modulo 65,536 and more} */
    int giveCredits() {
        grantAt = consumed + messages.length / 2 & SEQUENCE;
        return consumed + messages.length;
    }

    /** Data that have come will not be read. */
    void forget() {
        unread = 0;
    }

    /** {@return whether a place can be given} */
    boolean placeDue() {
        return free > 0;
    }

    /** {@return the place that is given now: the peer is to be told} */
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
