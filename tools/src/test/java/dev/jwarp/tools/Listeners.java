package dev.jwarp.tools;

import static org.awaitility.Awaitility.await;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Servers started by tests: on a port that the system chose. */
public final class Listeners {
    private static final Pattern LISTENING = Pattern.compile("jwarp: listening on .*:(\\d+)");

    private Listeners() {}

    /** {@return the port, as soon as the server says that it listens} */
    public static String port(Run.Background server) {
        await().until(() ->
                server.ended() || LISTENING.matcher(server.run().err()).find());
        Matcher matcher = LISTENING.matcher(server.run().err());
        if (!matcher.find()) {
            throw new IllegalStateException(server.run().toString());
        }
        return matcher.group(1);
    }
}
