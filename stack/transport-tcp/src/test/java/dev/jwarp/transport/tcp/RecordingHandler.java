package dev.jwarp.transport.tcp;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A connection manager that records its calls. */
final class RecordingHandler implements ConnectionHandler {
    final List<String> events = new CopyOnWriteArrayList<>();
    final List<String> sentences = new CopyOnWriteArrayList<>();
    volatile Consumer<LlpConnection> onRequest = connection -> {};

    @Override
    public void onRequest(LlpConnection connection, StartParameters peer) {
        events.add("request " + text(peer));
        onRequest.accept(connection);
    }

    @Override
    public void onEstablished(LlpConnection connection, StartParameters peer) {
        events.add("established " + text(peer));
    }

    @Override
    public void onRejected(LlpConnection connection, StartParameters peer) {
        events.add("rejected " + text(peer));
    }

    @Override
    public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {
        events.add("failed " + failure);
        sentences.add(sentence);
    }

    private static String text(StartParameters peer) {
        return "ird=" + peer.ird() + " ord=" + peer.ord() + " '"
                + new String(peer.privateData(), StandardCharsets.ISO_8859_1) + "'";
    }
}
