package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.EffectiveSetting;
import dev.jwarp.verbs.KeepAlive;

/**
 * What a stream is set up with.
 *
 * @param protocol that both ends have to speak
 * @param receiveBytes that can be received before they are read, at first; even
 * @param mostReceiveBytes that can be, once it was too little for a stream whose program has read all that had come; even
 * @param sendBytes that can be sent before the peer has them
 * @param keepAlive whether a peer that is gone is noticed while nothing is sent
 * @param maps ranges of its memory that the peer can tell of at a time, to be written to by offsets; of rsockets
 * @param credits messages that can be received before they are read; of credits
 * @param copyBytes a write of fewer bytes is copied; of credits
 * @param directBytes a write or read of fewer bytes goes in messages; of credits; 0: all do
 */
public record StreamSetUp(
        StreamProtocol protocol,
        int receiveBytes,
        int mostReceiveBytes,
        int sendBytes,
        boolean keepAlive,
        int maps,
        int credits,
        int copyBytes,
        int directBytes) {
    /** As librdmacm has it, and more where it is needed. */
    public static final StreamSetUp DEFAULT = new StreamSetUp(
            StreamProtocol.RSOCKETS,
            RsocketQueuePair.RING,
            RsocketQueuePair.MOST,
            RsocketQueuePair.RING,
            false,
            0,
            CreditQueuePair.CREDITS,
            CreditQueuePair.COPY_BYTES,
            0);

    /**
     * {@return one that can receive so much} What has the usual size grows where it is needed, and what a program has made smaller or larger does not.
     *
     * @param receiveBytes even
     * @param sendBytes that can be sent before the peer has them
     * @param keepAlive whether a peer that is gone is noticed while nothing is sent
     */
    public static StreamSetUp of(int receiveBytes, int sendBytes, boolean keepAlive) {
        int most = receiveBytes == DEFAULT.receiveBytes ? DEFAULT.mostReceiveBytes : receiveBytes;
        return new StreamSetUp(
                DEFAULT.protocol,
                receiveBytes,
                most,
                sendBytes,
                keepAlive,
                0,
                DEFAULT.credits,
                DEFAULT.copyBytes,
                DEFAULT.directBytes);
    }

    /**
     * {@return the same, but that the peer can tell of so many ranges of its memory}
     *
     * @param count 0 or more
     */
    public StreamSetUp withMaps(int count) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, count, credits, copyBytes, directBytes);
    }

    /**
     * {@return the same with another protocol}
     *
     * @param spoken that both ends have to speak
     * @param most messages that can be received before they are read, if that is {@link StreamProtocol#CREDITS}: {@link
     *     dev.jwarp.sockets.stream.CreditEngine#LEAST_CREDITS} to {@link dev.jwarp.sockets.stream.CreditEngine#MOST_CREDITS}
     */
    public StreamSetUp withProtocol(StreamProtocol spoken, int most) {
        return new StreamSetUp(
                spoken, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, maps, most, copyBytes, directBytes);
    }

    /**
     * {@return the same with another bound of what is copied}
     *
     * @param bytes a write of fewer is copied, with {@link StreamProtocol#CREDITS}; 0 or more
     */
    public StreamSetUp withCopyBytes(int bytes) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, maps, credits, bytes, directBytes);
    }

    /**
     * {@return the same with another bound of what need not be copied at either end}
     *
     * @param bytes a write or read of fewer goes in messages, with {@link StreamProtocol#CREDITS}; 0: all do, and the peer is not offered anything else
     */
    public StreamSetUp withDirectBytes(int bytes) {
        return new StreamSetUp(
                protocol, receiveBytes, mostReceiveBytes, sendBytes, keepAlive, maps, credits, copyBytes, bytes);
    }

    /** {@return whether a peer is offered data that are not copied: that cannot be where there are no Atomics or no RDMA Reads} */
    boolean direct(Context context) {
        DeviceAttributes device = context.device().attributes();
        return directBytes > 0
                && device.atomics() != DeviceAttributes.AtomicCapability.NONE
                && device.maxReadAtomicPerQueuePair() > 0
                && device.maxInitiatorReadAtomic() > 0
                && context.configuration().stream().noneMatch(StreamSetUp::forbids);
    }

    /** {@return whether a setting takes from a context what its device could do} */
    private static boolean forbids(EffectiveSetting one) {
        return switch (one.setting().key()) {
            case "jwarp.rdmap.extensions" -> one.value().equals("off");
            case "jwarp.device.read-depth" -> one.value().equals("0");
            default -> false;
        };
    }

    /** {@return the parameters of the connection, but for its private data} */
    ConnectionParameters parameters() {
        return ConnectionParameters.DEFAULT.withKeepAlive(keepAlive ? null : KeepAlive.OFF);
    }
}
