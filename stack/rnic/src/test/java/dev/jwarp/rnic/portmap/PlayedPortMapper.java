package dev.jwarp.rnic.portmap;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** An emulated port mapper of a peer's host, controlled by the test, at an unused loopback address. */
public final class PlayedPortMapper implements AutoCloseable {
    /** UDP port of port mappers. */
    public static final int PORT = 3935;

    private final DatagramChannel channel;
    private final Function<PortMapMessage, @Nullable PortMapMessage> answers;
    private final List<PortMapMessage> heard = new CopyOnWriteArrayList<>();

    /** Answers each message at port {@code port} of {@code address} with {@code answers}, until it is closed. */
    public PlayedPortMapper(InetAddress address, int port, Function<PortMapMessage, @Nullable PortMapMessage> answers)
            throws IOException {
        this.answers = answers;
        channel = DatagramChannel.open().bind(new InetSocketAddress(address, port));
        Thread thread = new Thread(this::run, "played-port-mapper");
        thread.setDaemon(true);
        thread.start();
    }

    /** {@return a loopback address whose UDP port for port mappers is free; without one the test is skipped} */
    public static InetAddress newHost() throws IOException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        byte[] address = {127, (byte) random.nextInt(1, 255), (byte) random.nextInt(255), (byte) random.nextInt(1, 255)
        };
        InetAddress host = InetAddress.getByAddress(address);
        try (DatagramChannel tried = DatagramChannel.open().bind(new InetSocketAddress(host, PORT))) {
            return host;
        } catch (SocketException e) {
            throw new TestAbortedException("this system has no " + host + ", or a port mapper: " + e);
        }
    }

    private void run() {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(100);
            while (true) {
                InetSocketAddress source = (InetSocketAddress) channel.receive(buffer.clear());
                PortMapMessage message = PortMapMessage.parse(buffer.flip());
                if (message != null) {
                    heard.add(message);
                    PortMapMessage answer = answers.apply(message);
                    if (answer != null) {
                        channel.send(answer.encode(), source);
                    }
                }
            }
        } catch (ClosedChannelException e) {
            // The test is over.
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** {@return the address of this port mapper} */
    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    /** {@return the messages received so far} */
    public List<PortMapMessage> heard() {
        return heard;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
