package dev.jwarp.transport.udp.resolve;

import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.wire.CookieBody;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** The RESOLVEs of one port that have no answer so far (datagram-iWARP §R.3). Owner only. */
public final class Questions {
    private final AnswerQueue out;
    private final Map<Integer, Question> open = new HashMap<>();
    private final ResolvedBody resolved = new ResolvedBody();
    private int nextId;

    public Questions(AnswerQueue out, int firstId) {
        this.out = out;
        nextId = firstId;
    }

    public boolean any() {
        return !open.isEmpty();
    }

    public void ask(Question question, long nowNanos) {
        question.begin(nextId++, nowNanos);
        open.put(question.messageId, question);
        onTimeout(nowNanos);
    }

    public void forget(Question question) {
        open.remove(question.messageId, question);
    }

    /** {@return whether a RESOLVED, CHALLENGE or VERSION LIST for the resolver's number answers a question} */
    public boolean reply(DatagramParser parsed) {
        ReceivedDatagram datagram = parsed.datagram();
        Question question = open.get(datagram.shim().messageId());
        if (question == null || !question.matches(datagram)) {
            return false;
        }
        ByteBuffer buffer = datagram.buffer();
        int at = datagram.offset();
        switch (parsed.kind()) {
            case CHALLENGE ->
                question.challenged(
                        buffer.getLong(at + CookieBody.HIGH_OFFSET), buffer.getLong(at + CookieBody.LOW_OFFSET), out);
            case VERSION_LIST -> { // DG-R.3-4
                forget(question);
                question.answered(ServiceStatus.NO_COMMON_VERSION, new byte[0]);
            }
            default -> { // DG-R.3-3
                forget(question);
                resolved.wrap(buffer, at);
                question.answered(resolved);
            }
        }
        return true;
    }

    public long nextTimeout() {
        long next = Long.MAX_VALUE;
        if (!open.isEmpty()) {
            for (Question question : open.values()) {
                next = Math.min(next, question.nextTimeout());
            }
        }
        return next;
    }

    /** Runs at every timer of the port, so it allocates nothing if no question is open. */
    public void onTimeout(long nowNanos) {
        if (any()) {
            end(nowNanos, ServiceStatus.TIMED_OUT);
        }
    }

    public void close() {
        end(Long.MAX_VALUE, ServiceStatus.CLOSED);
    }

    private void end(long nowNanos, ServiceStatus status) {
        Map<Integer, Question> over = new HashMap<>();
        for (Iterator<Question> all = open.values().iterator(); all.hasNext(); ) {
            Question question = all.next();
            if (question.expired(out, nowNanos)) {
                all.remove();
                over.put(question.messageId, question);
            }
        }
        over.values().forEach(question -> question.answered(status, new byte[0]));
    }
}
