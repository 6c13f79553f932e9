package dev.jwarp.transport.udp.netty;

import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SocketAddresses;
import java.io.IOException;

/** Sends through a socket of the event loop. */
final class LoopWay implements SegmentedSend.Way {
    private final LoopSocket socket;
    private final SocketAddresses addresses;

    LoopWay(LoopSocket socket, SocketAddresses addresses) {
        this.socket = socket;
        this.addresses = addresses;
    }

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        return socket.send(batch, length, addresses);
    }

    @Override
    public boolean segment(int size) {
        return EpollSocket.segment(socket.descriptor(), size);
    }

    @Override
    public boolean keepWhole(boolean whole) {
        return EpollSocket.keepWhole(socket.descriptor(), socket.ofIpv6(), whole);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return SendFailure.mayBeOfSegments(e);
    }
}
