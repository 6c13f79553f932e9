package dev.jwarp.tools.conform;

import dev.jwarp.conformance.app.Application;
import dev.jwarp.conformance.app.Application.UnknownProgram;
import dev.jwarp.conformance.app.Custom;
import dev.jwarp.conformance.app.CustomProgram;
import dev.jwarp.conformance.app.Echo;
import dev.jwarp.conformance.app.Perftest;
import dev.jwarp.conformance.app.Rping;
import dev.jwarp.conformance.app.Rsockets;
import dev.jwarp.conformance.script.Role;
import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What program runs above the device. */
final class ProfileFlags {
    /** The cure where another program was met. */
    static final String CHOOSE = "say with --profile what program runs there: rping, echo for a conformance target,"
            + " perftest, rsockets, custom with a file that describes it, or none";

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "rping",
            description = "What program runs above the device: rping; echo, a conformance target; perftest; rsockets;"
                    + " custom, what --program says; none, nothing known. Default rping.")
    private Profile profile = Profile.RPING;

    @Option(
            names = "--program",
            paramLabel = "FILE",
            description = "With --profile custom: a text file that says what the program does"
                    + " (docs/conformance/custom.md).")
    private @Nullable Path file;

    private @Nullable CustomProgram custom;

    /** What runs above the device. */
    enum Profile {
        RPING,
        ECHO,
        NONE,
        PERFTEST,
        RSOCKETS,
        CUSTOM
    }

    /**
     * Reads the file, if there is one.
     *
     * @param connects the device connects
     * @param self what runs above the device is known: the flags say nothing
     */
    void check(boolean connects, boolean self) {
        if (file == null) {
            if (profile == Profile.CUSTOM && !self) {
                throw ToolFailure.usage("--profile custom needs --program FILE, which says what the program does");
            }
            return;
        }
        if (profile != Profile.CUSTOM || self) {
            throw ToolFailure.usage("--program is for --profile custom with --peer or --listen");
        }
        try {
            custom = CustomProgram.read(file);
        } catch (NoSuchFileException e) {
            throw ToolFailure.usage("there is no file " + file + " for --program");
        } catch (IOException e) {
            throw ToolFailure.usage(String.valueOf(e.getMessage()));
        }
        if (connects && !custom.speaksFirst()) {
            throw ToolFailure.usage(file + ": a device that connects speaks first (RFC 5044 section 7.1.2): begin its"
                    + " greeting with sends");
        }
    }

    /** Makes the program's side anew for each connection. */
    Function<Role, Application> program() {
        CustomProgram described = custom;
        return switch (profile) {
            case RPING -> Rping::new;
            case ECHO -> Echo::new;
            case NONE -> role -> new UnknownProgram();
            case PERFTEST -> Perftest::new;
            case RSOCKETS -> Rsockets::new;
            case CUSTOM ->
                role -> {
                    if (described == null) {
                        throw new IllegalStateException("no file was read");
                    }
                    return new Custom(described);
                };
        };
    }

    /** What the program wants to find in a Request or Reply. */
    byte[] privateData() {
        return profile == Profile.RSOCKETS ? Rsockets.privateData() : new byte[0];
    }

    /**
     * Its server serves one connection at a time.
     *
     * @param restarted the user starts it again: of rsockets, only a server that ends needs that
     */
    boolean servesOne(boolean restarted) {
        return profile == Profile.PERFTEST || (profile == Profile.RSOCKETS && restarted);
    }

    /** The profile's name. */
    @Override
    public String toString() {
        return profile.toString().toLowerCase(Locale.ROOT);
    }
}
