package dev.jwarp.sockets.programs;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Checks of the Javadoc of {@code java.nio.channels} and {@code java.net}: prints one clause per line, with its
 * outcome. It does not use jwarp's API: the output on jwarp is compared with that on the JDK's own channels and
 * sockets.
 */
@SuppressWarnings("AddressSelection") // numbers, not names
public final class Contract {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final InetSocketAddress ANY = new InetSocketAddress(HERE, 0);
    /** An address of no host (RFC 5737 section 3), which no system can bind. */
    private static final InetSocketAddress FOREIGN = new InetSocketAddress("192.0.2.1", 0);

    private static final InetSocketAddress UNRESOLVED = InetSocketAddress.createUnresolved("no.host.invalid", 1);
    private static final int SOON_MILLIS = 20;
    /** More bytes than a system buffers for a peer that does not read. */
    private static final int MORE_THAN_FITS = 1 << 26;
    /** Number of successive checks without room after which a connection counts as full. */
    private static final int LOOKS = 100;

    /** Methods of the JDK in which a blocked thread is. */
    private static final Set<String> WAITS =
            Set.of("poll", "epollWait", "read0", "write0", "accept", "accept0", "receive0", "wait", "wait0", "park");

    /** The objects of a clause, which are closed after it. */
    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    private Contract() {}

    private interface Clause {
        Object ask(Contract with) throws Exception;
    }

    /** Prints all clauses. */
    public static void main(String[] arguments) throws Exception {
        streams();
        ends();
        waits();
        listeners();
        packets();
        selectors();
        javaNet();
    }

    private static void say(String clause, Clause body) throws Exception {
        Contract with = new Contract();
        String outcome;
        try {
            outcome = String.valueOf(body.ask(with));
        } catch (ExecutionException e) {
            outcome = told(e.getCause());
        } catch (Exception e) {
            outcome = told(e);
        }
        System.out.println(clause + " -> " + outcome.replaceAll("\\s+", " "));
        while (!with.made.isEmpty()) {
            with.made.pop().close();
        }
    }

    /** {@return the message of an exception, with the class that a program can catch} */
    private static String told(Throwable thrown) {
        Class<?> known = thrown.getClass();
        while (!known.getName().startsWith("java.")) {
            known = known.getSuperclass();
        }
        return known.getName() + (thrown.getMessage() == null ? "" : ": " + thrown.getMessage());
    }

    // ---- what clauses need

    private <T extends AutoCloseable> T keep(T one) {
        made.push(one);
        return one;
    }

    private SocketChannel stream() throws IOException {
        return keep(SocketChannel.open());
    }

    private ServerSocketChannel listener() throws IOException {
        return keep(ServerSocketChannel.open()).bind(ANY);
    }

    private DatagramChannel datagrams() throws IOException {
        return keep(DatagramChannel.open());
    }

    /** {@return both ends of a connection} */
    private SocketChannel[] pair() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel near = stream();
        near.connect(listener.getLocalAddress());
        return new SocketChannel[] {near, keep(listener.accept())};
    }

    /** {@return an end whose peer has reset the connection} */
    private SocketChannel reset() throws IOException {
        SocketChannel[] both = pair();
        both[1].setOption(StandardSocketOptions.SO_LINGER, 0);
        both[1].close();
        return both[0];
    }

    /** {@return an address without a listener} */
    private static InetSocketAddress nobody() throws IOException {
        try (ServerSocketChannel gone = ServerSocketChannel.open()) {
            return (InetSocketAddress) gone.bind(ANY).getLocalAddress();
        }
    }

    private static Object done(Callable<?> what) throws Exception {
        what.call();
        return "done";
    }

    private interface Doing {
        void run() throws Exception;
    }

    private static Object does(Doing what) throws Exception {
        what.run();
        return "done";
    }

    /** {@return the result of a call that blocks until an action ends the wait} */
    private static <T> T whileItWaits(Callable<T> call, Doing then) throws Exception {
        return whileItWaits(call, thread -> then.run());
    }

    private interface DoneTo {
        void run(Thread waiting) throws Exception;
    }

    private static <T> T whileItWaits(Callable<T> call, DoneTo then) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, "waits");
        thread.setDaemon(true);
        thread.start();
        while (!isWaiting(thread) && !task.isDone()) {
            Thread.onSpinWait();
        }
        then.run(thread);
        return task.get();
    }

    private static boolean isWaiting(Thread thread) {
        StackTraceElement[] now = thread.getStackTrace();
        return now.length > 0 && WAITS.contains(now[0].getMethodName());
    }

    /**
     * {@return the result of a write during which an action is done to its channel} The peer does not read, so a write
     * blocks once the connection is full. If the write still finds room, the clause is repeated with another
     * connection.
     */
    private Object whileWriteWaits(StruckBy then) throws Exception {
        ByteBuffer much = ByteBuffer.allocateDirect(MORE_THAN_FITS);
        while (true) {
            SocketChannel near = pair()[0];
            near.configureBlocking(false);
            for (int full = 0; full < LOOKS; full++) {
                full = near.write(much.clear()) == 0 ? full : 0;
            }
            near.configureBlocking(true);
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger struck = new AtomicInteger();
            try {
                whileItWaits(
                        () -> untilRefused(() -> {
                            begun.incrementAndGet();
                            return near.write(much.clear());
                        }),
                        thread -> {
                            for (int looks = 0; looks < LOOKS && thread.isAlive(); looks++) {
                                int call = begun.get();
                                looks = isWaiting(thread) && struck.getAndSet(call) == call ? looks : 0;
                            }
                            then.run(near, thread);
                        });
            } catch (ExecutionException e) {
                if (begun.get() == struck.get()) {
                    throw e;
                }
            }
        }
    }

    private interface StruckBy {
        void run(SocketChannel near, Thread writer) throws Exception;
    }

    /** Calls until it throws. */
    private static Object untilRefused(Callable<?> call) throws Exception {
        while (true) {
            call.call();
        }
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count);
    }

    // ---- the clauses

    private static void streams() throws Exception {
        say("SocketChannel.connect: nobody listens", with -> with.stream().connect(nobody()));
        say("SocketChannel.connect: a null address", with -> with.stream().connect(null));
        say("SocketChannel.connect: not resolved", with -> with.stream().connect(UNRESOLVED));
        say("SocketChannel.connect: port 0", with -> with.stream().connect(ANY));
        say("SocketChannel.connect: again", with -> with.pair()[0].connect(ANY));
        say("SocketChannel.connect: closed", with -> {
            SocketChannel closed = with.stream();
            closed.close();
            return closed.connect(ANY);
        });
        say("SocketChannel.connect: a failure closes it", with -> {
            SocketChannel channel = with.stream();
            try {
                channel.connect(nobody());
            } catch (IOException e) {
                return channel.isOpen();
            }
            return "connected";
        });
        say(
                "SocketChannel.finishConnect: nothing pending",
                with -> with.stream().finishConnect());
        say("SocketChannel.finishConnect: nobody listens", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            channel.connect(nobody());
            return untilRefused(channel::finishConnect);
        });
        say(
                "SocketChannel.bind: taken",
                with -> with.stream().bind(with.listener().getLocalAddress()));
        say("SocketChannel.bind: not of this host", with -> with.stream().bind(FOREIGN));
        say("SocketChannel.bind: not resolved", with -> with.stream().bind(UNRESOLVED));
        say("SocketChannel.bind: again", with -> with.stream().bind(ANY).bind(ANY));
        say("SocketChannel.bind: connected", with -> with.pair()[0].bind(ANY));
        say("SocketChannel.read: not connected", with -> with.stream().read(bytes(1)));
        say("SocketChannel.write: not connected", with -> with.stream().write(bytes(1)));
        say("SocketChannel.shutdownInput: not connected", with -> with.stream().shutdownInput());
        say("SocketChannel.shutdownOutput: not connected", with -> with.stream().shutdownOutput());
        say("SocketChannel.read: a null buffer", with -> with.pair()[0].read((ByteBuffer) null));
        say("SocketChannel.write: a null buffer", with -> with.pair()[0].write((ByteBuffer) null));
        say("SocketChannel.read: a read-only buffer", with -> with.pair()[0].read(bytes(1).asReadOnlyBuffer()));
        say("SocketChannel.read: buffers out of range", with -> with.pair()[0].read(new ByteBuffer[2], 1, 2));
        say("SocketChannel.write: buffers out of range", with -> with.pair()[0].write(new ByteBuffer[2], -1, 2));
        say("SocketChannel.read: a null among buffers", with -> with.pair()[0].read(new ByteBuffer[1]));
        say("SocketChannel.write: a null among buffers", with -> with.pair()[0].write(new ByteBuffer[1]));
        say("SocketChannel.read: no room", with -> with.pair()[0].read(bytes(0)));
        say("SocketChannel.write: no bytes", with -> with.pair()[0].write(bytes(0)));
        say("SocketChannel.read: nothing there, not blocking", with -> {
            SocketChannel near = with.pair()[0];
            near.configureBlocking(false);
            return near.read(bytes(1));
        });
        say("SocketChannel.setOption: a null option", with -> with.stream().setOption(null, 1));
        say(
                "SocketChannel.setOption: a null value",
                with -> with.stream().setOption(StandardSocketOptions.SO_RCVBUF, null));
        say(
                "SocketChannel.setOption: a value out of range",
                with -> with.stream().setOption(StandardSocketOptions.SO_RCVBUF, -1));
        say(
                "SocketChannel.setOption: of no stream",
                with -> with.stream().setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1) == null);
        say("SocketChannel.getOption: a null option", with -> with.stream().getOption(null));
        say("SocketChannel.getOption: closed", with -> {
            SocketChannel closed = with.stream();
            closed.close();
            return closed.getOption(StandardSocketOptions.SO_RCVBUF);
        });
        say("SocketChannel.configureBlocking: closed", with -> {
            SocketChannel closed = with.stream();
            closed.close();
            return closed.configureBlocking(false);
        });
        say("SocketChannel.open: address without a listener", with -> SocketChannel.open(nobody()));
        say(
                "SocketChannel.open(INET).bind: of IPv6",
                with -> with.keep(SocketChannel.open(StandardProtocolFamily.INET))
                        .bind(new InetSocketAddress("::1", 0)));
        say(
                "SocketChannel.open(INET).connect: of IPv6",
                with -> with.keep(SocketChannel.open(StandardProtocolFamily.INET))
                        .connect(new InetSocketAddress("::1", 9)));
        say(
                "SocketChannel.open(INET).getLocalAddress: bound to null",
                with -> ((InetSocketAddress) with.keep(SocketChannel.open(StandardProtocolFamily.INET))
                                .bind(null)
                                .getLocalAddress())
                        .getAddress());
        say(
                "SocketChannel.getLocalAddress: bound to null",
                with -> ((InetSocketAddress) with.stream().bind(null).getLocalAddress()).getAddress());
        say(
                "ServerSocketChannel.open(INET).bind: of IPv6",
                with -> with.keep(ServerSocketChannel.open(StandardProtocolFamily.INET))
                        .bind(new InetSocketAddress("::1", 0)));
        say(
                "ServerSocketChannel.open(INET).getLocalAddress: bound to null",
                with -> ((InetSocketAddress) with.keep(ServerSocketChannel.open(StandardProtocolFamily.INET))
                                .bind(null)
                                .getLocalAddress())
                        .getAddress());
        say(
                "ServerSocketChannel.getLocalAddress: bound to null",
                with -> ((InetSocketAddress)
                                with.keep(ServerSocketChannel.open()).bind(null).getLocalAddress())
                        .getAddress());
        say("SocketChannel.open: null", with -> SocketChannel.open((InetSocketAddress) null));
    }

    private static void ends() throws Exception {
        say("SocketChannel.read: the peer has closed", with -> {
            SocketChannel[] both = with.pair();
            both[1].close();
            return both[0].read(bytes(1)) + " " + both[0].read(bytes(1));
        });
        say("SocketChannel.read: the peer has reset", with -> with.reset().read(bytes(1)));
        say("SocketChannel.read: the peer has reset, again", with -> {
            SocketChannel near = with.reset();
            try {
                near.read(bytes(1));
            } catch (IOException e) {
                return near.read(bytes(1));
            }
            return "nothing";
        });
        say("SocketChannel.read: the peer has reset, not blocking", with -> {
            SocketChannel near = with.reset();
            near.configureBlocking(false);
            return untilRefused(() -> near.read(bytes(1)));
        });
        say("SocketChannel.read: the peer has reset, behind unread bytes", with -> {
            SocketChannel[] both = with.pair();
            both[0].write(bytes(10)); // bytes that the peer has not read reset the connection at its close
            both[1].close();
            return untilRefused(() -> both[0].write(bytes(1)));
        });
        say("SocketChannel.write: the peer has closed, and the end is read", with -> {
            SocketChannel[] both = with.pair();
            both[1].close();
            both[0].read(bytes(1));
            return untilRefused(() -> both[0].write(bytes(1)));
        });
        say("SocketChannel.read: closed", with -> {
            SocketChannel near = with.pair()[0];
            near.close();
            return near.read(bytes(1));
        });
        say("SocketChannel.write: closed", with -> {
            SocketChannel near = with.pair()[0];
            near.close();
            return near.write(bytes(1));
        });
        say(
                "SocketChannel.read: its input is shut down",
                with -> with.pair()[0].shutdownInput().read(bytes(1)));
        say(
                "SocketChannel.write: its output is shut down",
                with -> with.pair()[0].shutdownOutput().write(bytes(1)));
        say(
                "SocketChannel.write: its output is shut down, no bytes",
                with -> with.pair()[0].shutdownOutput().write(bytes(0)));
        say(
                "SocketChannel.shutdownOutput: again",
                with -> done(() -> with.pair()[0].shutdownOutput().shutdownOutput()));
        say("SocketChannel.shutdownInput: closed", with -> {
            SocketChannel near = with.pair()[0];
            near.close();
            return near.shutdownInput();
        });
        say("SocketChannel.close: again", with -> {
            SocketChannel near = with.pair()[0];
            near.close();
            near.close();
            return near.isOpen();
        });
    }

    private static void waits() throws Exception {
        say("SocketChannel.read: closed while it waits", with -> {
            SocketChannel near = with.pair()[0];
            return whileItWaits(() -> near.read(bytes(1)), near::close);
        });
        say("SocketChannel.read: interrupted while it waits", with -> {
            SocketChannel near = with.pair()[0];
            return whileItWaits(() -> near.read(bytes(1)), Thread::interrupt);
        });
        say("SocketChannel.read: interrupted before", with -> {
            SocketChannel near = with.pair()[0];
            return whileItWaits(
                    () -> {
                        Thread.currentThread().interrupt();
                        return near.read(bytes(1));
                    },
                    () -> {});
        });
        say("SocketChannel.write: interrupted before", with -> {
            SocketChannel near = with.pair()[0];
            return whileItWaits(
                    () -> {
                        Thread.currentThread().interrupt();
                        return near.write(bytes(1));
                    },
                    () -> {});
        });
        say("SocketChannel.connect: interrupted before", with -> {
            SocketChannel near = with.stream();
            ServerSocketChannel listener = with.listener();
            return whileItWaits(
                    () -> {
                        Thread.currentThread().interrupt();
                        return near.connect(listener.getLocalAddress());
                    },
                    () -> {});
        });
        say("SocketChannel.read: input shut down while it waits", with -> {
            SocketChannel near = with.pair()[0];
            return whileItWaits(() -> near.read(bytes(1)), near::shutdownInput);
        });
        say("SocketChannel.write: closed while it waits", with -> with.whileWriteWaits((near, writer) -> near.close()));
        say(
                "SocketChannel.write: interrupted while it waits",
                with -> with.whileWriteWaits((near, writer) -> writer.interrupt()));
        say(
                "SocketChannel.write: output shut down while it waits",
                with -> with.whileWriteWaits((near, writer) -> near.shutdownOutput()));
        say("ServerSocketChannel.accept: closed while it waits", with -> {
            ServerSocketChannel listener = with.listener();
            return whileItWaits(listener::accept, listener::close);
        });
        say("ServerSocketChannel.accept: interrupted while it waits", with -> {
            ServerSocketChannel listener = with.listener();
            return whileItWaits(listener::accept, Thread::interrupt);
        });
        say("DatagramChannel.receive: closed while it waits", with -> {
            DatagramChannel channel = with.datagrams().bind(ANY);
            return whileItWaits(() -> channel.receive(bytes(1)), channel::close);
        });
        say("DatagramChannel.receive: interrupted while it waits", with -> {
            DatagramChannel channel = with.datagrams().bind(ANY);
            return whileItWaits(() -> channel.receive(bytes(1)), Thread::interrupt);
        });
        say("DatagramChannel.send: interrupted before", with -> {
            DatagramChannel channel = with.datagrams().bind(ANY);
            return whileItWaits(
                    () -> {
                        Thread.currentThread().interrupt();
                        return channel.send(bytes(1), channel.getLocalAddress());
                    },
                    () -> {});
        });
        say("Selector.select: closed while it waits", with -> {
            Selector selector = with.keep(Selector.open());
            return whileItWaits(() -> selector.select(), selector::close);
        });
        say("Selector.select: interrupted while it waits", with -> {
            Selector selector = with.keep(Selector.open());
            return whileItWaits(() -> selector.select(), Thread::interrupt);
        });
    }

    private static void listeners() throws Exception {
        say(
                "ServerSocketChannel.accept: not bound",
                with -> with.keep(ServerSocketChannel.open()).accept());
        say("ServerSocketChannel.accept: nothing there, not blocking", with -> {
            ServerSocketChannel listener = with.listener();
            listener.configureBlocking(false);
            return listener.accept();
        });
        say("ServerSocketChannel.accept: closed", with -> {
            ServerSocketChannel listener = with.listener();
            listener.close();
            return listener.accept();
        });
        say(
                "ServerSocketChannel.bind: taken",
                with -> with.keep(ServerSocketChannel.open())
                        .bind(with.listener().getLocalAddress()));
        say(
                "ServerSocketChannel.bind: not of this host",
                with -> with.keep(ServerSocketChannel.open()).bind(FOREIGN));
        say(
                "ServerSocketChannel.bind: not resolved",
                with -> with.keep(ServerSocketChannel.open()).bind(UNRESOLVED));
        say("ServerSocketChannel.bind: again", with -> with.listener().bind(ANY));
        say(
                "ServerSocketChannel.setOption: a null value",
                with -> with.listener().setOption(StandardSocketOptions.SO_RCVBUF, null));
        say(
                "ServerSocketChannel.setOption: of no listener",
                with -> with.listener().setOption(StandardSocketOptions.TCP_NODELAY, true) == null);
        say("ServerSocketChannel.validOps", with -> with.listener().validOps());
    }

    private static void packets() throws Exception {
        say("DatagramChannel.read: not connected", with -> with.datagrams().read(bytes(1)));
        say("DatagramChannel.write: not connected", with -> with.datagrams().write(bytes(1)));
        say(
                "DatagramChannel.connect: again",
                with -> with.datagrams()
                        .connect(with.datagrams().bind(ANY).getLocalAddress())
                        .connect(ANY));
        say("DatagramChannel.connect: not resolved", with -> with.datagrams().connect(UNRESOLVED));
        say("DatagramChannel.send: port 0", with -> with.datagrams().send(bytes(1), ANY));
        say("DatagramChannel.send: a null address", with -> with.datagrams().send(bytes(1), null));
        say("DatagramChannel.send: a null buffer", with -> with.datagrams().send(null, ANY));
        say("DatagramChannel.send: not resolved", with -> with.datagrams().send(bytes(1), UNRESOLVED));
        say("DatagramChannel.send: connected to another", with -> {
            DatagramChannel one = with.datagrams().bind(ANY);
            DatagramChannel other = with.datagrams().bind(ANY);
            return with.datagrams().bind(ANY).connect(one.getLocalAddress()).send(bytes(1), other.getLocalAddress());
        });
        say("DatagramChannel.send: longer than any", with -> {
            DatagramChannel channel = with.datagrams().bind(ANY);
            return channel.send(bytes(70_000), channel.getLocalAddress());
        });
        say("DatagramChannel.send: closed", with -> {
            DatagramChannel closed = with.datagrams();
            closed.close();
            return closed.send(bytes(1), ANY);
        });
        say(
                "DatagramChannel.receive: a read-only buffer",
                with -> with.datagrams().receive(bytes(1).asReadOnlyBuffer()));
        say("DatagramChannel.receive: nothing there, not blocking", with -> {
            DatagramChannel channel = with.datagrams().bind(ANY);
            channel.configureBlocking(false);
            return channel.receive(bytes(1));
        });
        say("DatagramChannel.receive: not bound, not blocking", with -> {
            DatagramChannel channel = with.datagrams();
            channel.configureBlocking(false);
            return channel.receive(bytes(1));
        });
        say("DatagramChannel.receive: closed", with -> {
            DatagramChannel closed = with.datagrams();
            closed.close();
            return closed.receive(bytes(1));
        });
        say(
                "DatagramChannel.bind: taken",
                with -> with.datagrams().bind(with.datagrams().bind(ANY).getLocalAddress()));
        say("DatagramChannel.bind: again", with -> with.datagrams().bind(ANY).bind(ANY));
        say("DatagramChannel.bind: not of this host", with -> with.datagrams().bind(FOREIGN));
        say(
                "DatagramChannel.disconnect: not connected",
                with -> done(() -> with.datagrams().disconnect()));
        say(
                "DatagramChannel.getRemoteAddress: disconnected",
                with -> with.datagrams()
                        .connect(with.datagrams().bind(ANY).getLocalAddress())
                        .disconnect()
                        .getRemoteAddress());
        say(
                "DatagramChannel.setOption: a null value",
                with -> with.datagrams().setOption(StandardSocketOptions.IP_MULTICAST_TTL, null));
        say(
                "DatagramChannel.setOption: a value out of range",
                with -> with.datagrams().setOption(StandardSocketOptions.IP_MULTICAST_TTL, 256));
        say(
                "DatagramChannel.setOption: of no datagrams",
                with -> with.datagrams().setOption(StandardSocketOptions.TCP_NODELAY, true) == null);
        say(
                "DatagramChannel.join: no group",
                with -> with.datagrams().join(HERE, NetworkInterface.getByInetAddress(HERE)));
        say(
                "DatagramChannel.join: a null group",
                with -> with.datagrams().join(null, NetworkInterface.getByInetAddress(HERE)));
        say(
                "DatagramChannel.join: a null interface",
                with -> with.datagrams().join(InetAddress.getByName("239.1.1.1"), null));
        say(
                "DatagramChannel.open(INET).bind: of IPv6",
                with -> with.keep(DatagramChannel.open(StandardProtocolFamily.INET))
                        .bind(new InetSocketAddress("::1", 0)));
        say(
                "DatagramChannel.open(INET).connect: of IPv6",
                with -> with.keep(DatagramChannel.open(StandardProtocolFamily.INET))
                        .connect(new InetSocketAddress("::1", 9)));
        say(
                "DatagramChannel.open(INET).send: to IPv6",
                with -> with.keep(DatagramChannel.open(StandardProtocolFamily.INET))
                        .send(bytes(1), new InetSocketAddress("::1", 9)));
        say(
                "DatagramChannel.open(INET).join: of IPv6",
                with -> with.keep(DatagramChannel.open(StandardProtocolFamily.INET))
                        .join(InetAddress.getByName("ff15::1"), NetworkInterface.getByInetAddress(HERE)));
        say(
                "DatagramChannel.open(INET).getLocalAddress: bound to null",
                with -> ((InetSocketAddress) with.keep(DatagramChannel.open(StandardProtocolFamily.INET))
                                .bind(null)
                                .getLocalAddress())
                        .getAddress());
        say(
                "DatagramChannel.open(null)",
                with -> with.keep(DatagramChannel.open(null)).isOpen());
        say("DatagramChannel.socket: its class", with -> with.datagrams().socket() instanceof MulticastSocket);
    }

    private static void selectors() throws Exception {
        say(
                "SelectableChannel.register: blocking",
                with -> with.stream().register(with.keep(Selector.open()), SelectionKey.OP_CONNECT));
        say("SelectableChannel.register: operations it has not", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            return channel.register(with.keep(Selector.open()), SelectionKey.OP_ACCEPT);
        });
        say("SelectableChannel.register: closed", with -> {
            SocketChannel closed = with.stream();
            closed.close();
            return closed.register(with.keep(Selector.open()), SelectionKey.OP_CONNECT);
        });
        say("SelectableChannel.register: a closed selector", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            selector.close();
            return channel.register(selector, SelectionKey.OP_CONNECT);
        });
        say("SelectableChannel.register: a null selector", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            return channel.register(null, SelectionKey.OP_CONNECT);
        });
        say("SelectableChannel.configureBlocking: registered", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            channel.register(with.keep(Selector.open()), SelectionKey.OP_CONNECT);
            return channel.configureBlocking(true);
        });
        say("SelectionKey.interestOps: cancelled", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            SelectionKey key = channel.register(with.keep(Selector.open()), SelectionKey.OP_CONNECT);
            key.cancel();
            return key.interestOps();
        });
        say("SelectionKey.interestOps: operations it has not", with -> {
            SocketChannel channel = with.stream();
            channel.configureBlocking(false);
            return channel.register(with.keep(Selector.open()), 0).interestOps(SelectionKey.OP_ACCEPT);
        });
        say(
                "Selector.select: a negative time-out",
                with -> with.keep(Selector.open()).select(-1));
        say("Selector.select: a null action", with -> with.keep(Selector.open()).select(null));
        say("Selector.select: closed", with -> {
            Selector selector = Selector.open();
            selector.close();
            return selector.selectNow();
        });
        say("Selector.keys: closed", with -> {
            Selector selector = Selector.open();
            selector.close();
            return selector.keys();
        });
        say("Selector.wakeup: closed", with -> {
            Selector selector = Selector.open();
            selector.close();
            return done(selector::wakeup);
        });
        say(
                "Selector.keys: cannot be changed",
                with -> does(() -> with.keep(Selector.open()).keys().clear()));
        say(
                "Selector.selectedKeys: takes none",
                with -> with.keep(Selector.open()).selectedKeys().add(null));
        say("Selector.select: the peer has reset", with -> {
            SocketChannel near = with.reset();
            near.configureBlocking(false);
            Selector selector = with.keep(Selector.open());
            SelectionKey key = near.register(selector, SelectionKey.OP_READ);
            while (selector.select() == 0) {
                // until it is seen
            }
            return key.isReadable();
        });
    }

    private static void javaNet() throws Exception {
        say(
                "Socket.connect: nobody listens",
                with -> does(() -> with.keep(new Socket()).connect(nobody())));
        say(
                "Socket.connect: nobody listens, with a time-out",
                with -> does(() -> with.keep(new Socket()).connect(nobody(), 60_000)));
        say("Socket.connect: port 0", with -> does(() -> with.keep(new Socket()).connect(ANY)));
        say(
                "Socket.connect: not resolved",
                with -> does(() -> with.keep(new Socket()).connect(UNRESOLVED)));
        say(
                "Socket.connect: a null address",
                with -> does(() -> with.keep(new Socket()).connect(null)));
        say(
                "Socket.connect: a negative time-out",
                with -> does(() -> with.keep(new Socket()).connect(ANY, -1)));
        say("Socket.connect: closed", with -> {
            Socket closed = new Socket();
            closed.close();
            return does(() -> closed.connect(ANY));
        });
        say(
                "Socket.bind: taken",
                with -> does(() -> with.keep(new Socket()).bind(with.listener().getLocalAddress())));
        say(
                "Socket.bind: not of this host",
                with -> does(() -> with.keep(new Socket()).bind(FOREIGN)));
        say(
                "Socket.getInputStream: not connected",
                with -> with.keep(new Socket()).getInputStream());
        say(
                "Socket.getOutputStream: not connected",
                with -> with.keep(new Socket()).getOutputStream());
        for (Ended way : Ended.values()) {
            if (way != Ended.OUTPUT_SHUT) {
                say(
                        "Socket's input: " + way.words,
                        with -> way.end(with.sockets()).getInputStream().read());
            }
            if (way != Ended.INPUT_SHUT) {
                say("Socket's output: " + way.words, with -> {
                    Socket near = way.end(with.sockets());
                    return untilRefused(() -> does(() -> near.getOutputStream().write(new byte[1000])));
                });
            }
            say(
                    "Socket.setSoTimeout: " + way.words,
                    with -> does(() -> way.end(with.sockets()).setSoTimeout(1)));
        }
        say("Socket's input: closed while it waits", with -> {
            Socket near = with.sockets()[0];
            return whileItWaits(() -> near.getInputStream().read(), near::close);
        });
        say("Socket's output: closed while it waits", with -> {
            Socket near = with.sockets()[0];
            return whileItWaits(() -> does(() -> near.getOutputStream().write(new byte[MORE_THAN_FITS])), near::close);
        });
        say("Socket's input: its time is over", with -> {
            Socket near = with.sockets()[0];
            near.setSoTimeout(SOON_MILLIS);
            return near.getInputStream().read();
        });
        say("Socket of a channel: its time is over", with -> {
            Socket near = with.pair()[0].socket();
            near.setSoTimeout(SOON_MILLIS);
            return near.getInputStream().read();
        });
        say(
                "Socket of a channel: the peer has reset",
                with -> with.reset().socket().getInputStream().read());
        say("Socket of a channel: closed while its input waits", with -> {
            Socket near = with.pair()[0].socket();
            return whileItWaits(() -> near.getInputStream().read(), near::close);
        });
        say(
                "Socket of a channel: bound again",
                with -> does(() -> with.stream().bind(ANY).socket().bind(ANY)));
        say(
                "Socket of a channel: bound to what is not resolved",
                with -> does(() -> with.stream().socket().bind(UNRESOLVED)));
        say(
                "Socket of a channel: connected again",
                with -> does(
                        () -> with.pair()[0].socket().connect(with.listener().getLocalAddress())));
        say(
                "ServerSocket of a channel: bound again",
                with -> does(() -> with.listener().socket().bind(ANY)));
        say(
                "DatagramSocket of a channel: bound again",
                with -> does(() -> with.datagrams().bind(ANY).socket().bind(ANY)));
        say(
                "DatagramSocket of a channel: connected to what is not resolved",
                with -> does(() -> with.datagrams().socket().connect(UNRESOLVED)));
        say(
                "DatagramSocket of a channel: connected to null",
                with -> does(() -> with.datagrams().socket().connect(null)));
        say("DatagramSocket of a channel: connected to another peer", with -> {
            DatagramSocket socket = with.datagrams().bind(ANY).socket();
            socket.connect(with.datagrams().bind(ANY).getLocalAddress());
            SocketAddress second = with.datagrams().bind(ANY).getLocalAddress();
            socket.connect(second);
            return second.equals(socket.getRemoteSocketAddress());
        });
        say("DatagramChannel.connect: port 0", with -> with.datagrams().connect(ANY));
        say("DatagramSocket.receive: interrupted before, and one is there", with -> {
            DatagramSocket socket = with.keep(new DatagramSocket(ANY));
            socket.send(new DatagramPacket(new byte[1], 1, socket.getLocalSocketAddress()));
            Thread.currentThread().interrupt();
            try {
                socket.receive(new DatagramPacket(new byte[1], 1));
                return socket.isClosed();
            } finally {
                Thread.interrupted();
            }
        });
        say("Socket of a channel: not blocking, its input", with -> {
            SocketChannel near = with.pair()[0];
            near.configureBlocking(false);
            return near.socket().getInputStream().read();
        });
        say("Socket of a channel: not blocking, its output", with -> {
            SocketChannel near = with.pair()[0];
            near.configureBlocking(false);
            return does(() -> near.socket().getOutputStream().write(1));
        });
        say(
                "Socket of a channel: nobody listens",
                with -> does(() -> with.stream().socket().connect(nobody())));
        say("Socket of a channel: closed, its input", with -> {
            SocketChannel near = with.pair()[0];
            near.close();
            return near.socket().getInputStream();
        });
        say(
                "Socket.setSoTimeout: negative",
                with -> does(() -> with.keep(new Socket()).setSoTimeout(-1)));
        say(
                "Socket.setReceiveBufferSize: 0",
                with -> does(() -> with.keep(new Socket()).setReceiveBufferSize(0)));
        say(
                "Socket.setSendBufferSize: 0",
                with -> does(() -> with.keep(new Socket()).setSendBufferSize(0)));
        say(
                "Socket.setTrafficClass: 256",
                with -> does(() -> with.keep(new Socket()).setTrafficClass(256)));
        say(
                "Socket.setSoLinger: negative",
                with -> does(() -> with.keep(new Socket()).setSoLinger(true, -1)));
        say(
                "Socket.setOption: a null value",
                with -> with.keep(new Socket()).setOption(StandardSocketOptions.SO_RCVBUF, null));
        say(
                "Socket.setOption: a null option",
                with -> with.keep(new Socket()).setOption((SocketOption<Integer>) null, 1));
        say("ServerSocket.accept: its time is over", with -> {
            ServerSocket listener = with.keep(new ServerSocket(0, 1, HERE));
            listener.setSoTimeout(SOON_MILLIS);
            return listener.accept();
        });
        say("ServerSocket of a channel: its time is over", with -> {
            ServerSocket listener = with.listener().socket();
            listener.setSoTimeout(SOON_MILLIS);
            return listener.accept();
        });
        say("ServerSocket.accept: closed while it waits", with -> {
            ServerSocket listener = with.keep(new ServerSocket(0, 1, HERE));
            return whileItWaits(listener::accept, listener::close);
        });
        say("ServerSocket of a channel: closed while it waits", with -> {
            ServerSocket listener = with.listener().socket();
            return whileItWaits(listener::accept, listener::close);
        });
        say(
                "ServerSocket.accept: not bound",
                with -> with.keep(new ServerSocket()).accept());
        say(
                "ServerSocket of a channel: not bound",
                with -> with.keep(ServerSocketChannel.open()).socket().accept());
        say("ServerSocket of a channel: not blocking", with -> {
            ServerSocketChannel listener = with.listener();
            listener.configureBlocking(false);
            return listener.socket().accept();
        });
        say(
                "ServerSocket.bind: taken",
                with -> does(
                        () -> with.keep(new ServerSocket()).bind(with.listener().getLocalAddress())));
        say(
                "ServerSocket.bind: again",
                with -> does(() -> with.keep(new ServerSocket(0, 1, HERE)).bind(ANY)));
        say("ServerSocket.accept: closed", with -> {
            ServerSocket closed = new ServerSocket(0, 1, HERE);
            closed.close();
            return closed.accept();
        });
        say("DatagramSocket.receive: its time is over", with -> {
            DatagramSocket socket = with.keep(new DatagramSocket(ANY));
            socket.setSoTimeout(SOON_MILLIS);
            return does(() -> socket.receive(new DatagramPacket(new byte[1], 1)));
        });
        say("DatagramSocket of a channel: its time is over", with -> {
            DatagramSocket socket = with.datagrams().bind(ANY).socket();
            socket.setSoTimeout(SOON_MILLIS);
            return does(() -> socket.receive(new DatagramPacket(new byte[1], 1)));
        });
        say("DatagramSocket.receive: closed while it waits", with -> {
            DatagramSocket socket = with.keep(new DatagramSocket(ANY));
            return whileItWaits(() -> does(() -> socket.receive(new DatagramPacket(new byte[1], 1))), socket::close);
        });
        say("DatagramSocket.receive: closed", with -> {
            DatagramSocket closed = new DatagramSocket(ANY);
            closed.close();
            return does(() -> closed.receive(new DatagramPacket(new byte[1], 1)));
        });
        say("DatagramSocket.send: closed", with -> {
            DatagramSocket closed = new DatagramSocket(ANY);
            closed.close();
            return does(() -> closed.send(new DatagramPacket(new byte[1], 1, ANY)));
        });
        say(
                "DatagramSocket.send: port 0",
                with -> does(() -> with.keep(new DatagramSocket(ANY)).send(new DatagramPacket(new byte[1], 1, ANY))));
        say(
                "DatagramSocket.send: without an address",
                with -> does(() -> with.keep(new DatagramSocket(ANY)).send(new DatagramPacket(new byte[1], 1))));
        say("DatagramSocket.send: longer than any", with -> {
            DatagramSocket socket = with.keep(new DatagramSocket(ANY));
            return does(
                    () -> socket.send(new DatagramPacket(new byte[70_000], 70_000, socket.getLocalSocketAddress())));
        });
        say("DatagramSocket.send: connected to another", with -> {
            DatagramSocket socket = with.keep(new DatagramSocket(ANY));
            socket.connect(with.keep(new DatagramSocket(ANY)).getLocalSocketAddress());
            return does(() -> socket.send(new DatagramPacket(
                    new byte[1], 1, with.datagrams().bind(ANY).getLocalAddress())));
        });
        say(
                "DatagramSocket.connect: port 0",
                with -> does(() -> with.keep(new DatagramSocket(ANY)).connect(HERE, 0)));
        say(
                "DatagramSocket: the port is taken",
                with -> with.keep(new DatagramSocket(with.datagrams().bind(ANY).getLocalAddress())));
        say("DatagramSocket: not of this host", with -> with.keep(new DatagramSocket(FOREIGN)));
        say(
                "DatagramSocket.setSoTimeout: negative",
                with -> does(() -> with.keep(new DatagramSocket(ANY)).setSoTimeout(-1)));
        say(
                "MulticastSocket.joinGroup: no group",
                with -> does(() ->
                        with.keep(new MulticastSocket(ANY)).joinGroup(ANY, NetworkInterface.getByInetAddress(HERE))));
        say(
                "MulticastSocket.leaveGroup: no member",
                with -> does(() -> with.keep(new MulticastSocket(ANY))
                        .leaveGroup(
                                new InetSocketAddress(InetAddress.getByName("239.1.1.1"), 0),
                                NetworkInterface.getByInetAddress(HERE))));
        say(
                "MulticastSocket.setTimeToLive: 256",
                with -> does(() -> with.keep(new MulticastSocket(ANY)).setTimeToLive(256)));
    }

    /** How a connection of two sockets has ended. */
    private enum Ended {
        CLOSED("closed"),
        RESET("the peer has reset"),
        INPUT_SHUT("its input is shut down"),
        OUTPUT_SHUT("its output is shut down");

        private final String words;

        Ended(String words) {
            this.words = words;
        }

        /** {@return the near socket after that} */
        Socket end(Socket[] both) throws IOException {
            switch (this) {
                case CLOSED -> both[0].close();
                case RESET -> {
                    both[1].setSoLinger(true, 0);
                    both[1].close();
                }
                case INPUT_SHUT -> both[0].shutdownInput();
                case OUTPUT_SHUT -> both[0].shutdownOutput();
                default -> throw new IllegalStateException();
            }
            return both[0];
        }
    }

    private Socket[] sockets() throws IOException {
        ServerSocket listener = keep(new ServerSocket(0, 1, HERE));
        Socket near = keep(new Socket());
        near.connect(listener.getLocalSocketAddress());
        return new Socket[] {near, keep(listener.accept())};
    }
}
