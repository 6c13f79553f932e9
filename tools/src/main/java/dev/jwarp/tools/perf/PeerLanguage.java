package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Listening;
import dev.jwarp.verbs.Context;
import java.net.InetSocketAddress;
import java.util.function.BiConsumer;

/** What the other end speaks where it is another program. */
public interface PeerLanguage {
    /** {@return the same, with the other program's habits where the user has not said otherwise} */
    PerfSettings habits(PerfSettings asked);

    /**
     * {@return one that speaks it}
     *
     * @param met is told, at the end of a session in which it came so far, the peer's host and its version
     * @throws ToolFailure for what the language has no words for
     */
    Speaker speaker(PerfSettings asked, Console console, BiConsumer<String, String> met);

    /** One end of sessions in that language. */
    interface Speaker {
        /**
         * Is the client.
         *
         * @throws ToolFailure if it does not go as it should
         */
        void connect(Context context, InetSocketAddress server, PerfReporter reporter);

        /**
         * Is the server of the next client.
         *
         * @throws ToolFailure if it does not go as it should
         */
        void serveOne(Context context, Listening listening, PerfReporter reporter);
    }
}
