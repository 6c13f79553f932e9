package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Share;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.datagram.SegmentMap;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.MessageSources.MessageSource;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One message and its parts that have arrived: the log entry of a Write-Record, or the record of an incomplete Send or
 * a partial Read. While the message is open, the record belongs to the endpoint. Once passed to the {@link
 * DatagramListener}, the record does not change and belongs to the holder of the completion until {@link #release};
 * then it is reused.
 */
public final class MessageRecord {
    /** The states of a record. */
    enum State {
        FREE,
        OPEN,
        /** Ended; the completion is reported or waits to be reported. */
        ENDED
    }

    private final RecordPool pool;

    // The message.
    final DatagramAddress source = new DatagramAddress();
    // Independent of other records about the same range (DG-7-10).
    final SegmentMap map = new SegmentMap();
    State state = State.FREE;
    OperationStatus status = OperationStatus.SUCCESS;
    int opcode;
    int sourceQpn;
    int messageId;
    int stag;
    long baseOffset;
    long length;
    boolean group;

    @Nullable
    TaggedBuffer region;

    @Nullable
    ReceiveOperation receive;

    // Used by the endpoint while the record is open.
    final ArrivalPace pace = new ArrivalPace();
    long hash;
    long lastsUntil;
    long idleNanos;
    final Deadline<MessageRecord> deadline = new Deadline<>(this);
    boolean stranger;

    @Nullable
    MessageSource origin;

    /** UD: the shares of this record's host in all records, in their bitmaps, and in the receives that they hold. */
    @Nullable
    Share share;

    @Nullable
    Share ofBits;

    @Nullable
    Share ofReceives;

    /** Link among all open records, then in the log. */
    final ListPlace<MessageRecord> inPool = new ListPlace<>(this);

    final ListPlace<MessageRecord> ofSource = new ListPlace<>(this);

    /** Link in one chain at a time: of the hash table while open, then of released records, then of free records. */
    @Nullable
    MessageRecord link;

    private @Nullable Object note;

    MessageRecord(RecordPool pool) {
        this.pool = pool;
    }

    /** Sets the source and message of this record. */
    void about(ReceivedDatagram datagram, int ofOpcode) {
        Shim shim = datagram.shim();
        source.set(datagram.source());
        sourceQpn = shim.sourceQpn();
        messageId = shim.messageId();
        length = shim.messageLength();
        group = shim.group();
        opcode = ofOpcode;
    }

    /** Places bytes of the message, in any order of arrival (DG-7-1); the range was checked. */
    void place(long offset, ByteBuffer from, int index, int bytes) {
        TaggedBuffer to = region;
        ReceiveOperation into = receive;
        if (to != null && bytes > 0) {
            to.put(to.position(baseOffset + offset), from, index, bytes);
        } else if (into != null) {
            into.memory().place(offset, from, index, bytes);
        }
    }

    /** {@return whether peers' bytes may be placed now} */
    boolean memoryValid(long nowNanos) {
        return memoryValid() && (region == null || !region.expired(nowNanos));
    }

    /** {@return whether this peer sends the message} */
    boolean isOf(DatagramPeer peer) {
        return sourceQpn == peer.queuePairNumber() && source.equals(peer.address());
    }

    /** {@return whether the target memory is still registered} */
    boolean memoryValid() {
        ReceiveOperation into = receive;
        return (region == null || region.valid())
                && (into == null || into.memory().valid());
    }

    /** {@return how the message ended} */
    public OperationStatus status() {
        return status;
    }

    /** {@return whether the message is a Write-Record; otherwise a Send or a Read Response} */
    public boolean writeRecord() {
        return opcode == RdmapOpcode.WRITE_RECORD;
    }

    /** {@return the STag of a Write-Record} */
    public int stag() {
        return stag;
    }

    /** {@return the tagged offset of a Write-Record's first byte} */
    public long baseOffset() {
        return baseOffset;
    }

    /** {@return bytes of the whole message} */
    public long length() {
        return length;
    }

    /** {@return bytes that are placed} */
    public long validBytes() {
        return map.validBytes();
    }

    /** {@return the map of placed bytes, relative to the start of the message} Valid until {@link #release}. */
    public SegmentMap map() {
        return map;
    }

    /** {@return the sender's address} The caller must not change it. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return the sender's queue pair} */
    public int sourceQpn() {
        return sourceQpn;
    }

    /** {@return whether the message was sent to a group} */
    public boolean group() {
        return group;
    }

    /** {@return the attachment of the record's holder, which is kept when the record is reused} */
    public @Nullable Object note() {
        return note;
    }

    /** Sets the attachment of the record's holder, such as its view of the record for a program. */
    public void note(@Nullable Object what) {
        note = what;
    }

    /** Releases the record. Called once; the record must not be used afterwards. Any thread; never blocks. */
    public void release() {
        pool.release(this);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "message %d of queue pair %d at %s: %s, STag 0x%08x, %s",
                Integer.toUnsignedLong(messageId),
                sourceQpn,
                source,
                status,
                stag,
                map);
    }
}
