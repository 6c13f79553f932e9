package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Groups through the verbs (datagram-iWARP §G.1)")
class DatagramGroupTest {
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.1.2.3", 9100);
    private static final int KEY = 0x0a0b0c0d;
    private static final int RKEY = 0x5ca1ab1e;
    private static final long ADDRESS = 0x4000_0000L;
    private static final int LENGTH = 40_000;
    private static final int MEMBERS = 3;

    private final DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED);
    private final List<DatagramSide> members = new ArrayList<>();
    private final DatagramSide sender = DatagramSide.on(world, MEMBERS).pattern(0, LENGTH);
    private final AddressHandle group = sender.queuePair.joinGroup(GROUP, null, KEY);

    DatagramGroupTest() {
        sender.queuePair.leaveGroup(GROUP);
        for (int i = 0; i < MEMBERS; i++) {
            members.add(DatagramSide.on(world, i));
            members.get(i).queuePair.joinGroup(GROUP, null, KEY);
        }
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Tag("DG-G.4-1")
    @Test
    @DisplayName("A Send reaches every member with a posted receive, but no former member and no other Q_Key")
    void send() {
        DatagramSide wrong = DatagramSide.on(world, MEMBERS + 1);
        wrong.queuePair.joinGroup(GROUP, null, ~KEY);
        wrong.receive(1, 0, LENGTH);
        members.get(2).queuePair.leaveGroup(GROUP);
        members.forEach(member -> member.receive(1, 0, LENGTH));
        sender.send(1, group, 0, LENGTH);
        sender.success();
        for (DatagramSide member : members.subList(0, 2)) {
            WorkCompletion got = member.success();
            assertThat(got.byteLength()).isEqualTo(LENGTH);
            assertThat(got.source()).isEqualTo(sender.queuePair.localAddress());
            assertThat(member.hasPattern(0, LENGTH)).isTrue();
        }
        members.get(2).nothing();
        wrong.nothing();
        assertThat(wrong.counter("rx_key")).isPositive();
        sender.nothing();
    }

    @Test
    @DisplayName("A non-member sends to the group with a handle with number 0xFFFFFF")
    void sentFromOutside() {
        DatagramSide outside = DatagramSide.on(world, MEMBERS + 1).pattern(0, LENGTH);
        AddressHandle handle = outside.queuePair.createAddressHandle(GROUP, 0xFF_FFFF, KEY);
        assertThat(handle.group()).isTrue();
        members.forEach(member -> member.receive(1, 0, LENGTH));
        outside.send(1, handle, 0, LENGTH);
        outside.success();
        members.forEach(member -> assertThat(member.success().byteLength()).isEqualTo(LENGTH));
        assertThatThrownBy(() -> outside.queuePair.createAddressHandle(GROUP, 0, KEY))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("number 0xFFFFFF");
    }

    @Test
    @DisplayName(
            "The sender sets the hop limit for all queue pairs of its port, and whether local members receive the datagrams")
    void reach() {
        DatagramSide atHome = DatagramSide.on(world, MEMBERS);
        atHome.queuePair.joinGroup(GROUP, null, KEY);
        members.forEach(member -> member.receive(1, 0, LENGTH));
        atHome.receive(1, 0, LENGTH);
        atHome.receive(2, 0, LENGTH);
        sender.queuePair.sendToGroups(null, 0, true);
        sender.send(1, group, 0, LENGTH);
        sender.success();
        atHome.success();
        members.forEach(DatagramSide::nothing);
        sender.queuePair.sendToGroups(null, 255, false);
        sender.send(1, group, 0, LENGTH);
        sender.success();
        members.forEach(DatagramSide::success);
        atHome.nothing();
    }

    @Test
    @DisplayName("The setting limits messages to a group, not messages to a peer")
    void longest() {
        try (DatagramWorld little =
                DatagramWorld.of(DatagramWorld.Kind.SIMULATED, Map.of("jwarp.datagram.max-group-message", "1000"))) {
            DatagramSide near = DatagramSide.on(little, 0).pattern(0, LENGTH);
            DatagramSide far = DatagramSide.on(little, 1);
            AddressHandle there = near.queuePair.createAddressHandle(GROUP, 0xFF_FFFF, KEY);
            near.send(1, there, 0, 1_000);
            near.success();
            near.send(2, there, 0, 1_001);
            near.next(WorkCompletionStatus.LOC_LEN_ERR);
            far.receive(1, 0, LENGTH);
            near.send(3, near.to(far), 0, 1_001);
            far.success();
        }
    }

    @Test
    @DisplayName("The hop limit is 0 to 255, and cannot be set on a closed queue pair")
    void refusedReach() {
        assertThatThrownBy(() -> sender.queuePair.sendToGroups(null, 256, true))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("0 to 255 hops, not 256");
        assertThatThrownBy(() -> sender.queuePair.sendToGroups(null, -1, true)).isInstanceOf(RdmaException.class);
        sender.queuePair.close();
        assertThatThrownBy(() -> sender.queuePair.sendToGroups(null, 1, true)).isInstanceOf(RdmaException.class);
    }

    private List<MemoryRegion> shared() {
        return members.stream()
                .map(member -> member.domain.registerForGroup(
                        ByteBuffer.allocateDirect(LENGTH),
                        ADDRESS,
                        RKEY,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.RECORD,
                        AccessFlag.GROUP))
                .toList();
    }

    private void writeRecord(int length) {
        sender.queuePair.postSend(new SendWorkRequest()
                .id(1)
                .destination(group)
                .writeRecord(ADDRESS, RKEY)
                .add(sender.memory, 0, length));
        sender.success();
    }

    @Tag("DG-G.4-4")
    @Test
    @DisplayName("A Write-Record is placed at every member that registered memory under the agreed key")
    void record() {
        List<MemoryRegion> regions = shared();
        writeRecord(LENGTH);
        for (int i = 0; i < MEMBERS; i++) {
            WorkCompletion record = members.get(i).success();
            assertThat(record.opcode()).isEqualTo(WorkCompletionOpcode.RECV_WRITE_RECORD);
            assertThat(record.localKey()).isEqualTo(RKEY);
            for (int at = 0; at < LENGTH; at++) {
                assertThat(regions.get(i).buffer().get(at)).isEqualTo(DatagramSide.octet(at));
            }
        }
    }

    @Test
    @DisplayName("Datagrams lost on the way to one member are missing only there and in its map, and no member answers")
    void lossy() {
        List<MemoryRegion> regions = shared();
        world.datagrams()
                .faults(
                        sender.queuePair.localAddress().getAddress(),
                        members.get(1).queuePair.localAddress().getAddress(),
                        new DatagramFaults(0.4, 0, 0, 0, 0));
        int[] answers = new int[1];
        world.datagrams().tap((from, to, octets, now) -> answers[0] += to.equals(GROUP) ? 0 : 1);
        writeRecord(LENGTH);
        members.get(0).success();
        members.get(2).success();
        WorkCompletion record = members.get(1).next(WorkCompletionStatus.PARTIAL);
        Objects.requireNonNull(record.validity()).forEachHole((offset, length) -> {
            for (long at = offset; at < offset + length; at++) {
                assertThat(regions.get(1).buffer().get((int) at)).isZero();
            }
        });
        assertThat(answers[0]).isZero();
    }

    @Tag("DG-G.4-4")
    @Test
    @DisplayName("Memory without GROUP accepts no message to a group, silently")
    void withoutRight() {
        sender.queuePair.postSend(new SendWorkRequest()
                .id(1)
                .destination(group)
                .writeRecord(members.get(0).address(0), members.get(0).memory.rkey())
                .add(sender.memory, 0, 100));
        sender.success();
        members.forEach(DatagramSide::nothing);
        assertThat(members.get(0).counter("stag_rights")).isEqualTo(1);
        assertThat(members.get(0).counter("tx_notify")).isZero();
    }

    @Test
    @DisplayName("Only Sends and Write-Records of up to 64 KiB can be sent to a group")
    void allowed() {
        SendWorkRequest read = sender.read(1, group, sender, 0, 100);
        assertThatThrownBy(() -> sender.queuePair.postSend(read))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("Sends and Write-Records only");
        assertThatThrownBy(() -> sender.send(3, group, 0, (64 << 10) + 1))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("65536");
        sender.send(4, group, 0, 64 << 10);
        sender.success();
    }
}
