package dev.jwarp.conformance.datagram;

import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.TerminateFields;

/** Describes datagrams, one line each, for reports and deviations. */
final class Words {
    private Words() {}

    /** A datagram of any bytes. */
    static String line(byte[] octets) {
        if (octets.length < Datagram.SHORTEST) {
            return octets.length + " bytes";
        }
        Datagram d = Datagram.parse(octets);
        if (Envelopes.is(octets)) {
            Datagram within = d.within();
            return "envelope of key %d origin %016X sequence %d time %d for %016X: %s"
                    .formatted(
                            d.get(Envelopes.KEY_ID, 4),
                            d.get(Envelopes.ORIGIN, 8),
                            d.get(Envelopes.SEQUENCE, 8),
                            d.get(Envelopes.TIME, 4),
                            d.get(Envelopes.RECEIVER, 8),
                            within == null ? "encrypted" : line(within.bytes()));
        }
        if (Envelopes.isGreeting(octets)) {
            return "greeting";
        }
        String bad = Datagram.crcGood(octets) ? "" : " [CRC wrong]";
        String version = d.version() == 1 || d.is(Kind.VERSION_LIST) ? "" : " of version " + d.version();
        return "%s%s %06X>%06X%s key %08X id %08X%s%s"
                .formatted(d.kind().words(), version, d.from(), d.to(), flags(d), d.key(), d.id(), more(d), bad);
    }

    private static String flags(Datagram d) {
        String letters = d.flagLetters() + ((d.flags() & 0xC0) != 0 ? "?" : "");
        return letters.isEmpty() ? "" : " " + letters;
    }

    private static String more(Datagram d) {
        int b = d.body();
        try {
            return switch (d.kind()) {
                case DATA -> channel(d) + data(d);
                case NOTIFY -> " segment " + d.index() + " " + TerminateFields.words((int) d.get(24, 2));
                case RD_OPEN ->
                    " tag %08X PSN %d previous %08X window %d"
                            .formatted(d.get(b, 4), d.get(b + 4, 4), d.get(b + 8, 4), d.get(b + 12, 2));
                case RD_ACCEPT ->
                    " tag %08X PSN %d ack %d window %d"
                            .formatted(d.get(24, 4), d.get(28, 4), d.get(32, 4), d.get(36, 2));
                case RD_RESET ->
                    " reason " + d.get(25, 1) + (d.get(24, 1) != 0 ? " reflected" : "") + " "
                            + TerminateFields.words((int) d.get(28, 2));
                case RD_ACK ->
                    " ack %d window %d%s, %d SACK words from %d"
                            .formatted(
                                    d.get(24, 4),
                                    d.get(28, 2),
                                    (d.get(30, 1) & 1) != 0 ? " RNR" : "",
                                    d.get(31, 1),
                                    d.get(32, 2));
                case PATH_PROBE ->
                    " features %X token %016X, %d bytes".formatted(d.get(b, 4), d.get(b + 4, 8), d.size());
                case PATH_REPLY ->
                    " features %X token %016X, %d bytes came".formatted(d.get(24, 4), d.get(28, 8), d.get(36, 2));
                case RESOLVE -> " service %016X types %d".formatted(d.get(b, 8), d.get(b + 8, 1));
                case RESOLVED -> " status %d QPN %06X".formatted(d.get(24, 1), d.get(28, 4));
                default -> "";
            };
        } catch (ArrayIndexOutOfBoundsException e) {
            return " [too short]";
        }
    }

    private static String channel(Datagram d) {
        return d.has(Datagram.D) ? " PSN %d ack %d window %d".formatted(d.get(24, 4), d.get(28, 4), d.get(32, 2)) : "";
    }

    private static String data(Datagram d) {
        if (!Segment.whole(d.slice(d.body(), d.size() - Datagram.CRC))) {
            return " [no DDP header]";
        }
        Segment s = d.segment();
        String where =
                s.tagged() ? " STag %08X TO %016X".formatted(s.stag(), s.to()) : " QN " + s.queue() + " MO " + s.mo();
        Opcode known = s.opcode();
        String opcode = s.opcodeNumber() == Message.WRITE_RECORD ? "WRITE_RECORD" : "opcode " + s.opcodeNumber();
        return " " + (known == null ? opcode : known.words()) + where + " segment " + d.index() + " of "
                + d.segmentSize() + ", message " + d.length() + (s.last() ? " L" : "");
    }
}
