package dev.jwarp.transport.udp.netty;

import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;

/** What it means that Linux does not give a local address, by the number of its error. Any thread. */
final class BindFailure {
    // Linux, include/uapi/asm-generic: errno-base.h, errno.h.
    private static final int EACCES = 13;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int EADDRINUSE = 98;

    private BindFailure() {}

    static LlpException of(InetSocketAddress local, IOException cause) {
        LlpFailure failure =
                switch (SendFailure.number(cause)) {
                    case EADDRINUSE -> LlpFailure.ADDRESS_IN_USE;
                    case EACCES -> LlpFailure.PERMISSION_DENIED;
                    case EMFILE, ENFILE -> LlpFailure.LIMIT_REACHED;
                    default -> LlpFailure.ADDRESS_NOT_AVAILABLE;
                };
        return UdpContext.bindFailed(local, failure, cause);
    }
}
