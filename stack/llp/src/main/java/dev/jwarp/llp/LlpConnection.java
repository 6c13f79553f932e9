package dev.jwarp.llp;

import java.net.InetSocketAddress;

/** The interface of a connection for the connection manager: start-up, and tasks on the owner. */
public interface LlpConnection extends LowerLayer {
    /** {@return the local address} Any thread. */
    InetSocketAddress localAddress();

    /** {@return the peer's address} Any thread. */
    InetSocketAddress remoteAddress();

    /**
     * Responder: accepts the peer's request. The depths of {@code reply} are reduced to those of the request (RFC 6581
     * §9.1); {@link UpperLayer#onEstablished} gets the result. Owner thread only.
     */
    void accept(StartParameters reply, UpperLayer upper);

    /** Responder: rejects the peer's request with private data, for instance a reason. Owner thread only. */
    void reject(byte[] privateData);

    /** Runs {@code task} on the owner, at once if the caller is the owner. Any thread; may allocate. */
    void execute(Runnable task);
}
