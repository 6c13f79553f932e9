package dev.jwarp.transport.udp.engine;

import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramDriver;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups that queue pairs of a port have joined; each group has a socket of its own (datagram-iWARP §G.2). Any
 * thread joins and leaves; the owner delivers.
 */
final class Groups {
    private record Member(Attachment attachment, int key) {}

    private static final Member[] NONE = {};

    /** One group. The driver identifies the group's socket by the address object. */
    private static final class Group {
        final DatagramAddress address;
        /** Copy on write: a delivery reads the field once. */
        volatile Member[] members = {};

        Group(DatagramAddress address) {
            this.address = address;
        }

        /** Removes a member and adds another if not null. Returns whether {@code gone} was a member. */
        boolean replace(Attachment gone, @Nullable Member added) {
            List<Member> all = new ArrayList<>(List.of(members));
            boolean was = all.removeIf(member -> member.attachment == gone);
            if (added != null) {
                all.add(added);
            }
            members = all.toArray(Member[]::new);
            return was;
        }
    }

    private final DatagramDriver driver;
    /** Copy on write. */
    private volatile Group[] groups = {};

    Groups(DatagramDriver driver) {
        this.driver = driver;
    }

    /** {@return whether an address is that of a group} DG-G.2-1: the broadcast address of a network is one, too. */
    boolean group(InetSocketAddress where) {
        return DatagramAddress.of(where).group() || driver.broadcast(where.getAddress());
    }

    synchronized void join(Attachment attachment, InetSocketAddress where, @Nullable NetworkInterface on, int key) {
        DatagramAddress address = DatagramAddress.of(where);
        if (!group(where)) {
            throw new LlpException(
                    LlpFailure.ADDRESS_NOT_AVAILABLE,
                    "cannot join " + where + ": a group has a multicast address (224.0.0.0/4, ff00::/8), or the"
                            + " broadcast address of a network that this host is on, or is 255.255.255.255");
        }
        Group group = find(address);
        if (group == null) {
            driver.join(address, on);
            group = new Group(address);
            List<Group> all = new ArrayList<>(List.of(groups));
            all.add(group);
            groups = all.toArray(Group[]::new);
        }
        group.replace(attachment, new Member(attachment, key));
    }

    synchronized void leave(Attachment attachment, InetSocketAddress where) {
        Group group = find(DatagramAddress.of(where));
        if (group != null) {
            leave(attachment, group);
        }
    }

    synchronized void leaveAll(Attachment attachment) {
        for (Group group : groups) {
            leave(attachment, group);
        }
    }

    private void leave(Attachment attachment, Group group) {
        if (group.replace(attachment, null) && group.members.length == 0) {
            groups = Arrays.stream(groups).filter(other -> other != group).toArray(Group[]::new);
            driver.leave(group.address);
        }
    }

    private @Nullable Group find(DatagramAddress address) {
        for (Group group : groups) {
            if (group.address.equals(address)) {
                return group;
            }
        }
        return null;
    }

    /**
     * {@return whether a member has this Q_Key} Delivers a datagram with flag G from a group's socket to each such
     * member.
     */
    boolean deliver(ReceivedDatagram datagram, DatagramAddress address, UdpEngine engine, long nowNanos) {
        Group group = find(address);
        boolean any = false;
        for (Member member : group == null ? NONE : group.members) {
            if (member.key == datagram.shim().key() && member.attachment.attached()) { // DG-G.4-1, DG-G.4-2
                any = true;
                try {
                    deliver(member.attachment, datagram, nowNanos);
                } catch (Throwable e) {
                    engine.fault(member.attachment, e);
                }
                engine.touched(member.attachment);
            }
        }
        return any;
    }

    private static void deliver(Attachment attachment, ReceivedDatagram datagram, long nowNanos) {
        // datagram-iWARP §G.2 (DG-G.2-2): the source is never validated, and no datagram is answered.
        SegmentFate fate = attachment.upper.onSegment(datagram.proved(AddressProof.NONE), nowNanos);
        if (fate != SegmentFate.ACCEPTED) {
            attachment.dropped(datagram.source(), attachment.upper.cause());
        }
    }
}
