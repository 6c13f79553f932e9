package dev.jwarp.messaging;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** What one test hosts, at ports of loopback that the system chooses. */
class LoopbackDirectory implements Directory {
    private final Map<Integer, Place> hosted = new ConcurrentHashMap<>();

    @Override
    public InetSocketAddress bindAddress(int service) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @Override
    public void announce(int service, Place place) {
        hosted.put(service, place);
    }

    @Override
    public void withdraw(int service, Place place) {
        hosted.remove(service, place);
    }

    @Override
    public CompletionStage<Place> find(int service) {
        Place found = hosted.get(service);
        return found != null
                ? CompletableFuture.completedFuture(found)
                : CompletableFuture.failedFuture(new RdmaException(RdmaErrorCode.NOT_FOUND, "Not hosted here."));
    }

    @Override
    public CompletionStage<SortedMap<Integer, Place>> services() {
        return CompletableFuture.completedFuture(new TreeMap<>(hosted));
    }

    @Override
    public void doubt(int service, Place place) {}

    @Override
    public void close() {}
}
