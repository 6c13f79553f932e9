package dev.jwarp.sim;

import dev.jwarp.llp.Progressing;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A host of a {@link SimNetwork}: polling or waiting on any of them advances the whole network. */
abstract class SimHost implements Progressing {
    final SimNetwork network;
    final InetAddress host;
    private boolean woken;

    SimHost(SimNetwork network, InetAddress host) {
        this.network = network;
        this.host = host;
    }

    /** {@return the address of the host with this port} */
    public InetSocketAddress address(int port) {
        return new InetSocketAddress(host, port);
    }

    @Override
    public boolean inline() {
        return true;
    }

    @Override
    public boolean poll() {
        return network.poll();
    }

    @Override
    public void await(long nanos) {
        long limit = woken ? 0 : nanos;
        woken = false; // before: the network may wake this host meanwhile
        network.await(limit);
    }

    @Override
    public void later(Runnable task) {
        network.afterCalls().add(task);
    }

    @Override
    public boolean movedHere() {
        return network.isStepping();
    }

    @Override
    public void wakeup() {
        woken = true;
    }
}
