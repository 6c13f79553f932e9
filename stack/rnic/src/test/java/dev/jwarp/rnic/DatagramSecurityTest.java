package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Attacks with forged datagrams on complete stacks; docs/limits.md names these tests. */
@DisplayName("With forged datagrams (datagram-iWARP §17)")
class DatagramSecurityTest {
    private static final int LENGTH = 4_000;
    private static final int SEGMENT = 1_428;

    private final DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, Map.of("jwarp.udp.trust", ""));
    private final DatagramSide target = DatagramSide.on(world, 0);
    private final DatagramSide friend = DatagramSide.on(world, 1).pattern(0, DatagramSide.MEMORY);
    private final AddressHandle toTarget = friend.to(target);
    private final InetSocketAddress friendAt = friend.queuePair.localAddress();
    private final Forger forger = new Forger(world, target.queuePair.localAddress());

    @AfterEach
    void close() {
        world.close();
    }

    @Tag("DG-9.1-1")
    @Test
    @DisplayName(
            "a forged source, validated or not, gets no Read data, and no more bytes than were received in its name")
    void amplification() {
        target.to(friend);
        friend.queuePair.postSend(friend.read(1, toTarget, target, 0, 1 << 20));
        friend.success();
        byte[] request = forger.seen().get(0);
        Map<InetSocketAddress, Long> balance = new HashMap<>();
        Set<Integer> kinds = new HashSet<>();
        world.datagrams().tap((from, to, octets, now) -> {
            if (from.equals(target.queuePair.localAddress())) {
                balance.merge(to, -(long) octets.remaining(), Long::sum);
                kinds.add(octets.get(octets.position()) & 0xf);
            } else {
                balance.merge(from, (long) octets.remaining(), Long::sum);
            }
        });
        for (int i = 0; i < 500; i++) {
            InetSocketAddress victim = Forger.address(192, i % 50);
            byte[] forged = Forger.as(request, 1_000 + i % 50, i);
            forger.send(victim, forged);
            // In the name of a peer with a recently validated address, for which the target may have a handle.
            forger.send(friendAt, Forger.as(request, friend.queuePair.number(), 5_000 + i));
            world.datagrams().network().runFor(10_000);
        }
        world.settle();
        assertThat(balance).hasSize(51);
        assertThat(balance.values()).as("bytes received less bytes sent").allMatch(octets -> octets >= 0);
        assertThat(kinds).as("CHALLENGE only").containsExactly(2);
        assertThat(target.counter("read_challenged")).isGreaterThanOrEqualTo(1_000);
        assertThat(target.counter("reads_served"))
                .as("the Read of the genuine peer")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("a cookie seen on the wire does not validate another address")
    void stolenCookie() {
        friend.queuePair.postSend(friend.read(1, toTarget, target, 0, LENGTH));
        friend.success();
        byte[] withCookie = forger.seen().get(1);
        assertThat(withCookie[4] & 2).as("flag C").isEqualTo(2);
        forger.send(Forger.address(192, 1), Forger.as(withCookie, friend.queuePair.number(), 77));
        world.settle();
        assertThat(target.counter("reads_served")).isEqualTo(1);
        assertThat(target.counter("read_challenged")).isEqualTo(2);
    }

    @Test
    @DisplayName("replayed datagrams have no effect: nothing is placed, reported or answered a second time")
    void replay() {
        for (int i = 0; i < 4; i++) {
            target.receive(i, 500_000, LENGTH);
        }
        friend.send(1, toTarget, 0, 10);
        friend.send(2, toTarget, 0, LENGTH);
        friend.writeRecord(3, toTarget, target, 0, 10);
        friend.writeRecord(4, toTarget, target, 10_000, LENGTH);
        friend.queuePair.postSend(friend.read(5, toTarget, target, 0, LENGTH));
        friend.next(5);
        target.next(4);
        List<byte[]> session = forger.seen();
        forger.stopWatching();
        long served = target.counter("reads_served");
        long taken = target.counter("rx_ok");
        for (int i = 0; i < 20_000; i++) {
            target.memory.buffer().put(i, (byte) 0);
        }
        for (byte[] datagram : session) {
            forger.send(friendAt, datagram);
            forger.send(friendAt, datagram);
        }
        target.nothing();
        friend.nothing();
        assertThat(target.counter("rx_ok")).isEqualTo(taken);
        assertThat(target.counter("reads_served")).isEqualTo(served);
        for (int i = 0; i < 20_000; i++) {
            assertThat(target.memory.buffer().get(i)).isZero();
        }
    }

    @Test
    @DisplayName("a replayed session of a closed reliable channel has no effect")
    void replayOfChannel() {
        DatagramSide server = DatagramSide.reliable(world, 2);
        DatagramSide client = DatagramSide.reliable(world, 3).pattern(0, LENGTH);
        server.to(client); // validates the address
        Forger other = new Forger(world, server.queuePair.localAddress());
        client.writeRecord(1, client.to(server), server, 0, LENGTH);
        client.success();
        server.success();
        List<byte[]> session = other.seen();
        other.stopWatching();
        InetSocketAddress at = client.queuePair.localAddress();
        client.queuePair.close();
        world.settle();
        server.memory.buffer().put(0, new byte[LENGTH]);
        session.forEach(datagram -> other.send(at, datagram));
        server.nothing();
        assertThat(server.memory.buffer().get(0)).isZero();
        assertThat(server.memory.buffer().get(LENGTH - 1)).isZero();
    }

    @Tag("DG-7-7")
    @Test
    @DisplayName("a datagram forged in the name of a peer spoils only the message with its number")
    void forgedSource() {
        int messages = 10;
        for (int i = 0; i < messages; i++) {
            friend.writeRecord(i, toTarget, target, i * LENGTH, LENGTH);
        }
        List<byte[]> genuine = new ArrayList<>();
        world.until("all are sent", () -> {
            genuine.addAll(forger.seen());
            return genuine.size() == 3 * messages;
        });
        for (int i = 0; i < messages; i++) {
            target.success();
        }
        friend.next(messages);
        for (int i = 0; i < DatagramSide.MEMORY; i++) {
            target.memory.buffer().put(i, (byte) 0);
        }
        // The same ten with new numbers; the first datagram of the fifth is forged before they arrive.
        int first = 0x7000_0000;
        byte[] lie = Forger.as(genuine.get(3 * 5), friend.queuePair.number(), first + 5);
        for (int i = 100; i < 200; i++) {
            lie[i] = (byte) 0xff;
        }
        forger.send(friendAt, Forger.sealed(lie));
        for (int i = 0; i < 3 * messages; i++) {
            forger.send(friendAt, Forger.as(genuine.get(i), friend.queuePair.number(), first + i / 3));
        }
        List<WorkCompletion> told = target.next(messages);
        target.nothing();
        assertThat(told).allMatch(WorkCompletion::succeeded);
        for (int i = 0; i < messages; i++) {
            assertThat(target.hasPattern((long) i * LENGTH, LENGTH))
                    .as("message %d", i)
                    .isEqualTo(i != 5);
        }
        assertThat(target.hasPattern(5L * LENGTH + SEGMENT, LENGTH - SEGMENT)).isTrue();
        assertThat(target.counter("dup_segment"))
                .as("the genuine one came second")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("guessing STags writes and reads nothing, and the answers reveal nothing")
    void guessing() {
        friend.writeRecord(1, toTarget, target, 0, 10);
        friend.success();
        target.success();
        byte[] known = forger.seen().get(0);
        forger.stopWatching();
        Set<Integer> codes = new HashSet<>();
        world.datagrams().tap((from, to, octets, now) -> {
            if (from.equals(target.queuePair.localAddress())) {
                codes.add(octets.getInt(octets.position() + 24));
            }
        });
        Random random = new Random(3);
        for (int i = 0; i < 2_000; i++) {
            byte[] guess = Forger.as(known, 1_000, i);
            ByteBuffer.wrap(guess).putInt(26, random.nextInt()).putLong(30, random.nextLong() >>> 2);
            forger.send(Forger.address(192, i), Forger.sealed(guess));
            world.datagrams().network().runFor(1_000_000);
        }
        target.nothing();
        assertThat(target.counter("stag_invalid")).isEqualTo(2_000);
        assertThat(codes).as("always the same code").containsExactly(0x01ff_0000);
    }

    @Tag("DG-17-1")
    @Tag("DG-17-2")
    @Tag("SEC-6.1.1-2")
    @Test
    @DisplayName("STags and addresses of regions are random and do not follow from others, in any context")
    void unguessable() {
        List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            regions.add(target.domain.allocate(64, AccessFlag.REMOTE_READ));
        }
        Set<Integer> keys = new HashSet<>();
        Set<Integer> steps = new HashSet<>();
        Set<Long> addressSteps = new HashSet<>();
        int ones = 0;
        for (int i = 0; i < regions.size(); i++) {
            MemoryRegion region = regions.get(i);
            keys.add(region.rkey());
            ones += Integer.bitCount(region.rkey());
            assertThat(region.address()).isBetween(4_096L, (1L << 62) - 1);
            assertThat(region.address() % 4_096).isZero();
            if (i > 0) {
                steps.add(region.rkey() - regions.get(i - 1).rkey());
                addressSteps.add(region.address() - regions.get(i - 1).address());
            }
        }
        assertThat(keys).hasSize(500);
        assertThat(steps).as("steps between them").hasSize(499);
        assertThat(addressSteps).hasSize(499);
        assertThat(ones / 500.0).as("bits set").isBetween(15.0, 17.0);
        List<MemoryRegion> others = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            others.add(friend.domain.allocate(64, AccessFlag.REMOTE_READ));
        }
        assertThat(others).noneMatch(region -> keys.contains(region.rkey()));
        world.datagrams().network().runFor(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    @DisplayName("a Write-Record needs the access flag RECORD")
    void recordNeedsItsRight() {
        MemoryRegion records = target.domain.allocate(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        friend.queuePair.postSend(new SendWorkRequest()
                .id(1)
                .destination(toTarget)
                .writeRecord(records.address(), records.rkey())
                .add(friend.memory, 0, 64));
        friend.success();
        target.nothing();
        assertThat(target.counter("stag_rights")).isEqualTo(1);
        assertThat(records.buffer().get(0)).isZero();
    }
}
