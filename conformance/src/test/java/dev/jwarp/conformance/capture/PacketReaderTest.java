package dev.jwarp.conformance.capture;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.provider.MethodSource;

/** From the link down to TCP and UDP. */
class PacketReaderTest {
    private static final byte[] PAYLOAD = "hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final byte[] TCP = new Octets()
            .u16(4000)
            .u16(7174)
            .u32(0x01020304)
            .u32(0x0A0B0C0D)
            .u8(0x60)
            .u8(0x18)
            .u16(100)
            .u32(0)
            .u32(0x01010101)
            .add(PAYLOAD)
            .bytes();
    private static final byte[] UDP =
            new Octets().u16(4000).u16(7174).u16(13).u16(0).add(PAYLOAD).bytes();

    private static byte[] ipv4(int protocol, int word, byte[] payload) {
        return new Octets()
                .u16(0x4500)
                .u16(20 + payload.length)
                .u16(77)
                .u16(word)
                .u8(64)
                .u8(protocol)
                .u16(0)
                .u32(0xC0000201L)
                .u32(0xC0000202L)
                .add(payload)
                .bytes();
    }

    private static byte[] ipv6(int next, byte[] payload) {
        return new Octets()
                .u32(0x6000_0000L)
                .u16(payload.length)
                .u8(next)
                .u8(64)
                .u64(0x2001_0db8_0000_0000L)
                .u64(1)
                .u64(0x2001_0db8_0000_0000L)
                .u64(2)
                .add(payload)
                .bytes();
    }

    private static Packet read(int linkType, byte[] octets) {
        return new PacketReader().read(new Frame(1, 0, linkType, octets, octets.length));
    }

    static Stream<Object[]> links() {
        byte[] ip = ipv4(6, 0, TCP);
        byte[] six = ipv6(6, TCP);
        Octets mac = new Octets().zeros(12);
        byte[] macs = mac.bytes();
        return Stream.of(
                new Object[] {
                    "Ethernet", 1, new Octets().add(macs).u16(0x0800).add(ip).bytes()
                },
                new Object[] {
                    "Ethernet, padded",
                    1,
                    new Octets().add(macs).u16(0x0800).add(ip).zeros(9).bytes()
                },
                new Object[] {
                    "VLAN",
                    1,
                    new Octets()
                            .add(macs)
                            .u16(0x8100)
                            .u16(5)
                            .u16(0x0800)
                            .add(ip)
                            .bytes()
                },
                new Object[] {
                    "two VLANs",
                    1,
                    new Octets()
                            .add(macs)
                            .u16(0x88A8)
                            .u16(5)
                            .u16(0x8100)
                            .u16(6)
                            .u16(0x86DD)
                            .add(six)
                            .bytes()
                },
                new Object[] {
                    "cooked", 113, new Octets().zeros(14).u16(0x0800).add(ip).bytes()
                },
                new Object[] {
                    "cooked 2", 276, new Octets().u16(0x86DD).zeros(18).add(six).bytes()
                },
                new Object[] {"raw", 101, ip},
                new Object[] {"raw IPv6", 229, six},
                new Object[] {
                    "loopback, little-endian",
                    0,
                    new Octets().u32(0x0200_0000L).add(ip).bytes()
                },
                new Object[] {
                    "loopback, big-endian", 108, new Octets().u32(30).add(six).bytes()
                },
                new Object[] {
                    "hop-by-hop and destination options",
                    101,
                    ipv6(
                            0,
                            new Octets()
                                    .u8(60)
                                    .u8(1)
                                    .zeros(14)
                                    .u8(6)
                                    .u8(0)
                                    .zeros(6)
                                    .add(TCP)
                                    .bytes())
                },
                new Object[] {
                    "authentication header",
                    101,
                    ipv6(51, new Octets().u8(6).u8(4).zeros(22).add(TCP).bytes())
                },
                new Object[] {
                    "IPv4 options",
                    101,
                    new Octets()
                            .u16(0x4600)
                            .u16(24 + TCP.length)
                            .u32(0)
                            .u8(1)
                            .u8(6)
                            .u16(0)
                            .u64(0)
                            .u32(0)
                            .add(TCP)
                            .bytes()
                },
                new Object[] {
                    "no length yet (TSO)",
                    101,
                    new Octets()
                            .u16(0x4500)
                            .u16(0)
                            .u32(0)
                            .u8(1)
                            .u8(6)
                            .u16(0)
                            .u64(0)
                            .add(TCP)
                            .bytes()
                });
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
        assertThat(read(101, ipv4(17, 0, joined(UDP, new byte[3]))))
                .isInstanceOfSatisfying(
                        Packet.Udp.class, udp -> assertThat(udp.octets()).isEqualTo(PAYLOAD));
    }

    private static byte[] joined(byte[] a, byte[] b) {
        return new Octets().add(a).add(b).bytes();
    }

    @Test
    @DisplayName("fragments are assembled in any order, with copies")
    void fragmentsArePutTogetherInAnyOrderCopiesAndAll() {
        byte[] datagram = new Octets()
                .u16(4000)
                .u16(7174)
                .u16(8 + 40)
                .u16(0)
                .add(Octets.pattern(40, 1))
                .bytes();
        byte[][] parts = {
            ipv4(17, 0x2000, Arrays.copyOfRange(datagram, 0, 16)),
            ipv4(17, 0x2002, Arrays.copyOfRange(datagram, 16, 32)),
            ipv4(17, 0x0004, Arrays.copyOfRange(datagram, 32, 48))
        };
        for (List<Integer> order : List.of(List.of(0, 1, 2), List.of(2, 1, 0), List.of(1, 1, 2, 0))) {
            PacketReader reader = new PacketReader();
            Packet last = null;
            for (int part : order) {
                last = reader.read(new Frame(1, 0, 101, parts[part], parts[part].length));
            }
            assertThat(last)
                    .isInstanceOfSatisfying(
                            Packet.Udp.class, udp -> assertThat(udp.octets()).isEqualTo(Octets.pattern(40, 1)));
            assertThat(reader.incompletePackets()).isZero();
        }
        assertThat(read(101, parts[1]))
                .isEqualTo(new Packet.Other(new Frame(1, 0, 101, parts[1], parts[1].length), Packet.Reason.FRAGMENT));
    }

    @Test
    @DisplayName("fragments of IPv6 are assembled, too")
    void fragmentsOfIpv6Too() {
        byte[] first = ipv6(
                44,
                new Octets()
                        .u8(17)
                        .u8(0)
                        .u16(1)
                        .u32(9)
                        .add(Arrays.copyOf(UDP, 8))
                        .bytes());
        byte[] second = ipv6(
                44,
                new Octets()
                        .u8(17)
                        .u8(0)
                        .u16(8)
                        .u32(9)
                        .add(Arrays.copyOfRange(UDP, 8, 13))
                        .bytes());
        PacketReader reader = new PacketReader();

        assertThat(reader.read(new Frame(1, 0, 101, first, first.length))).isInstanceOf(Packet.Other.class);
        assertThat(reader.read(new Frame(2, 0, 101, second, second.length)))
                .isInstanceOfSatisfying(
                        Packet.Udp.class, udp -> assertThat(udp.octets()).isEqualTo(PAYLOAD));
    }

    @Test
    @DisplayName("the first of overlapping fragments counts")
    void ofFragmentsThatOverlapTheFirstCounts() {
        PacketReader reader = new PacketReader();
        byte[][] parts = {
            ipv4(17, 0x2001, Arrays.copyOfRange(UDP, 8, 13)),
            ipv4(17, 0x2000, new byte[13]),
            ipv4(17, 0x0001, new byte[5]),
            ipv4(17, 0x2000, Arrays.copyOf(UDP, 8))
        };
        Packet last = null;
        for (byte[] part : parts) {
            last = reader.read(new Frame(1, 0, 101, part, part.length));
        }

        assertThat(last)
                .isInstanceOfSatisfying(
                        Packet.Udp.class, udp -> assertThat(udp.octets()).isEqualTo(PAYLOAD));
    }

    @Test
    @DisplayName("fragments of packets that are never completed do not fill the memory")
    void fragmentsThatNeverBecomeWholeDoNotPileUp() {
        PacketReader reader = new PacketReader();
        for (int i = 0; i < 1000; i++) {
            byte[] octets = ipv4(17, 0x2000, new byte[16]);
            octets[4] = (byte) (i >> 8);
            octets[5] = (byte) i;
            reader.read(new Frame(i, 0, 101, octets, octets.length));
        }
        assertThat(reader.incompletePackets()).isEqualTo(1000);
        byte[] rest = ipv4(17, 0x0002, new byte[16]);
        rest[5] = 0;
        assertThat(reader.read(new Frame(1001, 0, 101, rest, rest.length)))
                .as("the first packet has given way long ago")
                .isInstanceOf(Packet.Other.class);
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

    static Stream<Object[]> wrong() {
        byte[] ip = ipv4(6, 0, TCP);
        return Stream.of(
                new Object[] {105, ip, Packet.Reason.LINK_TYPE},
                new Object[] {1, new Octets().zeros(12).u16(0x0806).zeros(46).bytes(), Packet.Reason.NOT_IP},
                new Object[] {1, new byte[13], Packet.Reason.CUT},
                new Object[] {101, new byte[0], Packet.Reason.CUT},
                new Object[] {101, ipv4(1, 0, new byte[8]), Packet.Reason.NOT_TCP_UDP},
                new Object[] {101, new byte[] {0x55, 0}, Packet.Reason.MALFORMED},
                new Object[] {101, patched(ip, 0, 0x44), Packet.Reason.MALFORMED},
                new Object[] {101, patched(ip, 3, 30), Packet.Reason.MALFORMED},
                new Object[] {101, patched(ip, 32, 0x40), Packet.Reason.MALFORMED},
                new Object[] {101, patched(ip, 32, 0xF0), Packet.Reason.MALFORMED},
                new Object[] {101, ipv4(17, 0, patched(UDP, 5, 7)), Packet.Reason.MALFORMED},
                new Object[] {101, ipv4(17, 0, patched(UDP, 5, 14)), Packet.Reason.MALFORMED});
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
        assertThat(new PacketReader().read(new Frame(1, 0, likeIp ? 101 : linkType, octets, octets.length)))
                .isNotNull();
    }
}
