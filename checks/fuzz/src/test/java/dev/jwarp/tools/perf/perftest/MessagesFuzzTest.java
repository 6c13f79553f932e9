package dev.jwarp.tools.perf.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Arbitrary bytes, parsed as messages of perftest. The first byte selects the message. */
public class MessagesFuzzTest {
    private static final int PAGE = 4096;

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0 || input.length > 1 + Destination.LENGTH) {
            return;
        }
        int length = input.length - 1;
        ByteBuffer message = ByteBuffer.wrap(Arrays.copyOfRange(input, 1, 1 + Destination.LENGTH));
        int kind = input[0] & 0xff;
        String fault =
                switch (kind % 5) {
                    case 0 -> version(message, length);
                    case 1 -> size(message, length);
                    case 2 -> mtu(message, length);
                    case 3 -> destination(message, length);
                    default -> report(message, length, kind / 5 % BandwidthReport.PARTS);
                };
        if (fault != null) {
            assertThat(fault).matches("\\P{Cntrl}+");
        }
    }

    private static String version(ByteBuffer message, int length) {
        String fault = VersionText.fault(message, length);
        if (fault == null) {
            assertThat(VersionText.read(message)).matches("[ -~]{3,16}");
        }
        return fault;
    }

    private static String size(ByteBuffer message, int length) {
        String fault = Session.SizeMessage.fault(message, length);
        if (fault == null) {
            int size = Session.SizeMessage.read(message);
            for (Steps steps : new Steps[] {new Steps(Math.max(PAGE, size), 64), new Steps(PAGE, Math.max(64, size))}) {
                int offset = steps.offset(length * 77L, 64);
                assertThat(offset).isBetween(0, steps.room(64) - 64);
            }
        }
        return fault;
    }

    private static String mtu(ByteBuffer message, int length) {
        String fault = Session.MtuText.fault(message, length);
        if (fault == null) {
            assertThat(Session.MtuText.read(message)).isBetween(0, 9);
        }
        return fault;
    }

    private static String destination(ByteBuffer message, int length) {
        String fault = Destination.fault(message, length);
        if (fault == null) {
            ByteBuffer again = ByteBuffer.allocate(Destination.LENGTH);
            Destination.read(message).write(again);
            assertThat(Destination.read(again)).isEqualTo(Destination.read(message));
            assertThat(Destination.read(message).toString()).isNotEmpty();
        }
        return fault;
    }

    private static String report(ByteBuffer message, int length, int part) {
        String fault = BandwidthReport.fault(message, length);
        if (fault == null) {
            assertThat(BandwidthReport.NOTHING.read(message, part).toString()).isNotEmpty();
            BandwidthReport.NOTHING.read(message, part).plausible();
        }
        return fault;
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
