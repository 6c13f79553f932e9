package dev.jwarp.sockets.programs;

import static java.net.StandardSocketOptions.IP_MULTICAST_IF;
import static java.net.StandardSocketOptions.IP_MULTICAST_LOOP;
import static java.net.StandardSocketOptions.IP_MULTICAST_TTL;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/**
 * Datagram channels that send to a group, with all options for that. It needs the interfaces jwarp0 and jwarp1 with an
 * IPv4 address each, and jwarp2 without one; the hop limit is 0. It does not use jwarp's API.
 */
public final class GroupPair {
    private static final String GROUP = "239.7.8.9";

    private GroupPair() {}

    /** Throws if the behaviour differs from that of {@code java.nio}. */
    public static void main(String[] arguments) throws Exception {
        NetworkInterface other = NetworkInterface.getByName("jwarp0");
        NetworkInterface joined = NetworkInterface.getByName("jwarp1");
        NetworkInterface bare = NetworkInterface.getByName("jwarp2");
        InetAddress group = InetAddress.getByName(GROUP);
        try (DatagramChannel member =
                        DatagramChannel.open(StandardProtocolFamily.INET).bind(new InetSocketAddress(0));
                DatagramChannel sender = DatagramChannel.open();
                DatagramChannel narrow = DatagramChannel.open(StandardProtocolFamily.INET)) {
            InetSocketAddress here = new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), ((InetSocketAddress) member.getLocalAddress()).getPort());
            InetSocketAddress all = new InetSocketAddress(group, here.getPort());
            MembershipKey key = member.join(group, joined);
            check(key.channel() == member, "a member has the channel that joined");
            check(member.join(group, joined) == key, "who joins twice is one member");
            check(
                    key.isValid()
                            && key.group().equals(group)
                            && key.networkInterface().equals(joined),
                    "it is a member");

            check(sender.getOption(IP_MULTICAST_IF) == null, "there is no interface at first");
            check(sender.getOption(IP_MULTICAST_TTL) == 1, "it is one hop at first");
            check(sender.getOption(IP_MULTICAST_LOOP), "this host hears it at first");
            throwing(IllegalArgumentException.class, () -> sender.setOption(IP_MULTICAST_TTL, 256));
            throwing(IllegalArgumentException.class, () -> sender.setOption(IP_MULTICAST_TTL, -1));
            throwing(IllegalArgumentException.class, () -> sender.setOption(IP_MULTICAST_IF, null));
            sender.setOption(IP_MULTICAST_IF, joined).setOption(IP_MULTICAST_TTL, 0);
            hears(sender, all, member, "before it is bound");
            check(sender.getOption(IP_MULTICAST_IF).equals(joined), "its interface is what it was given");
            check(sender.getOption(IP_MULTICAST_TTL) == 0, "its hops are what it was given");

            sender.setOption(IP_MULTICAST_LOOP, false);
            check(!sender.getOption(IP_MULTICAST_LOOP), "this host does not hear it");
            hearsNot(sender, all, member, here);
            sender.setOption(IP_MULTICAST_LOOP, true);
            hears(sender, all, member, "with loop again");

            sender.setOption(IP_MULTICAST_IF, other);
            hearsNot(sender, all, member, here);
            sender.setOption(IP_MULTICAST_IF, joined);
            hears(sender, all, member, "through its interface again");
            sender.join(InetAddress.getByName("239.7.8.10"), other);
            hears(sender, all, member, "also when it has joined elsewhere");

            narrow.setOption(IP_MULTICAST_IF, joined)
                    .setOption(IP_MULTICAST_TTL, 0)
                    .bind(new InetSocketAddress(0));
            throwing(IOException.class, () -> narrow.setOption(IP_MULTICAST_IF, bare));
            hears(narrow, all, member, "after an interface that cannot be");

            key.drop();
            check(!key.isValid(), "it is no member any more");
            hearsNot(sender, all, member, here);
        }
        System.out.println("all as java.nio says");
    }

    private static void hears(DatagramChannel sender, InetSocketAddress group, DatagramChannel member, String text)
            throws IOException {
        sender.send(StandardCharsets.UTF_8.encode(text), group);
        check(next(member).equals(text), "it is heard " + text);
    }

    /**
     * Checks that the member does not get the datagram of the group: the next one that it receives was sent to it
     * alone.
     */
    private static void hearsNot(
            DatagramChannel sender, InetSocketAddress group, DatagramChannel member, InetSocketAddress alone)
            throws IOException {
        sender.send(StandardCharsets.UTF_8.encode("to nobody"), group);
        sender.send(StandardCharsets.UTF_8.encode("alone"), alone);
        check(next(member).equals("alone"), "the group does not hear it");
    }

    private static String next(DatagramChannel member) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(100);
        member.receive(into);
        return StandardCharsets.UTF_8.decode(into.flip()).toString();
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
