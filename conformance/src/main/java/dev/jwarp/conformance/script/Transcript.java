package dev.jwarp.conformance.script;

import java.net.InetSocketAddress;
import java.util.List;

/** A conversation between the tester and one address of a device: a TCP connection, or the datagrams of one UDP socket. */
public interface Transcript {
    /** The tester's end. */
    InetSocketAddress local();

    /** The device's end. */
    InetSocketAddress peer();

    /** What happened so far. */
    List<Event> events();

    /** When the conversation began, in nanoseconds of the tester's clock. Conversations are ordered by this time. */
    long began();

    /** True if each event with bytes is one UDP datagram; false if the bytes are pieces of a TCP stream. */
    boolean datagrams();
}
