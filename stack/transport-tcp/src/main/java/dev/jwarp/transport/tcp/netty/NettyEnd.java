package dev.jwarp.transport.tcp.netty;

import dev.jwarp.transport.tcp.net.LostConnection;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/** Why Netty's channel of an established connection broke: by the operating system's number where there is one. */
final class NettyEnd {
    /** Linux's numbers; Netty has no names for these. */
    private static final int ETIMEDOUT = -110;

    private static final int EHOSTDOWN = -112;

    private NettyEnd() {}

    /**
     * {@return as {@link LostConnection#timedOut}} With epoll, what a write throws tells it too. Netty tells of a read that failed while the channel is
     * open, and of a write when it has closed the channel for it.
     *
     * @param open whether the channel is open
     */
    static boolean timedOut(Throwable cause, boolean open) {
        // A write that fails closes the channel: its exception is the cause of the ClosedChannelException.
        @Nullable Throwable source = cause instanceof ClosedChannelException ? cause.getCause() : cause;
        if (source instanceof NativeIoException number) {
            int error = number.expectedErr();
            return error == ETIMEDOUT
                    || error == EHOSTDOWN
                    || error == Errors.ERROR_EHOSTUNREACH_NEGATIVE
                    || error == Errors.ERROR_ENETUNREACH_NEGATIVE;
        }
        return open && cause instanceof IOException read && LostConnection.timedOut(read);
    }
}
