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

/** The tester's offer at start-up, for cases without an offer of their own. */
final class OfferFlags {
    /** Most bytes of private data, in addition to the word of RFC 6581. */
    private static final int MOST_BYTES = 508;

    /** The largest depth: depths have 14 bits, and the highest number means that no depth is negotiated. */
    private static final int MOST_READS = Depths.UNSET - 1;

    @Option(
            names = "--crc",
            paramLabel = "on|ask|off",
            defaultValue = "on",
            description =
                    "on: the tester asks for CRCs; ask: only the device may ask for them; off: for a device without"
                            + " CRCs, cases that need CRCs are skipped. Default on.")
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
            description = "Private data of every Request or Reply of the tester, for programs that need it.")
    private @Nullable String privateData;

    /** Who asks for CRCs. */
    enum Crc {
        ON,
        ASK,
        OFF
    }

    /** Rejects invalid values. */
    void check(boolean listens) {
        if (revision != null && revision != 1 && revision != 2) {
            throw ToolFailure.usage("--revision " + revision + " is not a revision: 1 or 2");
        }
        if (revision != null && !listens) {
            throw ToolFailure.usage("--revision is for --peer: a device that connects chooses the revision");
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
            throw ToolFailure.usage(
                    "--private-data " + text + " is not hexadecimal: write 0x and two digits for each byte");
        }
        if (bytes.length > MOST_BYTES) {
            throw ToolFailure.usage(
                    "--private-data has " + bytes.length + " bytes; at most " + MOST_BYTES + " are possible");
        }
        return bytes;
    }

    /** {@return the survey of a device of which only the flags are known} */
    Survey survey() {
        return survey(new byte[0]);
    }

    /** {@return the same, for a program that needs this private data unless the user gives other data} */
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
