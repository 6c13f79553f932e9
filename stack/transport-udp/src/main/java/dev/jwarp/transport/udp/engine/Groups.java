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
 * The groups that queue pairs of a port have joined; each has a socket of its own (datagram-iWARP §12). Any thread joins and
 * leaves; the owner delivers.
 */
final class Groups {
    private record Member(Attachment attachment, int key) {}

    private static final Member[] NONE = {};

    /** One group. The address object is what the driver knows its socket by. */
    private static final class Group {
        final DatagramAddress address;
        /** Never changed, only replaced: a delivery takes it once. */
        volatile Member[] members = {};

        Group(DatagramAddress address) {
            this.address = address;
        }

        /** Without that queue pair, and with this one if it is not null. Answers whether it was a member. */
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
    /** Never changed, only replaced. */
    private volatile Group[] groups = {};

    Groups(DatagramDriver driver) {
        this.driver = driver;
    }

    /** {@return whether an address is that of a group} datagram-iWARP §12 (DG-12-9): also the broadcast address of one network. */
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

    /** {@return whether a member has this Q_Key} A datagram with G, on the socket of a group: each member gets its copy. */
    boolean deliver(ReceivedDatagram datagram, DatagramAddress address, UdpEngine engine, long nowNanos) {
        Group group = find(address);
        boolean any = false;
        for (Member member : group == null ? NONE : group.members) {
            if (member.key == datagram.shim().key() && member.attachment.attached()) { // DG-12-1, DG-12-3
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
        // datagram-iWARP §12 (DG-12-2): sources are never validated; nothing is ever answered.
        SegmentFate fate = attachment.upper.onSegment(datagram.proved(AddressProof.NONE), nowNanos);
        if (fate != SegmentFate.ACCEPTED) {
            attachment.dropped(datagram.source(), attachment.upper.cause());
        }
    }
}
