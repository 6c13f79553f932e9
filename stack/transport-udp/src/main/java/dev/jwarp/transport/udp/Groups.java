package dev.jwarp.transport.udp;

import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import dev.jwarp.ddp.llp.datagram.DatagramDriver;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The groups that queue pairs of a port have joined; each has a socket of its own (datagram-iWARP §12). Any thread joins and
 * leaves; the owner delivers.
 */
final class Groups {
    private record Member(Attachment attachment, int key) {}

    /** One group. The address object is what the driver knows its socket by. */
    private record Group(DatagramAddress address, CopyOnWriteArrayList<Member> members) {}

    private final DatagramDriver driver;
    private final CopyOnWriteArrayList<Group> groups = new CopyOnWriteArrayList<>();

    Groups(DatagramDriver driver) {
        this.driver = driver;
    }

    synchronized void join(Attachment attachment, InetSocketAddress where, @Nullable NetworkInterface on, int key) {
        DatagramAddress address = DatagramAddress.of(where);
        if (!address.group()) {
            throw new LlpException(
                    LlpFailure.BIND_FAILED,
                    "cannot join " + where + ": a group has a multicast address (224.0.0.0/4, ff00::/8) or is"
                            + " 255.255.255.255");
        }
        Group group = find(address);
        if (group == null) {
            driver.join(address, on);
            group = new Group(address, new CopyOnWriteArrayList<>());
            groups.add(group);
        }
        group.members.removeIf(member -> member.attachment == attachment);
        group.members.add(new Member(attachment, key));
    }

    synchronized void leave(Attachment attachment, InetSocketAddress where) {
        Group group = find(DatagramAddress.of(where));
        if (group != null) {
            leave(attachment, group);
        }
    }

    synchronized void leaveAll(Attachment attachment) {
        groups.forEach(group -> leave(attachment, group));
    }

    private void leave(Attachment attachment, Group group) {
        if (group.members.removeIf(member -> member.attachment == attachment) && group.members.isEmpty()) {
            groups.remove(group);
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

    /** {@return whether anybody has this Q_Key} A datagram with G, on the socket of a group: each member gets its copy. */
    boolean deliver(
            DatagramParser datagram,
            ByteBuffer buffer,
            DatagramAddress source,
            DatagramAddress address,
            UdpEngine engine,
            long nowNanos) {
        Group group = find(address);
        boolean any = false;
        List<Member> members = group == null ? List.of() : group.members;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (member.key == datagram.shim().key() && member.attachment.attached()) {
                any = true;
                // datagram-iWARP §12: sources are never validated; nothing is ever answered.
                member.attachment.upper.onSegment(
                        datagram.shim(),
                        source,
                        false,
                        null,
                        buffer,
                        datagram.bodyOffset(),
                        datagram.bodyLength(),
                        nowNanos);
                engine.touched(member.attachment);
            }
        }
        return any;
    }
}
