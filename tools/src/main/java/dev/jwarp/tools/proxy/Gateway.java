package dev.jwarp.tools.proxy;

import dev.jwarp.sockets.JwarpSelectorProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Carries connections from one side to the other. One thread, whatever their number. */
final class Gateway implements AutoCloseable {
    private static final int LOOK_MILLIS = 100;

    private final JwarpSelectorProvider sockets;
    private final Side to;
    private final Consumer<String> notes;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final Set<Carried> open = new HashSet<>();
    private final Totals totals = new Totals();

    /** What it has carried. */
    static final class Totals {
        public long connections;
        public long failed;
        public long bytesThere;
        public long bytesBack;
    }

    /**
     * Listens.
     *
     * @param sockets opens what is RDMA
     * @param notes takes a sentence about each connection that failed
     */
    Gateway(JwarpSelectorProvider sockets, Side at, Side to, Consumer<String> notes) throws IOException {
        this.sockets = sockets;
        this.to = to;
        this.notes = notes;
        selector = sockets.openSelector();
        listener = at.provider(sockets).openServerSocketChannel();
        try {
            listener.bind(at.address());
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    Totals totals() {
        return totals;
    }

    /** Carries until it is to end, or so many connections were carried and are over; 0: any number. */
    void run(long most, BooleanSupplier ends) throws IOException {
        while (!ends.getAsBoolean() && (most == 0 || totals.connections < most || !open.isEmpty())) {
            if (totals.connections == most && most != 0 && listener.isOpen()) {
                listener.close();
            }
            selector.select(this::ready, LOOK_MILLIS);
        }
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof Carried carried) {
            move(carried);
        } else if (key.isValid() && key.isAcceptable()) {
            accept();
        }
    }

    private void accept() {
        SocketChannel near;
        try {
            near = listener.accept();
        } catch (IOException e) {
            notes.accept("a connection could not be taken: " + e.getMessage());
            return;
        }
        if (near != null) {
            totals.connections++;
            begin(near);
        }
    }

    private void begin(SocketChannel near) {
        @Nullable Carried carried = null;
        @Nullable SocketChannel far = null;
        try {
            far = to.provider(sockets).openSocketChannel();
            far.configureBlocking(false);
            carried = new Carried(near, far, selector);
            open.add(carried);
            near.setOption(StandardSocketOptions.TCP_NODELAY, true);
            far.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (far.connect(to.address())) {
                move(carried);
            }
        } catch (IOException e) {
            if (carried == null) {
                closeQuietly(near);
                closeQuietly(far);
                totals.failed++;
                notes.accept("a connection could not be carried: " + e.getMessage());
            } else {
                fail(carried, e);
            }
        }
    }

    private static void closeQuietly(@Nullable SocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // It is as closed as it can be.
        }
    }

    private void move(Carried carried) {
        if (!open.contains(carried)) {
            return; // its other channel was ready, too, and ended it
        }
        try {
            if (carried.move()) {
                forget(carried);
                carried.close();
            }
        } catch (IOException e) {
            fail(carried, e);
        }
    }

    private void fail(Carried carried, IOException why) {
        totals.failed++;
        notes.accept(carried.who() + ": " + why.getMessage());
        forget(carried);
        carried.abort();
    }

    private void forget(Carried carried) {
        open.remove(carried);
        totals.bytesThere += carried.bytesThere();
        totals.bytesBack += carried.bytesBack();
    }

    /** Ends all that is open, as if it had failed. */
    @Override
    public void close() throws IOException {
        for (Carried carried : Set.copyOf(open)) {
            forget(carried);
            carried.abort();
        }
        listener.close();
        selector.close();
    }
}
