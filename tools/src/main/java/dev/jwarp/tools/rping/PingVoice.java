package dev.jwarp.tools.rping;

import dev.jwarp.tools.cli.Console;

/** How a ping speaks to the user. Any thread. */
interface PingVoice {
    Console console();

    /** A line of results. */
    void data(String line);

    /** A step, for a user who wants to see it. */
    void trace(String step);
}
