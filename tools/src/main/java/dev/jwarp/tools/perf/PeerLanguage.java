package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.Context;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;

/** The protocol of another program as the other end. */
public interface PeerLanguage {
    /** {@return the settings, with the other program's defaults for flags that the user has not set} */
    PerfSettings habits(PerfSettings asked);

    /**
     * {@return an end that speaks the protocol}
     *
     * @param met receives the peer's host and version, at the end of a session in which both were exchanged
     * @throws ToolFailure if the protocol does not support a setting
     */
    Speaker speaker(PerfSettings asked, Console console, BiConsumer<String, String> met);

    /** One end of sessions in that protocol. */
    interface Speaker {
        /**
         * Runs a session as the client.
         *
         * @throws ToolFailure if the session fails
         */
        void connect(Context context, InetSocketAddress server, PerfReporter reporter);

        /**
         * Runs a session as the server, with the next client.
         *
         * @throws ToolFailure if the session fails
         */
        void serveOne(Context context, Listening listening, PerfReporter reporter);
    }
}
