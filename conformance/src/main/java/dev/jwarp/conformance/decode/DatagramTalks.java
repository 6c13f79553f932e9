package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.capture.Packet.Udp;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.Envelopes;
import dev.jwarp.conformance.datagram.Form;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.wire.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The UDP datagrams of a capture: finds and parses those of datagram-iWARP. */
final class DatagramTalks {
    private static final int MOST_CONVERSATIONS = 65_536;

    private record Talk(int stream, Endpoint first) {}

    private final Set<Integer> ports;
    private final Seals seals;
    private final Consumer<Item> out;
    private final Map<Ends, Talk> talks = new LinkedHashMap<>(16, 0.75f, true);
    private int streams;

    DatagramTalks(Set<Integer> ports, @Nullable KeyRing keys, Consumer<Item> out) {
        this.ports = ports;
        seals = new Seals(keys);
        this.out = out;
    }

    void add(Udp datagram) {
        Talk talk = talk(datagram);
        boolean named = ports.contains(datagram.source().port())
                || ports.contains(datagram.target().port());
        CapturePlace place = new CapturePlace(
                datagram.frame().number(),
                datagram.frame().number(),
                datagram.frame().nanos(),
                false,
                talk.stream,
                datagram.source().equals(talk.first),
                datagram.source(),
                datagram.target());
        for (byte[] piece : pieces(datagram)) {
            piece(piece, datagram.cut(), named, place);
        }
    }

    /**
     * §4.5: the datagrams in one payload. The kernel may divide late or join early (GSO, GRO), so that several
     * datagrams look like one.
     */
    private static List<byte[]> pieces(Udp datagram) {
        byte[] all = datagram.octets();
        boolean joined = all.length >= Datagram.SHORTEST && datagram.cut() == 0 && !Datagram.crcGood(all);
        int length = joined ? Datagram.parse(all).statedLength() : 0;
        if (length == 0 || length == all.length) {
            return List.of(all);
        }
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < all.length; at += length) {
            pieces.add(Arrays.copyOfRange(all, at, Math.min(all.length, at + length)));
        }
        return Datagram.crcGood(pieces.get(0)) ? pieces : List.of(all);
    }

    private void piece(byte[] captured, int missing, boolean named, CapturePlace place) {
        boolean cut = missing > 0;
        // Zeros replace the bytes that a snapshot length has cut off, so that lengths are those of the wire.
        byte[] octets = cut ? Arrays.copyOf(captured, captured.length + missing) : captured;
        if (captured.length < Datagram.SHIM || octets.length < Datagram.SHORTEST) {
            if (named) {
                String text = "a datagram of " + octets.length + " bytes: too short for datagram-iWARP";
                out.accept(new Item.Note(place, text, List.of()));
            }
            return;
        }
        Datagram fields = Datagram.parse(octets);
        boolean crcGood = Datagram.crcGood(octets);
        // With a right version, Kind and CRC a datagram belongs to this protocol on any port.
        if (named || (!cut && fields.known() && (fields.flags() & 0xC0) == 0 && crcGood)) {
            Crc crc = cut ? Crc.CUT : crcGood ? Crc.OK : Crc.BAD;
            Breaches breaches = new Breaches();
            Datagram within = cut || !crcGood ? fields.within() : seals.within(octets, fields);
            if (!cut) {
                source(place.source(), breaches);
                Form.judge(fields, within, crcGood, breaches::add);
                String remark = crcGood ? seals.judge(octets, breaches) : null;
                if (remark != null) {
                    out.accept(new Item.Note(place, remark, List.of()));
                }
            }
            out.accept(new Item.Datagram(place, octets, fields, within, crc, breaches.list()));
        }
    }

    /** §5.1, check 5: a source address that cannot be answered. */
    private static void source(Endpoint source, Breaches breaches) {
        byte[] address = source.address().getAddress();
        boolean broadcast = address.length == 4 && Octets.number(address, 0, 4) == 0xFFFF_FFFFL;
        if (source.port() == 0 || source.address().isMulticastAddress() || broadcast) {
            breaches.add("DG-5.1-5", "the source %s is not the address of a host", source);
        }
    }

    private Talk talk(Udp datagram) {
        Talk talk = talks.computeIfAbsent(
                new Ends(datagram.source(), datagram.target()), ends -> new Talk(streams++, datagram.source()));
        if (talks.size() > MOST_CONVERSATIONS) {
            talks.remove(talks.keySet().iterator().next());
        }
        return talk;
    }

    /** Opens envelopes (datagram-iWARP §K.3), and checks their tags, with known keys. */
    static final class Seals {
        private static final int MOST_UNKNOWN = 1024;

        private final @Nullable KeyRing keys;
        private final Set<Long> unknown = new HashSet<>();

        /**
         * @param keys the known keys; null: no tag is checked
         */
        Seals(@Nullable KeyRing keys) {
            this.keys = keys;
        }

        /** The datagram in an envelope; null if this is no envelope, or is encrypted with another key. */
        @Nullable
        Datagram within(byte[] octets, Datagram fields) {
            byte[] opened = keys == null || !fields.isEnvelope() ? null : keys.open(octets);
            return opened == null ? fields.within() : Datagram.parse(opened);
        }

        /**
         * Judges a datagram, if it is an envelope.
         *
         * @return a note about its key; null if there is nothing to report
         */
        @Nullable
        String judge(byte[] octets, Breaches breaches) {
            if (keys == null || !Datagram.parse(octets).isEnvelope()) {
                return null;
            }
            long key = Octets.number(octets, Envelopes.KEY_ID, 4);
            int algorithm = keys.algorithmFor(octets);
            if (algorithm == 0) {
                boolean news = unknown.size() < MOST_UNKNOWN && unknown.add(key);
                return news ? "the tags of key " + key + " are not checked: it is not in the file of keys" : null;
            }
            if (octets[Envelopes.ALGORITHM] != algorithm) {
                breaches.add("DG-K.7-3", "Algorithm %s is not that of key %s", octets[Envelopes.ALGORITHM], key);
            } else if (keys.open(octets) == null) {
                breaches.add("DG-K.1-1", "the tag is not that of key %s in the file of keys", key);
            }
            return null;
        }
    }

    /** The two ends of a conversation, in the same order for both senders. */
    record Ends(Endpoint one, Endpoint two) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Ends ends
                    && ((one.equals(ends.one) && two.equals(ends.two))
                            || (one.equals(ends.two) && two.equals(ends.one)));
        }

        @Override
        public int hashCode() {
            return one.hashCode() + two.hashCode();
        }
    }
}
