package dev.jwarp.tools.copy;

import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.Shares;
import dev.jwarp.base.SourceKey;
import dev.jwarp.sockets.JwarpSelectorProvider;
import dev.jwarp.sockets.JwarpSocketOptions;
import dev.jwarp.sockets.SocketMode;
import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.PeerText;
import dev.jwarp.tools.cli.SparseNotes;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Receives files from senders, each in a thread of its own. Source addresses share the places: if all places are in
 * use, the address with most places gives one to a sender of another address, first that of the sender that has been
 * idle for longest. The calling thread never waits for a sender.
 */
final class CopyServer implements AutoCloseable {
    /** Senders that are served at a time. Further senders wait. */
    static final int AT_A_TIME = 16;

    /**
     * Most waiting connections, at most three quarters of them from one address. If there are more, the one that has
     * waited longest is closed.
     */
    static final int MOST_WAITING = 64;

    /** Most threads, including threads of senders that were asked to leave and have not ended yet. */
    private static final int MOST_THREADS = 2 * AT_A_TIME;

    private static final long IDLE_NANOS = 5_000_000_000L;
    private static final int LOOK_MILLIS = 100;
    private static final long PAUSE_NANOS = 1_000_000_000;

    /** Time for all threads of senders to end. It is shorter than the time that the command has at Ctrl-C. */
    private static final long LAST_WORDS_NANOS = 2_000_000_000;

    private final ServedFolder root;
    private final boolean rdma;
    private final Console console;
    private final SparseNotes failures;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Shares serving;
    private final Shares waiting;
    /** Senders with a waiting or serving place, in the order of their connections. */
    private final Set<CopySender> senders = new LinkedHashSet<>();

    /** Senders with a running thread, including senders that were asked to leave. */
    private final Set<CopySender> open = ConcurrentHashMap.newKeySet();

    /** Begins to listen. */
    CopyServer(SelectorProvider channels, InetSocketAddress local, Path root, Console console) throws IOException {
        this.root = new ServedFolder(root);
        this.console = console;
        failures = new SparseNotes(console::note, console.nanoTime());
        rdma = channels instanceof JwarpSelectorProvider;
        serving = shares("room for senders", AT_A_TIME, IDLE_NANOS);
        waiting = shares("room for senders that wait", MOST_WAITING, 0); // a waiting sender does not count as idle
        selector = channels.openSelector();
        listener = channels.openServerSocketChannel();
        try {
            if (rdma) {
                listener.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
            }
            listener.bind(local);
        } catch (IOException e) {
            close();
            throw ToolFailure.setup("cannot listen on " + Addresses.text(local) + ": " + e.getMessage());
        }
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private Shares shares(String resource, int most, long idleNanos) {
        ShareLimits limits = ShareLimits.of(resource, "fixed", most, 1, idleNanos);
        return new Shares(
                limits.perSource(ShareLimits.mostOfOneSource(most)), new SecureRandom().nextLong(), console::note);
    }

    /** Serves until the command has to end, or until so many senders were served; 0: no limit. */
    void run(int most) throws IOException {
        int taken = 0;
        while (!console.interruption().requested()
                && (most == 0 || taken < most || !senders.isEmpty() || !open.isEmpty())) {
            if (most == 0 || taken < most) {
                selector.select(key -> {}, LOOK_MILLIS);
                SocketChannel next = accepted();
                if (next != null) {
                    taken++;
                    takeIn(next);
                }
            } else {
                console.interruption()
                        .pause(LOOK_MILLIS * 1_000_000L); // select would return at once while a connection is pending
            }
            long now = console.nanoTime().getAsLong();
            open.forEach(sender -> sender.look(now));
            senders.removeIf(CopySender::hasLeft);
            for (CopySender sender : senders) {
                if (sender.waits() && open.size() < MOST_THREADS && sender.takePlace(serving, now)) {
                    begin(sender);
                }
            }
        }
    }

    private void takeIn(SocketChannel channel) {
        long now = console.nanoTime().getAsLong();
        try {
            channel.configureBlocking(false); // until the sender has a thread
            long source =
                    channel.getRemoteAddress() instanceof InetSocketAddress at ? SourceKey.of(at) : SourceKey.STRANGERS;
            Lock summing = senders.stream()
                    .filter(other -> other.source == source)
                    .map(other -> other.summing)
                    .findAny()
                    .orElseGet(ReentrantLock::new);
            CopySender sender = new CopySender(channel, source, summing, waiting, now);
            if (sender.mayWait(now)) {
                senders.add(sender);
            } else {
                sender.turnAway();
                sender.leaves();
            }
        } catch (IOException | OutOfMemoryError e) { // usually the sender has closed the connection already
            closeQuietly(channel);
        }
    }

    private @Nullable SocketChannel accepted() {
        try {
            return listener.accept();
        } catch (IOException e) {
            failures.say("a connection could not be accepted: " + e.getMessage());
            console.interruption().pause(PAUSE_NANOS); // usually there are no descriptors left
            return null;
        }
    }

    private void begin(CopySender sender) {
        try {
            CopyTalk talk = new CopyTalk(sender.channel, console.nanoTime());
            Thread thread = new Thread(() -> take(sender, talk), "jwarp cp");
            sender.begins(talk, thread);
            open.add(sender);
            thread.start();
        } catch (OutOfMemoryError e) { // no memory for buffers, or no thread
            failures.say("a sender could not be served: " + e.getMessage());
            open.remove(sender);
            sender.leaves();
            closeQuietly(sender.channel);
            console.interruption().pause(PAUSE_NANOS);
        }
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing else can be done.
        }
    }

    private void take(CopySender sender, CopyTalk talk) {
        String who = "a sender";
        try (talk) {
            who = Addresses.text((InetSocketAddress) talk.channel().getRemoteAddress());
            talk.channel().configureBlocking(true);
            try (FileReceiver receiver =
                    new FileReceiver(talk, rdma, root, sender.summing, line -> console.note(PeerText.harmless(line)))) {
                receiver.run();
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (console.interruption().requested()) {
                if (e instanceof FileReceiver.BrokenOff off) {
                    console.note(PeerText.harmless(off.kept()));
                }
            } else {
                String why = e instanceof IOException io ? FileWords.of(io) : String.valueOf(e.getMessage());
                failures.say(who + ": " + PeerText.harmless(why));
            }
        } finally {
            sender.ends();
            open.remove(sender);
        }
    }

    /** Closes the connections of all senders. Their threads print how much of each file is kept. */
    @Override
    public void close() throws IOException {
        listener.close();
        selector.close();
        for (CopySender sender : senders) {
            closeQuietly(sender.channel);
        }
        for (CopySender sender : open) {
            closeQuietly(sender.channel);
        }
        long last = System.nanoTime() + LAST_WORDS_NANOS;
        for (CopySender sender : open) {
            sender.awaitEnd(last - System.nanoTime());
        }
        root.close();
    }
}
