package dev.jwarp.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.AfterCalls;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamDriver;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.llp.capture.PcapFlow;
import dev.jwarp.llp.capture.PcapTap;
import dev.jwarp.llp.capture.PcapWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PcapTest {
    /** Longer than the send buffers of the network. */
    private static final String LONG_LINE = "x".repeat(150);

    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int RST = 4;
    private static final int PSH = 8;
    private static final int ACK = 16;

    /** A packet as another program would read it. */
    private record Packet(
            long nanos, String from, String to, int flags, long sequence, long acknowledged, byte[] payload) {
        String text() {
            return new String(payload, StandardCharsets.ISO_8859_1);
        }
    }

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final PcapWriter writer = new PcapWriter(file, 0);
    private final InetSocketAddress one = new InetSocketAddress(address(1), 1000);
    private final InetSocketAddress other = new InetSocketAddress(address(2), 7174);

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Packet> packets() throws IOException {
        writer.close();
        ByteBuffer in = ByteBuffer.wrap(file.toByteArray());
        assertThat(in.getInt()).as("magic of pcap with nanoseconds").isEqualTo(0xa1b23c4d);
        assertThat(in.getShort()).isEqualTo((short) 2);
        assertThat(in.getShort()).isEqualTo((short) 4);
        in.getLong();
        assertThat(in.getInt()).as("snap length").isGreaterThanOrEqualTo(65_535);
        assertThat(in.getInt()).as("link type: raw IP").isEqualTo(101);
        List<Packet> packets = new ArrayList<>();
        while (in.hasRemaining()) {
            long nanos = in.getInt() * 1_000_000_000L + in.getInt();
            int length = in.getInt();
            assertThat(in.getInt()).isEqualTo(length);
            packets.add(packet(nanos, in.slice(in.position(), length)));
            in.position(in.position() + length);
        }
        return packets;
    }

    private static Packet packet(long nanos, ByteBuffer ip) {
        assertThat(ip.get(0)).as("IPv4, header of 5 words").isEqualTo((byte) 0x45);
        assertThat(ip.getShort(2) & 0xffff).as("total length").isEqualTo(ip.capacity());
        assertThat(ip.get(9)).as("TCP").isEqualTo((byte) 6);
        assertThat(sum(ip.slice(0, 20), 0)).as("IP checksum").isEqualTo(0xffff);
        ByteBuffer pseudo = ip.slice(12, ip.capacity() - 12);
        assertThat(sum(pseudo, 6 + ip.capacity() - 20)).as("TCP checksum").isEqualTo(0xffff);
        int header = 20 + (ip.get(32) >> 4 & 0xf) * 4;
        byte[] payload = new byte[ip.capacity() - header];
        ip.get(header, payload);
        return new Packet(
                nanos,
                (ip.get(15) & 0xff) + ":" + (ip.getShort(20) & 0xffff),
                (ip.get(19) & 0xff) + ":" + (ip.getShort(22) & 0xffff),
                ip.get(33),
                ip.getInt(24) & 0xffff_ffffL,
                ip.getInt(28) & 0xffff_ffffL,
                payload);
    }

    private static int sum(ByteBuffer octets, int start) {
        int sum = start;
        for (int i = 0; i < octets.capacity(); i++) {
            sum += (octets.get(i) & 0xff) << (i % 2 == 0 ? 8 : 0);
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return sum;
    }

    @Test
    void writesAConnectionWithItsNumbersAndChecksums() throws IOException {
        PcapFlow flow = writer.flow(one, other);
        flow.open(5);
        flow.data(true, ByteBuffer.wrap("abc".getBytes(StandardCharsets.UTF_8)), 1_000_000_006L);
        flow.data(false, ByteBuffer.wrap("de".getBytes(StandardCharsets.UTF_8)), 1_000_000_007L);
        flow.finish(true, 1_000_000_008L);
        flow.finish(false, 1_000_000_009L);
        List<Packet> packets = packets();
        assertThat(packets)
                .extracting(Packet::flags)
                .containsExactly(SYN, SYN | ACK, ACK, PSH | ACK, PSH | ACK, FIN | ACK, ACK, FIN | ACK, ACK);
        assertThat(packets)
                .extracting(Packet::sequence)
                .containsExactly(1000L, 2000L, 1001L, 1001L, 2001L, 1004L, 2003L, 2003L, 1005L);
        assertThat(packets)
                .extracting(Packet::acknowledged)
                .containsExactly(0L, 1001L, 2001L, 2001L, 1004L, 2003L, 1005L, 1005L, 2004L);
        assertThat(packets).extracting(Packet::from).startsWith("1:1000", "2:7174", "1:1000");
        assertThat(packets.get(3).nanos()).isEqualTo(1_000_000_006L);
        assertThat(packets.get(3).text()).isEqualTo("abc");
    }

    @Test
    void timesDoNotGoBackwardsThoughThreadsReadTheirClocksBefore() throws IOException {
        PcapFlow flow = writer.flow(one, other);
        flow.open(5);
        flow.data(true, ByteBuffer.wrap(new byte[1]), 9);
        flow.data(false, ByteBuffer.wrap(new byte[1]), 7);
        flow.data(true, ByteBuffer.wrap(new byte[1]), 10);
        assertThat(packets()).extracting(Packet::nanos).containsExactly(5L, 5L, 5L, 9L, 9L, 10L);
    }

    @Test
    void cutsOnlyWhatDoesNotFitIntoOnePacket() throws IOException {
        PcapFlow flow = writer.flow(one, other);
        flow.data(true, ByteBuffer.allocate(PcapWriter.LARGEST_PAYLOAD), 0);
        flow.data(true, ByteBuffer.allocate(PcapWriter.LARGEST_PAYLOAD + 1), 0);
        assertThat(packets()).extracting(packet -> packet.payload().length).containsExactly(0, 0, 0, 65_495, 65_495, 1);
    }

    @Test
    void beginsAnotherConnectionWhenPortsComeAgain() throws IOException {
        writer.flow(one, other).open(0);
        assertThat(writer.flow(one, other)).isSameAs(writer.flow(one, other));
        writer.flow(one, other).reset(false, 0);
        writer.flow(one, other).reset(false, 0);
        writer.flow(one, other).open(0);
        assertThat(packets())
                .extracting(Packet::flags)
                .containsExactly(SYN, SYN | ACK, ACK, RST | ACK, SYN, SYN | ACK, ACK);
    }

    @Test
    void makesAddressesUpForWhatIsNotIpv4() throws IOException {
        InetSocketAddress six = new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 9);
        writer.flow(six, six).open(0);
        assertThat(packets()).extracting(Packet::from).containsOnly("1:9");
    }

    @Test
    void keepsAFailureToWriteForTheEnd() {
        PcapWriter full = new PcapWriter(
                new OutputStream() {
                    @Override
                    public void write(int octet) throws IOException {
                        throw new IOException("no space");
                    }
                },
                0);
        PcapFlow flow = full.flow(one, other);
        for (int i = 0; i < 10; i++) {
            flow.data(true, ByteBuffer.allocate(60_000), 0);
        }
        assertThatThrownBy(full::close).hasMessage("no space");
    }

    /** Runs a conversation over a network that delivers single bytes. */
    private List<Packet> conversation(boolean tapBoth, boolean abort) throws IOException {
        SimNetwork network = new SimNetwork(3);
        network.link(new SimLink(1, 1, 10, 100, 64, 1460));
        StreamEngineFactory tap = new PcapTap(ToyEngine.FACTORY, writer);
        SimTransport client = network.host(address(1), tap);
        SimTransport server = network.host(address(2), tapBoth ? tap : ToyEngine.FACTORY);
        ToyApplication asks = new ToyApplication();
        ToyApplication answers = new ToyApplication();
        server.listen(server.address(7174), 1, answers);
        StartParameters offer = new StartParameters(-1, -1, new byte[0]);
        asks.connection = client.connect(server.address(7174), null, offer, 1_000_000_000, asks, asks);
        network.settle();
        answers.send(LONG_LINE);
        network.settle();
        if (abort) {
            asks.connection.abort();
        } else {
            asks.connection.close();
        }
        network.settle();
        return packets();
    }

    @Test
    void writesEachWriteOfAnEngineOnceAndInOneSegmentThoughTheNetworkCutsIt() throws IOException {
        List<Packet> packets = conversation(true, false);
        assertThat(packets)
                .extracting(Packet::flags)
                .containsExactly(SYN, SYN | ACK, ACK, PSH | ACK, PSH | ACK, PSH | ACK, FIN | ACK, ACK, FIN | ACK, ACK);
        assertThat(packets).extracting(packet -> packet.payload().length).contains(2 + LONG_LINE.length());
        assertThat(packets.get(3).text()).startsWith("Q");
        assertThat(packets.get(4).text()).startsWith("A").endsWith("welcome");
    }

    @Test
    void writesDownBeforeTheDriverWritesSoThatAnAnswerStandsBehindItsQuestion() throws IOException {
        StreamEngineFactory tap = new PcapTap(ToyEngine.FACTORY, writer);
        ToyApplication asks = new ToyApplication();
        StreamEngine engine =
                tap.initiator(new IdleDriver(), new StartParameters(-1, -1, new byte[] {'?'}), 9, asks, asks, 0);
        engine.onConnected(0);
        engine.prepareOutput(1);
        engine.prepareOutput(2); // a driver may look more than once
        assertThat(packets())
                .extracting(Packet::text)
                .filteredOn(text -> !text.isEmpty())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("Q")
                .endsWith("?");
    }

    /** A driver that never writes. */
    private final class IdleDriver implements StreamDriver {
        @Override
        public InetSocketAddress localAddress() {
            return one;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return other;
        }

        @Override
        public int effectiveMaximumSegmentSize() {
            return 1460;
        }

        @Override
        public void afterCall(AfterCalls.Task task) {
            throw new UnsupportedOperationException("no handler is tested here");
        }

        @Override
        public void wakeup() {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    }

    @Test
    void showsBothDirectionsFromOneEnd() throws IOException {
        List<Packet> packets = conversation(false, false);
        StringBuilder toClient = new StringBuilder();
        packets.stream().filter(packet -> packet.from().equals("2:7174")).forEach(p -> toClient.append(p.text()));
        assertThat(toClient.toString()).startsWith("A").contains("welcome").endsWith(LONG_LINE);
        assertThat(packets).extracting(Packet::flags).endsWith(FIN | ACK, ACK, FIN | ACK, ACK);
    }

    @Test
    void showsAResetOnce() throws IOException {
        List<Packet> packets = conversation(true, true);
        assertThat(packets).extracting(Packet::flags).endsWith(RST | ACK).containsOnlyOnce(RST | ACK);
    }
}
