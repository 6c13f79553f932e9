package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.net.SegmentedSend;
import dev.jwarp.transport.udp.net.SocketAddresses;
import java.io.IOException;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/** Sends through a channel, with what the kernel does for its socket beyond java.nio. The owner of the port only. */
final class ChannelWay implements SegmentedSend.Way {
    private final ChannelIo io;
    private final @Nullable KernelSegments kernel;
    private final SocketAddresses addresses;

    /** @param kernel null if nothing can be asked of it */
    ChannelWay(DatagramChannel channel, @Nullable KernelSegments kernel, SocketAddresses addresses) {
        io = new ChannelIo(channel);
        this.kernel = kernel;
        this.addresses = addresses;
    }

    /** {@return whether a read may bring several datagrams from now on} */
    boolean coalesces() {
        return kernel != null && kernel.coalesce();
    }

    @Override
    public int send(DatagramBatch batch, int length) throws IOException {
        return io.send(batch, length, addresses);
    }

    @Override
    public boolean segment(int size) {
        return kernel != null && kernel.segment(size);
    }

    @Override
    public boolean keepWhole(boolean whole) {
        return kernel != null && kernel.keepWhole(whole);
    }

    @Override
    public boolean mayBeOfSegments(IOException e) {
        return kernel != null && kernel.mayBeOfSegments(e);
    }
}
