package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;

/** Ignores all calls. */
class IdleHandler implements ConnectionHandler {
    @Override
    public void onRequest(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onEstablished(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onRejected(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {}
}
