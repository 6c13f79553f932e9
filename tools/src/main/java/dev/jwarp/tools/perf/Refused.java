package dev.jwarp.tools.perf;

import java.util.Map;

/** perftest's flags that mean nothing here, each with what to do instead. */
final class Refused {
    static final Map<String, String> FLAGS = Map.ofEntries(
            Map.entry("-d", "there is one device, jwarp0"),
            Map.entry("--ib-dev", "there is one device, jwarp0"),
            Map.entry("--ib-port", "a device of jwarp has one port"),
            Map.entry("-x", "iWARP has no GIDs to choose from; --bind_source_ip chooses the local address"),
            Map.entry("--gid-index", "iWARP has no GIDs to choose from; --bind_source_ip chooses the local address"),
            Map.entry("-S", "iWARP has no service levels"),
            Map.entry("--sl", "iWARP has no service levels"),
            Map.entry("-T", "jwarp does not set the type of service"),
            Map.entry("--tos", "jwarp does not set the type of service"),
            Map.entry("-u", "TCP has its own time-outs; --timeout limits waiting for the other end"),
            Map.entry("--qp-timeout", "TCP has its own time-outs; --timeout limits waiting for the other end"),
            Map.entry("-f", "all of -D is measured; --warmup says what runs before"),
            Map.entry("--margin", "all of -D is measured; --warmup says what runs before"),
            Map.entry("-U", "latencies are kept in a histogram of constant size; -H prints it"),
            Map.entry("--report-unsorted", "latencies are kept in a histogram of constant size; -H prints it"),
            Map.entry("-C", "times are in microseconds; there is no clock of cycles"),
            Map.entry("--report-cycles", "times are in microseconds; there is no clock of cycles"),
            Map.entry("-z", "the exchange is always over the RDMA connection"),
            Map.entry("--comm_rdma_cm", "the exchange is always over the RDMA connection"),
            Map.entry("-g", "multicast is not measured"),
            Map.entry("--mcg", "multicast is not measured"),
            Map.entry("-O", "a device of jwarp has one port"),
            Map.entry("--dualport", "a device of jwarp has one port"),
            Map.entry("-V", "it is --version"),
            Map.entry("--use-srq", "perf has receive queues of their own"),
            Map.entry("--out_json", "it is --json, or --json-file FILE"),
            Map.entry("--data_validation", "'jwarp demo' compares every byte that arrives"),
            Map.entry("--perform_warm_up", "it always warms up; --warmup says how long"),
            Map.entry("--burst_size", "messages are started evenly"),
            Map.entry("--rate_limit_type", "the rate is always kept by the program"));

    private Refused() {}
}
