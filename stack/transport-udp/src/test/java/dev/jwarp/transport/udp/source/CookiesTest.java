package dev.jwarp.transport.udp.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.wire.Samples;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

@Label("Cookies")
class CookiesTest {
    private static final int QPN = 0x12345;

    private final Cookies cookies = new Cookies(new byte[Cookies.SECRET_LENGTH]);
    private final DatagramAddress source = Samples.source();

    @Property
    @Label("are valid only in their slot and the next")
    void age(@ForAll long madeAt, @ForAll @LongRange(max = 3 * 60_000_000_000L) long later) {
        cookies.make(source, QPN, madeAt);
        long high = cookies.high();
        long low = cookies.low();
        long slots = Math.floorDiv(madeAt + later, Cookies.SLOT_NANOS) - Math.floorDiv(madeAt, Cookies.SLOT_NANOS);
        assertThat(cookies.good(source, QPN, high, low, madeAt)).isTrue();
        assertThat(cookies.good(source, QPN, high, low, madeAt + later)).isEqualTo(slots == 0 || slots == 1);
    }

    @Tag("DG-9.2-1")
    @Property
    @Label("are valid only with all their bits")
    void everyBit(@ForAll @IntRange(max = 127) int bit) {
        cookies.make(source, QPN, 0);
        long high = cookies.high() ^ (bit < 64 ? 1L << bit : 0);
        long low = cookies.low() ^ (bit < 64 ? 0 : 1L << (bit - 64));
        assertThat(cookies.good(source, QPN, high, low, 0)).isFalse();
    }

    @Tag("DG-9.2-1")
    @Example
    @Label("are valid only for their address, port, scope and queue pair, and in the process that made them")
    void source() {
        cookies.make(source, QPN, 0);
        long high = cookies.high();
        long low = cookies.low();
        DatagramAddress otherPort = source.copy().set(source.high(), source.low(), source.port() + 1, 0);
        DatagramAddress otherHost = source.copy().set(source.high(), source.low() + 1, source.port(), 0);
        DatagramAddress otherNet = source.copy().set(source.high() + 1, source.low(), source.port(), 0);
        DatagramAddress otherScope = source.copy().set(source.high(), source.low(), source.port(), 1);
        assertThat(cookies.good(otherPort, QPN, high, low, 0)).isFalse();
        assertThat(cookies.good(otherHost, QPN, high, low, 0)).isFalse();
        assertThat(cookies.good(otherNet, QPN, high, low, 0)).isFalse();
        assertThat(cookies.good(otherScope, QPN, high, low, 0)).isFalse();
        assertThat(cookies.good(source, QPN + 1, high, low, 0)).isFalse();
        byte[] secret = new byte[Cookies.SECRET_LENGTH];
        secret[0] = 1;
        assertThat(new Cookies(secret).good(source, QPN, high, low, 0)).isFalse();
    }

    @Example
    @Label("are HMAC-SHA256, truncated to 16 bytes, over address, port, scope, queue pair and slot")
    void recipe() throws GeneralSecurityException {
        cookies.make(source, QPN, 5 * Cookies.SLOT_NANOS + 1);
        ByteBuffer input = ByteBuffer.allocate(36).putLong(source.high()).putLong(source.low());
        input.putInt(source.port()).putInt(source.scope()).putInt(QPN).putLong(5);
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(new byte[Cookies.SECRET_LENGTH], "HmacSHA256"));
        ByteBuffer wanted = ByteBuffer.wrap(mac.doFinal(input.array()));
        assertThat(cookies.high()).isEqualTo(wanted.getLong(0));
        assertThat(cookies.low()).isEqualTo(wanted.getLong(8));
    }

    @Example
    @Label("need a secret of 32 bytes")
    void secret() {
        assertThatThrownBy(() -> new Cookies(new byte[16]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the secret has 16 bytes, but needs 32");
    }
}
