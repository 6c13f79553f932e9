package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * One message, divided into DATA datagrams (datagram-iWARP §4.5) without extension. A cookie or the fields of a
 * channel are inserted afterwards.
 */
public final class Message {
    public static final int WRITE = 0;
    public static final int READ_REQUEST = 1;
    public static final int READ_RESPONSE = 2;
    public static final int SEND = 3;
    public static final int SEND_SE = 5;
    public static final int WRITE_RECORD = 15;

    private final Datagram shim;
    private final int opcode;
    private final boolean tagged;
    private final long stag;
    private final long to;
    private final byte[] payload;
    private int size;
    private boolean padded;

    private Message(Datagram shim, int opcode, long stag, long to, byte[] payload) {
        this.shim = shim;
        this.opcode = opcode;
        tagged = opcode == WRITE || opcode == READ_RESPONSE || opcode == WRITE_RECORD;
        this.stag = stag;
        this.to = to;
        this.payload = payload.clone();
        size = payload.length;
    }

    /** An untagged message; the shim has its receiver and its Message Id. */
    static Message untagged(Datagram shim, int opcode, byte[] payload) {
        return new Message(shim, opcode, 0, 0, payload);
    }

    /** A tagged message. */
    static Message tagged(Datagram shim, int opcode, long stag, long to, byte[] payload) {
        return new Message(shim, opcode, stag, to, payload);
    }

    /** RFC 5040 §4.4. */
    static Message readRequest(Datagram shim, long sinkStag, long sinkTo, long length, long stag, long to) {
        byte[] request =
                Segment.readRequest(0, sinkStag, sinkTo, length, stag, to).payload();
        return new Message(shim, READ_REQUEST, 0, 0, request);
    }

    /** The same message in segments of so many bytes. */
    public Message cut(int segmentSize) {
        size = segmentSize;
        return this;
    }

    /** The same message with its last segment padded to so many bytes. */
    public Message padded(int segmentSize) {
        size = segmentSize;
        padded = true;
        return this;
    }

    public long id() {
        return shim.id();
    }

    public byte[] payload() {
        return payload.clone();
    }

    /** Number of segments. */
    public int count() {
        return payload.length == 0 || size == 0 ? 1 : (payload.length + size - 1) / size;
    }

    /** The DDP segment with this index. */
    Segment segment(int i) {
        int offset = i * size;
        byte[] part = java.util.Arrays.copyOfRange(
                payload, Math.min(offset, payload.length), Math.min(payload.length, offset + size));
        Segment segment =
                Segment.send(shim.id(), part).opcode(opcode).tagged(tagged).last(i == count() - 1);
        return tagged
                ? segment.stag(stag).to(to + offset)
                : segment.queue(opcode == READ_REQUEST ? 1 : 0).mo(offset);
    }

    /** The datagram with this index. */
    public Datagram datagram(int i) {
        Segment segment = segment(i);
        boolean last = i == count() - 1;
        byte[] ddp = segment.bytes();
        int room = last && padded ? size - segment.payload().length : 0;
        Datagram whole =
                shim.insert(Datagram.SHIM, new Octets().add(ddp).zeros(room).bytes());
        return whole.length(payload.length).index(i).segmentSize(size).and(last && padded ? Datagram.P : 0);
    }

    /** Its only datagram. */
    public Datagram one() {
        if (count() != 1) {
            throw new IllegalStateException("a message of " + count() + " datagrams");
        }
        return datagram(0);
    }

    /** All of its datagrams, in order. */
    public List<Datagram> all() {
        List<Datagram> all = new ArrayList<>();
        for (int i = 0; i < count(); i++) {
            all.add(datagram(i));
        }
        return all;
    }
}
