package dev.jwarp.sockets.programs;

import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server and its clients: nodes are made, read, changed and watched. It does not use jwarp's API. */
public final class ZooKeeperPair {
    private static final int NODES = 200;
    private static final int SESSION_MILLIS = 300_000;

    /** The server waits for a tick when it is shut down. */
    private static final int TICK_MILLIS = 500;

    private ZooKeeperPair() {}

    /**
     * Throws if received data differ from the sent data.
     *
     * @param arguments a folder
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        ZooKeeperServer server = new ZooKeeperServer(
                folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS);
        server.setMaxSessionTimeout(SESSION_MILLIS);
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        try {
            factory.startup(server);
            String there = "127.0.0.1:" + factory.getLocalPort();
            try (ZooKeeper first = connect(there);
                    ZooKeeper second = connect(there)) {
                for (int i = 0; i < NODES; i++) {
                    first.create("/" + i, body(i), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                }
                for (int i = 0; i < NODES; i++) {
                    String body = new String(second.getData("/" + i, false, null), StandardCharsets.UTF_8);
                    if (!body.equals(new String(body(i), StandardCharsets.UTF_8))) {
                        throw new IOException("node " + i + " reads " + body);
                    }
                }
                CountDownLatch seen = new CountDownLatch(1);
                second.exists("/7", event -> {
                    if (event.getType() == Watcher.Event.EventType.NodeDataChanged) {
                        seen.countDown();
                    }
                });
                first.setData("/7", body(77), -1);
                if (!seen.await(Patience.SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException("the watcher was told nothing");
                }
                System.out.println(NODES + " nodes read, a change watched");
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.exit(1); // ends threads that would continue
        } finally {
            factory.shutdown();
        }
    }

    private static byte[] body(int i) {
        return ("value " + i).repeat(i).getBytes(StandardCharsets.UTF_8);
    }

    private static ZooKeeper connect(String there) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(there, SESSION_MILLIS, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(Patience.SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no connection with " + there);
        }
        return client;
    }
}
