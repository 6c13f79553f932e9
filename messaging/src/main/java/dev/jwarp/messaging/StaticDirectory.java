package dev.jwarp.messaging;

import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A directory that is a table. A service of the table is hosted at its address of the table; any other service at a
 * free port of all local addresses, where other programs find it only if it has sent them something.
 *
 * <p>Threads: any.
 */
public final class StaticDirectory implements Directory {
    private static final int HIGHEST = 0xffff;

    private final Map<Integer, InetSocketAddress> table;
    private final Map<Integer, Place> hosted = new ConcurrentHashMap<>();

    /**
     * Creates the directory.
     *
     * @param table addresses by service id, 1 to 65,535
     * @throws RdmaException INVALID_ARGUMENT if a service id is out of range
     */
    public StaticDirectory(Map<Integer, InetSocketAddress> table) {
        this.table = Map.copyOf(RdmaException.requireArgument(table, "table"));
        this.table.keySet().forEach(StaticDirectory::check);
    }

    /**
     * {@return a directory from text such as {@code 7=10.0.0.1:7200,8=[fe80::1]:7200}}
     *
     * @param text services, separated by commas
     * @throws RdmaException INVALID_ARGUMENT with the part that was not understood
     */
    public static StaticDirectory parse(String text) {
        Map<Integer, InetSocketAddress> table = new ConcurrentHashMap<>();
        for (String part : RdmaException.requireArgument(text, "text").split(",", -1)) {
            int equals = part.indexOf('=');
            int colon = part.lastIndexOf(':');
            try {
                int service = Integer.parseInt(part.substring(0, equals).strip());
                String host = part.substring(equals + 1, colon).strip().replaceAll("^\\[|]$", "");
                int port = Integer.parseInt(part.substring(colon + 1).strip());
                table.put(service, new InetSocketAddress(host, port));
            } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                throw new RdmaException(
                        RdmaErrorCode.INVALID_ARGUMENT,
                        "\"" + part + "\" is not a service with its address: write 7=10.0.0.1:7200.",
                        e);
            }
        }
        return new StaticDirectory(table);
    }

    private static void check(int service) {
        if (service < 1 || service > HIGHEST) {
            throw new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, "A service id is 1 to 65535, not " + service + ".");
        }
    }

    @Override
    public InetSocketAddress bindAddress(int service) {
        InetSocketAddress there = table.get(service);
        return there == null ? new InetSocketAddress(0) : there;
    }

    @Override
    public void announce(int service, Place place) {
        if (hosted.putIfAbsent(service, place) != null) {
            throw new RdmaException(
                    RdmaErrorCode.ADDRESS_IN_USE,
                    "Service " + service + " is hosted by this process already: close that endpoint first.");
        }
    }

    @Override
    public void withdraw(int service, Place place) {
        hosted.remove(service, place);
    }

    @Override
    public CompletionStage<Place> find(int service) {
        InetSocketAddress there = table.get(service);
        if (there != null) {
            return CompletableFuture.completedFuture(at(there));
        }
        return CompletableFuture.failedFuture(new RdmaException(
                RdmaErrorCode.NOT_FOUND,
                "The directory has no service " + service + ": add it, or use the id of one that it has."));
    }

    /** Any carrier: the set-up of the conversation shows which ones the service has. */
    private static Place at(InetSocketAddress address) {
        return new Place(address, EnumSet.allOf(QueuePairType.class));
    }

    /** {@inheritDoc} The whole table, whether the services run or not. */
    @Override
    public CompletionStage<SortedMap<Integer, Place>> services() {
        SortedMap<Integer, Place> all = new TreeMap<>();
        table.forEach((service, address) -> all.put(service, at(address)));
        return CompletableFuture.completedFuture(all);
    }

    /** The table does not change: without effect. */
    @Override
    public void doubt(int service, Place place) {}

    @Override
    public void close() {}
}
