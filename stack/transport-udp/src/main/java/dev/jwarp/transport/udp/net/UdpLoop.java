package dev.jwarp.transport.udp.net;

import dev.jwarp.io.Loop;
import dev.jwarp.llp.datagram.DatagramEngineFactory;
import java.nio.ByteBuffer;

/**
 * A loop, and the objects that its ports share. Any thread, except for the engines and the buffer, which are the
 * owner's.
 *
 * @param slot the buffer of a read
 */
record UdpLoop(
        Loop loop, UdpContext context, UdpSocket.Opener sockets, DatagramEngineFactory engines, ByteBuffer slot) {
    /** The size of the buffer of a read in bytes: no read is longer, with UDP_GRO or without. */
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
