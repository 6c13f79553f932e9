package dev.jwarp.transport.udp.port;

import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.DatagramUpperLayer;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.engine.UdpEngine;
import dev.jwarp.transport.udp.wire.DatagramParser;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One queue pair of a port as the {@link UdpEngine} sees it: what stands between the engine and the layer above, for UD
 * and for RD. After each of these calls the engine asks for output with {@link #fill}, after {@link #receive} only if there may be some
 * (from other threads: the doorbell). The owner's thread only; no call blocks; none allocates in steady state.
 */
public interface PortQueuePair {
    /**
     * A datagram for this queue pair that has passed checks 1 to 8 (datagram-iWARP §5); those to a group do not come here.
     * A cookie in it has not been looked at: {@link PortServices#proves}.
     *
     * @param parsed what it is; valid during the call only, as are the parts of it
     */
    void receive(DatagramParser parsed, long nowNanos);

    /**
     * {@return whether {@link #receiveNext} is worth a call} Asked after {@link #receive}.
     */
    default boolean wantsNext() {
        return false;
    }

    /**
     * A datagram that follows the one received last as {@link dev.jwarp.llp.datagram.DatagramUpperLayer#onNextSegment} asks.
     *
     * @param before where the body of the one received last begins, which has no extension
     * @param offset where that of this one begins
     * @return whether it was taken; if not, it is for {@link #receive}
     */
    default boolean receiveNext(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return false;
    }

    /** {@return whether {@link #fill} has work after {@link #receive}} Saves the turn of a queue pair that only receives. */
    default boolean hasOutput() {
        return true;
    }

    /**
     * Its turn to send: writes datagrams while {@link SendBuffer#hasRoom} says so and there is something.
     *
     * @return whether it was ended by the lack of room: there may be more
     */
    boolean fill(SendBuffer out, long nowNanos);

    /** Every datagram of the last {@link #fill} is with the system, or was reported by {@link #onUnsendable}. */
    void onTransmitted(long nowNanos);

    /** The system will never take a datagram; {@code message} is what was given to {@link SendBuffer#end}, if not null. */
    void onUnsendable(OutboundMessage message, String sentence, long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#ready}. */
    void onReady(long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#resetPeer}. */
    void resetPeer(@Nullable DatagramPeer peer, long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#stop}. */
    void stop(long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#resume}. */
    void resume();

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#refuse}. */
    void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#abandon}. */
    void abandon(DatagramPeer peer, long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#limits}; any thread. */
    default void limits(LimitSink sink) {}

    /** {@return when {@link #fill} may have something that it has not now, because of a pace; nothing but a fill is wanted then} */
    default long nextSend() {
        return Long.MAX_VALUE;
    }

    /** {@return when {@link #onTimeout} is wanted, its own times and those of the layer above} */
    long nextTimeout();

    /** The time asked for has come. */
    void onTimeout(long nowNanos);

    /**
     * It leaves the port; the last call. What it puts into {@link PortServices#answers} is still sent (RD-RESET 3). The
     * layer above is told by the engine.
     */
    void onDetached(long nowNanos);

    /** Makes what stands below the layer above for one service: how the engine gets at reliable queue pairs. */
    interface Factory {
        /** {@return one below {@code upper}, which is told of its attachment by the engine afterwards} Owner thread only. */
        PortQueuePair open(PortServices port, DatagramUpperLayer upper, long nowNanos);
    }
}
