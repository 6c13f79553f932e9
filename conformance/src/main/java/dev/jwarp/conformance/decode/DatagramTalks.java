package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Endpoint;
import dev.jwarp.conformance.capture.Packet.Udp;
import dev.jwarp.conformance.datagram.KeyRing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The UDP datagrams of a capture: which are of datagram-iWARP, and what they say. */
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

    /** §4.5: a kernel that cuts late, or puts together early (GSO, GRO), shows several datagrams as one. */
    private static List<byte[]> pieces(Udp datagram) {
        byte[] all = datagram.octets();
        DatagramFields first = DatagramFields.parse(all);
        int length = first == null || datagram.cut() > 0 || first.crcGood() ? 0 : first.statedLength();
        if (length == 0 || length == all.length) {
            return List.of(all);
        }
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < all.length; at += length) {
            pieces.add(Arrays.copyOfRange(all, at, Math.min(all.length, at + length)));
        }
        DatagramFields cut = DatagramFields.parse(pieces.get(0));
        return cut != null && cut.crcGood() ? pieces : List.of(all);
    }

    private void piece(byte[] captured, int missing, boolean named, CapturePlace place) {
        boolean cut = missing > 0;
        // Its lengths shall be those of the wire: what is missing is filled with zeros.
        byte[] octets = cut ? Arrays.copyOf(captured, captured.length + missing) : captured;
        DatagramFields fields = captured.length < DatagramFields.SHIM ? null : DatagramFields.parse(octets);
        if (fields == null) {
            if (named) {
                String text = "a datagram of " + octets.length + " bytes: too short for datagram-iWARP";
                out.accept(new Item.Note(place, text, List.of()));
            }
            return;
        }
        if (named || (!cut && fields.looksRight())) {
            Crc crc = cut ? Crc.CUT : fields.crcGood() ? Crc.OK : Crc.BAD;
            List<Finding> findings = new ArrayList<>();
            if (!cut) {
                DatagramJudge.judge(fields, place.source(), crc, findings);
                String remark = crc == Crc.OK ? seals.judge(fields, findings) : null;
                if (remark != null) {
                    out.accept(new Item.Note(place, remark, List.of()));
                }
            }
            out.accept(new Item.Datagram(place, fields, crc, List.copyOf(findings)));
        }
    }

    private Talk talk(Udp datagram) {
        Ends ends = new Ends(datagram.source(), datagram.target());
        Talk talk = talks.get(ends);
        if (talk == null) {
            talk = new Talk(streams++, datagram.source());
            talks.put(ends, talk);
            if (talks.size() > MOST_CONVERSATIONS) {
                var oldest = talks.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
        }
        return talk;
    }
}
