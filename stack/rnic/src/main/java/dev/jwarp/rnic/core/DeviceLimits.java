package dev.jwarp.rnic.core;

import dev.jwarp.llp.UpperLayer;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.QueuePairAttributes;

/** The limits of a context. Most of them exist so that a runaway program fails with a clear message. */
public final class DeviceLimits {
    static final int MAX_QUEUE_PAIRS = 1 << 17;
    static final int MAX_WORK_REQUESTS = 1 << 15;
    static final int MAX_ELEMENTS = 16;
    static final int MAX_INLINE_DATA = 1024;
    static final int MAX_COMPLETION_QUEUES = 1 << 17;
    static final int MAX_COMPLETION_QUEUE_ENTRIES = 1 << 20;
    static final int MAX_MEMORY_REGIONS = 1 << 20;
    static final int MAX_MEMORY_WINDOWS = 1 << 20;
    public static final int MAX_PROTECTION_DOMAINS = 1 << 16;

    /** RFC 6581 §9.1: 14 bits, of which the highest number means "leave it to the peer". */
    public static final int MAX_READ_DEPTH = 0x3ffe;

    /** RFC 5044 §7.1: 512 bytes, of which RFC 6581 §4 takes 4 for the read depths. */
    static final int MAX_PRIVATE_DATA = 508;

    private static final int VENDOR = 0x6a7761;
    private static final long ANY_PAGE_SIZE_FROM_4096 = -4096L;
    private static final long LARGEST_REGION = 1L << 40;

    private DeviceLimits() {}

    /** Checks the requested sizes of a queue pair. */
    public static void check(QueuePairAttributes wanted, DeviceAttributes most) {
        boolean hasShared = wanted.sharedReceiveQueue() != null;
        ContextCore.checkRange(wanted.maxSendWorkRequests(), 1, most.maxWorkRequests(), "send work requests");
        ContextCore.checkRange(
                wanted.maxReceiveWorkRequests(), hasShared ? 0 : 1, most.maxWorkRequests(), "receive work requests");
        ContextCore.checkRange(wanted.maxSendElements(), 0, most.maxScatterGatherElements(), "elements of a send");
        ContextCore.checkRange(
                wanted.maxReceiveElements(), 0, most.maxScatterGatherElements(), "elements of a receive");
        ContextCore.checkRange(wanted.maxInlineData(), 0, most.maxInlineData(), "bytes of inline data");
        ContextCore.checkRange(wanted.weight(), 1, UpperLayer.HEAVIEST, "shares of a queue pair, its weight,");
    }

    /** {@return the attributes of the device} */
    public static DeviceAttributes attributes(String version, long guid, int readDepth) {
        return new DeviceAttributes(
                version,
                guid,
                guid,
                VENDOR,
                0,
                0,
                1,
                LARGEST_REGION,
                ANY_PAGE_SIZE_FROM_4096,
                MAX_QUEUE_PAIRS,
                MAX_WORK_REQUESTS,
                MAX_ELEMENTS,
                1,
                MAX_INLINE_DATA,
                MAX_COMPLETION_QUEUES,
                MAX_COMPLETION_QUEUE_ENTRIES,
                MAX_MEMORY_REGIONS,
                MAX_MEMORY_WINDOWS,
                MAX_PROTECTION_DOMAINS,
                readDepth,
                (int) Math.min(Integer.MAX_VALUE, (long) readDepth * MAX_QUEUE_PAIRS),
                readDepth,
                DeviceAttributes.AtomicCapability.HCA,
                MAX_QUEUE_PAIRS,
                MAX_WORK_REQUESTS,
                MAX_ELEMENTS,
                true,
                true,
                MAX_PRIVATE_DATA);
    }
}
