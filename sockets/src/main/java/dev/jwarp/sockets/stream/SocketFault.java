package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.Security;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What can go wrong with a socket: the class that the JDK throws, and its words, which programs look for; the sentence of jwarp stands behind them. Addresses
 * are in a sentence only if {@code jdk.includeInExceptions} has {@code hostInfo}, as in those of the JDK.
 */
public enum SocketFault {
    /** No program listens there, or the one that listens refuses. */
    REFUSED("Connection refused", ConnectException::new),
    /** The system or the peer does not answer. */
    TIMED_OUT("Connection timed out", ConnectException::new),
    /** The peer ends the connection before it is there. */
    RESET_BY_PEER("Connection reset by peer", ConnectException::new),
    /** The peer is no socket of jwarp's or of rsockets. */
    PROTOCOL("Protocol error", ProtocolException::new),
    /** No way to the host. */
    NO_ROUTE("No route to host", NoRouteToHostException::new),
    /** Another socket is bound there. */
    IN_USE("Address already in use", BindException::new),
    /** An address of another host. */
    NOT_OURS("Cannot assign requested address", BindException::new),
    /** The system does not let this user. */
    DENIED("Permission denied", BindException::new),
    /** The connection has ended without the agreement of the peer. */
    RESET("Connection reset", SocketException::new),
    /** The peer takes no more bytes. */
    BROKEN_PIPE("Broken pipe", SocketException::new),
    /** More bytes than a datagram has. */
    TOO_LONG("Message too long", SocketException::new),
    /** The time limit for connecting is over. */
    CONNECT_LATE("Connect timed out", SocketTimeoutException::new),
    /** The program waits no longer for bytes. */
    READ_LATE("Read timed out", SocketTimeoutException::new),
    /** The program waits no longer for a connection. */
    ACCEPT_LATE("Accept timed out", SocketTimeoutException::new),
    /** The program waits no longer for a datagram. */
    RECEIVE_LATE("Receive timed out", SocketTimeoutException::new);

    private static final String INCLUDED = "jdk.includeInExceptions";

    /** A name of a host, if one stands before it, an address of IPv4 or IPv6, and a port, if one stands behind it. */
    private static final Pattern ADDRESS = Pattern.compile(
            "[\\w.-]*/?(\\b\\d{1,3}(\\.\\d{1,3}){3}\\b|\\[[\\da-fA-F:.]+(%\\w+)?]|\\b[\\da-fA-F]*(:[\\da-fA-F]*){3,7}(%\\w+)?)(:\\d+)?");

    private final String words;

    @SuppressWarnings("ImmutableEnumChecker") // a constructor
    private final Function<String, IOException> maker;

    SocketFault(String words, Function<String, IOException> maker) {
        this.words = words;
        this.maker = maker;
    }

    /**
     * {@return what a socket throws}
     *
     * @param sentence what happened, where, and what to do
     */
    public IOException exception(String sentence) {
        return maker.apply(words + ": " + told(sentence));
    }

    /**
     * {@return the sentence as a program may read it}
     *
     * @param sentence maybe with addresses
     */
    public static String told(String sentence) {
        String included = System.getProperty(INCLUDED);
        included = Objects.requireNonNullElse(included == null ? Security.getProperty(INCLUDED) : included, "");
        boolean all =
                Arrays.stream(included.split(",")).anyMatch(one -> one.trim().equalsIgnoreCase("hostInfo"));
        return all ? sentence : ADDRESS.matcher(sentence).replaceAll("(address)");
    }
}
