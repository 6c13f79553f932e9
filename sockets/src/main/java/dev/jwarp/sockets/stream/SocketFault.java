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
 * Failures of a socket, each with the exception class and the words of the JDK, for which programs look. The message
 * continues with a sentence of jwarp. As in the JDK, it has addresses only if {@code jdk.includeInExceptions} includes
 * {@code hostInfo}.
 */
public enum SocketFault {
    /** No program listens at the address, or the listener rejects the connection. */
    REFUSED("Connection refused", ConnectException::new),
    /** The system or the peer does not answer. */
    TIMED_OUT("Connection timed out", ConnectException::new),
    /** The peer ends the connection before it is established. */
    RESET_BY_PEER("Connection reset by peer", ConnectException::new),
    /** The peer is neither a socket of jwarp nor an rsocket. */
    PROTOCOL("Protocol error", ProtocolException::new),
    /** No route to the host. */
    NO_ROUTE("No route to host", NoRouteToHostException::new),
    /** Another socket is bound to the address. */
    IN_USE("Address already in use", BindException::new),
    /** The address belongs to another host. */
    NOT_OURS("Cannot assign requested address", BindException::new),
    /** The system denies this to the user. */
    DENIED("Permission denied", BindException::new),
    /** The connection has ended abnormally. */
    RESET("Connection reset", SocketException::new),
    /** The peer accepts no more bytes. */
    BROKEN_PIPE("Broken pipe", SocketException::new),
    /** Too many bytes for a datagram. */
    TOO_LONG("Message too long", SocketException::new),
    /** The time-out for connecting has expired. */
    CONNECT_LATE("Connect timed out", SocketTimeoutException::new),
    /** The time-out for reading has expired. */
    READ_LATE("Read timed out", SocketTimeoutException::new),
    /** The time-out for accepting has expired. */
    ACCEPT_LATE("Accept timed out", SocketTimeoutException::new),
    /** The time-out for receiving has expired. */
    RECEIVE_LATE("Receive timed out", SocketTimeoutException::new);

    private static final String INCLUDED = "jdk.includeInExceptions";

    /** An IPv4 or IPv6 address, with the host name before it and the port after it, if present. */
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
     * {@return the exception of a socket}
     *
     * @param sentence what happened, where, and what to do
     */
    public IOException exception(String sentence) {
        return maker.apply(words + ": " + told(sentence));
    }

    /**
     * {@return the sentence, without addresses unless {@code jdk.includeInExceptions} allows them}
     *
     * @param sentence may have addresses
     */
    public static String told(String sentence) {
        String included = System.getProperty(INCLUDED);
        included = Objects.requireNonNullElse(included == null ? Security.getProperty(INCLUDED) : included, "");
        boolean all =
                Arrays.stream(included.split(",")).anyMatch(one -> one.trim().equalsIgnoreCase("hostInfo"));
        return all ? sentence : ADDRESS.matcher(sentence).replaceAll("(address)");
    }
}
