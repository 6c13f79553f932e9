package dev.jwarp.transport.udp;

import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.ServiceStatus;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** The RESOLVEs of one port that wait for their answers (datagram-iWARP §10). Owner only. */
final class Questions {
    private final AnswerQueue out;
    private final Map<Integer, Question> open = new HashMap<>();
    private final ResolvedBody resolved = new ResolvedBody();
    private int nextId;

    Questions(AnswerQueue out, int firstId) {
        this.out = out;
        nextId = firstId;
    }

    boolean any() {
        return !open.isEmpty();
    }

    int nextId() {
        return nextId++;
    }

    void ask(Question question, long nowNanos) {
        open.put(question.messageId, question);
        onTimeout(nowNanos);
    }

    void forget(Question question) {
        open.remove(question.messageId, question);
    }

    /** {@return whether it answers a question} RESOLVED, CHALLENGE or VERSION LIST for the resolver's number. */
    boolean reply(DatagramParser parsed) {
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
            case VERSION_LIST -> { // DG-4.7-5
                forget(question);
                question.answered(ServiceStatus.NO_COMMON_VERSION, new byte[0]);
            }
            default -> { // DG-10-12
                forget(question);
                resolved.wrap(buffer, at);
                question.answered(resolved);
            }
        }
        return true;
    }

    long nextTimeout() {
        long next = Long.MAX_VALUE;
        if (!open.isEmpty()) {
            for (Question question : open.values()) {
                next = Math.min(next, question.nextTimeout());
            }
        }
        return next;
    }

    /** Comes with every timer of the port, so it allocates nothing if no question is open. */
    void onTimeout(long nowNanos) {
        if (any()) {
            end(nowNanos, ServiceStatus.TIMED_OUT);
        }
    }

    void close() {
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
