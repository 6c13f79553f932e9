package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** What one end of a stream with credits sends: messages with data, and those without; and what of it is under way. */
final class CreditSender {
    /** What is posted to the queue pair, and frees something when it is done. */
    enum Request {
        /** A message with data that were copied. */
        DATA,
        /** A message with data that go from where the program has them. */
        GATHERED,
        GRANT,
        ASK,
        TAKEN,
        /** A message that frees nothing. */
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
    /** Messages under way whose bytes are the program's. */
    private int gathered;

    private long position;

    /**
     * Of one end.
     *
     * @param sent memory that data are sent from
     * @param slots work requests that may be posted
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

    /** Bytes of the stream are sent that are in no message. */
    void moved(int bytes) {
        position += bytes;
    }

    /** What waits for other bytes goes as soon as there is a credit. */
    void flush() {
        unsent.flush();
        sendPending();
    }

    /** Sends the next message, if it may go. */
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

    /** {@return how many bytes go from where they are, in whole messages} The position of the data moves by that. */
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

    /** {@return whether bytes of the program's are under way} */
    boolean borrowed() {
        return gathered > 0;
    }

    /** {@return where the next message begins, whose header is there now} */
    private int begin(int length, boolean last) {
        int at = unsent.take();
        CreditMessage.head(sent, at, CreditMessage.DATA, last ? CreditMessage.LAST : 0, credits.tell(), length);
        credits.use();
        position += length;
        return at;
    }

    // ---- messages without data

    /** Says a message that has a header only. */
    void say(int kind, int flags) {
        say(kind, flags, 0);
    }

    /** Says a message that tells of memory; {@code last}: a message of the program ends with it. */
    void say(int kind, DirectMemory memory, boolean last) {
        if (kind == CreditMessage.ASK) {
            credits.use();
            askUnderWay = true;
        }
        memory.write(header.clear(), CreditMessage.HEADER);
        say(kind, last ? CreditMessage.LAST : 0, DirectMemory.BODY);
    }

    /** Says a message that tells what was moved; {@code last}: a message of the program ends with it. */
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

    /** Gives back what was read. */
    void grant() {
        credits.use();
        grantUnderWay = true;
        say(CreditMessage.GRANT, 0);
    }

    /** Gives back what was read, when it is half of the credits; a message that goes anyhow gives it before. */
    void grantIfDue() {
        boolean wanted = !end.peerEnded() && end.state() != CreditEnd.State.CLOSED_SAID && !end.finished();
        if (wanted && credits.due() && credits.left() > 0 && !grantUnderWay) {
            grant();
        }
    }

    /** {@return whether a message may go that asks for bytes} */
    boolean mayAsk() {
        return credits.left() >= 2 && !askUnderWay && !end.peerEnded() && !end.finished();
    }

    // ---- what is under way

    /** {@return the id of what is posted now, which is of that kind} */
    long id(Request kind) {
        underWay[(int) (posted % underWay.length)] = kind;
        return posted++;
    }

    /** {@return the next request that is done, of those to {@code id}; null: there are no more} */
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

    /** {@return whether nothing is under way} */
    boolean allDone() {
        return done == posted;
    }
}
