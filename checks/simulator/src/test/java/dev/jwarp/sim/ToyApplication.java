package dev.jwarp.sim;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpAgreement;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.llp.UpperLayer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Both the layer above and the connection manager of a connection: sends lines, records events. */
final class ToyApplication implements UpperLayer, ConnectionHandler {
    final List<String> events = new ArrayList<>();
    final List<String> received = new ArrayList<>();
    final ArrayDeque<String> toSend = new ArrayDeque<>();
    LlpConnection connection;
    /** How often an initiator is asked to connect again before it is accepted. */
    int refusals;

    boolean rejects;
    /** Whether to close after the peer. */
    boolean closesWithPeer = true;

    private LowerLayer lower;

    /** Sends lines at the next output of the engine. */
    void send(String... lines) {
        toSend.addAll(List.of(lines));
        if (lower != null) {
            lower.doorbell();
        }
    }

    boolean established() {
        return lower != null;
    }

    @Override
    public void onRequest(LlpConnection requested, StartParameters peer) {
        events.add("request " + text(peer));
        if (rejects) {
            requested.reject("no".getBytes(StandardCharsets.UTF_8));
        } else if (refusals-- > 0) {
            ((ToyEngine) requested).comeAgain();
        } else {
            connection = requested;
            requested.accept(new StartParameters(-1, -1, "welcome".getBytes(StandardCharsets.UTF_8)), this);
        }
    }

    @Override
    public void onEstablished(LlpConnection on, StartParameters peer) {
        events.add("established");
    }

    @Override
    public void onRejected(LlpConnection on, StartParameters peer) {
        events.add("rejected " + text(peer));
    }

    @Override
    public void onFailed(LlpConnection on, LlpFailure failure, String sentence) {
        events.add("failed " + failure);
    }

    @Override
    public void onEstablished(LowerLayer newLower, LlpAgreement agreement, long nowNanos) {
        lower = newLower;
    }

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
        byte[] octets = new byte[length];
        buffer.get(offset, octets);
        received.add(new String(octets, StandardCharsets.ISO_8859_1));
    }

    @Override
    public boolean wantsToSend() {
        return !toSend.isEmpty();
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        String line = toSend.poll();
        if (line == null) {
            return false;
        }
        byte[] octets = line.getBytes(StandardCharsets.ISO_8859_1);
        int at = out.begin(1, octets.length - 1);
        out.buffer().put(at, octets[0]);
        out.payload(ByteBuffer.wrap(octets), 1, octets.length - 1, true);
        out.end();
        return true;
    }

    @Override
    public void onTransmitted(long nowNanos) {}

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {
        events.add("error " + code);
    }

    @Override
    public void onPeerClosed(long nowNanos) {
        events.add("peer closed");
        if (closesWithPeer) {
            lower.close();
        }
    }

    @Override
    public void onClosed(LlpEnd end, long nowNanos) {
        events.add("closed " + end);
    }

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}

    private static String text(StartParameters parameters) {
        return new String(parameters.privateData(), StandardCharsets.UTF_8);
    }
}
