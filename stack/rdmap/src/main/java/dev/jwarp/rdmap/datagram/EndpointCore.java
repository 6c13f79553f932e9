package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.datagram.DatagramService;

/** The identity of an endpoint and the objects that its parts share. Owner thread only, except the counters. */
public final class EndpointCore {
    /** Completions of Write-Records that a program may hold unreleased; the limit of the listener is reached first. */
    private static final int UNRELEASED = 65_536;

    /** True for RD: the lower layer loses nothing. */
    final boolean reliable;

    final int queuePairNumber;

    /** The current settings. Sizes of tables are read only once. Written by the owner. */
    volatile DatagramSettings settings;

    final DatagramListener listener;
    final DatagramEvent event = new DatagramEvent();
    final Tally<DatagramCounter> counters = new Tally<>(DatagramCounter.class);
    /** RD: changes whenever a resource that a segment can wait for is freed: an open record, a log entry, a job. */
    long freed;

    final ValiditySlab slab;
    final RecordPool records;

    /**
     * The core of one endpoint.
     *
     * @param queuePairNumber 16 to 0xFFFFFE
     */
    public EndpointCore(
            DatagramService service, int queuePairNumber, DatagramSettings settings, DatagramListener listener) {
        this.queuePairNumber = queuePairNumber;
        this.settings = settings;
        this.listener = listener;
        reliable = service == DatagramService.RD;
        slab = new ValiditySlab(settings.get(DatagramLimit.BITMAP_MEMORY));
        records = new RecordPool(
                slab,
                settings.count(DatagramLimit.RECORDS)
                        + settings.count(DatagramLimit.OUTSTANDING_READS)
                        + settings.count(DatagramLimit.WRITE_RECORD_LOG)
                        + UNRELEASED);
    }
}
