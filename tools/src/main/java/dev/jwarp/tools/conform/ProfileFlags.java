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

/** The flags of the program on the device. */
final class ProfileFlags {
    /** Advice if the device runs another program. */
    static final String CHOOSE = "set --profile to the program that runs there: rping, echo for a conformance target,"
            + " perftest, rsockets, custom with a file that describes the program, or none";

    @Option(
            names = "--profile",
            paramLabel = "PROFILE",
            defaultValue = "rping",
            description = "The program on the device: rping; echo, a conformance target; perftest; rsockets; custom,"
                    + " described by --program; none, unknown. Default rping.")
    private Profile profile = Profile.RPING;

    @Option(
            names = "--program",
            paramLabel = "FILE",
            description =
                    "With --profile custom: a text file that describes the program" + " (docs/conformance/custom.md).")
    private @Nullable Path file;

    private @Nullable CustomProgram custom;

    /** The program on the device. */
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
     * @param connects whether the device connects
     * @param self whether the program is known, so that the flags have no effect
     */
    void check(boolean connects, boolean self) {
        if (file == null) {
            if (profile == Profile.CUSTOM && !self) {
                throw ToolFailure.usage("--profile custom needs --program FILE, which describes the program");
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
            throw ToolFailure.usage(file + ": a device that connects sends first (RFC 5044 section 7.1.2): begin its"
                    + " greeting with sends");
        }
    }

    /** {@return a factory of the tester's side of the program, for each connection} */
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

    /** {@return the private data that the program needs in a Request or Reply} */
    byte[] privateData() {
        return profile == Profile.RSOCKETS ? Rsockets.privateData() : new byte[0];
    }

    /**
     * {@return whether the program's server serves one connection at a time}
     *
     * @param restarted whether the user restarts the program; with rsockets only a server that ends needs that
     */
    boolean servesOne(boolean restarted) {
        return profile == Profile.PERFTEST || (profile == Profile.RSOCKETS && restarted);
    }

    /** {@return the name of the profile} */
    @Override
    public String toString() {
        return profile.toString().toLowerCase(Locale.ROOT);
    }
}
