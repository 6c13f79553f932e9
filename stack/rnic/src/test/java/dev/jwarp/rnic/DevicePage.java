package dev.jwarp.rnic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The part of docs/interop.md that is made from {@code devices.tsv} and {@link DevicePrediction}. */
final class DevicePage {
    static final String BEGIN = "<!-- from here to the end: made by DeviceProfilesTest -->\n";

    /** What the facts are called on the page, if not as in the file. */
    private static final Map<String, String> LABELS = Map.ofEntries(
            Map.entry("connects.revision", "it connects: revision"),
            Map.entry("connects.crc", "it connects: CRC"),
            Map.entry("connects.peer-to-peer", "it connects: peer-to-peer"),
            Map.entry("connects.rtr", "it connects: ready-to-receive messages it offers"),
            Map.entry("connects.takes", "it connects: which of the Reply's it takes"),
            Map.entry("connects.needs", "it connects: which it has to be"),
            Map.entry("connects.mismatch", "it connects: if none fits"),
            Map.entry("connects.rtr-after-revision-1", "it connects: ready-to-receive message with revision 1"),
            Map.entry("connects.again", "it connects: a second try"),
            Map.entry("listens.revisions", "it listens: revisions"),
            Map.entry("listens.needs-peer-to-peer", "it listens: peer-to-peer"),
            Map.entry("listens.rtr", "it listens: ready-to-receive messages it looks for"),
            Map.entry("listens.answers", "it listens: which it names"),
            Map.entry("listens.none-in-common", "it listens: if none is common"),
            Map.entry("listens.always-names", "it listens: what it names besides"),
            Map.entry("listens.crc", "it listens: CRC"),
            Map.entry("private-data.most", "private data"),
            Map.entry("markers", "Markers"),
            Map.entry("depth", "read depths"));

    private DevicePage() {}

    static String text() {
        List<DeviceProfile> devices = DeviceProfile.all();
        StringBuilder page = new StringBuilder(BEGIN);
        page.append("\n## jwarp connects\n\n");
        matrix(page, devices, true);
        page.append("\n## jwarp listens\n\n");
        matrix(page, devices, false);
        page.append("\n## What the drivers do\n\n");
        page.append("Files of `torvalds/linux`, each with the first digits of the commit that was read.\n");
        for (DeviceProfile device : devices) {
            DeviceProfile.Fact title = device.fact("title");
            page.append("\n### ").append(device).append("\n\n");
            page.append(title.words())
                    .append(":\n")
                    .append(title.place().replace(", `drivers", ",\n`drivers"))
                    .append(".\n\n");
            page.append(row(List.of("what", "as the sources say", "where")));
            page.append(rule(3));
            device.facts().forEach((about, fact) -> {
                if (!about.equals("title")) {
                    page.append(row(List.of(LABELS.getOrDefault(about, about), fact.words(), fact.place())));
                }
            });
        }
        return page.toString();
    }

    private static void matrix(StringBuilder page, List<DeviceProfile> devices, boolean connects) {
        List<String> head = new ArrayList<>(List.of("jwarp"));
        devices.forEach(device -> head.add("[" + device + "](#" + device + ")"));
        page.append(row(head)).append(rule(head.size()));
        for (StartCase start : StartCase.few(connects)) {
            List<String> cells = new ArrayList<>(List.of(start.toString()));
            devices.forEach(device -> cells.add(cell(start, DevicePrediction.of(device, start))));
            page.append(row(cells));
        }
    }

    private static String cell(StartCase start, DevicePrediction predicted) {
        if (predicted.connects()) {
            return predicted.revision() == start.revision() ? "connects" : "connects, revision " + predicted.revision();
        }
        return switch (predicted.what()) {
            case DeviceProfile.UNKNOWN -> "not known";
            case DeviceMeeting.NO_REQUEST -> "refused";
            case "ESTABLISHED, then DISCONNECTED" -> "ends at once";
            default -> "`" + predicted.what().substring(predicted.what().indexOf(' ') + 1) + "`";
        };
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }

    private static String rule(int columns) {
        return "|" + String.join("|", Collections.nCopies(columns, "---")) + "|\n";
    }
}
