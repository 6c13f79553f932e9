package dev.jwarp.rnic.portmap.nio;

import dev.jwarp.base.HostPort;
import dev.jwarp.llp.nio.SystemChannels;
import dev.jwarp.rnic.portmap.PortMapMessage;
import dev.jwarp.rnic.portmap.PortMapResponder;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the port mappers of peers' hosts for mappings, and answers their requests about listeners of this process. A
 * thread of the port mapper sends and receives the datagrams while there is a question or a listener. Any thread.
 */
public final class PortMapper {
    /**
     * The addresses of a connection, after the question to the port mapper of the peer's host.
     *
     * @param mapped whether there is a mapping; if not, the two addresses are those of the program
     * @param remote the address to connect to
     * @param local the address to connect from, which the peer's port mapper knows; null for any
     */
    public record Answer(
            boolean mapped,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local) {}

    private static final Logger LOG = LoggerFactory.getLogger(PortMapper.class);

    /** UDP port of port mappers (IWARP_PM_PORT). */
    private static final int PORT = 3935;

    /** Largest number of open questions; further connections are made without a question. */
    static final int MOST_QUESTIONS = 1_024;

    /** Datagrams read from a socket before other sockets get their turn. */
    private static final int IN_A_ROW = 64;

    /** One byte more than any message, so that longer datagrams are recognised. */
    private static final int BUFFER = PortMapMessage.REQUEST_LENGTH + 1;

    private static final PortMapper OF_PROCESS = new PortMapper(PORT);

    private final int port;
    private final SecureRandom random = new SecureRandom();

    // Guarded by this.
    private final Set<Asking> questions = new HashSet<>();
    private final Map<InetAddress, Answering> sockets = new HashMap<>();
    private @Nullable Selector selector;
    private @Nullable PortMapResponder responder;

    /** A socket that answers for a number of listeners. */
    private static final class Answering {
        final DatagramChannel channel;
        int listeners;

        Answering(DatagramChannel channel) {
            this.channel = channel;
        }
    }

    /** @param port of the port mappers, local and remote */
    PortMapper(int port) {
        this.port = port;
    }

    /** {@return the port mapper of this process} */
    public static PortMapper ofProcess() {
        return OF_PROCESS;
    }

    // ---- asking

    /**
     * Asks the port mapper of the host of {@code remote}. Never throws: without an answer, the result has the addresses
     * of the program.
     *
     * @param local the address to connect from, or null for any
     * @param waitNanos time-out of the answer
     * @param told called once with the answer, on any thread, possibly within this call; must not wait
     */
    public void ask(
            InetSocketAddress remote, @Nullable InetSocketAddress local, long waitNanos, Consumer<Answer> told) {
        Asking asking = null;
        try {
            asking = begin(remote, local, waitNanos, told);
        } catch (IOException | RuntimeException e) {
            LOG.debug("The port mapper of {} cannot be asked: {}", HostPort.text(remote), e.toString());
        }
        if (asking == null) {
            told.accept(new Answer(false, remote, local));
        }
    }

    private synchronized @Nullable Asking begin(
            InetSocketAddress remote, @Nullable InetSocketAddress local, long waitNanos, Consumer<Answer> told)
            throws IOException {
        if (questions.size() >= MOST_QUESTIONS) {
            return null;
        }
        Asking asking = Asking.open(remote, local, port, told);
        try {
            asking.begin(newHandle(), waitNanos, System.nanoTime());
            Selector running = running();
            asking.channel().register(running, SelectionKey.OP_READ, asking);
            questions.add(asking);
            running.wakeup();
            return asking;
        } catch (Throwable e) {
            asking.close();
            throw e;
        }
    }

    private long newHandle() {
        long handle = random.nextLong();
        return handle == 0 ? 1 : handle;
    }

    // ---- answering

    /**
     * Answers requests about a listener at {@code address}. If the UDP port of port mappers is in use at that address,
     * requests get no answer, which is logged.
     *
     * @return ends the answers; to be run once, when the listener is closed
     */
    public synchronized Runnable listening(InetSocketAddress address) {
        PortMapResponder known = responder;
        if (known == null) {
            known = new PortMapResponder(random.nextLong());
            responder = known;
        }
        PortMapResponder answers = known;
        answers.add(address);
        Answering answering = answering(address.getAddress());
        if (answering != null) {
            answering.listeners++;
        }
        return () -> noLongerListening(answers, address, answering);
    }

    private synchronized void noLongerListening(
            PortMapResponder answers, InetSocketAddress address, @Nullable Answering answering) {
        answers.remove(address);
        if (answering != null && --answering.listeners == 0) {
            Selector running = selector;
            if (running != null) {
                running.wakeup();
            }
        }
    }

    private @Nullable Answering answering(InetAddress address) {
        Answering present = sockets.get(address);
        if (present != null) {
            return present;
        }
        InetSocketAddress wanted = new InetSocketAddress(address, port);
        DatagramChannel channel = null;
        try {
            channel = SystemChannels.provider().openDatagramChannel();
            channel.bind(wanted).configureBlocking(false);
            Selector running = running();
            Answering made = new Answering(channel);
            channel.register(running, SelectionKey.OP_READ, made);
            sockets.put(address, made);
            running.wakeup();
            return made;
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "UDP {} cannot be bound ({}), so this process answers no requests of peers' port mappers there. If"
                            + " another port mapper such as iwpmd has the port, it tells peers that the listeners of"
                            + " this process are not mapped, and peers connect to them nevertheless."
                            + " jwarp.cm.port-mapper=ask silences this.",
                    HostPort.text(wanted),
                    e.toString());
            if (channel != null) {
                close(channel);
            }
            return null;
        }
    }

    // ---- the thread

    /** {@return the selector of the thread, which is started if there is none} */
    private Selector running() throws IOException {
        Selector present = selector;
        if (present != null) {
            return present;
        }
        Selector opened = SystemChannels.provider().openSelector();
        selector = opened;
        Thread thread = new Thread(() -> run(opened), "jwarp-port-mapper");
        thread.setDaemon(true);
        // The program's class loader must be collectable before this thread ends.
        thread.setContextClassLoader(null);
        try {
            thread.start();
        } catch (Throwable e) { // out of memory: the next question tries again
            selector = null;
            opened.close();
            throw e;
        }
        return opened;
    }

    /** {@return whether the thread is running} */
    synchronized boolean atWork() {
        return selector != null;
    }

    private void run(Selector own) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        try {
            for (long wait = move(own, buffer); goesOn(own); wait = move(own, buffer)) {
                own.select(wait);
                Thread.interrupted(); // otherwise an interrupt would end each wait at once
            }
        } catch (Throwable e) {
            LOG.error(
                    "The port mapper's thread failed: no requests and answers are sent until a new thread starts.", e);
            giveUp(own);
        } finally {
            close(own);
        }
    }

    /** {@return false if there is nothing left to do; the next question or listener starts another thread} */
    private synchronized boolean goesOn(Selector own) throws IOException {
        if (sockets.values().removeIf(PortMapper::closeUnused)) {
            own.selectNow();
        }
        if (selector == own && questions.isEmpty() && sockets.isEmpty()) {
            selector = null;
        }
        return selector == own;
    }

    /**
     * Closes a channel that has no listeners. The channel keeps its port until the selector forgets its key, so only
     * the thread of the selector does so: meanwhile another listener at the address takes the channel.
     */
    private static boolean closeUnused(Answering answering) {
        if (answering.listeners > 0) {
            return false;
        }
        close(answering.channel);
        return true;
    }

    private void giveUp(Selector own) {
        Set<Asking> left;
        synchronized (this) {
            selector = null;
            left = Set.copyOf(questions);
            questions.clear();
            sockets.values().forEach(answering -> close(answering.channel));
            sockets.clear();
            close(own); // which frees the ports of these channels
        }
        left.forEach(Asking::tellUnanswered);
    }

    /**
     * Does all work that is due. Returns the milliseconds until the next work, at least 1; 0 if there is no time limit.
     */
    private long move(Selector own, ByteBuffer buffer) {
        own.selectedKeys().clear();
        long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        for (SelectionKey key : own.keys()) {
            if (key.attachment() instanceof Asking asking) {
                if (asking.move(buffer, now)) {
                    next = Math.min(next, asking.nextTimeout() - now);
                } else {
                    forget(asking);
                    tell(asking);
                }
            } else if (key.attachment() instanceof Answering answering) {
                answer(answering.channel, buffer, now);
            }
        }
        return next == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(next) + 1);
    }

    /** An exception during one report ends only that report. */
    private static void tell(Asking asking) {
        try {
            asking.tell();
        } catch (RuntimeException e) {
            LOG.error("The answer of a port mapper could not be reported.", e);
        }
    }

    private synchronized void forget(Asking asking) {
        questions.remove(asking);
    }

    private void answer(DatagramChannel channel, ByteBuffer buffer, long now) {
        try {
            for (int i = 0; i < IN_A_ROW; i++) {
                SocketAddress source = channel.receive(buffer.clear());
                if (source == null) {
                    return;
                }
                ByteBuffer answer = answer(buffer.flip(), (InetSocketAddress) source, now);
                if (answer != null) {
                    channel.send(answer, source);
                }
            }
        } catch (IOException e) {
            // The peer repeats a request without an answer; a closed channel has no listeners any more.
            LOG.debug("A question to the port mapper got no answer: {}", e.toString());
        }
    }

    private synchronized @Nullable ByteBuffer answer(ByteBuffer datagram, InetSocketAddress source, long now) {
        PortMapResponder answers = responder;
        return answers == null ? null : answers.answer(datagram, source, now);
    }

    private static void close(Closeable what) {
        try {
            what.close();
        } catch (IOException e) {
            LOG.debug("closing: {}", e.toString());
        }
    }
}
