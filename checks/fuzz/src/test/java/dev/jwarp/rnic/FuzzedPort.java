package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Tally;
import dev.jwarp.rdmap.datagram.DatagramCounter;
import dev.jwarp.sim.SimDatagrams;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.engine.UdpEngineFactory;
import dev.jwarp.transport.udp.rd.RdQueuePair;
import dev.jwarp.transport.udp.wire.Crc;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A whole stack with a UD and an RD queue pair on one port, which is fed with arbitrary bytes. For any input: no
 * exception is thrown, memory without rights is unchanged, and each datagram is either accepted or counted as dropped,
 * once. Numbers, keys and addresses are constant, so that an input has the same effect every time.
 */
final class FuzzedPort implements AutoCloseable {
    /** The test computes a right CRC, which no fuzzer finds, and on request right numbers and keys. */
    static final int SEAL = 1;

    static final int TO_UD = 2;
    static final int TO_RD = 4;
    static final int TO_REGION = 8;
    static final int TO_SECRET = 16;
    static final int LATER = 32;
    static final int TRUSTED = 64;

    private static final int LENGTH = 8_192;
    /** Larger than any datagram. */
    private static final long ON_THE_WAY = 20_000;

    private static final byte SECRET = 0x5e;
    private static final Set<UdpCounter> CHECKS = EnumSet.range(UdpCounter.RX_SHORT, UdpCounter.RD_RESET_BAD);
    private static final Set<DatagramCounter> REFUSALS =
            EnumSet.range(DatagramCounter.DDP_VERSION, DatagramCounter.RX_STOPPED);
    private static final Set<String> DROPS = Stream.concat(
                    CHECKS.stream().map(UdpCounter::label), REFUSALS.stream().map(DatagramCounter::counterName))
            .collect(Collectors.toSet());

    private static final int STAG_AT = 26;
    private static final int OFFSET_AT = 30;
    private static final int SHIM = 24;

    private final SimNetwork network = new SimNetwork(1);
    private final SimDatagrams datagrams = new SimDatagrams(network);
    private final Context context;
    private final CompletionQueue completions;
    private final DatagramQueuePair unreliable;
    private final DatagramQueuePair reliable;
    private final MemoryRegion region;
    private final MemoryRegion inbox;
    private final MemoryRegion secret;
    private final WorkCompletion[] taken = WorkCompletion.array(64);
    private final byte[] wanted = new byte[LENGTH];
    private final byte[] found = new byte[LENGTH];
    private final Crc crc = new Crc();

    FuzzedPort() {
        InetSocketAddress local = new InetSocketAddress("10.0.0.1", 7174);
        Map<String, String> settings = Map.of(
                "jwarp.udp.sources", "64",
                "jwarp.udp.trust", "10.0.0.0/8",
                "jwarp.udp.resolve-challenge", "off");
        Tally<UdpCounter> counters = new Tally<>(UdpCounter.class);
        context = new RnicProvider()
                .rnic()
                .open(
                        datagrams
                                .host(
                                        local.getAddress(),
                                        new UdpEngineFactory(
                                                UdpSettings.of(settings),
                                                counters,
                                                RdQueuePair::open,
                                                network.random(),
                                                null))
                                .counting(() -> UdpCounter.list(counters)),
                        () -> network.clock().nowNanos(),
                        new SplittableRandom(7),
                        Map.of(
                                "jwarp.datagram.records", "16",
                                "jwarp.datagram.read-jobs", "8",
                                "jwarp.datagram.seen", "1024"));
        ProtectionDomain domain = context.allocateProtectionDomain();
        completions = context.createCompletionQueue(64);
        region = register(domain, 0x10_0000, AccessFlag.RECORD, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
        inbox = register(domain, 0x20_0000);
        secret = register(domain, 0x30_0000);
        Arrays.fill(wanted, SECRET);
        secret.buffer().put(0, wanted);
        unreliable = queuePair(domain, QueuePairType.UD, local, 0xABCD, 0x11223344);
        reliable = queuePair(domain, QueuePairType.RD, local, 0xBEEF, 0x55667788);
        context.listenService(local, 1, unreliable);
        // A Read to which answers are possible.
        unreliable.postSend(new SendWorkRequest()
                .destination(unreliable.createAddressHandle(new InetSocketAddress("10.0.0.9", 7174), 0x12345, 7))
                .rdmaRead(0x1234, 0x5678)
                .add(inbox, 0, LENGTH));
        network.runFor(ON_THE_WAY);
    }

    private static MemoryRegion register(ProtectionDomain domain, long address, AccessFlag... access) {
        Set<AccessFlag> all = EnumSet.of(AccessFlag.LOCAL_WRITE, access);
        return domain.register(ByteBuffer.allocateDirect(LENGTH), address, all.toArray(new AccessFlag[0]));
    }

    private DatagramQueuePair queuePair(
            ProtectionDomain domain, QueuePairType type, InetSocketAddress local, int number, int key) {
        DatagramQueuePair made = domain.createDatagramQueuePair(
                type,
                QueuePairAttributes.builder(completions)
                        .maxSendWorkRequests(8)
                        .maxReceiveWorkRequests(8)
                        .build(),
                DatagramAttributes.builder(local)
                        .queuePairNumber(number)
                        .key(key)
                        .byDefault(type == QueuePairType.UD)
                        .build());
        for (int i = 0; i < 4; i++) {
            made.postReceive(new ReceiveWorkRequest().id(i).add(inbox, i * 1_024L, 1_024));
        }
        return made;
    }

    /** Feeds the datagrams in {@code input}: for each a byte of flags, a length of two bytes, and the bytes. */
    void feedAll(byte[] input) {
        ByteBuffer in = ByteBuffer.wrap(input);
        while (in.remaining() > 3) {
            int wishes = in.get();
            int length = Math.min(in.getShort() & 0xffff, in.remaining());
            byte[] datagram = new byte[length];
            in.get(datagram);
            feed(wishes, datagram);
        }
    }

    /** Feeds one datagram, and checks its effect. */
    void feed(int wishes, byte[] octets) {
        ByteBuffer datagram = ByteBuffer.wrap(octets);
        if ((wishes & (TO_UD | TO_RD)) != 0 && octets.length >= SHIM) {
            boolean toUd = (wishes & TO_UD) != 0;
            DatagramQueuePair to = toUd ? unreliable : reliable;
            datagram.putInt(0, (datagram.getInt(0) & 0xff00_0000) | to.number());
            if ((octets[4] & 4) == 0) { // the tag of a channel is its Key
                datagram.putInt(8, to.key());
            }
        }
        if ((wishes & (TO_REGION | TO_SECRET)) != 0 && octets.length >= OFFSET_AT + 8) {
            MemoryRegion target = (wishes & TO_REGION) != 0 ? region : secret;
            datagram.putInt(STAG_AT, target.rkey());
            datagram.putLong(OFFSET_AT, target.address() + (datagram.getLong(OFFSET_AT) & 0x1fff));
        }
        if ((wishes & SEAL) != 0 && octets.length >= Crc.LENGTH) {
            crc.seal(datagram, 0, octets.length - Crc.LENGTH);
        }
        Map<String, Long> before = counters();
        datagrams.send(
                new InetSocketAddress((wishes & TRUSTED) != 0 ? "10.0.0.9" : "192.0.2.9", 7174),
                unreliable.localAddress(),
                datagram);
        network.runFor((wishes & LATER) != 0 ? TimeUnit.MILLISECONDS.toNanos(150) : ON_THE_WAY);
        check(octets, before, counters());
        for (int i = completions.poll(taken) - 1; i >= 0; i--) {
            taken[i].release();
        }
    }

    private Map<String, Long> counters() {
        List<Counter> all = context.counters();
        Map<String, Long> values = new HashMap<>(all.size() * 2);
        all.forEach(counter -> values.put(counter.name(), counter.value()));
        return values;
    }

    private void check(byte[] octets, Map<String, Long> before, Map<String, Long> after) {
        long dropped = DROPS.stream()
                .mapToLong(name -> after.get(name) - before.get(name))
                .sum();
        long accepted = after.get("rx_ok") - before.get("rx_ok");
        assertThat(after.get("rx_datagrams") - before.get("rx_datagrams"))
                .as("received datagrams")
                .isEqualTo(1);
        assertThat(after.get("failed")).as("exceptions").isZero();
        boolean data = octets.length > 4 && (octets[0] & 0xff) == 0x10;
        boolean ofChannel = octets.length > 4 && (octets[4] & 4) != 0;
        if (!ofChannel) {
            // An accepted datagram of a Kind other than DATA has no counter of its own.
            assertThat(accepted + dropped).as("accepted or dropped, once").isBetween(data ? 1L : 0L, 1L);
        }
        secret.buffer().get(0, found);
        assertThat(Arrays.equals(found, wanted))
                .as("memory without rights is unchanged")
                .isTrue();
    }

    @Override
    public void close() {
        context.close();
    }
}
