package dev.jwarp.sockets.programs;

import dev.jwarp.transport.tcp.net.NioFailure;

/** What the stack below the sockets has found out about the system, by means of sockets of its own. */
public final class WordsOfTheSystem {
    private WordsOfTheSystem() {}

    /** Prints it. */
    public static void main(String[] arguments) {
        System.out.println(NioFailure.ofThisSystem());
    }
}
