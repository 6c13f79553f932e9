package dev.jwarp.verbs;

/**
 * Limits and properties of a device, as {@code ibv_query_device} reports them, without those that only InfiniBand has
 * (LIDs, raw queue pairs); tools print 0 for these.
 *
 * @param firmwareVersion version of jwarp
 * @param nodeGuid GUID of the node
 * @param systemImageGuid GUID of the machine
 * @param vendorId 24 bits
 * @param vendorPartId part id that the vendor chose
 * @param hardwareVersion 0: there is no hardware
 * @param physicalPortCount number of ports
 * @param maxMemoryRegionSize maximum size of a region in bytes
 * @param pageSizeCapabilities supported page sizes, one bit each
 * @param maxQueuePairs maximum number of queue pairs of a context
 * @param maxWorkRequests maximum number of outstanding work requests of a send or receive queue
 * @param maxScatterGatherElements maximum number of elements of a work request
 * @param maxReadScatterGatherElements maximum number of elements of an RDMA Read
 * @param maxInlineData maximum size of inline data in bytes
 * @param maxCompletionQueues maximum number of completion queues of a context
 * @param maxCompletionQueueEntries maximum capacity of a completion queue
 * @param maxMemoryRegions maximum number of regions of a context
 * @param maxMemoryWindows maximum number of windows of a context
 * @param maxProtectionDomains maximum number of protection domains of a context
 * @param maxReadAtomicPerQueuePair maximum number of inbound RDMA Reads and Atomics of a queue pair (IRD)
 * @param maxReadAtomicResources maximum number of inbound RDMA Reads and Atomics of all queue pairs
 * @param maxInitiatorReadAtomic maximum number of outbound RDMA Reads and Atomics of a queue pair (ORD)
 * @param atomics scope of the atomicity of Atomics
 * @param maxSharedReceiveQueues maximum number of shared receive queues of a context
 * @param maxSharedReceiveWorkRequests maximum number of outstanding receives of a shared receive queue
 * @param maxSharedReceiveScatterGatherElements maximum number of elements of a receive of a shared receive queue
 * @param memoryWindows true if the device supports memory windows
 * @param localInvalidate true if the device supports LOCAL_INV, SEND_WITH_INV and RDMA_READ_WITH_INV
 * @param maxPrivateData maximum size of the private data of connect, accept and reject in bytes
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        int physicalPortCount,
        long maxMemoryRegionSize,
        long pageSizeCapabilities,
        int maxQueuePairs,
        int maxWorkRequests,
        int maxScatterGatherElements,
        int maxReadScatterGatherElements,
        int maxInlineData,
        int maxCompletionQueues,
        int maxCompletionQueueEntries,
        int maxMemoryRegions,
        int maxMemoryWindows,
        int maxProtectionDomains,
        int maxReadAtomicPerQueuePair,
        int maxReadAtomicResources,
        int maxInitiatorReadAtomic,
        AtomicCapability atomics,
        int maxSharedReceiveQueues,
        int maxSharedReceiveWorkRequests,
        int maxSharedReceiveScatterGatherElements,
        boolean memoryWindows,
        boolean localInvalidate,
        int maxPrivateData) {
    /** The scope of the atomicity of Atomics. Names and numbers are those of {@code ibv_atomic_cap}. */
    public enum AtomicCapability {
        /** The device has no Atomics. */
        NONE,
        /** Atomic with respect to other Atomics of the same device. */
        HCA,
        /** Atomic with respect to every access on the machine. */
        GLOB
    }
}
