package dev.jwarp.conformance.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.jwarp.conformance.capture.CaptureFiles;
import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dissector of datagram-iWARP for Wireshark and jwarp decode read the same bytes, too. */
@DisplayName("tshark with jwarp's dissector agrees")
class DatagramTsharkTest {
    private static final Path SCRIPT = Path.of("../interop/wireshark/jwarp-datagram.lua");

    /** Its names, and ours in JSON if they are others; what both show of every datagram that has it. */
    private static final Map<String, String> NAMES = Stream.of(("version destination_qpn=target_qpn source_qpn key"
                            + " message_id message_length segment_index segment_size ddp.DV=ddp_version"
                            + " ddp.RV=rdmap_version ddp.opcode=opcode_number ddp.stag=stag ddp.to=to ddp.qn=qn"
                            + " ddp.msn=msn ddp.mo=mo")
                    .split(" ", -1))
            .collect(Collectors.toMap(name -> name.replaceFirst("=.*", ""), name -> name.replaceFirst(".*=", "")));

    @TempDir
    static Path folder;

    @BeforeAll
    static void needsTshark() {
        Tshark.assume();
    }

    @Test
    @DisplayName("on a capture of jwarp udping")
    void onTheKeptCapture() throws Exception {
        Path capture = CaptureFiles.KEPT.resolve("jwarp-datagrams.pcap");
        compare(capture, CaptureFiles.read(Files.readAllBytes(capture)));
    }

    @Test
    @DisplayName("on every good vector")
    void onVectors() throws Exception {
        List<Frame> frames = new ArrayList<>();
        for (Vector vector : Vectors.datagrams(false)) {
            // Bytes 16-23 of a VERSION LIST are something else, and have names of their own there.
            if (vector.json().has("fields") && !vector.text("kind").equals("VERSION_LIST")) {
                frames.add(Packets.frame(frames.size() + 1L, Packets.udp(7174, vector.octets())));
            }
        }
        Path file = folder.resolve("vectors.pcap");
        Files.write(file, CaptureFiles.pcap(ByteOrder.LITTLE_ENDIAN, true, frames));
        compare(file, frames);
    }

    private static void compare(Path file, List<Frame> frames) throws Exception {
        List<Map<String, String>> ours = new ArrayList<>();
        for (Item item : Packets.decode(frames)) {
            ObjectNode json = new JsonLines(false).object(item);
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("frame", json.path("frame").asText());
            NAMES.forEach((theirs, name) ->
                    fields.put(theirs, json.path(name).asText("").replace("null", "")));
            fields.put("crc.good", json.path("crc").asText().equals("ok") ? "1" : "0");
            fields.put("ddp.T", bit(json.path("tagged")));
            fields.put("ddp.L", bit(json.path("last")));
            ours.add(fields);
        }
        assertThat(ours).isNotEmpty().isEqualTo(theirs(file));
    }

    private static String bit(JsonNode flag) {
        return flag.isBoolean() ? flag.asBoolean() ? "1" : "0" : "";
    }

    private static List<Map<String, String>> theirs(Path file) throws Exception {
        List<String> names = new ArrayList<>(NAMES.keySet());
        names.addAll(List.of("crc.good", "ddp.T", "ddp.L"));
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-X", "lua_script:" + SCRIPT));
        command.addAll(List.of("-r", file.toString(), "-T", "fields", "-e", "frame.number"));
        names.forEach(name -> command.addAll(List.of("-e", "dgiwarp." + name)));
        Process tshark = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<Map<String, String>> all = new ArrayList<>();
        for (String line : new String(tshark.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .toList()) {
            String[] cells = line.split("\t", -1);
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("frame", cells[0]);
            for (int i = 0; i < names.size(); i++) {
                fields.put(names.get(i), number(cells[i + 1]));
            }
            all.add(fields);
        }
        assertThat(tshark.waitFor()).isZero();
        return all;
    }

    private static String number(String cell) {
        return cell.startsWith("0x") ? new BigInteger(cell.substring(2), 16).toString() : cell;
    }
}
