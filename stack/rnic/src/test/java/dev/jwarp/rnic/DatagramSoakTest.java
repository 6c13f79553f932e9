package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Ten thousand peers of one UD and one RD queue pair, half of them with addresses that are not validated. Each peer
 * writes a record with a hole, sends half a message, reads, and opens a channel. {@code -Djwarp.soak.peers=N} sets
 * another number.
 */
@Timeout(600)
@DisplayName("Ten thousand peers")
class DatagramSoakTest {
    private static final int PEERS = Integer.getInteger("jwarp.soak.peers", 10_000);
    /** Number of peers after which tables of fixed size are almost full. */
    private static final int WARM = PEERS / 2;

    private static final int LENGTH = 4_000;
    private static final int SEGMENTS = 3;
    private static final int RECEIVES = 64;
    private static final int RECORDS = 1_024;
    private static final int HALF_OPEN = 64;
    private static final long BETWEEN = 20_000;
    private static final int FIRST_NUMBER = 0x1_0000;

    private final DatagramWorld world =
            DatagramWorld.simulated(new SimNetwork(5), Map.of("jwarp.udp.trust", "10.0.0.0/8"));
    private final DatagramSide target = DatagramSide.on(world, 0);
    private final DatagramSide channels = DatagramSide.reliable(world, 1);
    private final DatagramSide sender = DatagramSide.on(world, 2).pattern(0, LENGTH);
    private final DatagramSide opener = DatagramSide.reliable(world, 3);
    private final Forger toTarget = new Forger(world, target.queuePair.localAddress());
    private final Forger toChannels = new Forger(world, channels.queuePair.localAddress());
    private final WorkCompletion[] taken = WorkCompletion.array(64);
    private final byte[] told = new byte[PEERS];
    private final int[] statuses = new int[256];
    private int receivesDone;

    private List<byte[]> record;
    private List<byte[]> send;
    private byte[] read;
    private byte[] open;

    @Test
    @DisplayName("take no more memory than a thousand, and each of their messages ends once")
    void soak() {
        templates();
        for (int i = 0; i < RECEIVES; i++) {
            target.receive(i, 600_000 + i * LENGTH, LENGTH);
        }
        long[] heap = new long[2];
        for (int i = 0; i < PEERS; i++) {
            peer(i);
            if (i + 1 == WARM) {
                heap[0] = heapAfterCollection();
            }
        }
        heap[1] = heapAfterCollection();
        long more = heap[1] - heap[0];
        System.out.printf(
                Locale.ROOT,
                "%,d peers on one queue pair: %,d bytes of heap more than with %,d, %.1f a peer%n",
                PEERS,
                more,
                WARM,
                (double) more / (PEERS - WARM));
        assertThat(more)
                .as("bytes of heap that %d more peers take", PEERS - WARM)
                .isLessThan(512 << 10);

        // Everything was evicted, except for open messages within the limits and timed-out ones.
        long evicted = target.counter("records_evicted");
        assertThat(evicted).isGreaterThan(PEERS - RECORDS - target.counter("records_partial") - 1);
        assertThat(channels.counter("rd_opened"))
                .as("channels of peers that stayed silent")
                .isEqualTo(HALF_OPEN);
        assertThat(channels.counter("rd_half_open")).isEqualTo(PEERS / 2 - HALF_OPEN);
        assertThat(channels.counter("tx_challenge"))
                .as("within the limit of answers")
                .isPositive();

        everythingEnds();
        world.datagrams().network().runFor(TimeUnit.SECONDS.toNanos(11));
        worksOn();
    }

    /** Records each message once; peers send copies with other addresses and numbers. */
    private void templates() {
        AddressHandle peer = sender.to(target);
        target.receive(1, 0, LENGTH);
        sender.writeRecord(1, peer, target, 0, LENGTH);
        record = seen(toTarget, SEGMENTS);
        sender.send(2, peer, 0, LENGTH);
        send = seen(toTarget, SEGMENTS);
        sender.queuePair.postSend(sender.read(3, peer, target, 0, 16));
        read = seen(toTarget, 1).get(0);
        sender.next(3);
        target.next(2);
        world.datagrams()
                .faults(
                        channels.queuePair.localAddress().getAddress(),
                        opener.queuePair.localAddress().getAddress(),
                        new DatagramFaults(1, 0, 0, 0, 0));
        world.datagrams()
                .faults(
                        opener.queuePair.localAddress().getAddress(),
                        channels.queuePair.localAddress().getAddress(),
                        new DatagramFaults(1, 0, 0, 0, 0));
        opener.send(4, opener.to(channels), 0, 1);
        open = seen(toChannels, 1).get(0);
        opener.queuePair.close();
        toTarget.stopWatching();
        toChannels.stopWatching();
    }

    private List<byte[]> seen(Forger forger, int count) {
        List<byte[]> all = new ArrayList<>();
        world.until(count + " datagrams", () -> {
            all.addAll(forger.seen());
            return all.size() >= count;
        });
        world.settle();
        return all.subList(0, count);
    }

    /** Peers with even numbers have validated addresses, those with odd numbers do not. */
    private void peer(int index) {
        InetSocketAddress from = Forger.address(index % 2 == 0 ? 10 : 172, 0x10_0000 + index);
        int number = FIRST_NUMBER + index;
        for (int i = 0; i < SEGMENTS; i++) {
            if (i != 1) {
                toTarget.send(from, Forger.as(record.get(i), number, 10));
            }
            if (i < 2) {
                toTarget.send(from, Forger.as(send.get(i), number, 11));
            }
        }
        toTarget.send(from, Forger.as(read, number, 12));
        byte[] mine = open.clone();
        ByteBuffer.wrap(mine).putInt(24, number); // the channel's tag
        toChannels.send(from, Forger.as(mine, number, 13));
        world.datagrams().network().runFor(BETWEEN);
        take();
    }

    private void take() {
        for (int i = target.completions.poll(taken) - 1; i >= 0; i--) {
            WorkCompletion completion = taken[i];
            if (completion.opcode() == WorkCompletionOpcode.RECV_WRITE_RECORD) {
                told[completion.sourceQueuePairNumber() - FIRST_NUMBER]++;
                statuses[completion.status().number()]++;
            } else {
                receivesDone++;
            }
            completion.release();
        }
    }

    private static long heapAfterCollection() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private void everythingEnds() {
        for (int i = 0; i < 100; i++) {
            world.datagrams().network().runFor(TimeUnit.MILLISECONDS.toNanos(20));
            take();
        }
        byte[] once = new byte[PEERS];
        Arrays.fill(once, (byte) 1);
        assertThat(told).as("each Write-Record is reported once").isEqualTo(once);
        int partial = statuses[WorkCompletionStatus.PARTIAL.number()];
        int evicted = statuses[WorkCompletionStatus.EVICTED.number()];
        assertThat(partial + evicted).isEqualTo(PEERS);
        assertThat(evicted).isPositive();
        assertThat(receivesDone).as("no Send was complete").isZero();
    }

    /** Checks that all receives are available again, and that the queue pairs serve new peers. */
    private void worksOn() {
        AddressHandle peer = sender.to(target);
        for (int i = 0; i < RECEIVES; i++) {
            sender.send(100 + i, peer, 0, LENGTH);
        }
        sender.next(RECEIVES);
        for (int i = 0; i < RECEIVES; i++) {
            assertThat(target.success().byteLength()).isEqualTo(LENGTH);
        }
        DatagramSide client = DatagramSide.reliable(world, 4).pattern(0, LENGTH);
        client.writeRecord(1, client.to(channels), channels, 0, LENGTH);
        client.success();
        channels.success();
        assertThat(channels.hasPattern(0, LENGTH)).isTrue();
    }
}
