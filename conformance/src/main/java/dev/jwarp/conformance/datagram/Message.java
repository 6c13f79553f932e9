package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Segment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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

    /**
     * A message in one segment; its shim has the receiver and the Message Id. STag and TO count only if messages of its
     * opcode are tagged.
     */
    Message(Datagram shim, int opcode, long stag, long to, byte[] payload) {
        this.shim = shim;
        this.opcode = opcode;
        tagged = opcode == WRITE || opcode == READ_RESPONSE || opcode == WRITE_RECORD;
        this.stag = stag;
        this.to = to;
        this.payload = payload.clone();
        size = payload.length;
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

    Segment segment(int i) {
        int offset = Math.min(payload.length, i * size);
        byte[] part = Arrays.copyOfRange(payload, offset, Math.min(payload.length, offset + size));
        Segment segment =
                Segment.send(shim.id(), part).opcode(opcode).tagged(tagged).last(i == count() - 1);
        return tagged
                ? segment.stag(stag).to(to + offset)
                : segment.queue(opcode == READ_REQUEST ? 1 : 0).mo(offset);
    }

    public Datagram datagram(int i) {
        byte[] ddp = segment(i).bytes();
        boolean pads = padded && i == count() - 1;
        Datagram d = shim.afterShim(0, pads ? Arrays.copyOf(ddp, ddp.length + (i + 1) * size - payload.length) : ddp);
        return d.length(payload.length).index(i).segmentSize(size).and(pads ? Datagram.P : 0);
    }

    /** Its only datagram. */
    public Datagram one() {
        if (count() != 1) {
            throw new IllegalStateException("a message of " + count() + " datagrams");
        }
        return datagram(0);
    }

    public List<Datagram> all() {
        return IntStream.range(0, count()).mapToObj(this::datagram).toList();
    }
}
