package dev.jwarp.tools.perf;

import java.net.InetAddress;
import java.util.List;

/**
 * The data of the lines above the rows.
 *
 * @param device its name
 * @param mtu bytes of an IP packet
 * @param connectionManager whether to show rdma_cm as the maker of the queue pairs
 * @param local this end's queue pairs
 * @param remote the other end's, in the same order
 */
public record PageHead(String device, int mtu, boolean connectionManager, List<Endpoint> local, List<Endpoint> remote) {
    /** Copies the lists. */
    public PageHead {
        local = List.copyOf(local);
        remote = List.copyOf(remote);
    }

    /**
     * A queue pair and the memory behind it.
     *
     * @param queuePair its number
     * @param key of the memory
     * @param address of the memory
     * @param host the host of the queue pair
     */
    public record Endpoint(int queuePair, int key, long address, InetAddress host) {}
}
