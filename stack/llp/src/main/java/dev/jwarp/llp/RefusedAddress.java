package dev.jwarp.llp;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Finds the reason why the system refused a local address, for drivers that get only a message. The message is in the
 * language of the system, so it is not parsed; instead other ports of the address are tried.
 */
public final class RefusedAddress {
    /** Ports below this one may require a privilege. */
    private static final int FIRST_FREE_PORT = 1024;

    /** Privileged ports that are rarely in use: a program that can bind none of them lacks the privilege. */
    private static final int[] SELDOM_USED = {1021, 1022, 1023};

    private RefusedAddress() {}

    /** Binds a local address. */
    public interface Attempt {
        /**
         * Binds the address in the same way as the refused call.
         *
         * @return releases the address
         * @throws BindException if the system refuses the address
         */
        Closeable take(InetSocketAddress local) throws IOException;
    }

    /**
     * {@return ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED or ADDRESS_IN_USE}
     *
     * @param refused the address that the system refused with a {@link BindException}
     * @param attempt tries other ports of the same address
     */
    public static LlpFailure why(InetSocketAddress refused, Attempt attempt) {
        InetAddress host = refused.getAddress();
        if (isRefused(attempt, host, 0)) {
            return LlpFailure.ADDRESS_NOT_AVAILABLE;
        }
        int port = refused.getPort();
        return port > 0 && port < FIRST_FREE_PORT && areLowPortsRefused(attempt, host)
                ? LlpFailure.PERMISSION_DENIED
                : LlpFailure.ADDRESS_IN_USE;
    }

    private static boolean areLowPortsRefused(Attempt attempt, InetAddress host) {
        for (int port : SELDOM_USED) {
            if (!isRefused(attempt, host, port)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isRefused(Attempt attempt, InetAddress host, int port) {
        Closeable taken;
        try {
            taken = attempt.take(new InetSocketAddress(host, port));
        } catch (BindException e) {
            return true;
        } catch (IOException e) {
            return false; // no descriptor for the attempt: the reason is unknown
        }
        try {
            taken.close();
        } catch (IOException e) {
            return false; // the port was available
        }
        return false;
    }
}
