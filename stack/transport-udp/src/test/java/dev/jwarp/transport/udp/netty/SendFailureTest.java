package dev.jwarp.transport.udp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.net.NotRun;
import dev.jwarp.transport.udp.net.SendRefusal;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A send that Linux refuses")
class SendFailureTest {
    private static final int EPERM = 1;
    private static final int EINVAL = 22;
    private static final int EMSGSIZE = 90;
    private static final int ENOBUFS = 105;

    @BeforeEach
    void epoll() {
        NotRun.unless(Epoll.isAvailable(), "epoll is not available here");
    }

    private static IOException failure(int number) {
        return new NativeIoException("sendTo", -number);
    }

    @ParameterizedTest
    @CsvSource({"5, true", "22, true", "90, true", "95, true", "1, false", "101, false", "105, false", "113, false"})
    @DisplayName("may fail because of segmentation, but not for lack of memory, by a filter or without a route")
    void segments(int number, boolean may) {
        assertThat(SendFailure.mayBeOfSegments(failure(number))).isEqualTo(may);
    }

    @Test
    @DisplayName("is recognized by its message if java.nio reports no errno")
    void words() {
        for (int number : new int[] {EMSGSIZE, EINVAL, EPERM}) {
            assertThat(SendFailure.mayBeOfSegments(new IOException(words(number))))
                    .isEqualTo(number != EPERM);
        }
        assertThat(SendFailure.mayBeOfSegments(new IOException())).isFalse();
    }

    /** {@return the message of this system for an errno, in its language} */
    private static String words(int number) {
        String sentence = failure(number).getMessage();
        return sentence.substring(sentence.lastIndexOf(": ") + 2);
    }

    @Test
    @DisplayName("is classified by errno: no room now, never, or lost")
    void refusal() {
        assertThat(SendFailure.refusal(failure(ENOBUFS))).isEqualTo(SendRefusal.NO_ROOM);
        assertThat(SendFailure.refusal(failure(EMSGSIZE))).isEqualTo(SendRefusal.NEVER);
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        assertThat(SendFailure.refusal(SendFailure.explained(failure(EMSGSIZE), to, 70_000)))
                .isEqualTo(SendRefusal.NEVER);
        for (int number : new int[] {EPERM, 13, EINVAL, 101, 113}) {
            assertThat(SendFailure.refusal(failure(number))).isEqualTo(SendRefusal.LOST);
        }
        assertThat(SendFailure.refusal(new IOException("Der Puffer ist voll"))).isEqualTo(SendRefusal.LOST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    @DisplayName("as too long has the path MTU in its message, others are unchanged")
    void tooLong(String host) throws SocketException {
        InetSocketAddress to = new InetSocketAddress(host, 9);
        int device = NetworkInterface.getByInetAddress(to.getAddress()).getMTU();
        int mtu = SendFailure.pathMtu(to);
        assertThat(mtu).isBetween(Math.min(device, 65_535), device);
        int headers = host.contains(":") ? 48 : 28;
        assertThat(SendFailure.explained(failure(EMSGSIZE), to, 70_000))
                .hasMessageContaining("70000 bytes")
                .hasMessageContaining("takes " + (mtu - headers) + " (MTU " + mtu + ")");
        IOException other = failure(ENOBUFS);
        assertThat(SendFailure.explained(other, to, 70_000)).isSameAs(other);
    }

    @Test
    @DisplayName("has no MTU in its message without a route")
    void noPath() {
        assertThat(SendFailure.pathMtu(new InetSocketAddress("255.255.255.255", 9)))
                .isZero();
    }
}
