package dev.jwarp.transport.udp.net;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import java.nio.ByteBuffer;

/**
 * A loop, and what its ports share. Any thread, but for the engines and the buffer, which are the owner's.
 *
 * @param slot takes whatever a read may bring
 */
record UdpLoop(
        Loop loop, UdpContext context, UdpSocket.Opener sockets, DatagramEngineFactory engines, ByteBuffer slot) {
    /** Room for whatever a read may bring, put together or not: no datagram is longer. Bytes. */
    static final int SLOT = 1 << 16;

    UdpLoop(Loop loop, UdpContext context, UdpSocket.Opener sockets) {
        this(
                loop,
                context,
                sockets,
                context.newEngines(),
                loop.ring().capacity() >= SLOT ? loop.ring() : ByteBuffer.allocateDirect(SLOT));
    }
}
