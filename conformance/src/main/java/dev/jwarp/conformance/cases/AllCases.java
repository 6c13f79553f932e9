package dev.jwarp.conformance.cases;

import dev.jwarp.conformance.cases.datagram.DatagramCases;
import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.suite.Suite;
import java.util.ArrayList;
import java.util.List;

/** Every group of cases. */
public final class AllCases {
    private AllCases() {}

    /** The whole suite. */
    public static Suite suite() {
        List<Object> groups = new ArrayList<>(List.of(
                new FramingCases(),
                new MarkerCases(),
                new CrcCases(),
                new StartFrameCases(),
                new StartupCases(),
                new EnhancedCases(),
                new PeerToPeerCases(),
                new SegmentCases(),
                new PlacementCases(),
                new QueueCases(),
                new ReadCases(),
                new ExtensionCases(),
                new ImmediateCases(),
                new EndCases(),
                new StreamsCases()));
        groups.addAll(DatagramCases.groups());
        return Suite.of(Catalogue.load(), groups);
    }
}
