package dev.jwarp.conformance.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jwarp.conformance.wire.Octets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** From the link down to TCP and UDP. */
class PacketReaderTest {
    private static final byte[] PAYLOAD = "hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final byte[] TCP = after("0FA0 1C06 01020304 0A0B0C0D 6018 0064 00000000 01010101", PAYLOAD);
    private static final byte[] UDP = after("0FA0 1C06 000D 0000", PAYLOAD);

    /** The bytes of a header, and those behind it. */
    private static byte[] after(String hex, byte[] rest) {
        return new Octets().add(Octets.hex(hex)).add(rest).bytes();
    }

    private static String zeros(int octets) {
        return "00".repeat(octets);
    }

    private static byte[] ipv4(int protocol, int word, byte[] payload) {
        String header = "4500 %04X 004D %04X 40 %02X 0000 C0000201 C0000202";
        return after(header.formatted(20 + payload.length, word, protocol), payload);
    }

    private static byte[] ipv6(int next, byte[] payload) {
        String prefix = "20010DB8 00000000 00000000 0000000";
        String header = "60000000 %04X %02X 40" + prefix + "1" + prefix + "2";
        return after(header.formatted(payload.length, next), payload);
    }

    private static Frame frame(int linkType, byte[] octets) {
        return new Frame(1, 0, linkType, octets, octets.length);
    }

    private static Packet read(int linkType, byte[] octets) {
        return new PacketReader().read(frame(linkType, octets));
    }

    /** The content of the last of these packets. */
    private static Packet last(PacketReader reader, byte[]... packets) {
        Packet last = null;
        for (byte[] packet : packets) {
            last = reader.read(frame(101, packet));
        }
        return last;
    }

    private static void isDatagram(Packet packet, byte[] payload) {
        assertThat(packet)
                .isInstanceOfSatisfying(
                        Packet.Udp.class, udp -> assertThat(udp.octets()).isEqualTo(payload));
    }

    static Stream<Arguments> links() {
        byte[] ip = ipv4(6, 0, TCP);
        byte[] six = ipv6(6, TCP);
        String macs = zeros(12);
        return Stream.of(
                arguments("Ethernet", 1, after(macs + "0800", ip)),
                arguments("Ethernet, padded", 1, after(macs + "0800", Arrays.copyOf(ip, ip.length + 9))),
                arguments("VLAN", 1, after(macs + "8100 0005 0800", ip)),
                arguments("two VLANs", 1, after(macs + "88A8 0005 8100 0006 86DD", six)),
                arguments("cooked", 113, after(zeros(14) + "0800", ip)),
                arguments("cooked 2", 276, after("86DD" + zeros(18), six)),
                arguments("raw", 101, ip),
                arguments("raw IPv6", 229, six),
                arguments("loopback, little-endian", 0, after("02000000", ip)),
                arguments("loopback, big-endian", 108, after("0000001E", six)),
                arguments(
                        "hop-by-hop and destination options",
                        101,
                        ipv6(0, after("3C 01" + zeros(14) + "06 00" + zeros(6), TCP))),
                arguments("authentication header", 101, ipv6(51, after("06 04" + zeros(22), TCP))),
                arguments("IPv4 options", 101, after("4600 0035 00000000 01 06 0000" + zeros(12), TCP)),
                arguments("no length yet (TSO)", 101, after("4500 0000 00000000 01 06 0000" + zeros(8), TCP)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("links")
    @DisplayName("TCP is found after")
    void tcpIsFoundBehind(String name, int linkType, byte[] octets) {
        assertThat(read(linkType, octets)).isInstanceOfSatisfying(Packet.Tcp.class, tcp -> {
            assertThat(Arrays.copyOfRange(tcp.data(), tcp.at(), tcp.at() + tcp.length()))
                    .as(name)
                    .isEqualTo(PAYLOAD);
            assertThat(tcp.cut()).isZero();
            assertThat(tcp.source().port()).isEqualTo(4000);
            assertThat(tcp.target().port()).isEqualTo(7174);
            assertThat(tcp.sequence()).isEqualTo(0x01020304);
            assertThat(tcp.acknowledged()).isEqualTo(0x0A0B0C0D);
            assertThat(tcp.has(Packet.Tcp.ACK)).isTrue();
            assertThat(tcp.has(Packet.Tcp.SYN)).isFalse();
        });
    }

    @Test
    @DisplayName("UDP is read to its own length")
    void udpIsReadToItsOwnLength() {
        isDatagram(read(101, ipv4(17, 0, Arrays.copyOf(UDP, UDP.length + 3))), PAYLOAD);
    }

    @Test
    @DisplayName("fragments are assembled in any order, with copies")
    void fragmentsArePutTogetherInAnyOrderCopiesAndAll() {
        byte[] datagram = after("0FA0 1C06 0030 0000", Octets.pattern(40, 1));
        byte[][] parts = {
            ipv4(17, 0x2000, Arrays.copyOfRange(datagram, 0, 16)),
            ipv4(17, 0x2002, Arrays.copyOfRange(datagram, 16, 32)),
            ipv4(17, 0x0004, Arrays.copyOfRange(datagram, 32, 48))
        };
        for (List<Integer> order : List.of(List.of(0, 1, 2), List.of(2, 1, 0), List.of(1, 1, 2, 0))) {
            PacketReader reader = new PacketReader();
            isDatagram(
                    last(reader, order.stream().map(part -> parts[part]).toArray(byte[][]::new)),
                    Octets.pattern(40, 1));
            Frame again = frame(101, parts[1]);
            assertThat(reader.read(again))
                    .as("the complete packet is forgotten")
                    .isEqualTo(new Packet.Other(again, Packet.Reason.FRAGMENT));
        }
    }

    @Test
    @DisplayName("fragments of IPv6 are assembled, too")
    void fragmentsOfIpv6Too() {
        byte[] first = ipv6(44, after("11 00 0001 00000009", Arrays.copyOf(UDP, 8)));
        byte[] second = ipv6(44, after("11 00 0008 00000009", PAYLOAD));
        PacketReader reader = new PacketReader();

        assertThat(last(reader, first)).isInstanceOf(Packet.Other.class);
        isDatagram(last(reader, second), PAYLOAD);
    }

    @Test
    @DisplayName("the first of overlapping fragments counts")
    void ofFragmentsThatOverlapTheFirstCounts() {
        Packet last = last(
                new PacketReader(),
                ipv4(17, 0x2001, PAYLOAD),
                ipv4(17, 0x2000, new byte[13]),
                ipv4(17, 0x0001, new byte[5]),
                ipv4(17, 0x2000, Arrays.copyOf(UDP, 8)));

        isDatagram(last, PAYLOAD);
    }

    @Test
    @DisplayName("fragments of packets that are never completed do not fill the memory")
    void fragmentsThatNeverBecomeWholeDoNotPileUp() {
        byte[] datagram = after("0FA0 1C06 0018 0000", new byte[16]);
        byte[] begin = ipv4(17, 0x2000, Arrays.copyOf(datagram, 16));
        byte[] rest = ipv4(17, 0x0002, Arrays.copyOfRange(datagram, 16, 24));
        PacketReader reader = new PacketReader();
        for (int i = 0; i < 1000; i++) {
            last(reader, numbered(begin, i));
        }

        assertThat(last(reader, numbered(rest, 0)))
                .as("the first packet has given way long ago")
                .isInstanceOf(Packet.Other.class);
        isDatagram(last(reader, numbered(rest, 999)), new byte[16]);
    }

    private static byte[] numbered(byte[] packet, int identification) {
        return patched(patched(packet, 4, identification >> 8), 5, identification);
    }

    @Property(tries = 200)
    @Label("a frame that is cut anywhere is reported as cut")
    void frameCutAnywhereIsSaidToBeCut(@ForAll @IntRange(min = 1, max = 48) int length) {
        byte[] whole = ipv4(6, 0, TCP);
        Packet packet = new PacketReader().read(new Frame(1, 0, 101, Arrays.copyOf(whole, length), whole.length));

        if (packet instanceof Packet.Tcp tcp) {
            assertThat(tcp.length() + tcp.cut()).isEqualTo(PAYLOAD.length);
            assertThat(tcp.at() + tcp.length()).isLessThanOrEqualTo(length);
        } else {
            assertThat(((Packet.Other) packet).reason()).isEqualTo(Packet.Reason.CUT);
            assertThat(length).isLessThan(40);
        }
    }

    static Stream<Arguments> wrong() {
        byte[] ip = ipv4(6, 0, TCP);
        return Stream.of(
                arguments(105, ip, Packet.Reason.LINK_TYPE),
                arguments(1, after(zeros(12) + "0806", new byte[46]), Packet.Reason.NOT_IP),
                arguments(1, new byte[13], Packet.Reason.CUT),
                arguments(101, new byte[0], Packet.Reason.CUT),
                arguments(101, ipv4(1, 0, new byte[8]), Packet.Reason.NOT_TCP_UDP),
                arguments(101, new byte[] {0x55, 0}, Packet.Reason.MALFORMED),
                arguments(101, patched(ip, 0, 0x44), Packet.Reason.MALFORMED),
                arguments(101, patched(ip, 3, 30), Packet.Reason.MALFORMED),
                arguments(101, patched(ip, 32, 0x40), Packet.Reason.MALFORMED),
                arguments(101, patched(ip, 32, 0xF0), Packet.Reason.MALFORMED),
                arguments(101, ipv4(17, 0, patched(UDP, 5, 7)), Packet.Reason.MALFORMED),
                arguments(101, ipv4(17, 0, patched(UDP, 5, 14)), Packet.Reason.MALFORMED));
    }

    private static byte[] patched(byte[] octets, int at, int value) {
        byte[] changed = octets.clone();
        changed[at] = (byte) value;
        return changed;
    }

    @ParameterizedTest
    @MethodSource("wrong")
    @DisplayName("a packet that is no segment has a reason")
    void whatIsNoSegmentHasReason(int linkType, byte[] octets, Packet.Reason reason) {
        assertThat(read(linkType, octets))
                .isInstanceOfSatisfying(
                        Packet.Other.class, other -> assertThat(other.reason()).isEqualTo(reason));
    }

    @Property(tries = 2000)
    @Label("no bytes cause an exception")
    void noBytesMakeItThrow(@ForAll byte[] noise, @ForAll @IntRange(max = 300) int linkType, @ForAll boolean likeIp) {
        byte[] octets = noise.clone();
        if (likeIp && octets.length > 0) {
            octets[0] = (byte) (octets[0] & 1) == 0 ? (byte) 0x45 : (byte) 0x60;
        }
        assertThat(read(likeIp ? 101 : linkType, octets)).isNotNull();
    }
}
