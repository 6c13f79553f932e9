package dev.jwarp.transport.udp.netty;

import dev.jwarp.llp.LinuxError;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.net.SendRefusal;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.channels.UnsupportedAddressTypeException;

/** Classifies the errors of Linux for refused datagrams. Any thread. */
final class SendFailure {
    // Linux, include/uapi/linux: in.h, in6.h.
    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int IP_MTU = 14;
    private static final int IPV6_MTU = 24;

    private SendFailure() {}

    /** {@return the errno; 0 if the exception has none} */
    static int number(Throwable e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof NativeIoException known) {
                return Math.abs(known.expectedErr());
            }
        }
        return 0;
    }

    /** Exceptions of java.nio have only the system's message, in the same language as the messages that Netty gets. */
    private static boolean is(int number, IOException e) {
        if (number(e) != 0) {
            return number(e) == number;
        }
        String words = String.valueOf(new NativeIoException("", -number).getMessage());
        for (Throwable at = e; at != null; at = at.getCause()) {
            String said = at.getMessage();
            if (said != null && !said.isEmpty() && words.endsWith(said)) {
                return true;
            }
        }
        return false;
    }

    /** {@return whether segmentation may be the cause of a refused send} Lack of memory and packet filters are not. */
    static boolean mayBeOfSegments(IOException e) {
        return is(LinuxError.EIO, e)
                || is(LinuxError.EINVAL, e)
                || is(LinuxError.EMSGSIZE, e)
                || is(LinuxError.EOPNOTSUPP, e);
    }

    /** {@return the class of a refusal} */
    static SendRefusal refusal(IOException e) {
        if (is(LinuxError.ENOBUFS, e)) {
            return SendRefusal.NO_ROOM;
        }
        boolean never = is(LinuxError.EMSGSIZE, e)
                || is(LinuxError.EAFNOSUPPORT, e)
                || e.getCause() instanceof UnsupportedAddressTypeException;
        return never ? SendRefusal.NEVER : SendRefusal.LOST;
    }

    /** {@return the exception; for a datagram that is too long, with the length that the path takes} */
    static IOException explained(IOException e, InetSocketAddress to, int bytes) {
        if (!is(LinuxError.EMSGSIZE, e)) {
            return e;
        }
        int mtu = pathMtu(to);
        String takes = mtu == 0
                ? "more than the path takes"
                : "and the path takes " + (mtu - DatagramAddress.of(to).headers()) + " (MTU " + mtu
                        + "): give the address handle that path MTU";
        return new IOException("Message too long: a datagram to " + to + " has " + bytes + " bytes, " + takes, e);
    }

    /** {@return the kernel's path MTU for {@code to}; 0 if unknown} Sends nothing. */
    static int pathMtu(InetSocketAddress to) {
        Socket socket = Socket.newSocketDgram();
        try {
            socket.connect(to);
            boolean ipv4 = to.getAddress() instanceof Inet4Address;
            return ipv4 ? socket.getIntOpt(SOL_IP, IP_MTU) : socket.getIntOpt(SOL_IPV6, IPV6_MTU);
        } catch (IOException e) {
            return 0;
        } finally {
            close(socket);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket held no data.
        }
    }
}
