package dev.jwarp.benchmarks.compare;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * Round trips of a message over TCP, one at a time, by calls of {@code send} and {@code recv} through the foreign
 * function interface of Java 22 and newer, in place of channels: measures how much such a layer below the transport
 * could save. Needs {@code --add-opens java.base/sun.nio.ch=ALL-UNNAMED} for the descriptors. Calls that spin may be
 * {@code critical}; calls that block may not, because the JVM would wait for their thread.
 */
final class ForeignEcho implements Contender {
    private static final int MSG_DONTWAIT = 0x40;

    private final MethodHandle send;
    private final MethodHandle receive;
    private final int size;
    private final int flags;
    private final int near;
    private final MemorySegment message;
    private final Turn turn = new Turn();
    private final TimedRoundTrips trips;
    private final SocketChannel[] channels;

    ForeignEcho(Arguments arguments) throws IOException, ReflectiveOperationException {
        size = arguments.number("size", 64);
        trips = new TimedRoundTrips(size, turn);
        boolean spin = arguments.is("wait", "spin");
        flags = spin ? MSG_DONTWAIT : 0;
        boolean critical = arguments.is("calls", "critical");
        if (critical && !spin) {
            throw new IllegalArgumentException("a critical call must not block: it would stop the whole JVM");
        }
        Linker.Option[] options = critical
                ? new Linker.Option[] {Linker.Option.critical(false)}
                : new Linker.Option[0];
        send = call("send", options);
        receive = call("recv", options);
        message = Arena.global().allocate(size);
        channels = connected();
        near = descriptor(channels[0]);
        int far = descriptor(channels[1]);
        Thread server = new Thread(() -> serve(far, spin), "server");
        server.setDaemon(true);
        server.start();
    }

    public static void main(String[] arguments) throws Exception {
        try (ForeignEcho echo = new ForeignEcho(Arguments.of(Arrays.asList(arguments)))) {
            Worker.serve(echo);
        }
        System.exit(0); // the far end's thread may be in a call
    }

    private static MethodHandle call(String name, Linker.Option[] options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT),
                options);
    }

    private static SocketChannel[] connected() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
            SocketChannel[] both = {client, listener.accept()};
            for (SocketChannel channel : both) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            return both;
        }
    }

    private static int descriptor(SocketChannel channel) throws ReflectiveOperationException {
        Method getter = channel.getClass().getMethod("getFDVal");
        getter.setAccessible(true);
        return (int) getter.invoke(channel);
    }

    /** {@return number of received bytes, at most the missing ones; less than 1 if there are none} */
    private long receive(int end, MemorySegment into, long have) {
        try {
            return (long) receive.invokeExact(end, into.asSlice(have), size - have, flags);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void send(int end, MemorySegment from) {
        try {
            if ((long) send.invokeExact(end, from, (long) size, 0) != size) {
                throw new IllegalStateException("send did not accept the whole message");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(int end, boolean spin) {
        MemorySegment buffer = Arena.global().allocate(size);
        long have = 0;
        while (channels[1].isOpen()) {
            if (spin) {
                turn.await();
            }
            have += Math.max(0, receive(end, buffer, have));
            if (have == size) {
                send(end, buffer);
                have = 0;
            }
        }
    }

    @Override
    public Sample round(long nanos) {
        return trips.round(nanos, this::trip);
    }

    private void trip() {
        send(near, message);
        long have = 0;
        while (have < size) {
            have += Math.max(0, receive(near, message, have));
        }
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
