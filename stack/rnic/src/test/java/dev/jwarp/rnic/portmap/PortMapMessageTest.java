package dev.jwarp.rnic.portmap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.rnic.portmap.PortMapMessage.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@Label("A message between port mappers")
@DisplayName("A message between port mappers")
class PortMapMessageTest {
    /** 192.0.2.1:0x8001 asks for 192.0.2.2:7; it is mapped to port 0x9002. */
    private static final String REQUEST = """
            04 00 90 02 00 07 80 01  01 02 03 04 05 06 07 08
            c0 00 02 01 00 00 00 00  00 00 00 00 00 00 00 00
            c0 00 02 02 00 00 00 00  00 00 00 00 00 00 00 00
            c0 00 02 01 00 00 00 00  00 00 00 00 00 00 00 00""";

    private static final String ACCEPT = """
            14 00 00 00 1c 06 80 01  01 02 03 04 05 06 07 08
            c0 00 02 01 00 00 00 00  00 00 00 00 00 00 00 00
            c0 00 02 02 00 00 00 00  00 00 00 00 00 00 00 00""";

    private static final String REJECT_OF_IPV6 = """
            36 00 00 00 00 07 80 01  ff ff ff ff ff ff ff fe
            20 01 0d b8 00 00 00 00  00 00 00 00 00 00 00 01
            20 01 0d b8 00 00 00 00  00 00 00 00 00 00 00 02""";

    private static ByteBuffer octets(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replaceAll("\\s", "")));
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(host, port);
    }

    private static void is(PortMapMessage message, String hex) {
        assertThat(PortMapMessage.parse(octets(hex))).isEqualTo(message);
        assertThat(message.encode()).isEqualTo(octets(hex));
    }

    @Test
    @DisplayName("has these octets")
    void octets() {
        InetSocketAddress asking = address("192.0.2.1", 0x8001);
        is(
                new PortMapMessage(
                        Kind.REQUEST,
                        0x0102030405060708L,
                        asking,
                        address("192.0.2.2", 7),
                        address("192.0.2.1", 0x9002)),
                REQUEST);
        is(new PortMapMessage(Kind.ACCEPT, 0x0102030405060708L, asking, address("192.0.2.2", 0x1c06), null), ACCEPT);
        is(
                new PortMapMessage(Kind.REJECT, -2, address("2001:db8::1", 0x8001), address("2001:db8::2", 7), null),
                REJECT_OF_IPV6);
    }

    @Test
    @DisplayName("may have any octets after an IPv4 address, because iwpmd does not clear them")
    void restOfIpv4AddressesIsNotLookedAt() {
        ByteBuffer dirty = octets(ACCEPT);
        for (int at : new int[] {16, 32}) {
            for (int i = 4; i < 16; i++) {
                dirty.put(at + i, (byte) 0xa5);
            }
        }
        assertThat(PortMapMessage.parse(dirty)).isEqualTo(PortMapMessage.parse(octets(ACCEPT)));
    }

    @Test
    @DisplayName("may be a REQUEST of 48 octets, without a mapping of its sender")
    void shortRequest() {
        ByteBuffer cut = octets(REQUEST).limit(48);
        PortMapMessage message = Objects.requireNonNull(PortMapMessage.parse(cut));
        assertThat(message.kind()).isEqualTo(Kind.REQUEST);
        assertThat(message.mappedConnecting()).isNull();
    }

    @Test
    @DisplayName("has 48 or 64 octets")
    void lengths() {
        for (int length = 0; length <= 200; length++) {
            ByteBuffer any = ByteBuffer.allocate(200).put(0, (byte) 4).limit(length);
            assertThat(PortMapMessage.parse(any) != null)
                    .as("of %d octets", length)
                    .isEqualTo(length == 48 || length == 64);
        }
    }

    @Test
    @DisplayName("has version 0, and addresses of IPv4 or IPv6")
    void versions() {
        for (int magic = 0; magic < 256; magic++) {
            ByteBuffer any = octets(REQUEST).put(0, (byte) magic);
            boolean good = magic >>> 6 == 0 && ((magic & 0xf) == 4 || (magic & 0xf) == 6);
            assertThat(PortMapMessage.parse(any) != null)
                    .as("first octet %02x", magic)
                    .isEqualTo(good);
        }
    }

    @Provide
    Arbitrary<PortMapMessage> messages() {
        return Arbitraries.longs().map(seed -> any(new Random(seed)));
    }

    private static PortMapMessage any(Random random) {
        Kind kind = List.of(Kind.values()).get(random.nextInt(Kind.values().length));
        int octets = random.nextBoolean() ? 4 : 16;
        return new PortMapMessage(
                kind,
                random.nextLong(),
                any(random, octets),
                any(random, octets),
                kind == Kind.REQUEST ? any(random, octets) : null);
    }

    private static InetSocketAddress any(Random random, int octets) {
        byte[] address = new byte[octets];
        random.nextBytes(address);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), random.nextInt(1 << 16));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Property
    @Label("is read as it was written, wherever it lies in a buffer")
    void roundTrip(@ForAll("messages") PortMapMessage message) {
        ByteBuffer written = message.encode();
        assertThat(written.remaining()).isEqualTo(message.kind() == Kind.REQUEST ? 64 : 48);
        ByteBuffer within =
                ByteBuffer.allocate(200).position(33).put(written).flip().position(33);
        assertThat(PortMapMessage.parse(within)).isEqualTo(message);
        assertThat(within.position()).isEqualTo(33);
    }

    @Property
    @Label("of any octets is none, or one whose own octets mean the same")
    void anyOctets(@ForAll @Size(max = 80) byte[] octets, @ForAll boolean whole, @ForAll int magic) {
        byte[] any = whole ? Arrays.copyOf(octets, 64) : octets;
        if (any.length > 0) {
            any[0] = (byte) magic;
        }
        PortMapMessage message = PortMapMessage.parse(ByteBuffer.wrap(any));
        // Java turns an IPv4-mapped IPv6 address into an IPv4 address: such a message is no longer an IPv6 message.
        if (message != null
                && message.accepting().getAddress().getClass()
                        == message.connecting().getAddress().getClass()) {
            assertThat(PortMapMessage.parse(message.encode()))
                    .extracting(
                            PortMapMessage::kind,
                            PortMapMessage::handle,
                            PortMapMessage::connecting,
                            PortMapMessage::accepting)
                    .containsExactly(message.kind(), message.handle(), message.connecting(), message.accepting());
        }
    }
}
