package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.same;
import static dev.jwarp.conformance.script.Deviation.unless;
import static dev.jwarp.conformance.wire.Octets.pattern;

import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.datagram.Exchange;
import dev.jwarp.conformance.datagram.Exchange.QueuePair;
import dev.jwarp.conformance.datagram.Kind;
import dev.jwarp.conformance.datagram.Message;
import dev.jwarp.conformance.datagram.Program;
import dev.jwarp.conformance.datagram.Program.Region;
import dev.jwarp.conformance.suite.Case;
import java.net.InetSocketAddress;
import java.util.Random;

/** Groups: datagram-iWARP §G.2 to §G.4. */
final class GroupCases {
    private static final long KEY = 0x0A0B0C0DL;

    /** A group for this case only. */
    private static InetSocketAddress group() {
        int r = new Random().nextInt();
        String address = "239.%d.%d.%d".formatted(200 + (r & 0x1F), (r >>> 8) & 0xFF, ((r >>> 16) & 0xFF) | 1);
        return new InetSocketAddress(address, 20_000 + (r >>> 8) % 20_000);
    }

    /** An exchange with a new group of these members; questions are addressed to the group. */
    private static Exchange joined(DatagramTrial t, QueuePair... members) {
        InetSocketAddress group = group();
        for (QueuePair member : members) {
            t.program().join(member, group, KEY);
        }
        return t.at(group, new QueuePair(0, Datagram.GROUP, KEY, 65_536, 0));
    }

    private static Datagram flagged(Message message) {
        return message.one().and(Datagram.G);
    }

    /** Checks that a Send to the group is delivered to so many members. */
    private static void delivered(DatagramTrial t, Exchange x, int members) {
        Message send = x.send(pattern(33, 7));
        x.say(flagged(send));
        for (int i = 0; i < members; i++) {
            t.completion().received(x, send.payload());
        }
    }

    private static void dropped(DatagramTrial t, Exchange x, String counter, Datagram... wrong) {
        t.dropped(() -> delivered(t, x, 1), x, counter, wrong);
    }

    @Case("DG-G.4-1: delivers a Send to every member of the group")
    void everyMember(DatagramTrial t) {
        Exchange x = joined(t, t.ud(), t.ud());
        // A queue pair that has not joined.
        t.ud();
        delivered(t, x, 2);
        Message long1 = x.untagged(Message.SEND_SE, pattern(600, 1)).cut(256);
        for (int i : new int[] {2, 0, 1}) {
            x.say(long1.datagram(i).and(Datagram.G));
        }
        t.completion().received(x, long1.payload());
        t.completion().received(x, long1.payload());
        t.program().noCompletion();
    }

    @Case("DG-G.2-2: drops a datagram to a group without flag G, and answers no datagram to a group")
    void neverAnswered(DatagramTrial t) {
        QueuePair ud = t.ud();
        Exchange x = joined(t, ud);
        Datagram send = x.send(pattern(9, 1)).one();
        dropped(
                t,
                x,
                "rx_group",
                send,
                send.to(ud.number()).key(ud.key()),
                x.untagged(7, pattern(8, 1)).one().to(ud.number()).key(ud.key()));
        dropped(t, x, "rdmap_opcode", flagged(x.untagged(7, pattern(8, 1))));
        dropped(t, x, "ddp_version", flagged(x.send(pattern(9, 1))).put(24, 1, 0x42));
        dropped(t, x, "rx_version", send.version(2), send.version(2).and(Datagram.G));
    }

    @Case("DG-G.4-2: drops a datagram to a group with a wrong Q_Key, or for one queue pair")
    void wrongKey(DatagramTrial t) {
        QueuePair ud = t.ud();
        Exchange x = joined(t, ud);
        Datagram send = flagged(x.send(pattern(9, 1)));
        dropped(t, x, "rx_key", send.key(KEY + 1), send.key(ud.key()));
        dropped(t, x, "rx_qpn", send.to(ud.number()), send.to(0));
    }

    @Case("DG-G.4-3: takes no RDMA Write, no Read and no long message to a group")
    void notForGroups(DatagramTrial t) {
        Exchange x = joined(t, t.ud());
        Region r = t.program().region(Program.ALL | Program.GROUP, 4096);
        Datagram write = flagged(x.write(r, 0, pattern(8, 1)));
        dropped(t, x, "rdmap_opcode", write, flagged(x.read(r, 0, 8)));
        Datagram first = x.send(pattern(2048, 1)).cut(1024).datagram(0);
        dropped(t, x, "msg_too_long", first.length(65_540).and(Datagram.G));
        same(t.program().peek(r, 0, 8), pattern(8, 0), "the unchanged bytes of the region");
    }

    @Case("DG-G.4-4: takes a Write-Record to a group into regions with the right GROUP only")
    void records(DatagramTrial t) {
        Exchange x = joined(t, t.ud());
        Region shared = t.program().shared(Program.RECORD | Program.GROUP, 4096, 0x00600600L, 0x4000);
        Region own = t.program().region(Program.RECORD, 4096);
        unless(shared.stag() == 0x00600600L && shared.to() == 0x4000, "the STag and TO that were agreed upon", shared);
        x.say(flagged(x.record(shared, 8, pattern(40, 1))));
        t.completion().record(DeviceCompletion.SUCCESS, shared, 8, 40, "0-40").from(x);
        dropped(t, x, "stag_rights", flagged(x.record(own, 0, pattern(40, 1))));
    }

    @Case("DG-G.3-1: sends to a group with flag G, QPN 0xFFFFFF and the group's Q_Key")
    void sendsToGroup(DatagramTrial t) {
        InetSocketAddress group = group();
        QueuePair ud = t.ud();
        Exchange member = t.member(group, ud);
        int handle = t.program().join(ud, group, KEY);
        t.program().postSend(handle, 40, 1);
        Datagram d = member.expect(Kind.DATA);
        unless(d.has(Datagram.G) && d.to() == Datagram.GROUP && d.key() == KEY, "flag G, QPN and Q_Key of groups", d);
        unless(d.from() == ud.number(), "the sender's QPN", d);
        same(d.segment().payload(), pattern(40, 1), "the bytes that were posted");
    }
}
