package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Ability;
import dev.jwarp.conformance.script.Offer;
import dev.jwarp.conformance.suite.Survey;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.tools.cli.ToolFailure;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code jwarp conform} offers a device at start-up, where a case says nothing else. */
final class OfferFlags {
    /** Of private data, beside the word of RFC 6581. */
    private static final int MOST_BYTES = 508;

    /** Depths have 14 bits, and the highest number says that none is negotiated. */
    private static final int MOST_READS = Depths.UNSET - 1;

    @Option(
            names = "--crc",
            paramLabel = "on|ask|off",
            defaultValue = "on",
            description = "on: the tester asks for CRCs; ask: only the device does, if it wants them; off: for a device"
                    + " that cannot, cases that need CRCs are skipped. Default on.")
    private Crc crc = Crc.ON;

    @Option(
            names = "--revision",
            paramLabel = "1|2",
            description = "With --peer: the MPA revision of the Requests. Default: the newest that the device answers.")
    private @Nullable Integer revision;

    @Option(names = "--markers", description = "Ask for Markers in every connection.")
    private boolean markers;

    @Option(names = "--ird", paramLabel = "N", description = "The IRD that the tester states; default 16.")
    private @Nullable Integer ird;

    @Option(names = "--ord", paramLabel = "N", description = "The ORD that the tester states; default 16.")
    private @Nullable Integer ord;

    @Option(
            names = "--private-data",
            paramLabel = "TEXT|0xHEX",
            description = "In every Request or Reply of the tester, for programs that want some.")
    private @Nullable String privateData;

    /** Who asks for CRCs. */
    enum Crc {
        ON,
        ASK,
        OFF
    }

    /** Complains about values that are none. */
    void check(boolean listens) {
        if (revision != null && revision != 1 && revision != 2) {
            throw ToolFailure.usage("--revision " + revision + " is none: 1 or 2");
        }
        if (revision != null && !listens) {
            throw ToolFailure.usage("--revision is for --peer: a device that connects says its revision itself");
        }
        depth("--ird", ird);
        depth("--ord", ord);
        bytes();
    }

    private static void depth(String flag, @Nullable Integer depth) {
        if (depth != null) {
            ToolFailure.inRange(flag, depth, 0, MOST_READS);
        }
    }

    private byte[] bytes() {
        String text = privateData == null ? "" : privateData;
        byte[] bytes;
        try {
            bytes = text.startsWith("0x")
                    ? HexFormat.of().parseHex(text.substring(2))
                    : text.getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ToolFailure.usage("--private-data " + text + " is no hex: 0x and two digits for each byte");
        }
        if (bytes.length > MOST_BYTES) {
            throw ToolFailure.usage("--private-data has " + bytes.length + " bytes: " + MOST_BYTES + " at most");
        }
        return bytes;
    }

    /** A device of which no more is known than was said. */
    Survey survey() {
        return survey(new byte[0]);
    }

    /** The same, under a program that wants these private data if the user says no others. */
    Survey survey(byte[] wanted) {
        Depths usual = Offer.USUAL.depths();
        Offer offer = Offer.USUAL
                .withCrc(crc == Crc.ON)
                .with(Depths.clientServer(ird == null ? usual.ird() : ird, ord == null ? usual.ord() : ord))
                .withPrivateData(privateData == null ? wanted : bytes());
        offer = ird == null ? offer : offer.firmly();
        offer = markers ? offer.withMarkers() : offer;
        offer = revision != null && revision == 1 ? offer.plain(1) : offer;
        Set<Ability> denied = EnumSet.noneOf(Ability.class);
        if (crc == Crc.OFF) {
            denied.add(Ability.CRC);
        }
        if (revision != null && revision == 1) {
            denied.add(Ability.ENHANCED);
        }
        return new Survey(offer, revision != null, denied);
    }
}
