package dev.jwarp.transport.udp.netty;

import dev.jwarp.llp.LinuxError;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.transport.udp.net.DatagramChannels;
import dev.jwarp.transport.udp.net.UdpContext;
import java.io.IOException;
import java.net.InetSocketAddress;

/** What it means that Linux does not give a local address, by the number of its error. Any thread. */
final class BindFailure {
    private BindFailure() {}

    /** The same of a port, which java.nio may have asked for: that tells no number. */
    static LlpException ofPort(InetSocketAddress local, IOException cause) {
        return SendFailure.number(cause) == 0 ? DatagramChannels.portRefused(local, cause) : of(local, cause);
    }

    static LlpException of(InetSocketAddress local, IOException cause) {
        LlpFailure failure = LinuxError.ofBind(SendFailure.number(cause), LlpFailure.ADDRESS_NOT_AVAILABLE);
        return UdpContext.bindFailed(local, failure, cause);
    }
}
