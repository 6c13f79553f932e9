package dev.jwarp.transport.tcp;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.mpa.Agreement;
import dev.jwarp.mpa.Mulpdu;
import java.nio.ByteBuffer;

/** A phase of a connection: its start-up, the exchange of FPDUs, or leaving. {@link MpaEngine} has one at a time. */
abstract class Phase {
    final MpaEngine engine;

    Phase(MpaEngine engine) {
        this.engine = engine;
    }

    void onConnected(long nowNanos) {
        throw new IllegalStateException("the byte stream is open already");
    }

    void onConnectFailed(LlpFailure failure, String sentence) {
        throw new IllegalStateException("the byte stream is open already");
    }

    /** Receives octets of the peer; may leave octets in {@code in} only after changing the engine's phase. */
    abstract void receive(ByteBuffer in, long nowNanos);

    abstract void onInputClosed(long nowNanos);

    abstract void onBroken(long nowNanos);

    /** The peer no longer answers. */
    abstract void onTimedOut(long nowNanos);

    /** Called when the driver asks for output, before {@link #prepare}, even with unwritten octets: sets deadlines. */
    void onLook(long nowNanos) {}

    /** All output is written: prepares more output, or begins the next phase. */
    abstract void prepare(long nowNanos);

    /** {@return whether {@link #prepare} may produce output or an end} */
    boolean wantsOutput() {
        return true;
    }

    /** Some octets were written. */
    void onProgress(long nowNanos) {}

    /** All octets were written. */
    void onTransmitted(long nowNanos) {}

    /** The peer accepted no octet for too long. */
    abstract void onSendTimeout(long nowNanos);

    abstract long nextTimeout();

    abstract void onTimeout(long nowNanos);

    void accept(StartParameters reply, UpperLayer upper) {
        throw new IllegalStateException("there is no Request to accept");
    }

    void reject(byte[] privateData) {
        throw new IllegalStateException("there is no Request to reject");
    }

    /** The layer above requests an orderly end; {@link #prepare} follows. */
    abstract void close();

    /** The layer above has aborted the connection. */
    abstract void onAborted(long nowNanos);

    /** A call of the engine has ended; the completions that it caused can be delivered now. */
    void settled() {}

    /** The connection is established: counts it and reports it to the handler. */
    final void tellEstablished(ConnectionHandler handler, Agreement agreement) {
        engine.factory().counters().countShared(TcpCounter.ESTABLISHED);
        handler.onEstablished(engine.connection(), Parameters.of(agreement.peerFrame()));
    }

    int mulpdu() {
        return Mulpdu.MINIMUM;
    }
}
