package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.datagram.DatagramService;

/** What an endpoint is, and what all its parts use. Owner thread only, but for the counters. */
public final class EndpointCore {
    /** Completions of Write-Records that a program may have got and not released; the listener bounds them before. */
    private static final int UNRELEASED = 65_536;

    /** Whether it is of type RD: the lower layer loses nothing. */
    final boolean reliable;

    final int queuePairNumber;

    /** The present ones. Sizes of tables are read once, so they stay as they are. Written by the owner. */
    volatile DatagramSettings settings;

    final DatagramListener listener;
    final DatagramEvent event = new DatagramEvent();
    final Tally<DatagramCounter> counters = new Tally<>(DatagramCounter.class);
    /** Changes whenever something is freed that a segment of RD can wait for: an open record, a place in the log, a job. */
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
