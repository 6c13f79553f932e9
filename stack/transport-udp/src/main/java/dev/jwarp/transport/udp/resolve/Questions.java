package dev.jwarp.transport.udp.resolve;

import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.ServiceStatus;
import dev.jwarp.transport.udp.port.AnswerQueue;
import dev.jwarp.transport.udp.wire.DatagramParser;
import dev.jwarp.transport.udp.wire.ResolvedBody;
import java.util.HashMap;
import java.util.List;
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
        switch (parsed.kind()) {
            case CHALLENGE ->
                question.challenged(parsed.cookie().high(), parsed.cookie().low(), out);
            case VERSION_LIST -> { // DG-R.3-4
                forget(question);
                question.answered(ServiceStatus.NO_COMMON_VERSION, new byte[0]);
            }
            default -> { // DG-R.3-3
                forget(question);
                resolved.wrap(datagram.buffer(), datagram.offset());
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
        List<Question> over = open.values().stream()
                .filter(question -> question.expired(out, nowNanos))
                .toList();
        over.forEach(this::forget);
        over.forEach(question -> question.answered(status, new byte[0]));
    }
}
