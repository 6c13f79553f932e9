package dev.jwarp.rnic;

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

/** The upper layer of an emulated peer, which the simulated network requires but never calls. */
final class UnusedUpperLayer implements UpperLayer, ConnectionHandler {
    @Override
    public void onRequest(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onEstablished(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onRejected(LlpConnection connection, StartParameters peer) {}

    @Override
    public void onFailed(LlpConnection connection, LlpFailure failure, String sentence) {}

    @Override
    public void onEstablished(LowerLayer lower, LlpAgreement agreement, long nowNanos) {}

    @Override
    public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {}

    @Override
    public boolean wantsToSend() {
        return false;
    }

    @Override
    public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
        return false;
    }

    @Override
    public void onTransmitted(long nowNanos) {}

    @Override
    public void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos) {}

    @Override
    public void onPeerClosed(long nowNanos) {}

    @Override
    public void onClosed(LlpEnd end, long nowNanos) {}

    @Override
    public long nextTimeout() {
        return Long.MAX_VALUE;
    }

    @Override
    public void onTimeout(long nowNanos) {}
}
