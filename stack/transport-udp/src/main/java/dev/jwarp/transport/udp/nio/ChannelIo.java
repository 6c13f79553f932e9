package dev.jwarp.transport.udp.nio;

import dev.jwarp.ddp.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramBatch;
import dev.jwarp.transport.udp.net.SocketAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/**
 * Moves datagrams through a channel of java.nio, and makes no object for it while one peer sends. The owner of the port only.
 *
 * <p>{@code DatagramChannel.receive} makes an address object whenever the sender is another than that of the datagram before
 * (128 bytes), and gives the same object as long as it is not.
 */
public final class ChannelIo {
    private final DatagramChannel channel;
    private final DatagramAddress source = new DatagramAddress();
    private @Nullable SocketAddress lastSource;

    /** For a channel that does not block, which stays the caller's. */
    public ChannelIo(DatagramChannel channel) {
        this.channel = channel;
    }

    /** {@return whether something was there; then {@code slot} holds it, ready to be read, and {@link #source} is its sender} */
    @SuppressWarnings("ReferenceEquality") // the same object has the same address, and most are the same
    public boolean receive(ByteBuffer slot) throws IOException {
        SocketAddress from = channel.receive(slot.clear());
        if (from == null) {
            return false;
        }
        if (from != lastSource) {
            lastSource = from;
            source.set((InetSocketAddress) from);
        }
        slot.flip();
        return true;
    }

    /** {@return who sent what was received last} Valid until the next receive. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return how many of the batch's first {@code length} bytes the socket took; 0 if it has no room} */
    public int send(DatagramBatch batch, int length, SocketAddresses addresses) throws IOException {
        ByteBuffer memory = batch.memory();
        InetSocketAddress to = addresses.of(batch.destination());
        try {
            return channel.send(memory.limit(batch.offset() + length).position(batch.offset()), to);
        } catch (UnsupportedAddressTypeException e) {
            throw new IOException("a port at an IPv4 address cannot send to " + to, e);
        } finally {
            memory.clear();
        }
    }
}
