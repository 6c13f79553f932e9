package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.ToolFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The flags that say what lies between the ends, in place of loopback. */
final class NetworkFlags {
    private static final String CUBIC = "cubic";

    @Option(names = "--netem", description = "The same as --via netem.")
    private boolean netem;

    @Option(
            names = "--via",
            paramLabel = "netem|nft|box",
            converter = Words.class,
            description =
                    "Two network namespaces in place of loopback, each end in its own process, and what loses the"
                            + " packets: tc's netem; for kernels without, a rule of nft; or the bottleneck of --box. Needs root.")
    private @Nullable Via via;

    @Option(
            names = "--box",
            paramLabel = "FILE",
            description = "For --via box: its program, which interop/loss/run compiles from interop/congestion/box.c.")
    private @Nullable Path box;

    @Option(
            names = "--tcp-congestion",
            paramLabel = "NAME",
            description =
                    "With --via: the congestion control of TCP in the namespaces, set by their routes and read back"
                            + " from each connection. Default cubic.")
    private @Nullable String control;

    /** The names as they are typed; INJECTOR is no choice of the user's, but what there is without. */
    static final class Words implements ITypeConverter<Via> {
        @Override
        public Via convert(String value) {
            for (Via one : Via.values()) {
                if (!one.injected() && one.word().equals(value)) {
                    return one;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of netem, nft and box");
        }
    }

    /** {@return what lies between the ends} Checks that the flags fit together. */
    Via via() {
        Via chosen = via != null ? via : netem ? Via.NETEM : Via.INJECTOR;
        if (chosen.injected() && control != null) {
            throw ToolFailure.usage("--tcp-congestion is for --via; on loopback TCP has what the system says");
        }
        if ((chosen == Via.BOX) != (box != null)) {
            throw ToolFailure.usage(
                    "--via box and --box FILE go together", "interop/loss/run compiles the program and gives both");
        }
        if (box != null && !Files.isExecutable(box)) {
            throw ToolFailure.usage("--box " + box + ": there is no such program");
        }
        return chosen;
    }

    /** {@return what {@link NamespaceLab} is to make of it} */
    LossLink link(Namespaces namespaces) {
        return via() == Via.BOX
                ? new BoxLink(namespaces, Objects.requireNonNull(box), control())
                : new VethLink(namespaces, via(), control());
    }

    /** {@return the congestion control of TCP in the namespaces} */
    String control() {
        return control == null ? CUBIC : control;
    }

    /** {@return the flags as they would have to be typed, with a blank behind; empty for loopback} */
    String text() {
        if (via().injected()) {
            return "";
        }
        return "--via " + via().word() + " " + (box == null ? "" : "--box " + box.getFileName() + " ")
                + "--tcp-congestion " + control() + " ";
    }
}
