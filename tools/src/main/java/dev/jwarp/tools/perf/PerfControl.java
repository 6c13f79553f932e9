package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ExitStatus;
import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.link.Link;
import dev.jwarp.tools.link.Outgoing;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The control connection, with notes in both directions. It has its own device context, so that the measured context
 * has no other work. One thread.
 */
final class PerfControl implements AutoCloseable {
    private static final int SLOTS = 16;

    private final Link link;
    private final MemoryRegion in;
    private final Outgoing out;
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final SendWorkRequest send = new SendWorkRequest();

    private PerfControl(Link link) {
        this.link = link;
        in = link.allocate(SLOTS * Note.MOST, AccessFlag.LOCAL_WRITE);
        out = new Outgoing(link::allocate, SLOTS, Note.MOST);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    private static Link.Depths depths() {
        return new Link.Depths(SLOTS, SLOTS);
    }

    /**
     * {@return a connection to a server that has accepted the request}
     *
     * @throws ToolFailure if the server has refused
     */
    static PerfControl to(
            Context context, Console console, InetSocketAddress server, PerfSettings.Place place, Hello hello) {
        InetSocketAddress local = place.local() == null ? null : Addresses.resolve(place.local(), 0);
        Link link = Link.to(server, local, context, console, depths());
        try {
            PerfControl control = new PerfControl(link);
            link.connect(ConnectionParameters.DEFAULT.withPrivateData(hello.toOctets()), place.timeout());
            return control;
        } catch (RdmaException e) {
            link.close();
            if (e.code() == RdmaErrorCode.REJECTED && e.privateData().length > 0) {
                throw new ToolFailure(
                        ExitStatus.MISMATCH,
                        "the server at " + link.peer() + " refused: " + PerfWire.printable(e.privateData()),
                        "give both ends the same flags; a server without flags takes the client's");
            }
            throw e;
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /** {@return a connection to a client, accepted} */
    static PerfControl from(CmId request, Console console, Welcome welcome, Duration limit) {
        Link link = Link.from(request, console, depths());
        try {
            PerfControl control = new PerfControl(link);
            link.accept(ConnectionParameters.DEFAULT.withPrivateData(welcome.toOctets()));
            link.awaitEstablished(limit);
            return control;
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    private void postReceive(int slot) {
        link.queuePair().postReceive(receive.clear().id(slot).add(in, (long) slot * Note.MOST, Note.MOST));
    }

    /**
     * {@return the answer of the server}
     *
     * @throws ToolFailure if it is not an answer of jwarp perf
     */
    Welcome welcome() {
        try {
            return Welcome.of(link.answer());
        } catch (IllegalArgumentException e) {
            throw misunderstood(e);
        }
    }

    ToolFailure misunderstood(IllegalArgumentException why) {
        return new ToolFailure(
                ExitStatus.MISMATCH,
                link.peer() + " is not 'jwarp perf' of this version: " + why.getMessage(),
                "is it the right program at the other end?");
    }

    Link link() {
        return link;
    }

    /** Sends a note. */
    void say(Note note) {
        int at = out.offset();
        ByteBuffer buffer = out.memory().buffer().duplicate().position(at).limit(at + Note.MOST);
        note.write(buffer);
        link.queuePair().postSend(send.clear().signaled(false).add(out.memory(), at, buffer.position() - at));
        out.posted();
    }

    /**
     * {@return the next note; null if there is none now} Allocates nothing without a note.
     *
     * @throws ToolFailure if the connection has ended, or the message is not a note
     */
    @Nullable
    Note poll() {
        WorkCompletion completion = link.poll();
        if (completion == null) {
            return null;
        }
        if (completion.status() == WorkCompletionStatus.WR_FLUSH_ERR) {
            throw link.brokenOff("in the middle of a test");
        } else if (!completion.succeeded()) {
            throw link.failed(completion);
        } else if (completion.opcode() != WorkCompletionOpcode.RECV) {
            return null;
        }
        int slot = (int) completion.id();
        int at = slot * Note.MOST;
        ByteBuffer octets = in.buffer().duplicate().position(at).limit(at + completion.byteLength());
        try {
            return Note.read(octets);
        } catch (IllegalArgumentException e) {
            throw misunderstood(e);
        } finally {
            postReceive(slot);
        }
    }

    /** Disconnects. */
    void disconnect() {
        link.disconnect();
    }

    @Override
    public void close() {
        link.close();
    }
}
