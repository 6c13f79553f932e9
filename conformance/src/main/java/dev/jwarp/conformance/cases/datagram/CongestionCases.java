package dev.jwarp.conformance.cases.datagram;

import static dev.jwarp.conformance.script.Deviation.unless;

import dev.jwarp.conformance.datagram.DatagramTrial;
import dev.jwarp.conformance.datagram.DeviceCompletion;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.suite.Case;
import java.util.ArrayList;
import java.util.List;

/**
 * How much a channel sends, and how soon: datagram-iWARP §11.3 and §11.4. Cases that a pause of a busy machine
 * can disturb are tried several times.
 */
final class CongestionCases {
    /** A number of datagrams that suffices for a case. */
    private static final int MANY = 2_000;

    /** More datagrams than a device ever has in flight. */
    private static final int WIDE = 1_024;

    @Case("DG-11.4-1: begins with 10 datagrams at most, however small they are")
    void firstFlight(DatagramTrial t) {
        int flight = new LongPath(t, WIDE, 1500, 40, 20).flight();
        unless(flight >= 1 && flight <= 10, "1 to 10 datagrams before the first acknowledgement", flight);
    }

    @Case("DG-11.4-1: begins with 15,000 bytes at most, however large its datagrams are")
    void firstBytes(DatagramTrial t) {
        LongPath path = new LongPath(t, WIDE, 4_000, 1, 200_000);
        int flight = path.flight();
        if (flight == 0) {
            throw new Skip("needs a path that takes datagrams of 4,000 bytes");
        }
        unless(
                flight <= 2 || path.octets() <= 15_000,
                "15,000 bytes on the path before the first acknowledgement",
                path.octets() + " in " + flight + " datagrams");
    }

    @Case(value = "DG-11.4-3 DG-11.4-8: has at most 0.7 as many in flight after a loss", after = "DG-11.3-3 DG-11.4-1")
    void reduces(DatagramTrial t) {
        LongPath path = LongPath.of(t, MANY, WIDE);
        int before = path.grown(15);
        List<String> seen = new ArrayList<>();
        int kept = 0;
        for (int i = 0; i < 3; i++) {
            path.lose();
            int after = path.flight();
            seen.add(before + ", then " + after);
            kept += after <= 0.75 * before + 2 ? 1 : 0;
            path.acknowledge();
            before = path.grown(8);
        }
        unless(kept > 1, "at most 0.7 as many datagrams in flight after a loss", seen);
    }

    @Case(value = "DG-11.4-5: spreads its datagrams over a long round trip", after = "DG-11.4-1")
    void paces(DatagramTrial t) {
        LongPath path = LongPath.of(t, MANY, 64);
        path.grown(30);
        List<String> seen = new ArrayList<>();
        int kept = 0;
        for (int i = 0; i < 15 && seen.size() < 5; i++) {
            path.acknowledge();
            int flight = path.flight();
            int crowd = path.crowd();
            if (flight >= 25 && crowd > 0) {
                seen.add(crowd + " of " + flight);
                kept += crowd <= 0.5 * flight ? 1 : 0;
            }
        }
        if (seen.size() < 3) {
            throw new Inconclusive("the tester is too busy to measure arrival times of datagrams");
        }
        unless(2 * kept > seen.size(), "at most half of a flight within 10 ms, at a round trip of 200 ms", seen);
    }

    @Case(value = "DG-11.4-6: does not grow its window while the window is not used up", after = "DG-11.3-2 DG-11.4-1")
    void unused(DatagramTrial t) {
        LongPath path = LongPath.of(t, MANY, 4);
        for (int i = 0; i < 12; i++) {
            int flight = path.flight();
            unless(flight >= 1 && flight <= 4, "1 to 4 datagrams, as the window allows", flight);
            path.acknowledge();
        }
        path.flight();
        path.acknowledge();
        path.widen(WIDE);
        int flight = path.flight();
        unless(flight <= 14, "at most the initial 10 datagrams, and 4 of the window before", flight);
    }

    @Case(value = "DG-11.4-6: begins anew with 10 datagrams at most after a pause", after = "DG-11.4-1")
    void idle(DatagramTrial t) {
        int all = 70;
        LongPath path = LongPath.of(t, all, WIDE);
        int most = 0;
        for (int sent = 0; sent < all; ) {
            int flight = path.flight();
            unless(flight > 0, "the rest of the Send", "nothing");
            most = Math.max(most, flight);
            sent += flight;
            path.acknowledge();
        }
        t.completion().is(0, DeviceCompletion.SUCCESS);
        if (most < 20) {
            throw new Skip("needs a device that has 20 datagrams in flight at a time");
        }
        path.pass(4_000);
        path.more(60);
        int flight = path.flight();
        unless(flight >= 1 && flight <= 12, "10 datagrams after a pause, where " + most + " were under way", flight);
    }

    @Case("DG-11.3-4: probes a silent peer at growing intervals")
    void backsOff(DatagramTrial t) {
        LongPath path = LongPath.of(t, 1, WIDE);
        List<Long> waits = new ArrayList<>();
        long sum = 0;
        long longest = 0;
        unless(path.flight() == 1, "the Send", "nothing");
        while (longest < 3_000 && sum < 15_000) {
            long wait = path.due(10_000);
            unless(wait >= 0, "a probe", "none for 10 s after waits of " + waits);
            waits.add(wait);
            sum += wait;
            longest = Math.max(longest, wait);
        }
        unless(longest >= 3_000, "waits that double, up to 3 s and more", waits + " ms");
    }

    @Case(value = "DG-11.3-7: sends one probe a second to a peer that answers but is not ready", after = "DG-11.3-4")
    void asksOften(DatagramTrial t) {
        LongPath path = LongPath.of(t, 1, WIDE);
        unless(path.flight() == 1, "the Send", "nothing");
        for (long sum = 0; sum < 7_000; ) {
            path.refuse();
            long wait = path.due(2_000);
            unless(wait >= 0, "a probe a second after the last, give or take a second", "none for 2 s");
            sum += wait;
        }
        path.acknowledge();
        t.completion().is(0, DeviceCompletion.SUCCESS);
    }
}
