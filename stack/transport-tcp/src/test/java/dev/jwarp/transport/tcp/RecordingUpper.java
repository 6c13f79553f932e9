package dev.jwarp.transport.tcp;

import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A layer above that records its calls, and sends the data of the test. Any thread may read the records. */
class RecordingUpper implements UpperLayer {
    final List<String> events = new CopyOnWriteArrayList<>();
    final List<String> advice = new CopyOnWriteArrayList<>();
    final List<byte[]> received = new CopyOnWriteArrayList<>();
    final Queue<byte[]> toSend = new ConcurrentLinkedQueue<>();
    volatile LowerLayer lower;
    volatile long timeout = Long.MAX_VALUE;
    final java.util.concurrent.atomic.AtomicInteger polled = new java.util.concurrent.atomic.AtomicInteger();
    volatile boolean stable = true;
    int weight = 1;

    /** Runs in the middle of every ULPDU. */
    volatile Runnable withinPoll = () -> {};

    void send(byte[] ulpdu) {
        toSend.add(ulpdu);
        if (lower != null) {
            lower.doorbell();
        }
    }

    /** Closes gracefully, from any thread. */
    void close() {
        ((LlpConnection) lower).execute(lower::close);
    }

    /** Aborts, from any thread. */
    void abort() {
        ((LlpConnection) lower).execute(lower::abort);
    }

    @Override
    public void onEstablished(LowerLayer lowerLayer, LlpAgreement agreement, long nowNanos) {
        lower = lowerLayer;
        events.add("established ird=" + agreement.ird() + " ord=" + agreement.ord() + " rtr="
                + agreement.readyToReceive());
    }

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
        byte[] octets = new byte[length];
        buffer.get(offset, octets);
        received.add(octets);
        events.add("ulpdu " + (length > 64 ? length + " bytes" : HexFormat.of().formatHex(octets)));
    }

    @Override
    public boolean wantsToSend() {
        return !toSend.isEmpty();
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        byte[] next = toSend.poll();
        if (next == null) {
            return false;
        }
        polled.incrementAndGet();
        // The first half, at most 14 octets, is the header, the rest the payload.
        int header = Math.min(14, next.length / 2);
        int at = out.begin(header, next.length - header);
        for (int i = 0; i < header; i++) {
            out.buffer().put(at + i, next[i]);
        }
        withinPoll.run();
        ByteBuffer payload = ByteBuffer.allocateDirect(next.length).put(next).flip();
        out.payload(payload, header, next.length - header, stable);
        out.end();
        return true;
    }

    @Override
    public int weight() {
        return weight;
    }

    @Override
    public void onTransmitted(long nowNanos) {
        events.add("transmitted");
    }

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {
        events.add("llp error " + code.name() + (mayAnswer ? "" : ", no answer allowed"));
    }

    @Override
    public void advise(String sentence) {
        advice.add(sentence);
    }

    @Override
    public void onPeerClosed(long nowNanos) {
        events.add("peer closed");
    }

    @Override
    public void onFault(Throwable cause, long nowNanos) {
        events.add("fault " + cause);
    }

    @Override
    public void onClosed(LlpEnd end, long nowNanos) {
        events.add("closed " + end);
    }

    @Override
    public long nextTimeout() {
        return timeout;
    }

    @Override
    public void onTimeout(long nowNanos) {
        timeout = Long.MAX_VALUE;
        events.add("timeout");
    }
}
