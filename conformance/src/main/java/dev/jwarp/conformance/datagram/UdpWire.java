package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Event;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A UDP socket of the tester for one address of the device, with a record of every datagram. Not thread-safe, except
 * for {@link #abandon}.
 */
final class UdpWire extends Journal {
    private static final int BUFFER = 4 << 20;

    private final DatagramSocket socket;
    private InetSocketAddress peer;
    private volatile boolean abandoned;
    private final byte[] buffer = new byte[65_536];

    /**
     * A socket with a port of its own.
     *
     * @param local the tester's address on the way to the device
     * @param peer the destination; with port 0 it becomes the first port of that address that sends a datagram
     */
    UdpWire(InetAddress local, InetSocketAddress peer) {
        this(bound(local, peer), peer);
    }

    private UdpWire(DatagramSocket socket, InetSocketAddress peer) {
        super((InetSocketAddress) socket.getLocalSocketAddress(), peer, true);
        this.socket = socket;
        this.peer = peer;
        record(Event.Kind.CONNECTED, new byte[0], local() + " and " + peer());
    }

    private static DatagramSocket bound(InetAddress local, InetSocketAddress peer) {
        try {
            DatagramSocket socket = new DatagramSocket(new InetSocketAddress(local, 0));
            socket.setReceiveBufferSize(BUFFER);
            if (peer.getAddress().isMulticastAddress()) {
                socket.setOption(StandardSocketOptions.IP_MULTICAST_IF, NetworkInterface.getByInetAddress(local));
            }
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A member of a group that receives datagrams from {@code peer}. */
    static UdpWire member(InetAddress local, InetSocketAddress group, InetSocketAddress peer) {
        try {
            MulticastSocket socket = new MulticastSocket(null);
            socket.setReuseAddress(true);
            socket.bind(group);
            socket.joinGroup(group, NetworkInterface.getByInetAddress(local));
            return new UdpWire(socket, peer);
        } catch (IOException e) {
            throw new Inconclusive("cannot join the group " + group + ": " + e.getMessage());
        }
    }

    void send(byte[] octets) {
        record(Event.Kind.SENT, octets, Words.line(octets));
        try {
            socket.send(new DatagramPacket(octets, octets.length, peer));
        } catch (IOException e) {
            failed("could not send: ", e);
        }
    }

    /** The next datagram, from any source; null if none comes within {@code millis}. */
    byte @Nullable [] receive(long millis) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        try {
            socket.setSoTimeout((int) Math.max(1, millis));
            socket.receive(packet);
        } catch (SocketTimeoutException e) {
            return null;
        } catch (IOException e) {
            failed("could not receive: ", e);
            return null;
        }
        byte[] octets = Arrays.copyOf(buffer, packet.getLength());
        record(Event.Kind.RECEIVED, octets, Words.line(octets));
        if (peer.getPort() == 0) {
            peer = new InetSocketAddress(peer.getAddress(), packet.getPort());
        }
        Deviation.unless(
                packet.getSocketAddress().equals(peer),
                "datagrams from " + peer + ", to which the tester sends",
                "one from " + packet.getSocketAddress() + ": " + Words.line(octets));
        return octets;
    }

    /** Whether datagrams go to a group. */
    boolean toGroup() {
        return peer.getAddress().isMulticastAddress();
    }

    /** The device's end; its port is 0 until the first datagram if it was not known. */
    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    private void failed(String what, IOException e) {
        if (abandoned) {
            throw new Inconclusive("given up by the tester");
        }
        note(what + e.getMessage());
    }

    /** Ends the conversation. Any thread may call this; a thread that waits here returns. */
    void abandon() {
        abandoned = true;
        socket.close();
    }
}
