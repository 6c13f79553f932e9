package dev.jwarp.messaging.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jwarp.messaging.Directory;
import dev.jwarp.messaging.Place;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A directory in ZooKeeper: services of different networks find each other. Each service is an ephemeral node, so that
 * it disappears with the session of its process. The directory keeps a copy of all nodes, which watches keep up to date:
 * while ZooKeeper is away, known services are found all the same.
 *
 * <p>Curator's discovery is not used: it allows several instances of a service, and replaces a node that exists. Here
 * the node is the claim to the id.
 *
 * <p>A node lives up to the timeout of the session after its process has died. A stand-by that announces the same id
 * gets ADDRESS_IN_USE until then. If a session is lost and regained, the services are announced anew; a service whose
 * id another process has taken meanwhile is no longer announced, and a warning is logged.
 *
 * <p>Threads: any.
 */
public final class ZooKeeperDirectory implements Directory {
    private static final Logger LOG = System.getLogger(ZooKeeperDirectory.class.getName());
    private static final int HIGHEST = 0xffff;

    private final CuratorFramework client;
    private final String base;
    private final InetAddress host;
    private final CuratorCache cache;
    private final ConnectionStateListener whenConnected = this::stateChanged;
    private final Map<Integer, Place> own = new ConcurrentHashMap<>();
    /** Announcements that failed, and of which a node may be left. */
    private final Map<Integer, Place> leftovers = new ConcurrentHashMap<>();

    /** Services of which the copy may be old. */
    private final Set<Integer> doubted = ConcurrentHashMap.newKeySet();

    /** Questions that ZooKeeper has not answered. */
    private final Map<Integer, CompletableFuture<Place>> asked = new ConcurrentHashMap<>();

    private volatile boolean connected;
    private volatile boolean closed;

    /**
     * Makes the directory. It needs no connection to ZooKeeper yet.
     *
     * @param client started; the program closes it after this directory
     * @param base path of the services, such as {@code /jwarp/services}; created when a service is announced
     * @param host the address of this host at which other hosts reach it
     * @throws RdmaException INVALID_ARGUMENT if the path is none
     */
    public ZooKeeperDirectory(CuratorFramework client, String base, InetAddress host) {
        this.client = RdmaException.requireArgument(client, "client");
        this.base = RdmaException.requireArgument(base, "base");
        this.host = RdmaException.requireArgument(host, "host");
        if (!base.startsWith("/") || base.endsWith("/")) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "A path of ZooKeeper begins with /, and ends with a name, not " + base);
        }
        connected = client.getZookeeperClient().isConnected();
        client.getConnectionStateListenable().addListener(whenConnected);
        cache = CuratorCache.build(client, base);
        cache.start();
    }

    private String path(int service) {
        if (service < 1 || service > HIGHEST) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, "A service id is 1 to 65535, not " + service + ".");
        }
        return base + "/" + service;
    }

    /** {@return any free port of the address of this host} */
    @Override
    public InetSocketAddress bindAddress(int service) {
        return new InetSocketAddress(host, 0);
    }

    /** {@inheritDoc} Waits for ZooKeeper, as long as the client retries. */
    @Override
    public void announce(int service, Place place) {
        // Before the node is there: a session that ends meanwhile is followed by a new announcement.
        if (own.putIfAbsent(service, place) != null) {
            throw inUse(service, null);
        }
        try {
            claim(service, place);
        } catch (KeeperException.NodeExistsException e) {
            own.remove(service, place);
            throw inUse(service, e);
        } catch (Exception e) {
            own.remove(service, place);
            forget(service, place);
            throw away("announced", service, e);
        }
    }

    private static RdmaException inUse(int service, @Nullable Throwable cause) {
        return new RdmaException(
                RdmaErrorCode.ADDRESS_IN_USE,
                "Service " + service
                        + " is hosted by an endpoint already: close that one, wait until the session of its"
                        + " process has ended, or use another id.",
                cause);
    }

    private void claim(int service, Place place) throws Exception {
        String path = path(service);
        byte[] data = encoded(place);
        while (true) {
            try {
                client.create()
                        .creatingParentsIfNeeded()
                        .withMode(CreateMode.EPHEMERAL)
                        .forPath(path, data);
                return;
            } catch (KeeperException.NodeExistsException e) {
                // The client repeats an attempt of which the connection lost the answer: the first one may have made
                // the node.
                Stat stat = new Stat();
                try {
                    if (Arrays.equals(client.getData().storingStatIn(stat).forPath(path), data) && isMine(stat)) {
                        return;
                    }
                } catch (KeeperException.NoNodeException gone) {
                    continue; // the service has ended meanwhile
                }
                throw e;
            }
        }
    }

    /** Deletes the node of an announcement that failed: an attempt of which the answer was lost may have made it. */
    void forget(int service, Place place) {
        leftovers.put(service, place);
        try {
            client.getData()
                    .inBackground((from, event) -> {
                        KeeperException.Code code = KeeperException.Code.get(event.getResultCode());
                        if (code == KeeperException.Code.OK || code == KeeperException.Code.NONODE) {
                            leftovers.remove(service, place); // else the next reconnection tries again
                        }
                        if (code == KeeperException.Code.OK
                                && isMine(event.getStat())
                                && Arrays.equals(event.getData(), encoded(place))
                                && !place.equals(own.get(service))) {
                            client.delete().guaranteed().inBackground().forPath(path(service));
                        }
                    })
                    .forPath(path(service));
        } catch (Exception e) { // the node ends with the session
            LOG.log(Logger.Level.DEBUG, "a node of service {0} may be left: {1}", service, e);
        }
    }

    private boolean isMine(Stat node) throws Exception {
        return node.getEphemeralOwner()
                == client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    private static RdmaException away(String what, int service, @Nullable Throwable cause) {
        return new RdmaException(
                RdmaErrorCode.UNREACHABLE,
                "ZooKeeper does not answer, so service " + service + " cannot be " + what + ": try again later.",
                cause);
    }

    @Override
    public void withdraw(int service, Place place) {
        if (own.remove(service, place)) {
            try {
                client.delete().guaranteed().inBackground().forPath(path(service));
            } catch (Exception e) { // the node ends with the session
                LOG.log(Logger.Level.DEBUG, "service {0} is not withdrawn: {1}", service, e);
            }
        }
    }

    @Override
    public CompletionStage<Place> find(int service) {
        String path = path(service);
        Place known = cache.get(path)
                .map(ChildData::getData)
                .map(ZooKeeperDirectory::decoded)
                .orElse(null);
        if (known != null && (!connected || !doubted.contains(service))) {
            return CompletableFuture.completedFuture(known);
        }
        CompletableFuture<Place> future = new CompletableFuture<>();
        CompletableFuture<Place> before = asked.putIfAbsent(service, future);
        if (before != null) {
            return before;
        }
        if (closed || !connected) {
            failed(service, away("found", service, null));
            return future;
        }
        try {
            client.getData()
                    .inBackground((from, event) -> {
                        KeeperException.Code code = KeeperException.Code.get(event.getResultCode());
                        answered(service, code, code == KeeperException.Code.OK ? decoded(event.getData()) : null);
                    })
                    .forPath(path);
        } catch (Exception e) {
            failed(service, away("found", service, e));
        }
        return future;
    }

    private void answered(int service, KeeperException.Code code, @Nullable Place place) {
        CompletableFuture<Place> future = place == null ? null : asked.remove(service);
        if (future != null) {
            doubted.remove(service);
            future.complete(place);
        } else if (code == KeeperException.Code.OK || code == KeeperException.Code.NONODE) {
            failed(
                    service,
                    new RdmaException(
                            RdmaErrorCode.NOT_FOUND,
                            "ZooKeeper has no service " + service + " in " + base + ": is it running?"));
        } else {
            failed(service, away("found", service, KeeperException.create(code)));
        }
    }

    private void failed(int service, RdmaException cause) {
        CompletableFuture<Place> future = asked.remove(service);
        if (future != null) {
            future.completeExceptionally(cause);
        }
    }

    /** {@inheritDoc} As the copy has them. */
    @Override
    public CompletionStage<SortedMap<Integer, Place>> services() {
        SortedMap<Integer, Place> all = new TreeMap<>();
        cache.stream().forEach(each -> {
            String name = each.getPath().substring(each.getPath().lastIndexOf('/') + 1);
            Place place = decoded(each.getData());
            if (place != null && name.matches("[0-9]{1,5}")) {
                all.put(Integer.parseInt(name), place);
            }
        });
        return CompletableFuture.completedFuture(all);
    }

    @Override
    public void doubt(int service, Place place) {
        doubted.add(service);
    }

    /** On a thread of Curator. */
    private void stateChanged(CuratorFramework from, ConnectionState state) {
        connected = state.isConnected();
        if (!connected) { // the client would retry, perhaps for ever
            asked.keySet().forEach(service -> failed(service, away("found", service, null)));
        }
        if (state == ConnectionState.RECONNECTED) {
            own.forEach(this::announceAgain);
            leftovers.forEach(this::forget);
        }
    }

    /** The session may be another one, so that the node has ended with the old one. */
    private void announceAgain(int service, Place place) {
        try {
            client.getData()
                    .inBackground((from, event) -> {
                        KeeperException.Code code = KeeperException.Code.get(event.getResultCode());
                        if (code == KeeperException.Code.OK && !isMine(event.getStat())) {
                            taken(
                                    service,
                                    place,
                                    event.getData(),
                                    event.getStat().getVersion());
                        } else if (code == KeeperException.Code.NONODE) {
                            createAgain(service, place);
                        }
                    })
                    .forPath(path(service));
        } catch (Exception e) { // the next reconnection tries again
            LOG.log(Logger.Level.WARNING, "service {0} is not announced: {1}", service, e);
        }
    }

    /** The node is of another session: of this process's old one, or of another process. */
    private void taken(int service, Place place, byte[] data, int version) throws Exception {
        if (Arrays.equals(data, encoded(place))) {
            client.delete()
                    .withVersion(version)
                    .inBackground((from, event) -> createAgain(service, place))
                    .forPath(path(service));
        } else {
            own.remove(service, place);
            LOG.log(Logger.Level.WARNING, "service {0} is hosted by another process now, which came first", service);
        }
    }

    private void createAgain(int service, Place place) throws Exception {
        client.create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .inBackground((from, event) -> {
                    KeeperException.Code code = KeeperException.Code.get(event.getResultCode());
                    if (code == KeeperException.Code.NODEEXISTS) {
                        announceAgain(service, place);
                    } else if (code == KeeperException.Code.OK && !place.equals(own.get(service))) {
                        client.delete().guaranteed().inBackground().forPath(path(service)); // withdrawn meanwhile
                    }
                })
                .forPath(path(service), encoded(place));
    }

    // ---- what a node has: "10.0.0.1 7200 RC,RD"

    static byte[] encoded(Place place) {
        String carriers = place.carriers().stream().sorted().map(Enum::name).collect(Collectors.joining(","));
        InetSocketAddress at = place.address();
        return (at.getAddress().getHostAddress() + " " + at.getPort() + " " + carriers).getBytes(UTF_8);
    }

    /** {@return the place; null if the bytes are none} */
    static @Nullable Place decoded(byte @Nullable [] data) {
        String[] parts = data == null ? new String[0] : new String(data, UTF_8).split(" ");
        // Only literal addresses: a name would be looked up on a thread of Curator.
        if (parts.length != 3 || !parts[0].matches("[0-9a-fA-F:.%]+") || !parts[1].matches("[0-9]{1,5}")) {
            return null;
        }
        Set<QueuePairType> carriers = EnumSet.noneOf(QueuePairType.class);
        for (QueuePairType each : QueuePairType.values()) {
            if (Arrays.asList(parts[2].split(",")).contains(each.name())) {
                carriers.add(each);
            }
        }
        int port = Integer.parseInt(parts[1]);
        if (carriers.isEmpty() || port < 1 || port > HIGHEST) {
            return null;
        }
        try {
            return new Place(new InetSocketAddress(InetAddress.getByName(parts[0]), port), carriers);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Withdraws the services that this directory has announced, and frees its copy of the nodes. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            asked.keySet().forEach(service -> failed(service, away("found", service, null)));
            own.forEach(this::withdraw);
            client.getConnectionStateListenable().removeListener(whenConnected);
            cache.close();
        }
    }
}
