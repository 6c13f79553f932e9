package dev.jwarp.transport.udp.net;

import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.io.Loop;

/** A loop, and what its ports share. Any thread, but for the engines, which are the owner's. */
record UdpLoop(Loop loop, UdpContext context, UdpSocket.Opener sockets, DatagramEngineFactory engines) {
    UdpLoop(Loop loop, UdpContext context, UdpSocket.Opener sockets) {
        this(loop, context, sockets, context.newEngines());
    }
}
