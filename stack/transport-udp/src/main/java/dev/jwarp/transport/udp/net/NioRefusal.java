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
 * What it means that {@code java.nio} does not send, or does not bind: by class of the exception, and where that is not enough by
 * comparison with what the system says of an error that is brought about here. Its words are in the language of the system, so they are not
 * read. Want of room (ENOBUFS) cannot be told from want of a route; Linux reports it as such only when its memory is used up.
 *
 * @param tooLong how messages about a datagram that is too long begin; null if that is not known
 */
record NioRefusal(@Nullable String tooLong) {
    /** No datagram of IP is that long: nothing is sent. */
    private static final int BEYOND_ALL = 1 << 16;

    private static final int DISCARD = 9;

    /** What this system says, found out when it is first needed. */
    private static final class OfThisSystem {
        static final NioRefusal WORDS = new NioRefusal(ofTooLong());
    }

    static NioRefusal ofThisSystem() {
        return OfThisSystem.WORDS;
    }

    /** {@return what it means that a datagram was not taken} */
    SendRefusal ofSend(IOException e) {
        String said = e.getMessage();
        boolean never = e.getCause() instanceof UnsupportedAddressTypeException
                || (tooLong != null && said != null && said.startsWith(tooLong));
        return never ? SendRefusal.NEVER : SendRefusal.LOST;
    }

    /** {@return why there is no port at {@code local}} */
    static LlpFailure ofPort(InetSocketAddress local, IOException e) {
        if (e instanceof BindException) {
            return RefusedAddress.why(local, DatagramChannels::take);
        }
        return e instanceof SocketException ? LlpFailure.LIMIT_REACHED : LlpFailure.ADDRESS_NOT_AVAILABLE;
    }

    /** {@return why a group cannot be joined} */
    static LlpFailure ofGroup(InetSocketAddress group, IOException e) {
        return e instanceof BindException
                ? RefusedAddress.why(group, DatagramChannels::take)
                : LlpFailure.ADDRESS_NOT_AVAILABLE;
    }

    private static @Nullable String ofTooLong() {
        InetSocketAddress unused = new InetSocketAddress(InetAddress.getLoopbackAddress(), DISCARD);
        try (DatagramChannel channel = SystemChannels.provider()
                .openDatagramChannel(
                        unused.getAddress().getAddress().length == 4
                                ? StandardProtocolFamily.INET
                                : StandardProtocolFamily.INET6)) {
            channel.configureBlocking(false);
            channel.send(ByteBuffer.allocate(BEYOND_ALL), unused);
        } catch (IOException e) {
            return e.getMessage();
        }
        return null;
    }
}
