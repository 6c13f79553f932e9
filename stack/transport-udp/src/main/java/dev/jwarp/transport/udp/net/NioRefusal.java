package dev.jwarp.transport.udp.net;

import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.RefusedAddress;
import dev.jwarp.llp.nio.SystemChannels;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/**
 * Classifies the exceptions of {@code java.nio} for sends and binds: by class, and otherwise by comparison with the
 * message of the same error, provoked here. Messages are in the language of the system, so their words are not parsed.
 * Lack of buffer space (ENOBUFS) cannot be distinguished from a missing route; Linux reports ENOBUFS only when its
 * memory is used up.
 *
 * @param tooLong the beginning of the message for a datagram that is too long; null if unknown
 */
record NioRefusal(@Nullable String tooLong) {
    /** Longer than any UDP datagram, so that nothing is sent. */
    private static final int BEYOND_ALL = 1 << 16;

    private static final int DISCARD = 9;

    /** The message of this system, found at the first use. */
    private static final class OfThisSystem {
        static final NioRefusal WORDS = new NioRefusal(ofTooLong());
    }

    static NioRefusal ofThisSystem() {
        return OfThisSystem.WORDS;
    }

    /** {@return the reason why a datagram was refused} */
    SendRefusal ofSend(IOException e) {
        String said = e.getMessage();
        boolean never = e.getCause() instanceof UnsupportedAddressTypeException
                || (tooLong != null && said != null && said.startsWith(tooLong));
        return never ? SendRefusal.NEVER : SendRefusal.LOST;
    }

    /** {@return the reason why a port cannot be opened at {@code local}} */
    static LlpFailure ofPort(InetSocketAddress local, IOException e) {
        if (e instanceof BindException) {
            return RefusedAddress.why(local, DatagramChannels::take);
        }
        return e instanceof SocketException ? LlpFailure.LIMIT_REACHED : LlpFailure.ADDRESS_NOT_AVAILABLE;
    }

    /** {@return the reason why a group cannot be joined} */
    static LlpFailure ofGroup(InetSocketAddress group, IOException e) {
        return e instanceof BindException
                ? RefusedAddress.why(group, DatagramChannels::take)
                : LlpFailure.ADDRESS_NOT_AVAILABLE;
    }

    private static @Nullable String ofTooLong() {
        InetSocketAddress unused = new InetSocketAddress(InetAddress.getLoopbackAddress(), DISCARD);
        try (DatagramChannel channel = SystemChannels.provider()
                .openDatagramChannel(
                        DatagramChannels.ofIpv6(unused.getAddress())
                                ? StandardProtocolFamily.INET6
                                : StandardProtocolFamily.INET)) {
            channel.configureBlocking(false);
            channel.send(ByteBuffer.allocate(BEYOND_ALL), unused);
        } catch (IOException e) {
            return e.getMessage();
        }
        return null;
    }
}
