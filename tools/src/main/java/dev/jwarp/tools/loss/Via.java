package dev.jwarp.tools.loss;

import java.util.Locale;

/** What lies between the ends, and loses what is lost. */
enum Via {
    /** Loopback, and the injector of the UDP transport: nothing happens to TCP. */
    INJECTOR,
    /** A veth pair between two network namespaces, and the queueing discipline of that name where packets leave. */
    NETEM,
    /** The same, and a rule that drops at random where packets arrive. */
    NFT,
    /** A bottleneck that is a program, between a TUN device in each of two network namespaces. */
    BOX;

    boolean injected() {
        return this == INJECTOR;
    }

    boolean delays() {
        return this != NFT;
    }

    /** {@return whether it can have a rate and a queue} */
    boolean narrows() {
        return this == NETEM || this == BOX;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
