package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.MappedMemory;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.rdmap.ScatterList;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkRequest;
import java.util.Locale;

/**
 * Puts the scatter/gather elements of work requests into operations, checked: right domain, inside the region, right
 * flag. Stateless; what it throws leaves the operation half filled and not posted.
 */
public final class LocalMemory {
    private final RnicProtectionDomain domain;
    private final STagTable tags;

    public LocalMemory(RnicProtectionDomain domain) {
        this.domain = domain;
        tags = domain.core().tags();
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
     * @param maximum how many there may be
     * @param access what their regions must grant: LOCAL_WRITE or nothing
     */
    public void addElements(ScatterList memory, WorkRequest<?> request, int maximum, int access) {
        int count = request.elementCount();
        if (count > maximum) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    name(request) + " has " + count + " scatter/gather elements, but may have " + maximum + ".");
        }
        for (int i = 0; i < count; i++) {
            TaggedBuffer buffer = element(request, i, access);
            memory.add(buffer, buffer.index(request.address(i)), request.length(i));
        }
    }

    /** Copies the octets of all elements. */
    public void addInline(ScatterList memory, WorkRequest<?> request) {
        for (int i = 0; i < request.elementCount(); i++) {
            TaggedBuffer buffer = element(request, i, 0);
            memory.addInline(buffer.memory(), buffer.index(request.address(i)), request.length(i));
            if (buffer.mapped()) {
                MappedMemory.settle();
            }
        }
    }

    /** {@return octets of all elements together} */
    public static long length(WorkRequest<?> request) {
        long length = 0;
        for (int i = 0; i < request.elementCount(); i++) {
            length += request.length(i);
        }
        return length;
    }

    private TaggedBuffer element(WorkRequest<?> request, int index, int access) {
        TaggedBuffer buffer = tags.find(request.lkey(index));
        long address = request.address(index);
        int length = request.length(index);
        if (buffer != null
                && buffer.domain() == domain.id()
                && buffer.region() == null
                && buffer.valid()
                && length >= 0
                && buffer.contains(address, length)
                && buffer.allows(access)) {
            return buffer;
        }
        throw refused(request, index, access);
    }

    /** Finds out what was wrong. */
    private RdmaException refused(WorkRequest<?> request, int index, int access) {
        String where = "Element " + index + " of " + name(request);
        TaggedBuffer buffer;
        try {
            buffer = domain.localBuffer(request.lkey(index), where);
        } catch (RdmaException e) {
            return e;
        }
        int length = request.length(index);
        if (length < 0 || !buffer.contains(request.address(index), length)) {
            return new RdmaException(
                    RdmaErrorCode.OUT_OF_BOUNDS,
                    String.format(
                            Locale.ROOT,
                            "%s: %d octets at address 0x%x are not inside its region, %d octets at address 0x%x.",
                            where,
                            length,
                            request.address(index),
                            buffer.length(),
                            buffer.baseOffset()));
        }
        return new RdmaException(
                RdmaErrorCode.ACCESS_DENIED,
                where + " is to be written to, but its region was registered without "
                        + (access == Access.LOCAL_WRITE ? "LOCAL_WRITE." : "the access it needs."));
    }

    public static String name(WorkRequest<?> request) {
        return (request instanceof ReceiveWorkRequest ? "receive" : "send") + " wr_id=" + request.id();
    }
}
