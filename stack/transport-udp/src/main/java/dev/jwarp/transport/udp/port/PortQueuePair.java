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
 * One queue pair of a port as the {@link UdpEngine} sees it: the layer between the engine and the layer above, for UD
 * and for RD; the calls that a service does not need do nothing. After each of these calls the engine asks for output with {@link #fill}, after {@link #receive} only if
 * {@link #hasOutput}, so no call has to announce output (other threads ring the doorbell). The owner's thread only; no
 * call blocks; none allocates in steady state.
 */
public interface PortQueuePair {
    /**
     * A datagram for this queue pair that has passed checks 1 to 8 (datagram-iWARP §5); datagrams to groups do not come
     * here. A cookie has not been checked: see {@link PortServices#proves}.
     *
     * @param parsed the datagram; with its parts valid during the call only
     */
    void receive(DatagramParser parsed, long nowNanos);

    /**
     * {@return whether {@link #receiveNext} may accept a datagram} Called after {@link #receive}.
     */
    default boolean wantsNext() {
        return false;
    }

    /**
     * A datagram that follows the one received last as {@link dev.jwarp.llp.datagram.DatagramUpperLayer#onNextSegment} asks.
     *
     * @param before the offset of the body of the datagram received last, which has no extension
     * @param offset the offset of this datagram's body
     * @return whether the datagram was accepted; if not, {@link #receive} follows
     */
    default boolean receiveNext(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return false;
    }

    /** {@return whether {@link #fill} has work after {@link #receive}} Saves the turn of a queue pair that only receives. */
    default boolean hasOutput() {
        return true;
    }

    /**
     * The queue pair's turn to send: writes datagrams while there are some and {@link SendBuffer#hasRoom}.
     *
     * @return whether lack of room ended the turn, so that there may be more
     */
    boolean fill(SendBuffer out, long nowNanos);

    /**
     * The system will never take a datagram; {@code message} is the argument of {@link SendBuffer#end}, if not null.
     * The engine notifies the layer above.
     */
    default void onUnsendable(OutboundMessage message, long nowNanos) {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#ready}. */
    default void onReady(long nowNanos) {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#resetPeer}. */
    default void resetPeer(@Nullable DatagramPeer peer) {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#stop}. */
    default void stop() {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#resume}. */
    default void resume() {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#refuse}. */
    void refuse(DatagramPeer peer, Shim question, TerminateCode code, long nowNanos);

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#abandon}. */
    default void abandon(DatagramPeer peer, long nowNanos) {}

    /** See {@link dev.jwarp.llp.datagram.DatagramLowerLayer#limits}; any thread. */
    default void limits(LimitSink sink) {}

    /** {@return when the pace lets {@link #fill} write further datagrams; only a fill is wanted then} */
    default long nextSend() {
        return Long.MAX_VALUE;
    }

    /** {@return when {@link #onTimeout} is wanted; the layer above has timeouts of its own} */
    default long nextTimeout() {
        return Long.MAX_VALUE;
    }

    /** The time of {@link #nextTimeout}, or of one of the layer above, has come. */
    default void onTimeout(long nowNanos) {}

    /**
     * The queue pair is detached from the port; the last call. Datagrams that this call adds to {@link
     * PortServices#answers} are still sent (RD-RESET 3). The engine notifies the layer above.
     */
    default void onDetached() {}

    /** Creates queue pairs of one service: how the engine creates reliable queue pairs. */
    interface Factory {
        /**
         * {@return a queue pair below {@code upper}; the engine calls {@code upper.onAttached} afterwards} Owner thread
         * only.
         */
        PortQueuePair open(PortServices port, DatagramUpperLayer upper, long nowNanos);
    }
}
