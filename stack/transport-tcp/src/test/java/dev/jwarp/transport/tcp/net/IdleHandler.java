package dev.jwarp.transport.tcp.net;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;

/** Does nothing with what it is told. */
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
