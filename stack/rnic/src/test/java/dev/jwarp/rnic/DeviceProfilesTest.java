package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Whole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * jwarp with each device of {@code devices.tsv}, emulated, in both roles. The outcome of each meeting is predicted from
 * the profile and the RFCs ({@link DevicePrediction}), and written to {@code target/device-matrix.tsv}. The profiles
 * and a part of the outcomes are in docs/interop.md, which the test writes with {@code -Ddocs.write=true}.
 */
@DisplayName("With a device as the sources of its driver describe it, jwarp")
class DeviceProfilesTest {
    private static final Path PAGE = Path.of("../../docs/interop.md");
    private static final Path MATRIX = Path.of("target", "device-matrix.tsv");
    private static final int SHOWN = 20;

    private final List<String> problems = new ArrayList<>();
    private final StringBuilder matrix = new StringBuilder("jwarp\tdevice\tsettings\tcomes of it\n");

    @Test
    @DisplayName("behaves as predicted in virtual time, with every combination of settings, or some of them in a build")
    void everyCombination() throws IOException {
        for (boolean connects : new boolean[] {true, false}) {
            meetAll(World.Kind.SIMULATED, StartCase.every(connects), Whole.or(23, 1)); // coprime to their number
        }
        Files.createDirectories(MATRIX.getParent());
        Files.writeString(MATRIX, matrix);
        assertThat(problems.stream().limit(SHOWN))
                .as(problems.size() + " are not as predicted; all are in " + MATRIX)
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"INLINE", "THREADED"})
    @DisplayName("behaves as predicted over TCP, with one setting changed at a time")
    void overTcp(World.Kind kind) throws IOException {
        for (boolean connects : new boolean[] {true, false}) {
            meetAll(kind, StartCase.few(connects), Whole.or(7, 1));
        }
        assertThat(problems).isEmpty();
    }

    @Test
    @DisplayName("is described on docs/interop.md")
    void page() throws IOException {
        String before = Files.readString(PAGE);
        int begin = before.indexOf(DevicePage.BEGIN);
        assertThat(begin).as("%s has the line %s", PAGE, DevicePage.BEGIN).isNotNegative();
        String wanted = before.substring(0, begin) + DevicePage.text();
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/interop.md is out of date: run mvn -pl stack/rnic -am test -Dtest=DeviceProfilesTest#page"
                        + " -Ddocs.write=true -Dsurefire.failIfNoSpecifiedTests=false")
                .isEqualTo(wanted);
    }

    /** Runs one of {@code share} meetings; each device gets other starts. */
    private void meetAll(World.Kind kind, List<StartCase> starts, int share) throws IOException {
        int next = 0;
        for (DeviceProfile device : DeviceProfile.all()) {
            for (StartCase start : starts) {
                if (next++ % share != 0) {
                    continue;
                }
                DevicePrediction predicted = DevicePrediction.of(device, start);
                String comes = predicted.what();
                if (!comes.equals(DeviceProfile.UNKNOWN)) {
                    PlayedDevice played = new PlayedDevice(device, !start.connects());
                    DeviceMeeting.End end = DeviceMeeting.hold(kind, start, played);
                    String who = (start.connects() ? "connects to " : "listens for ") + device + ", " + start + ": ";
                    compare(predicted, played, end).forEach(problem -> problems.add(who + problem));
                    comes = end.what();
                }
                String role = start.connects() ? "connects" : "listens";
                matrix.append(String.join("\t", role, device.name(), start.toString(), comes))
                        .append('\n');
            }
        }
    }

    private static List<String> compare(DevicePrediction predicted, PlayedDevice device, DeviceMeeting.End end) {
        List<String> found = new ArrayList<>();
        if (!end.what().startsWith(predicted.what())) {
            found.add("predicted " + predicted.what() + ", was " + end.what() + ": " + end.sentence());
        } else if (!end.sentence().contains(predicted.phrase())) {
            found.add("no \"" + predicted.phrase() + "\" in: " + end.sentence());
        } else if (predicted.connects()) {
            if (predicted.revision() != device.revision()) {
                found.add("revision " + device.revision() + " instead of " + predicted.revision());
            }
            if (!('"' + DeviceMeeting.GREETING + '"').equals(device.heard())) {
                found.add("the device heard " + device.heard());
            }
            if (!predicted.kinds().isEmpty() && !predicted.kinds().contains(device.first())) {
                found.add("first came " + device.first() + ", not one of " + predicted.kinds());
            }
        }
        String fault = device.fault();
        if (fault != null) {
            found.add(fault);
        }
        return found;
    }
}
