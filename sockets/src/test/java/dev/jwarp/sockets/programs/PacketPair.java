package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The typical uses of DatagramSockets and MulticastSockets: packets, time-outs, connections, options, groups. It needs
 * the interfaces jwarp0 and jwarp1 with an IPv4 address each; the hop limit for groups is 0. It does not use jwarp's
 * API.
 */
public final class PacketPair {
    private static final int SOON_MILLIS = 50;
    private static final int PATIENCE_SECONDS = 300;
    private static final int LONGEST = 65_507;

    private PacketPair() {}

    /** Throws if the behaviour differs from that of {@code java.net}. */
    public static void main(String[] arguments) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket one = new DatagramSocket(new InetSocketAddress(here, 0));
                DatagramSocket other = new DatagramSocket(0, here)) {
            check(
                    one.isBound()
                            && one.getLocalPort() > 0
                            && one.getLocalAddress().equals(here),
                    "one is bound");
            packets(one, other);
            options(one);
            connected(one, other);
            closed(other);
        }
        try (DatagramSocket anywhere = new DatagramSocket();
                DatagramSocket later = new DatagramSocket(null)) {
            check(!later.isBound() && later.getLocalAddress().isAnyLocalAddress(), "one is not bound yet");
            later.bind(new InetSocketAddress(here, 0));
            throwing(SocketException.class, () -> {
                later.bind(new InetSocketAddress(here, 0));
                return "bound twice";
            });
            anywhere.send(packet("from anywhere", later.getLocalSocketAddress()));
            check(text(next(later)).equals("from anywhere"), "a socket at the wildcard address sends");
        }
        groups();
        System.out.println("all as java.net says");
    }

    private static void packets(DatagramSocket one, DatagramSocket other) throws Exception {
        one.send(packet("question", other.getLocalSocketAddress()));
        DatagramPacket came = next(other);
        check(text(came).equals("question"), "a packet comes");
        check(came.getSocketAddress().equals(one.getLocalSocketAddress()), "it says who sent it");
        DatagramPacket again = new DatagramPacket(new byte[100], 2, 10);
        other.send(packet("a long answer", came.getSocketAddress()));
        one.receive(again);
        check(text(again).equals("a long ans") && again.getOffset() == 2, "what has no room is cut off");
        other.send(packet("short", came.getSocketAddress()));
        one.receive(again);
        check(text(again).equals("short"), "a packet tells the length of what came");
        other.send(packet("a long answer", came.getSocketAddress()));
        one.receive(again);
        check(text(again).equals("a long ans"), "and has as much room as before when it is received into again");
        one.send(new DatagramPacket(new byte[LONGEST], LONGEST, other.getLocalSocketAddress()));
        check(next(other).getLength() == LONGEST, "the longest comes");
        throwing(IOException.class, () -> {
            one.send(new DatagramPacket(new byte[LONGEST + 1], LONGEST + 1, other.getLocalSocketAddress()));
            return "sent";
        });
        one.setSoTimeout(SOON_MILLIS);
        check(one.getSoTimeout() == SOON_MILLIS, "a socket has its time-out");
        throwing(SocketTimeoutException.class, () -> next(one));
        one.setSoTimeout(0);
    }

    private static void options(DatagramSocket socket) throws IOException {
        socket.setReceiveBufferSize(1 << 16);
        socket.setSendBufferSize(1 << 16);
        check(socket.getReceiveBufferSize() > 0 && socket.getSendBufferSize() > 0, "buffers have a size");
        socket.setBroadcast(true);
        check(socket.getBroadcast(), "SO_BROADCAST");
        socket.setReuseAddress(true);
        check(socket.getReuseAddress(), "SO_REUSEADDR");
        socket.setTrafficClass(8);
        socket.setOption(StandardSocketOptions.SO_BROADCAST, false);
        check(!socket.getOption(StandardSocketOptions.SO_BROADCAST), "SO_BROADCAST by its name");
        check(socket.supportedOptions().contains(StandardSocketOptions.SO_RCVBUF), "options there are");
    }

    private static void connected(DatagramSocket one, DatagramSocket other) throws Exception {
        one.connect(other.getLocalSocketAddress());
        check(one.isConnected() && one.getPort() == other.getLocalPort(), "a socket is connected");
        check(one.getRemoteSocketAddress().equals(other.getLocalSocketAddress()), "it knows its peer");
        byte[] bytes = {1, 2, 3};
        one.send(new DatagramPacket(bytes, bytes.length));
        check(next(other).getLength() == bytes.length, "a packet without an address goes to the peer");
        throwing(IllegalArgumentException.class, () -> {
            one.send(packet("elsewhere", new InetSocketAddress(InetAddress.getLoopbackAddress(), 9)));
            return "sent elsewhere";
        });
        try (DatagramSocket stranger = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            stranger.send(packet("from a stranger", one.getLocalSocketAddress()));
            other.send(packet("from the peer", one.getLocalSocketAddress()));
            check(text(next(one)).equals("from the peer"), "only the peer is heard");
        }
        one.disconnect();
        check(!one.isConnected() && one.getPort() == -1, "a socket is not connected any more");
    }

    private static void closed(DatagramSocket socket) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Future<DatagramPacket> waiting = threads.submit(() -> next(socket));
            throwing(
                    java.util.concurrent.TimeoutException.class, () -> waiting.get(SOON_MILLIS, TimeUnit.MILLISECONDS));
            socket.close();
            throwing(SocketException.class, () -> {
                try {
                    return waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof Exception cause ? cause : e;
                }
            });
        } finally {
            threads.shutdownNow();
        }
        check(socket.isClosed() && socket.getLocalPort() == -1, "a socket is closed");
        throwing(SocketException.class, () -> {
            socket.send(packet("too late", new InetSocketAddress(InetAddress.getLoopbackAddress(), 9)));
            return "sent";
        });
    }

    @SuppressWarnings("deprecation") // older methods that programs still call
    private static void groups() throws Exception {
        NetworkInterface on = NetworkInterface.getByName("jwarp1");
        try (MulticastSocket member = new MulticastSocket(0);
                MulticastSocket sender = new MulticastSocket()) {
            InetSocketAddress group = new InetSocketAddress("239.7.8.9", member.getLocalPort());
            InetSocketAddress alone = new InetSocketAddress(InetAddress.getLoopbackAddress(), member.getLocalPort());
            check(sender.getTimeToLive() == 1 && !sender.getLoopbackMode(), "a socket goes one hop, and is heard here");
            sender.setTimeToLive(0);
            sender.setNetworkInterface(on);
            check(sender.getTimeToLive() == 0 && sender.getNetworkInterface().equals(on), "it has its options");
            member.joinGroup(group, on);
            throwing(SocketException.class, () -> {
                member.joinGroup(group, on);
                return "joined twice";
            });
            sender.send(packet("to all", group));
            check(text(next(member)).equals("to all"), "a member hears it");
            sender.setLoopbackMode(true);
            check(sender.getLoopbackMode(), "it is not heard here");
            sender.send(packet("to nobody", group));
            sender.send(packet("alone", alone));
            check(text(next(member)).equals("alone"), "a member does not hear it");
            sender.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            sender.setInterface(on.inetAddresses()
                    .filter(java.net.Inet4Address.class::isInstance)
                    .findFirst()
                    .orElseThrow());
            sender.send(packet("again", group));
            check(text(next(member)).equals("again"), "a member hears it again");
            member.leaveGroup(group, on);
            throwing(SocketException.class, () -> {
                member.leaveGroup(group, on);
                return "left twice";
            });
            sender.send(packet("to nobody", group));
            sender.send(packet("alone", alone));
            check(text(next(member)).equals("alone"), "who has left does not hear it");
            throwing(SocketException.class, () -> {
                member.joinGroup(alone, on);
                return "joined no group";
            });
        }
    }

    private static DatagramPacket packet(String text, java.net.SocketAddress to) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new DatagramPacket(bytes, bytes.length, to);
    }

    private static DatagramPacket next(DatagramSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
        socket.receive(packet);
        return packet;
    }

    private static String text(DatagramPacket packet) {
        return new String(packet.getData(), packet.getOffset(), packet.getLength(), StandardCharsets.UTF_8);
    }

    private static void check(boolean is, String what) {
        if (!is) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }

    private static void throwing(Class<? extends Exception> wanted, Callable<?> what) throws Exception {
        Object gave;
        try {
            gave = what.call();
        } catch (Exception e) {
            if (wanted.isInstance(e)) {
                return;
            }
            throw e;
        }
        throw new IllegalStateException("no " + wanted.getSimpleName() + ", but " + gave);
    }
}
