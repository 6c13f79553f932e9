package dev.jwarp.rnic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The part of docs/interop.md that is generated from {@code devices.tsv} and {@link DevicePrediction}. */
final class DevicePage {
    static final String BEGIN = "<!-- from here to the end: made by DeviceProfilesTest -->\n";

    private DevicePage() {}

    static String text() {
        List<DeviceProfile> devices = DeviceProfile.all();
        StringBuilder page = new StringBuilder(BEGIN);
        page.append("\n## jwarp connects\n\n");
        matrix(page, devices, true);
        page.append("\n## jwarp listens\n\n");
        matrix(page, devices, false);
        page.append("\n## What the drivers do\n\n");
        page.append("""
                Files of `torvalds/linux`, each with the first digits of the commit that was read. What each device does, with the
                function that shows it: [`devices.tsv`](../stack/rnic/src/test/resources/dev/jwarp/rnic/devices.tsv).

                """);
        page.append(row(List.of("", "device", "sources"))).append(rule(3));
        for (DeviceProfile device : devices) {
            DeviceProfile.Fact title = device.fact("title");
            page.append(row(List.of(device.toString(), title.words(), title.place())));
        }
        return page.toString();
    }

    private static void matrix(StringBuilder page, List<DeviceProfile> devices, boolean connects) {
        List<String> head = new ArrayList<>(List.of("jwarp"));
        devices.forEach(device -> head.add(device.toString()));
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
