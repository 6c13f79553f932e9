package dev.jwarp.ddp.llp;

import java.net.InetSocketAddress;

/** A connection as the connection manager sees it: start-up, and where its work runs. */
public interface LlpConnection extends LowerLayer {
    /** {@return our address} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the peer's address} Any thread. */
    InetSocketAddress remoteAddress();

    /**
     * Responder: accepts the peer's request. What {@code reply} offers is fitted to the request (RFC 6581 §9.1): the
     * outcome is told by {@link UpperLayer#onEstablished}. Owner thread only.
     */
    void accept(StartParameters reply, UpperLayer upper);

    /** Responder: refuses the peer's request with private data that may say why. Owner thread only. */
    void reject(byte[] privateData);

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);
}
