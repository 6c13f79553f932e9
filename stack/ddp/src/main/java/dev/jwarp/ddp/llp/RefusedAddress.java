package dev.jwarp.ddp.llp;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Why the system does not give a local address, for drivers that are told so in words only. The words are in the language
 * of the system, so they are not read: what counts is what else can be had at that address.
 */
public final class RefusedAddress {
    /** Ports below may be kept for programs with a right of their own. */
    private static final int FIRST_FREE_PORT = 1024;

    /** Low ports that are seldom in use: a program that gets none of them has no right to any. */
    private static final int[] SELDOM_USED = {1021, 1022, 1023};

    private RefusedAddress() {}

    /** Takes a local address. */
    public interface Attempt {
        /**
         * Takes it as the call did that was refused.
         *
         * @return gives it back
         * @throws BindException if the system refuses it
         */
        Closeable take(InetSocketAddress local) throws IOException;
    }

    /**
     * {@return ADDRESS_NOT_AVAILABLE, PERMISSION_DENIED or ADDRESS_IN_USE}
     *
     * @param refused what the system refused with a {@link BindException}
     * @param attempt is asked for other ports of the same address
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
            return false; // no descriptor to try it with: nothing is known
        }
        try {
            taken.close();
        } catch (IOException e) {
            return false; // it was to be had
        }
        return false;
    }
}
