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
 * Takes what senders send, each in a thread of its own. Places are divided among addresses: where all are taken, a sender of the address that has most of
 * them ends for one of another address, the one that has done nothing for longest first. The thread that calls waits for no sender.
 */
final class CopyServer implements AutoCloseable {
    /** More of them wait. */
    static final int AT_A_TIME = 16;

    /** Most connections that wait, of each address three quarters; the one that has waited longest gives way. */
    static final int MOST_WAITING = 64;

    /** Threads with those that are told to leave, and have not yet left. */
    private static final int MOST_THREADS = 2 * AT_A_TIME;

    private static final long IDLE_NANOS = 5_000_000_000L;
    private static final int LOOK_MILLIS = 100;
    private static final long PAUSE_NANOS = 1_000_000_000;

    /** Time for the threads of all senders together to end: less than the command has at Ctrl-C. */
    private static final long LAST_WORDS_NANOS = 2_000_000_000;

    private final ServedFolder root;
    private final boolean rdma;
    private final Console console;
    private final SparseNotes failures;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Shares serving;
    private final Shares waiting;
    /** Those that wait, or have a place, in the order in which they came. */
    private final Set<CopySender> senders = new LinkedHashSet<>();

    /** Those with a thread; who was told to leave is among them until that has ended. */
    private final Set<CopySender> open = ConcurrentHashMap.newKeySet();

    /** Listens. */
    CopyServer(SelectorProvider channels, InetSocketAddress local, Path root, Console console) throws IOException {
        this.root = new ServedFolder(root);
        this.console = console;
        failures = new SparseNotes(console::note, console.nanoTime());
        rdma = channels instanceof JwarpSelectorProvider;
        serving = shares("room for senders", AT_A_TIME, IDLE_NANOS);
        waiting = shares("room for senders that wait", MOST_WAITING, 0); // that a sender waits is not its doing
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

    /** Serves until it is to end, or so many were served; 0: any number. */
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
                        .pause(LOOK_MILLIS * 1_000_000L); // who comes now would be selected again and again
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
            channel.configureBlocking(false); // until it has a thread
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
        } catch (IOException | OutOfMemoryError e) { // it has gone already, mostly
            closeQuietly(channel);
        }
    }

    private @Nullable SocketChannel accepted() {
        try {
            return listener.accept();
        } catch (IOException e) {
            failures.say("a sender could not be taken: " + e.getMessage());
            console.interruption().pause(PAUSE_NANOS); // there are no descriptors left, mostly
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
        } catch (OutOfMemoryError e) { // of memory for buffers, or of threads
            failures.say("a sender could not be taken: " + e.getMessage());
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
            // It is as closed as it can be.
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

    /** Ends all senders, and has their threads say what stays of their files. */
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
