package dev.jwarp.benchmarks.compare;

import dev.jwarp.transport.udp.net.KernelSegments;
import dev.jwarp.transport.udp.netty.DescriptorSegments.DescriptorFinder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.IovArray;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Messages from a region in datagrams with headers and a CRC32C, as jwarp composes them. One call sends all datagrams
 * of a message (UDP_SEGMENT, UDP_GRO). The datagrams are the same in each way: {@code copy} copies the payload behind
 * its headers and sends the copy, as jwarp does; {@code gather} leaves the payload in the region, and java.nio gathers
 * it, which works on a connected socket only; {@code iovec} gathers through Netty's socket. At most 1 MiB is in flight:
 * the sender reads the receiver's counter. The figure is the sender's processor time, which is independent of waiting
 * and of other programs.
 */
final class ComposedDatagrams implements Contender {
    private static final int HEADER = 42; // shim, and DDP's header of a Send
    private static final int CRC = 4;
    private static final int CHECKED = 100;
    private static final int LARGEST = 65_507;
    private static final int WINDOW = 1 << 20;
    private static final int BUFFER = 4 << 20;
    private static final long LOOK_NANOS = 20_000;
    private static final long SILENCE = TimeUnit.MILLISECONDS.toNanos(20);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String way;
    private final int message;
    private final int segment;
    private final DatagramChannel near;
    private final DatagramChannel far;
    private final InetSocketAddress to;
    private final @Nullable Socket socket;
    private final IovArray pieces;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer region;
    private final ByteBuffer memory = ByteBuffer.allocateDirect(LARGEST);
    private final ByteBuf regionOfNetty;
    private final ByteBuf memoryOfNetty;
    private final ByteBuffer[] slices;
    private int at;
    private int number;
    private int checked;
    private volatile boolean wrong;
    private volatile long came;
    private long sent;
    private long lost;

    /** {@code message} bytes, in datagrams of {@code datagram} bytes, from a region of {@code region} bytes. */
    ComposedDatagrams(Arguments arguments) throws IOException {
        Epoll.ensureAvailability(); // this loads the native code
        way = arguments.text("way", "copy");
        message = arguments.number("message", 65_536);
        segment = arguments.number("datagram", 1472) - HEADER - CRC;
        region = ByteBuffer.allocateDirect(Math.max(message, arguments.number("region", 1 << 20)));
        int datagrams = (message + segment - 1) / segment;
        if (datagrams * (HEADER + CRC) + message > LARGEST) {
            throw new IllegalArgumentException("a message must fit into one call");
        }
        slices = new ByteBuffer[2 * datagrams + 1];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = i % 2 == 0 ? memory.duplicate() : region.duplicate();
        }
        regionOfNetty = Unpooled.wrappedBuffer(region);
        memoryOfNetty = Unpooled.wrappedBuffer(memory);
        pieces = new IovArray(slices.length);
        far = bound();
        near = bound();
        to = (InetSocketAddress) far.getLocalAddress();
        if (way.equals("gather")) {
            near.connect(to);
        }
        if (way.equals("iovec")) {
            socket = Socket.newSocketDgram();
            socket.setSendBufferSize(BUFFER);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } else {
            socket = null;
        }
        InetSocketAddress from = socket == null ? (InetSocketAddress) near.getLocalAddress() : socket.localAddress();
        if (datagrams > 1
                && !(options(from).segment(segment + HEADER + CRC)
                        && options(to).coalesce())) {
            throw new IOException("this system has no UDP_SEGMENT or no UDP_GRO");
        }
        Thread server = new Thread(this::serve, "server");
        server.setDaemon(true);
        server.start();
    }

    private static KernelSegments options(InetSocketAddress local) throws IOException {
        KernelSegments found = new DescriptorFinder().find(local);
        if (found == null) {
            throw new IOException("Netty's native library is missing");
        }
        return found;
    }

    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open(StandardProtocolFamily.INET)
                .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER)
                .setOption(StandardSocketOptions.SO_SNDBUF, BUFFER)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private void serve() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try {
            while (true) {
                far.receive(buffer.clear());
                long sum = came + buffer.position();
                if (checked < CHECKED) {
                    check(buffer.flip());
                    checked++;
                }
                came = sum; // one writer
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(ByteBuffer datagrams) {
        CRC32C sum = new CRC32C();
        while (datagrams.hasRemaining()) {
            int end = datagrams.position() + Math.min(HEADER + segment + CRC, datagrams.remaining());
            int limit = datagrams.limit();
            sum.reset();
            sum.update(datagrams.limit(end - CRC));
            if (datagrams.limit(limit).getInt() != (int) sum.getValue()) {
                wrong = true;
                return;
            }
        }
    }

    /** {@return whether complete datagrams came} Checks the first datagram only. */
    boolean sound() {
        return came > 0 && !wrong;
    }

    @Override
    public Sample round(long nanos) throws IOException {
        long start = System.nanoTime();
        long begun = THREADS.getCurrentThreadCpuTime();
        long messages = 0;
        do {
            if (sent - lost - came >= WINDOW) {
                begun += await();
            }
            if (at + message > region.capacity()) {
                at = 0;
            }
            sent += switch (way) {
                case "copy" -> copy();
                case "gather" -> near.write(slices, 0, compose());
                default -> iovec();
            };
            at += message;
            messages++;
        } while (System.nanoTime() - start < nanos);
        return Sample.ofStream(messages, messages * message, THREADS.getCurrentThreadCpuTime() - begun);
    }

    private int copy() throws IOException {
        int used = 0;
        for (int done = 0; done < message; done += segment) {
            int length = Math.min(segment, message - done);
            header(used, done);
            memory.put(used + HEADER, region, at + done, length);
            checksum.reset();
            checksum.update(memory.limit(used + HEADER + length).position(used));
            memory.clear().putInt(used + HEADER + length, (int) checksum.getValue());
            used += HEADER + length + CRC;
        }
        int took = near.send(memory.limit(used), to);
        memory.clear();
        return took;
    }

    /**
     * Makes slices of headers, payload and CRCs; a CRC and the headers after it are one slice. Returns the number of
     * slices.
     */
    private int compose() {
        int used = 0;
        int count = 0;
        for (int done = 0; done < message; done += segment) {
            int length = Math.min(segment, message - done);
            int begin = done == 0 ? 0 : used - CRC;
            header(used, done);
            checksum.reset();
            checksum.update(memory.limit(used + HEADER).position(used));
            ByteBuffer payload = slices[count + 1].limit(at + done + length).position(at + done);
            checksum.update(payload);
            payload.position(at + done);
            memory.clear().putInt(used + HEADER, (int) checksum.getValue());
            slices[count].limit(used + HEADER).position(begin);
            used += HEADER + CRC;
            count += 2;
        }
        slices[count].limit(used).position(used - CRC);
        return count + 1;
    }

    private int iovec() throws IOException {
        int count = compose();
        pieces.clear();
        for (int i = 0; i < count; i++) {
            ByteBuffer slice = slices[i];
            pieces.add(i % 2 == 0 ? memoryOfNetty : regionOfNetty, slice.position(), slice.remaining());
        }
        return Objects.requireNonNull(socket)
                .sendToAddresses(pieces.memoryAddress(0), pieces.count(), to.getAddress(), to.getPort());
    }

    private void header(int offset, int done) {
        memory.putInt(offset, number++);
        memory.putLong(offset + 4, at);
        memory.putLong(offset + 12, done);
        memory.putLong(offset + 20, message);
        memory.putLong(offset + 28, sent);
        memory.putInt(offset + 36, segment);
        memory.putShort(offset + 40, (short) done);
    }

    /**
     * Waits until half a window is free; datagrams that are late count as lost. Returns the processor time
     * of the wait.
     */
    private long await() {
        long begun = THREADS.getCurrentThreadCpuTime();
        long seen = came;
        long since = System.nanoTime();
        while (sent - lost - came > WINDOW / 2) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (came != seen) {
                seen = came;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > SILENCE) {
                lost = sent - came;
            }
        }
        return THREADS.getCurrentThreadCpuTime() - begun;
    }

    /** Nothing to close: the end of the process releases everything. */
    @Override
    public void close() {}
}
