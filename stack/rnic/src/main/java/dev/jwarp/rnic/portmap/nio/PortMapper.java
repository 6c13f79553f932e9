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
 * Asks the port mappers of peers' hosts for the programs of this process, and answers theirs about its listeners. While there is
 * a question or a listener, a thread of its own moves the datagrams. Any thread.
 */
public final class PortMapper {
    /**
     * Where to connect to, as far as the port mapper of the peer's host had a say in it.
     *
     * @param mapped whether there is a mapping; if not, the two addresses are those of the program
     * @param remote the address to connect to
     * @param local the one to connect from, which was told to the peer's port mapper; null for any
     */
    public record Answer(
            boolean mapped,
            InetSocketAddress remote,
            @Nullable InetSocketAddress local) {}

    private static final Logger LOG = LoggerFactory.getLogger(PortMapper.class);

    /** Where port mappers listen (IWARP_PM_PORT). */
    private static final int PORT = 3935;

    /** Questions at a time; a connection that would be one more is made without asking. */
    static final int MOST_QUESTIONS = 1_024;

    /** Datagrams of a socket that are read before others get their turn. */
    private static final int IN_A_ROW = 64;

    /** One more than any message has, so that a longer one is seen to be longer. */
    private static final int BUFFER = PortMapMessage.REQUEST_LENGTH + 1;

    private static final PortMapper OF_PROCESS = new PortMapper(PORT);

    private final int port;
    private final SecureRandom random = new SecureRandom();

    // Guarded by this.
    private final Set<Asking> questions = new HashSet<>();
    private final Map<InetAddress, Answering> sockets = new HashMap<>();
    private @Nullable Selector selector;
    private @Nullable PortMapResponder responder;

    /** A socket that answers, for so many listeners. */
    private static final class Answering {
        final DatagramChannel channel;
        int listeners;

        Answering(DatagramChannel channel) {
            this.channel = channel;
        }
    }

    /** @param port of the port mappers, ours and the peers' */
    PortMapper(int port) {
        this.port = port;
    }

    /** {@return the one of this process} */
    public static PortMapper ofProcess() {
        return OF_PROCESS;
    }

    // ---- asking

    /**
     * Asks the port mapper of the host of {@code remote}. Never fails: without an answer the connection is to be made
     * as if this had not been called.
     *
     * @param local the address to connect from, or null for any
     * @param waitNanos how long to wait for the answer
     * @param told is given the answer, once, on any thread, also within this call; must not wait
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
     * There is a listener at {@code address}: questions about it are answered until it is closed. If the port of port
     * mappers is taken at its address, they are not; that is logged.
     *
     * @return to be closed with the listener, once
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
                    "UDP {} cannot be had ({}), so this process answers no questions of peers' port mappers there. If another port mapper"
                            + " has it, such as iwpmd, peers hear from that one that the listeners of this process are not mapped, and connect"
                            + " to them all the same. jwarp.cm.port-mapper=ask silences this.",
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
        // The program's class loader may want to go before this thread does.
        thread.setContextClassLoader(null);
        try {
            thread.start();
        } catch (Throwable e) { // no memory for one: the next question tries again
            selector = null;
            opened.close();
            throw e;
        }
        return opened;
    }

    /** {@return whether there is a thread} */
    synchronized boolean atWork() {
        return selector != null;
    }

    private void run(Selector own) {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        try {
            for (long wait = move(own, buffer); goesOn(own); wait = move(own, buffer)) {
                own.select(wait);
                Thread.interrupted(); // this thread has no use of an interrupt, which would end each wait at once
            }
        } catch (Throwable e) {
            LOG.error(
                    "The port mapper's thread failed: there are no questions and no answers until the next one begins.",
                    e);
            giveUp(own);
        } finally {
            close(own);
        }
    }

    /** {@return false if there is nothing left to do: who comes next starts another thread} */
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
            close(own); // which gives the ports of these channels back
        }
        left.forEach(Asking::tellUnanswered);
    }

    /** Does all that is due. Answers how many milliseconds it is until there is more, at least 1; 0 if there is no such time. */
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

    /** Whatever goes wrong with one answer ends that answer only. */
    private static void tell(Asking asking) {
        try {
            asking.tell();
        } catch (RuntimeException e) {
            LOG.error("The answer to a question to a port mapper could not be told.", e);
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
            // What could not be sent is asked for again; a closed channel has no listeners any more.
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
