package dev.jwarp.sockets.programs;

import dev.jwarp.transport.tcp.net.NioFailure;

/** Prints the facts that the stack below the sockets has detected about the system with its own sockets. */
public final class WordsOfTheSystem {
    private WordsOfTheSystem() {}

    /** Prints the facts. */
    public static void main(String[] arguments) {
        System.out.println(NioFailure.ofThisSystem());
    }
}
