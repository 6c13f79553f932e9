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
 * One message and what of it has arrived: the log entry of a Write-Record, the record of an incomplete Send or of a partial
 * Read. While the message is open, it belongs to the endpoint. Once it is handed to the {@link DatagramListener}, its
 * values do not change and it belongs to the holder of the completion, until {@link #release}; it is then reused.
 */
public final class MessageRecord {
    /** Where a record stands. */
    enum State {
        FREE,
        OPEN,
        /** Ended; the completion is told, or waits to be. */
        ENDED
    }

    private final RecordPool pool;

    // What it is about.
    final DatagramAddress source = new DatagramAddress();
    // Its own, whatever other records are about the same range (DG-7-10).
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

    // For the endpoint, while it is open.
    final ArrivalPace pace = new ArrivalPace();
    long hash;
    long lastsUntil;
    long idleNanos;
    final Deadline<MessageRecord> deadline = new Deadline<>(this);
    boolean stranger;

    @Nullable
    MessageSource origin;

    /** UD: its part of what its host has of all records, of their bits, and of the receives that they hold. */
    @Nullable
    Share share;

    @Nullable
    Share ofBits;

    @Nullable
    Share ofReceives;

    /** While open, among all open records; then in the log. */
    final ListPlace<MessageRecord> inPool = new ListPlace<>(this);

    final ListPlace<MessageRecord> ofSource = new ListPlace<>(this);

    /** One chain at a time: that of the hash table while open, then those of released and free records. */
    @Nullable
    MessageRecord link;

    private @Nullable Object note;

    MessageRecord(RecordPool pool) {
        this.pool = pool;
    }

    /** Notes of which message of which source it is. */
    void about(ReceivedDatagram datagram, int ofOpcode) {
        Shim shim = datagram.shim();
        source.set(datagram.source());
        sourceQpn = shim.sourceQpn();
        messageId = shim.messageId();
        length = shim.messageLength();
        group = shim.group();
        opcode = ofOpcode;
    }

    /** Puts bytes of the message where they belong, in whatever order they come (DG-7-1); the range was checked. */
    void place(long offset, ByteBuffer from, int index, int bytes) {
        TaggedBuffer to = region;
        ReceiveOperation into = receive;
        if (to != null && bytes > 0) {
            to.put(to.position(baseOffset + offset), from, index, bytes);
        } else if (into != null) {
            into.memory().place(offset, from, index, bytes);
        }
    }

    /** {@return whether bytes of peers may go there now} */
    boolean memoryValid(long nowNanos) {
        return memoryValid() && (region == null || !region.expired(nowNanos));
    }

    /** {@return whether that peer sends it} */
    boolean isOf(DatagramPeer peer) {
        return sourceQpn == peer.queuePairNumber() && source.equals(peer.address());
    }

    /** {@return whether the memory it is placed into is still registered} */
    boolean memoryValid() {
        ReceiveOperation into = receive;
        return (region == null || region.valid())
                && (into == null || into.memory().valid());
    }

    /** {@return how the message ended} */
    public OperationStatus status() {
        return status;
    }

    /** {@return whether it is a Write-Record; else it is a Send or the answer to a Read} */
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

    /** {@return which bytes are placed, counted from the first of the message} Valid until {@link #release}. */
    public SegmentMap map() {
        return map;
    }

    /** {@return the sender's address} Not to be changed. */
    public DatagramAddress source() {
        return source;
    }

    /** {@return the sender's queue pair} */
    public int sourceQpn() {
        return sourceQpn;
    }

    /** {@return whether it was sent to a group} */
    public boolean group() {
        return group;
    }

    /** {@return what the holder of the record has noted; it stays when the record is used again} */
    public @Nullable Object note() {
        return note;
    }

    /** Has the holder of the record note something, such as what it shows to a program. */
    public void note(@Nullable Object what) {
        note = what;
    }

    /** Gives it back, once; nothing of it may be used afterwards. Any thread; never blocks. */
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
