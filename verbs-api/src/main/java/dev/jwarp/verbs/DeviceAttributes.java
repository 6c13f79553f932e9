package dev.jwarp.verbs;

/**
 * Limits and marks of a device, as {@code ibv_query_device} reports them. What InfiniBand has and iWARP has not (LIDs,
 * raw queue pairs) is left out: tools print 0 for it.
 *
 * @param firmwareVersion the version of jwarp
 * @param nodeGuid GUID of the node
 * @param systemImageGuid GUID of the machine
 * @param vendorId 24 bits
 * @param vendorPartId of the vendor's choice
 * @param hardwareVersion 0: there is no hardware
 * @param physicalPortCount number of ports
 * @param maxMemoryRegionSize bytes of one region
 * @param pageSizeCapabilities one bit for each page size
 * @param maxQueuePairs queue pairs of one context
 * @param maxWorkRequests work requests outstanding in one send or receive queue
 * @param maxScatterGatherElements elements of one work request
 * @param maxReadScatterGatherElements elements of an RDMA Read (its sink)
 * @param maxInlineData bytes of inline data
 * @param maxCompletionQueues completion queues of one context
 * @param maxCompletionQueueEntries entries of one completion queue
 * @param maxMemoryRegions regions of one context
 * @param maxMemoryWindows windows of one context
 * @param maxProtectionDomains domains of one context
 * @param maxReadAtomicPerQueuePair inbound RDMA Reads and Atomics one queue pair can hold (IRD)
 * @param maxReadAtomicResources inbound RDMA Reads and Atomics of all queue pairs
 * @param maxInitiatorReadAtomic outbound RDMA Reads and Atomics of one queue pair (ORD)
 * @param atomics what Atomics are atomic against
 * @param maxSharedReceiveQueues shared receive queues of one context
 * @param maxSharedReceiveWorkRequests receives outstanding in one
 * @param maxSharedReceiveScatterGatherElements elements of one of its receives
 * @param memoryWindows true if windows can be bound
 * @param localInvalidate true if LOCAL_INV, SEND_WITH_INV and RDMA_READ_WITH_INV are there
 * @param maxPrivateData bytes of private data in connect, accept and reject
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
    /** What Atomics are atomic against; names and numbers of {@code ibv_atomic_cap}. */
    public enum AtomicCapability {
        /** There are no Atomics. */
        NONE,
        /** Other Atomics through the same device. */
        HCA,
        /** Everything on the machine. */
        GLOB
    }
}
