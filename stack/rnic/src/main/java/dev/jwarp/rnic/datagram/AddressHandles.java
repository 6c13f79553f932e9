package dev.jwarp.rnic.datagram;

import dev.jwarp.base.LinkedPlaces;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramPort;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rnic.core.FailureNames;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The address handles of one queue pair. The port treats the addresses of trusted handles as validated. Any thread. */
public final class AddressHandles {
    private static final int MOST_HOPS = 255;

    private final RnicDatagramQueuePair queuePair;
    private final DatagramPort port;

    /** In creation order; guarded by itself. A program may have handles for very many peers. */
    private final LinkedPlaces<RnicAddressHandle> handles = new LinkedPlaces<>();

    AddressHandles(RnicDatagramQueuePair queuePair, DatagramPort port) {
        this.queuePair = queuePair;
        this.port = port;
    }

    /** {@return a handle for a peer, checked} The address counts as validated, because the program chose it. */
    RnicAddressHandle create(InetSocketAddress address, int number, int key, int pathMtu, long pace) {
        return create(address, number, key, pathMtu, pace, true);
    }

    /** {@return a handle for the sender of a message} The source address may be forged, so it is not validated. */
    RnicAddressHandle answering(WorkCompletion completion, int key) {
        int mtu = queuePair.datagramAttributes().pathMtu();
        return create(source(completion), completion.sourceQueuePairNumber(), key, mtu, 0, false);
    }

    private RnicAddressHandle create(
            InetSocketAddress address, int number, int key, int pathMtu, long pace, boolean trusted) {
        if (address.isUnresolved()) {
            throw new RdmaException(
                    RdmaErrorCode.ADDRESS_NOT_AVAILABLE, "The host " + address.getHostString() + " is unknown.");
        }
        if (address.getPort() == 0 || address.getAddress().isAnyLocalAddress()) {
            throw refused("cannot be a destination: it needs an address and a port", address);
        }
        checkFamily(address);
        if (port.group(address)) {
            if (number != Shim.GROUP_QPN || queuePair.type() != QueuePairType.UD) {
                throw refused("is a group: joinGroup makes a handle for it, or number 0xFFFFFF with UD", address);
            }
            checkPath(address, pathMtu, pace);
            return add(address, number, key, pathMtu, pace, false); // datagram-iWARP §G.3 (DG-G.3-1)
        }
        boolean byDefault = number == Shim.DEFAULT_QPN && queuePair.type() == QueuePairType.UD;
        if (!byDefault && (number < Shim.SMALLEST_QPN || number >= Shim.GROUP_QPN)) {
            throw refused(
                    "has no queue pair " + number + ": numbers are 16 to 0xFFFFFE"
                            + (queuePair.type() == QueuePairType.UD ? ", or 0 for the default one" : ""),
                    address);
        }
        checkPath(address, pathMtu, pace);
        return add(address, number, key, pathMtu, pace, trusted);
    }

    private static void checkPath(InetSocketAddress address, int pathMtu, long pace) {
        if (pathMtu != 0 && (pathMtu < DatagramLimits.SMALLEST_MTU || pathMtu > DatagramLimits.LARGEST_MTU)) {
            throw refused(
                    "cannot have a path MTU of " + pathMtu + ": it is 576 to 65535 bytes, or 0 for discovery", address);
        }
        if (pace < 0) {
            throw refused("cannot have a pace of " + pace + " bytes per second", address);
        }
    }

    /**
     * Rejects an address that the port's socket cannot send to. A socket at the IPv6 wildcard address sends to both
     * versions.
     */
    private void checkFamily(InetSocketAddress address) {
        InetAddress here = queuePair.localAddress().getAddress();
        boolean both = here.isAnyLocalAddress() && here instanceof Inet6Address;
        if (!both && here.getClass() != address.getAddress().getClass()) {
            throw refused(
                    "cannot be reached from " + here.getHostAddress() + ", which is of another IP version", address);
        }
    }

    /** {@return the wildcard address of the same IP version} */
    static InetAddress anywhere(InetAddress address) {
        try {
            return InetAddress.getByAddress(new byte[address.getAddress().length]);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 4 or 16 bytes", e);
        }
    }

    private static RdmaException refused(String why, InetSocketAddress address) {
        return new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, address + " " + why + ".");
    }

    private RnicAddressHandle add(
            InetSocketAddress address, int number, int key, int pathMtu, long pace, boolean trusted) {
        int largest = pathMtu == 0 ? 0 : pathMtu - DatagramAddress.of(address).headers();
        DatagramPeer peer = new DatagramPeer(address, number, key, largest, pace);
        RnicAddressHandle handle = new RnicAddressHandle(queuePair, peer, trusted);
        if (trusted) {
            port.trust(handle.peer().address());
        }
        synchronized (handles) {
            handles.add(handle);
        }
        return handle;
    }

    /** {@return the source of a message} */
    private static InetSocketAddress source(WorkCompletion completion) {
        InetSocketAddress source = completion.source();
        if (source == null) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT, "The completion has no source: " + completion + ".");
        }
        return source;
    }

    public int size() {
        synchronized (handles) {
            return handles.size();
        }
    }

    /** {@return a snapshot of the handles} */
    public List<RnicAddressHandle> copy() {
        synchronized (handles) {
            List<RnicAddressHandle> all = new ArrayList<>(handles.size());
            for (RnicAddressHandle handle = handles.first(); handle != null; handle = handles.after(handle)) {
                all.add(handle);
            }
            return all;
        }
    }

    /** {@return the handle; throws INVALID_ARGUMENT if it belongs to another queue pair} */
    RnicAddressHandle own(AddressHandle handle) {
        if (!(handle instanceof RnicAddressHandle own) || own.queuePair() != queuePair) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The address handle is of another queue pair than " + queuePair + ".");
        }
        return own;
    }

    /** Removes a handle that is closed. */
    void remove(RnicAddressHandle handle) {
        boolean there;
        synchronized (handles) {
            there = handles.remove(handle);
        }
        if (there && handle.trusted()) {
            port.forget(handle.peer().address());
        }
    }

    /** Removes all handles, at the end of the queue pair. */
    void removeAll() {
        copy().forEach(this::remove);
    }

    /** {@return a handle to send to a group, after joining the group} */
    RnicAddressHandle join(InetSocketAddress group, @Nullable NetworkInterface on, int key) {
        if (queuePair.type() != QueuePairType.UD) {
            throw new RdmaException(
                    RdmaErrorCode.NOT_SUPPORTED, queuePair + " is of type RD: nothing is reliable in a group. Use UD.");
        }
        if (group.isUnresolved() || group.getPort() == 0 || !port.group(group)) {
            throw refused(
                    "is no group: a group has a port and a multicast or broadcast address; the broadcast"
                            + " address of one network needs jwarp.udp.broadcast=on",
                    group);
        }
        checkFamily(group);
        try {
            port.join(queuePair.number(), group, on, key);
        } catch (LlpException e) {
            throw FailureNames.exception(e);
        }
        // datagram-iWARP §G.3 (DG-G.3-1).
        return add(group, Shim.GROUP_QPN, key, queuePair.datagramAttributes().pathMtu(), 0, false);
    }

    /** Sets how datagrams to groups leave the port. */
    void sendToGroups(@Nullable NetworkInterface through, int hops, boolean loop) {
        if (hops < 0 || hops > MOST_HOPS) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Datagrams to groups go 0 to " + MOST_HOPS + " hops, not " + hops + ".");
        }
        try {
            port.sendToGroups(through, hops, loop);
        } catch (LlpException e) {
            throw FailureNames.exception(e);
        }
    }

    void leave(InetSocketAddress group) {
        port.leave(queuePair.number(), group);
    }
}
