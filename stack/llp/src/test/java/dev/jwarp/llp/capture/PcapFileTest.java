package dev.jwarp.llp.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A capture file")
class PcapFileTest {
    private static final long FILE_HEADER = 24;

    @Test
    @DisplayName("is shared by all users of its path, in any spelling, until the last of them closes it")
    void shared(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("both.pcap");
        PcapFile first = PcapFile.open(path.toString(), 0, PcapFileTest::ignore);
        PcapFile second = PcapFile.open(folder.resolve("x/../both.pcap").toString(), 0, PcapFileTest::ignore);
        assertThat(second.writer()).isSameAs(first.writer());
        first.close();
        assertThat(PcapFile.open(path.toString(), 0, PcapFileTest::ignore).writer())
                .isSameAs(second.writer());
        second.close();
        second.close();
        assertThat(Files.size(path)).isEqualTo(FILE_HEADER);
        PcapFile later = PcapFile.open(path.toString(), 0, PcapFileTest::ignore);
        assertThat(later.writer()).isNotSameAs(first.writer());
        later.close();
    }

    @Test
    @DisplayName("that cannot be written is rejected, and not kept")
    void refused(@TempDir Path folder) {
        String name = folder.resolve("missing/file.pcap").toString();
        assertThatThrownBy(() -> PcapFile.open(name, 0, PcapFileTest::ignore)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PcapFile.open(name, 0, PcapFileTest::ignore)).isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("on a full disk reports the failure once")
    @EnabledOnOs(OS.LINUX)
    void full() throws IOException {
        List<IOException> told = new ArrayList<>();
        PcapFile file = PcapFile.open("/dev/full", 0, told::add);
        PcapFlow flow = file.writer().flow(new InetSocketAddress("10.0.0.1", 1), new InetSocketAddress("10.0.0.2", 2));
        for (int i = 0; i < 8; i++) {
            flow.data(true, ByteBuffer.allocate(60_000), i);
        }
        assertThat(told).hasSize(1);
        file.close();
        assertThat(told).hasSize(1);
    }

    @Test
    @DisplayName("without space for the last bytes reports the failure when it is closed")
    @EnabledOnOs(OS.LINUX)
    void fullAtTheEnd() throws IOException {
        List<IOException> told = new ArrayList<>();
        PcapFile file = PcapFile.open("/dev/full", 0, told::add);
        assertThat(told).isEmpty();
        file.close();
        assertThat(told).hasSize(1);
    }

    private static void ignore(IOException failure) {
        throw new UncheckedIOException(failure);
    }
}
