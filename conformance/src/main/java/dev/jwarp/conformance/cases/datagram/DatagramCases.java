package dev.jwarp.conformance.cases.datagram;

import java.util.List;

/** Every group of cases about datagrams. */
public final class DatagramCases {
    private DatagramCases() {}

    /** The groups, for the suite. */
    public static List<Object> groups() {
        return List.of(
                new FormatCases(),
                new CheckCases(),
                new RefusalCases(),
                new RecordCases(),
                new DatagramReadCases(),
                new AbuseCases(),
                new ResolveCases(),
                new ChannelCases(),
                new OpenerCases(),
                new DeliveryCases(),
                new SenderCases(),
                new CongestionCases(),
                new EnvelopeCases(),
                new GroupCases());
    }
}
