package dev.jwarp.transport.tcp.netty;

/** Makes the TCP connection of a stream; there may be a second one (RFC 6581 §10). */
interface Connector {
    /** Connects: the stream becomes the channel's handler, or hears {@link NettyStream#connectFailed}. */
    void connect(NettyStream stream);
}
