package dev.jwarp.conformance.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.app.Application.Region;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.script.Inconclusive;
import dev.jwarp.conformance.script.Skip;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tester's end of the conversation with a program that a file describes; the test plays the program. */
class CustomTest {
    private static final String RPING = """
            offers 8
            probe
              takes to:8 stag:4 length:4
              reads "a"*7 00
              sends any
            probe
              takes to:8 stag:4 length:4
              writes
              sends any
            """;
    private static final String OFFER = "0000000000100000" + "51000001" + "00000008";

    @TempDir
    private Path folder;

    @AutoClose
    private Played device;

    @BeforeEach
    void connect() throws IOException {
        device = new Played(Octets.hex("0102"));
    }

    private Custom begun(String text) throws IOException {
        Custom custom = new Custom(CustomProgram.read(Files.writeString(folder.resolve("program.txt"), text)));
        custom.begin(device.talk());
        return custom;
    }

    @Test
    @DisplayName(
            "the greeting is sent as the file says; its fields describe the program's memory, in either byte order")
    void greeting() throws IOException {
        device.sends("3412cdab" + "0000000000001000" + "0040" + "ff");
        Custom custom = begun("""
                memory read
                greeting
                private-data 01 any:1
                takes "hi"
                sends stag:4le to:8 length:2 any
                """);

        assertThat(device.takes().payload()).isEqualTo(Octets.hex("6869"));
        assertThat(custom.source()).isEqualTo(new Region(0xABCD_1234L, 0x1000, 64));
        assertThat(custom.can(Ability.SOURCE)).isTrue();
    }

    @Test
    @DisplayName("memory that is too small for the cases does not count")
    void smallMemory() throws IOException {
        device.sends("00000001" + "0000000000001000" + "0000003f");
        Custom custom = begun("""
                memory read write
                greeting
                sends stag:4 to:8 length:4
                """);

        assertThat(custom.can(Ability.SOURCE)).isFalse();
        assertThat(custom.can(Ability.TARGET)).isFalse();
    }

    @Test
    @DisplayName("wrong private data makes cases inconclusive, and the message names the line")
    void otherPrivateData() {
        assertThatThrownBy(() -> begun("""
                greeting
                private-data 0103
                """))
                .isInstanceOf(Inconclusive.class)
                .hasMessage("private data should be 0103 (line 2 of " + folder.resolve("program.txt") + "), was 0102");
    }

    @Test
    @DisplayName("each probe has a number, and the same bytes must come back")
    void same() throws IOException {
        Custom custom = begun("""
                probe
                takes "x" count:2
                sends same
                """);
        device.probes(custom);
        device.sends("780001");
        custom.expectAnswer();
        device.probes(custom);
        device.sends("780001");

        assertThatThrownBy(custom::expectAnswer).isInstanceOfSatisfying(Deviation.class, d -> {
            assertThat(d.expected())
                    .isEqualTo("a Send with the bytes that the program took (line 3 of " + folder.resolve("program.txt")
                            + "): 780002");
            assertThat(d.actual()).isEqualTo("a Send with 780001");
        });
    }

    @Test
    @DisplayName("the described bytes must come, and no bytes after them")
    void saidBytes() throws IOException {
        Custom custom = begun("""
                probe
                takes "go"
                sends "ok" any:1
                """);
        device.probes(custom);
        device.sends("6f6b00");
        custom.expectAnswer();
        device.sends("6f6b0000");
        assertThatThrownBy(custom::expectAnswer).isInstanceOf(Deviation.class);
        device.sends("6f6c00");
        assertThatThrownBy(custom::expectAnswer).isInstanceOf(Deviation.class);
    }

    @Test
    @DisplayName("several probes take turns: offered memory is read, then written")
    void probesInTurn() throws IOException {
        Custom custom = begun(RPING);
        device.probes(custom);
        assertThat(device.takes().payload()).isEqualTo(Octets.hex(OFFER));
        device.says(Segment.readRequest(1, 7, 9, 8, 0x5100_0001L, 0x10_0000));
        device.sends("");
        custom.expectAnswer();
        Segment response = device.takes();
        assertThat(response.is(Opcode.READ_RESPONSE)).isTrue();
        assertThat(response.payload()).isEqualTo(Octets.hex("6161616161616100"));

        device.probes(custom);
        assertThat(device.takes().payload()).isEqualTo(Octets.hex(OFFER));
        device.says(Segment.write(0x5100_0001L, 0x10_0000, new byte[8]));
        device.sends("");
        custom.expectAnswer();

        assertThat(custom.probe().payload()).isEqualTo(Octets.hex(OFFER));
    }

    @Test
    @DisplayName(
            "a Read or a Write of something else than was offered is a deviation of a program that did better before")
    void somethingElse() throws IOException {
        Custom custom = begun(RPING);
        device.says(Segment.readRequest(1, 7, 9, 8, 0x5100_0001L, 0x10_0000));
        device.sends("");
        device.says(Segment.write(0x5100_0001L, 0x10_0000, new byte[8]));
        device.sends("");
        custom.rehearse(device.talk());
        device.probes(custom);
        device.says(Segment.readRequest(2, 7, 9, 8, 0x5100_0001L, 0x10_0001));
        Played.deviates(custom, "the 8 bytes that were offered (line 4 of");
        device.probes(custom);
        device.says(Segment.write(0x5100_0001L, 0x10_0008, new byte[8]));
        Played.deviates(custom, "the 8 bytes that were offered (line 8 of");
    }

    @Test
    @DisplayName("until a program has once done what a line says, the line may be wrong, and no device is charged")
    void lineThatMayBeWrong() throws IOException {
        Custom custom = begun("probe\ntakes 0000\nsends 0001");
        device.probes(custom);
        device.sends("0000");

        assertThatThrownBy(custom::expectAnswer)
                .isInstanceOf(Inconclusive.class)
                .hasMessage("the program never did what the file says: expected a Send with 0001 (line 3 of "
                        + folder.resolve("program.txt") + "), got a Send with 0000. Is the file right?");
    }

    @Test
    @DisplayName("before a command to read the program gets the earlier probes, then the case's own memory")
    void readsOnCommand() throws IOException {
        Custom custom = begun("""
                offers 8
                probe
                takes "go"
                sends any
                probe
                takes stag:4 to:8 length:2
                reads
                sends any
                """);
        device.sends("");
        custom.askReads(0x12, 0x34, 5, 1);
        device.says(Segment.readRequest(1, 7, 9, 5, 0x12, 0x34));
        device.sends("");

        assertThat(device.takes().payload()).isEqualTo(Octets.hex("676f"));
        assertThat(device.takes().payload()).isEqualTo(Octets.hex("00000012" + "0000000000000034" + "0005"));
        device.talk().expect(Opcode.READ_REQUEST);
        assertThat(custom.expectRead()).isEmpty();
        assertThat(custom.probe().payload()).isEqualTo(Octets.hex("676f"));
    }

    @Test
    @DisplayName("a Read of more than the offered memory, or several Reads at once, skip the case")
    void moreThanItCanBeOffered() throws IOException {
        Custom custom = begun(RPING);

        assertThatThrownBy(() -> custom.askReads(1, 0, 9, 1))
                .isInstanceOf(Skip.class)
                .hasMessage("needs a program that reads 9 bytes on command: this one takes offers of at most 8");
        assertThatThrownBy(() -> custom.askReads(1, 0, 8, 2)).isInstanceOf(Skip.class);
        assertThatThrownBy(() -> custom.peek(0, 8)).isInstanceOf(Skip.class);
    }
}
