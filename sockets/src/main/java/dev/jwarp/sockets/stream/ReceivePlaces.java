package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Where the peer writes data: two places, which it fills in turn and the program reads in turn. One that was read to its end is given again, or one that is larger
 * in its stead: where the peer had to wait for the program, and the program had to wait for the peer, there was too little of it.
 */
final class ReceivePlaces {
    private final ReceivePlace[] places;
    private final StreamWire wire;
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

    /** The first one is given. */
    ReceivePlaces(ReceivePlace first, ReceivePlace second, StreamWire wire) {
        places = new ReceivePlace[] {first, second};
        this.wire = wire;
        room = first.length();
    }

    /** {@return the one that the peer's record tells of} */
    ReceivePlace first() {
        return places[0];
    }

    int room() {
        return room;
    }

    int unread() {
        return unread;
    }

    /** Counts bytes that came, not more than {@link #room}. */
    void came(int bytes) {
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
        return read;
    }

    /** What has come is not read any more. */
    void forget() {
        unread = 0;
    }

    /** {@return whether a place can be given} */
    boolean due() {
        return free > 0;
    }

    /** {@return the place that is given now: the peer is to be told} */
    ReceivePlace give() {
        if (filled && emptied) {
            filled = false;
            emptied = false;
            wanted++;
        }
        if (grown[giving] != wanted) {
            grown[giving] = wanted;
            places[giving] = wire.larger(places[giving]);
        }
        ReceivePlace place = places[giving];
        giving ^= 1;
        free--;
        room += place.length();
        return place;
    }
}
