package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.AccessFault;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ScatterList;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Copies the scatter/gather elements of work requests into operations, after checks of the domain, the bounds and the
 * access flags. One object per domain; stateless; any thread. After an exception, the operation is partly filled and
 * must not be posted.
 */
public final class RequestMemory {
    private final RnicProtectionDomain domain;
    private final STagTable tags;
    private final TaggedAccess admission;

    RequestMemory(RnicProtectionDomain domain) {
        this.domain = domain;
        tags = domain.core().tags();
        admission = new TaggedAccess(tags, domain.id(), 0);
    }

    /** Fills a receive. */
    public void fill(ReceiveOperation operation, ReceiveWorkRequest request, int maximum) {
        ScatterList memory = operation.memory();
        memory.clear();
        operation.workRequestId(request.id());
        addElements(memory, request, maximum, Access.LOCAL_WRITE);
    }

    /**
     * Adds all elements of a request.
     *
     * @param maximum number of elements
     * @param access the access that the regions must grant: LOCAL_WRITE or 0
     */
    public void addElements(ScatterList memory, WorkRequest<?> request, int maximum, int access) {
        int count = checkCount(request, maximum);
        for (int i = 0; i < count; i++) {
            TaggedBuffer buffer = element(request, i, access);
            memory.add(buffer, buffer.position(request.address(i)), request.length(i));
        }
    }

    /**
     * {@return the number of elements of a request} Throws if there are more than {@code maximum}, or if a receive is
     * longer than {@link Integer#MAX_VALUE} bytes.
     */
    public static int checkCount(WorkRequest<?> request, int maximum) {
        int count = request.elementCount();
        if (count > maximum) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    name(request) + " has " + count + " scatter/gather elements, but may have " + maximum + ".");
        }
        if (count > 1 && request instanceof ReceiveWorkRequest && length(request) > Integer.MAX_VALUE) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    name(request) + " has " + length(request) + " bytes; a receive has at most " + Integer.MAX_VALUE
                            + ".");
        }
        return count;
    }

    /**
     * Adds the payload of a send: the memory of its elements, or a copy of its inline data.
     *
     * @param attributes of the queue pair, with the limits of elements and inline data
     * @param queuePair named in exceptions
     */
    public void addPayload(
            ScatterList memory, SendWorkRequest request, QueuePairAttributes attributes, Object queuePair) {
        if (!request.inline()) {
            addElements(memory, request, attributes.maxSendElements(), 0);
            return;
        }
        ByteBuffer data = request.inlineData();
        long length = data == null ? length(request) : data.remaining();
        if (length > attributes.maxInlineData()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    name(request) + " has " + length + " bytes of inline data, but " + queuePair + " takes "
                            + attributes.maxInlineData()
                            + ". Create it with a larger maxInlineData, or send from a region.");
        }
        if (data == null) {
            addInline(memory, request);
        } else {
            memory.addInline(data, data.position(), data.remaining());
        }
    }

    /** Checks that a request without a payload has no inline data. */
    public static void checkNoInline(SendWorkRequest request) {
        if (request.inline()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    name(request) + ": " + request.opcode() + " has no data to send: inline is for Sends and Writes.");
        }
    }

    /** Copies the bytes of all elements. */
    private void addInline(ScatterList memory, WorkRequest<?> request) {
        for (int i = 0; i < request.elementCount(); i++) {
            TaggedBuffer buffer = element(request, i, 0);
            memory.addInline(buffer, buffer.position(request.address(i)), request.length(i));
        }
    }

    /** {@return the sum of the elements' lengths in bytes} */
    private static long length(WorkRequest<?> request) {
        long length = 0;
        for (int i = 0; i < request.elementCount(); i++) {
            length += request.length(i);
        }
        return length;
    }

    /** {@return the region of an element, checked} */
    public TaggedBuffer element(WorkRequest<?> request, int index, int access) {
        TaggedBuffer buffer = tags.find(request.lkey(index));
        // The STag of a window is for peers only, not a local key.
        TaggedBuffer region = buffer == null || buffer.region() != null ? null : buffer;
        long address = request.address(index);
        int length = request.length(index);
        AccessFault fault = length < 0 ? AccessFault.BOUNDS : admission.judge(region, address, length, access, null);
        if (region == null || fault != null) {
            throw refused(request, index, region, fault);
        }
        return region;
    }

    private RdmaException refused(
            WorkRequest<?> request, int index, @Nullable TaggedBuffer region, @Nullable AccessFault fault) {
        String where = "Element " + index + " of " + name(request);
        int lkey = request.lkey(index);
        if (region == null || region.domain() != domain.id()) {
            return new RdmaException(
                    RdmaErrorCode.INVALID_LKEY,
                    String.format(
                            Locale.ROOT,
                            "%s: lkey 0x%08x is no memory region of protection domain %d. Use the lkey() of a region"
                                    + " of the queue pair's domain.",
                            where,
                            lkey,
                            domain.id()));
        }
        if (fault == AccessFault.STAG_INVALID) {
            return new RdmaException(
                    RdmaErrorCode.INVALID_LKEY,
                    String.format(
                            Locale.ROOT,
                            "%s: the memory region with lkey 0x%08x is invalidated. Register anew.",
                            where,
                            lkey));
        }
        if (fault == AccessFault.RIGHTS) {
            return new RdmaException(
                    RdmaErrorCode.ACCESS_DENIED,
                    where + " is to be written to, but its region was registered without LOCAL_WRITE.");
        }
        return new RdmaException(
                RdmaErrorCode.OUT_OF_BOUNDS,
                String.format(
                        Locale.ROOT,
                        "%s: %d bytes at address 0x%x are not inside its region, %d bytes at address 0x%x.",
                        where,
                        request.length(index),
                        request.address(index),
                        region.length(),
                        region.baseOffset()));
    }

    public static String name(WorkRequest<?> request) {
        return (request instanceof ReceiveWorkRequest ? "receive" : "send") + " wr_id=" + request.id();
    }
}
