package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.sim.RawEnd;
import dev.jwarp.sim.SimLink;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.sim.SimTransport;
import dev.jwarp.transport.tcp.MpaEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * Arbitrary bytes, sent to a whole stack over a connection: MPA, DDP, RDMAP, verbs. For any input: no exception is
 * thrown, memory without rights is unchanged, and every posted work request completes. The first byte selects the start
 * of the connection; then follow pieces: a byte of flags, a length of two bytes, and the bytes.
 */
public class StreamFuzzTest {
    /** The connection is set up properly; otherwise the bytes are the start of the stream. */
    private static final int SET_UP = 1;

    private static final int CRC = 2;
    private static final int MARKERS = 4;
    /** For the last piece: a reset follows it, otherwise a FIN. */
    private static final int RESET = 8;

    /** The piece is a ULPDU; the test adds the length and a right CRC. */
    private static final int FRAME = 1;

    private static final int TO_REGION = 2;
    private static final int TO_SECRET = 4;
    private static final int CONTROL = 8;

    private static final int LENGTH = 4_096;
    private static final byte SECRET = 0x5e;
    private static final SimLink AT_ONCE = new SimLink(1 << 20, 1 << 20, 0, 0, 1 << 20, 1460);

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            new Talk(input[0])
                    .feedAll(ByteBuffer.wrap(input, 1, input.length - 1).slice());
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }

    /** One connection. */
    private static final class Talk {
        private final SimNetwork network = new SimNetwork(1);
        private final RawEnd peer = new RawEnd();
        private final Context context;
        private final CompletionQueue completions;
        private final CmEventChannel events;
        private final MemoryRegion region;
        private final MemoryRegion secret;
        private final MemoryRegion inbox;
        private final ProtectionDomain domain;
        private final int beginning;
        private int posted;

        Talk(int beginning) {
            this.beginning = beginning;
            network.link(AT_ONCE);
            Map<String, String> settings = Map.of(
                    "jwarp.mpa.crc", (beginning & CRC) != 0 ? "on" : "off",
                    "jwarp.mpa.markers", (beginning & MARKERS) != 0 ? "on" : "off");
            SimTransport own = network.host(
                    address(1), new MpaEngineFactory(TcpSettings.of(settings), new Tally<>(TcpCounter.class)));
            SimTransport there = network.host(address(2), peer);
            context = new RnicProvider()
                    .rnic()
                    .open(own, () -> network.clock().nowNanos(), new SplittableRandom(1), settings);
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(64);
            region = register(0x10_0000, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
            secret = register(0x20_0000);
            inbox = register(0x30_0000);
            byte[] kept = new byte[LENGTH];
            Arrays.fill(kept, SECRET);
            secret.buffer().put(0, kept);
            events = context.createEventChannel();
            CmId listener = context.createId(events);
            listener.bind(own.address(7));
            listener.listen(0);
            there.connect(
                    own.address(7),
                    null,
                    new StartParameters(0, 0, new byte[0]),
                    Long.MAX_VALUE / 4,
                    nobody(UpperLayer.class),
                    nobody(ConnectionHandler.class));
            network.runFor(0);
            if ((beginning & SET_UP) != 0) {
                byte[] request = "MPA ID Req Frame\0\1\0\0".getBytes(StandardCharsets.ISO_8859_1);
                request[16] = (byte) ((beginning & CRC) != 0 ? 0x40 : 0);
                say(request);
            }
        }

        /** {@return an object that is never called, because the test plays the peer} */
        private static <T> T nobody(Class<T> type) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                        throw new IllegalStateException(method + " was called");
                    }));
        }

        private static InetAddress address(int number) {
            try {
                return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e);
            }
        }

        private MemoryRegion register(long address, AccessFlag... access) {
            AccessFlag[] all = Arrays.copyOf(access, access.length + 1);
            all[access.length] = AccessFlag.LOCAL_WRITE;
            return domain.register(ByteBuffer.allocateDirect(LENGTH), address, all);
        }

        /** Sends bytes, and reacts like a program. */
        private void say(byte[] octets) {
            if (octets.length > 0) {
                peer.send(octets);
                peer.flush();
            }
            network.runFor(1_000);
            for (CmEvent event = events.await(Duration.ZERO); event != null; event = events.await(Duration.ZERO)) {
                if (event.type() == CmEventType.CONNECT_REQUEST) {
                    accept(event.id());
                }
            }
            network.runFor(1_000);
        }

        private void accept(CmId id) {
            QueuePair pair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(8)
                            .maxReceiveWorkRequests(8)
                            .build());
            for (int i = 0; i < 4; i++) {
                pair.postReceive(new ReceiveWorkRequest().id(i).add(inbox, i * 1_024L, 1_024));
            }
            id.accept(ConnectionParameters.DEFAULT);
            pair.postSend(new SendWorkRequest().rdmaRead(0x1234, 0x5678).add(inbox, 0, 64)); // something to answer
            posted = 5;
        }

        void feedAll(ByteBuffer in) {
            while (in.remaining() > 3) {
                int wishes = in.get();
                byte[] octets = new byte[Math.min(in.getShort() & 0xffff, in.remaining())];
                in.get(octets);
                say((wishes & FRAME) != 0 ? framed(octets, wishes) : octets);
            }
            peer.end((beginning & RESET) != 0 ? Ending.ABORT : Ending.SHUT_DOWN_OUTPUT);
            say(new byte[0]);
            network.runFor(Duration.ofMinutes(2).toNanos());
            check();
        }

        private byte[] framed(byte[] ulpdu, int wishes) {
            ByteBuffer header = ByteBuffer.wrap(ulpdu);
            if ((wishes & CONTROL) != 0 && ulpdu.length >= 2) {
                ulpdu[0] = (byte) ((ulpdu[0] & 0xc0) | 1); // versions right, reserved bits clear
                ulpdu[1] = (byte) ((ulpdu[1] & 0x0f) | 0x40);
            }
            if ((wishes & (TO_REGION | TO_SECRET)) != 0 && ulpdu.length >= 14) {
                MemoryRegion target = (wishes & TO_REGION) != 0 ? region : secret;
                header.putInt(2, target.rkey());
                header.putLong(6, target.address() + (header.getLong(6) & 0x1fff));
            }
            int covered = (2 + ulpdu.length + 3) & -4;
            ByteBuffer fpdu = ByteBuffer.allocate(covered + 4)
                    .putShort((short) ulpdu.length)
                    .put(ulpdu);
            CRC32C crc = new CRC32C();
            crc.update(fpdu.array(), 0, covered);
            return fpdu.putInt(covered, Integer.reverseBytes((int) crc.getValue()))
                    .array();
        }

        private void check() {
            context.counters().forEach(counter -> {
                if (counter.name().equals("layer_above_failed")) {
                    assertThat(counter.value()).as("exceptions").isZero();
                }
            });
            for (int i = 0; i < LENGTH; i++) {
                if (secret.buffer().get(i) != SECRET) {
                    throw new AssertionError("memory without rights was written at " + i);
                }
            }
            WorkCompletion[] one = WorkCompletion.array(1);
            int back = 0;
            while (completions.poll(one) > 0) {
                back++;
            }
            assertThat(back).as("completed work requests").isEqualTo(posted);
            context.close();
        }
    }
}
