package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** The sending part of one end of a credit stream: data messages, control messages, and outstanding requests. */
final class CreditSender {
    /** Kinds of outstanding requests. */
    enum Request {
        /** A message with copied data. */
        DATA,
        /** A message with data in the program's memory. */
        GATHERED,
        GRANT,
        ASK,
        TAKEN,
        /** Any other message; its completion frees nothing. */
        OTHER,
        /** A compare-and-swap of the peer's word. */
        SWAP,
        /** An RDMA Write. */
        PUT,
        /** An RDMA Read. */
        FETCH
    }

    private final CreditWire wire;
    private final ByteBuffer sent;
    private final ByteBuffer header = ByteBuffer.allocate(CreditEngine.LONGEST_CONTROL);
    private final Credits credits;
    private final UnsentMessages unsent;
    final CreditEnd end;

    private final Request[] underWay;
    private long posted;
    private long done;
    private boolean grantUnderWay;
    private boolean askUnderWay;
    /** Outstanding messages with data in the program's memory. */
    private int gathered;

    private long position;

    /**
     * Made for one end.
     *
     * @param sent send memory
     * @param slots maximum of posted work requests
     */
    CreditSender(CreditWire wire, ByteBuffer sent, int slots, Credits credits, UnsentMessages unsent, CreditEnd end) {
        this.wire = wire;
        this.sent = sent.duplicate().order(ByteOrder.BIG_ENDIAN);
        this.credits = credits;
        this.unsent = unsent;
        this.end = end;
        underWay = new Request[slots];
    }

    // ---- data

    /** {@return bytes of the stream that were sent} */
    long position() {
        return position;
    }

    /** Counts bytes of the stream that are sent outside of messages. */
    void moved(int bytes) {
        position += bytes;
    }

    /** Sends waiting bytes as soon as there is a credit. */
    void flush() {
        unsent.flush();
        sendPending();
    }

    /** Sends the next message if it is flushed and there is a credit. */
    void sendPending() {
        if (!unsent.goes() || credits.left() < 2 || end.finished()) {
            return;
        }
        int length = unsent.pending();
        boolean last = unsent.pendingLast();
        unsent.clear();
        int at = begin(length, last);
        wire.send(at, CreditMessage.HEADER + length, id(Request.DATA));
    }

    /**
     * {@return the number of bytes that are sent without a copy, in full messages} The position of the data moves by
     * this number.
     */
    int gather(ByteBuffer data) {
        int before = data.position();
        int most = unsent.longest();
        int length = unsent.ofMessage(data.remaining());
        if (length >= most) {
            flush();
        }
        for (; length >= most && unsent.hasFree() && credits.left() >= 2; length -= most) {
            int at = begin(most, unsent.endsWith(most));
            gathered++;
            wire.gather(at, data.position(), most, id(Request.GATHERED));
            data.position(data.position() + most);
        }
        return data.position() - before;
    }

    /** {@return whether sends from the program's memory are outstanding} */
    boolean borrowed() {
        return gathered > 0;
    }

    /** {@return the offset of the next message, after its header was written there} */
    private int begin(int length, boolean last) {
        int at = unsent.take();
        CreditMessage.head(sent, at, CreditMessage.DATA, last ? CreditMessage.LAST : 0, credits.tell(), length);
        credits.use();
        position += length;
        return at;
    }

    // ---- control messages

    /** Sends a message without a body. */
    void say(int kind, int flags) {
        say(kind, flags, 0);
    }

    /** Sends a message that describes memory; {@code last}: a message of the program ends with it. */
    void say(int kind, DirectMemory memory, boolean last) {
        if (kind == CreditMessage.ASK) {
            credits.use();
            askUnderWay = true;
        }
        memory.write(header.clear(), CreditMessage.HEADER);
        say(kind, last ? CreditMessage.LAST : 0, DirectMemory.BODY);
    }

    /** Sends a message about moved bytes; {@code last}: a message of the program ends with them. */
    void say(int kind, long word, int length, boolean last) {
        header.clear().putLong(CreditMessage.HEADER, word).putInt(CreditMessage.HEADER + Long.BYTES, length);
        say(kind, last ? CreditMessage.LAST : 0, CreditMessage.MOVED_BODY);
    }

    private void say(int kind, int flags, int body) {
        CreditMessage.head(header, 0, kind, flags, credits.tell(), body);
        Request request =
                switch (kind) {
                    case CreditMessage.GRANT -> Request.GRANT;
                    case CreditMessage.ASK -> Request.ASK;
                    case CreditMessage.TAKEN -> Request.TAKEN;
                    default -> Request.OTHER;
                };
        wire.sendCopy(header.limit(CreditMessage.HEADER + body), id(request));
    }

    /** Returns credits in a message of its own. */
    void grant() {
        credits.use();
        grantUnderWay = true;
        say(CreditMessage.GRANT, 0);
    }

    /** Returns credits if half of them are free and no other message has returned them. */
    void grantIfDue() {
        boolean wanted = !end.peerEnded() && end.state() != CreditEnd.State.CLOSED_SAID && !end.finished();
        if (wanted && credits.due() && credits.left() > 0 && !grantUnderWay) {
            grant();
        }
    }

    /** {@return whether an ASK may be sent} */
    boolean mayAsk() {
        return credits.left() >= 2 && !askUnderWay && !end.peerEnded() && !end.finished();
    }

    // ---- outstanding requests

    /** {@return the id for a request of the kind, which the caller posts now} */
    long id(Request kind) {
        underWay[(int) (posted % underWay.length)] = kind;
        return posted++;
    }

    /** {@return the next completed request with an id up to {@code id}; null if there is none} */
    @Nullable
    Request done(long id) {
        if (done > id) {
            return null;
        }
        Request request = underWay[(int) (done++ % underWay.length)];
        switch (request) {
            case DATA -> unsent.done();
            case GATHERED -> {
                unsent.done();
                gathered--;
            }
            case GRANT -> grantUnderWay = false;
            case ASK -> askUnderWay = false;
            default -> {}
        }
        return request;
    }

    /** {@return whether no request is outstanding} */
    boolean allDone() {
        return done == posted;
    }
}
