package dev.jwarp.tools.link;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.Timeout;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A server's listener. One thread waits for requests. */
public final class Listening implements AutoCloseable {
    private static final int BACKLOG = 128;

    private final Console console;
    private final CmEventChannel events;
    private final CmId id;

    /** {@return a listener whose address is printed} Connects succeed once the line is printed. */
    public static Listening aloud(Context context, Console console, InetSocketAddress local) {
        Listening listening = new Listening(context, console, local);
        console.note("listening on " + Addresses.text(listening.address()));
        return listening;
    }

    /** {@return a listener whose address is not printed} */
    public static Listening quietly(Context context, Console console, InetSocketAddress local) {
        return new Listening(context, console, local);
    }

    private Listening(Context context, Console console, InetSocketAddress local) {
        this.console = console;
        events = context.createEventChannel();
        id = context.createId(events);
        try {
            id.bind(local);
            id.listen(BACKLOG);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** {@return the address with the port that is in use} */
    public InetSocketAddress address() {
        return Objects.requireNonNull(id.localAddress());
    }

    /**
     * Waits for a request.
     *
     * @return the new id, which uses the event channel of this listener until it is migrated; null after the time limit
     */
    public @Nullable CmId next(Duration limit) {
        CmEvent request = nextRequest(limit);
        return request == null ? null : request.id();
    }

    /**
     * Waits for a request, as {@link #next}.
     *
     * @return the new id
     * @throws ToolFailure after the time limit
     */
    public CmId required(Duration limit) {
        CmId request = next(limit);
        if (request == null) {
            throw ToolFailure.setup("no client came within " + Timeout.text(limit));
        }
        return request;
    }

    /** {@return the next request; null if there is none now} */
    public @Nullable CmId poll() {
        return next(Duration.ZERO);
    }

    /**
     * Waits for a request, as {@link #next}.
     *
     * @return the event, which has the private data of the request; null after the time limit
     */
    public @Nullable CmEvent nextRequest(Duration limit) {
        EndableWait patience = new EndableWait(console, limit);
        while (true) {
            console.endIfAsked();
            Duration slice = patience.next();
            CmEvent event = events.await(slice);
            if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
                return event;
            } else if (event == null && slice.isZero()) {
                return null;
            }
        }
    }

    @Override
    public void close() {
        id.close();
        events.close();
    }
}
