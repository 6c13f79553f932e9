package dev.jwarp.ddp.llp.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A capture file")
class PcapFileTest {
    private static final long FILE_HEADER = 24;

    @Test
    @DisplayName("is one for all who name it, however they spell it, until the last of them closes it")
    void shared(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("both.pcap");
        PcapFile first = PcapFile.open(path.toString(), 0);
        PcapFile second = PcapFile.open(folder.resolve("x/../both.pcap").toString(), 0);
        assertThat(second.writer()).isSameAs(first.writer());
        first.close();
        assertThat(PcapFile.open(path.toString(), 0).writer()).isSameAs(second.writer());
        second.close();
        second.close();
        assertThat(Files.size(path)).isEqualTo(FILE_HEADER);
        PcapFile later = PcapFile.open(path.toString(), 0);
        assertThat(later.writer()).isNotSameAs(first.writer());
        later.close();
    }

    @Test
    @DisplayName("that cannot be written is refused, and not kept")
    void refused(@TempDir Path folder) {
        String name = folder.resolve("missing/file.pcap").toString();
        assertThatThrownBy(() -> PcapFile.open(name, 0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> PcapFile.open(name, 0)).isInstanceOf(IOException.class);
    }
}
