package dev.jwarp.tools.copy;

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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Takes what senders send, each in a thread of its own. */
final class CopyServer implements AutoCloseable {
    /** More of them wait. */
    private static final int AT_A_TIME = 16;

    private static final int LOOK_MILLIS = 100;
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final ServedFolder root;
    private final boolean rdma;
    private final Console console;
    private final SparseNotes failures;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Set<CopyTalk> open = ConcurrentHashMap.newKeySet();

    /** Listens. */
    CopyServer(SelectorProvider channels, InetSocketAddress local, Path root, Console console) throws IOException {
        this.root = new ServedFolder(root);
        this.console = console;
        failures = new SparseNotes(console::note, console.nanoTime());
        rdma = channels instanceof JwarpSelectorProvider;
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

    /** Serves until it is to end, or so many were served; 0: any number. */
    void run(int most) throws IOException {
        int taken = 0;
        while (!console.interruption().requested() && (most == 0 || taken < most || !threads.isEmpty())) {
            for (CopyTalk talk : open) {
                talk.endIfLate();
            }
            selector.select(key -> {}, LOOK_MILLIS);
            if ((most == 0 || taken < most) && threads.size() < AT_A_TIME) {
                SocketChannel next = accepted();
                if (next != null) {
                    taken++;
                    begin(next);
                }
            } else {
                console.interruption().pause(LOOK_MILLIS * 1_000_000L); // who waits would be selected again and again
            }
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

    private void begin(SocketChannel channel) {
        try {
            CopyTalk talk = new CopyTalk(channel, console.nanoTime());
            Thread thread = new Thread(() -> take(talk), "jwarp cp");
            open.add(talk);
            threads.add(thread);
            thread.start();
        } catch (OutOfMemoryError e) { // of memory for buffers, or of threads
            failures.say("a sender could not be taken: " + e.getMessage());
            threads.removeIf(thread -> thread.getState() == Thread.State.NEW);
            open.removeIf(talk -> talk.channel() == channel);
            closeQuietly(channel);
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

    private void take(CopyTalk talk) {
        String who = "a sender";
        try (talk) {
            who = Addresses.text((InetSocketAddress) talk.channel().getRemoteAddress());
            talk.channel().configureBlocking(true);
            try (FileReceiver receiver =
                    new FileReceiver(talk, rdma, root, line -> console.note(PeerText.harmless(line)))) {
                receiver.run();
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (!console.interruption().requested()) {
                String why = e instanceof IOException io ? FileWords.of(io) : String.valueOf(e.getMessage());
                failures.say(who + ": " + PeerText.harmless(why));
            }
        } finally {
            open.remove(talk);
            threads.remove(Thread.currentThread());
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        selector.close();
        for (CopyTalk talk : open) {
            talk.close();
        }
    }
}
