package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.ToolFailure;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** Rejects flags of {@code jwarp conform} that have no effect in combination with another one. */
final class UselessFlags {
    private static final List<String> CHOICE =
            List.of("--case", "--list", "--explain", "--exclude", "--strict", "--parameters");
    private static final List<String> REPORTS = List.of("--junit", "--html", "--pcap", "--repro", "-i", "-v");
    private static final List<String> START =
            List.of("--crc", "--revision", "--markers", "--ird", "--ord", "--private-data", "--settle");
    private static final List<String> PROGRAM = List.of("--profile", "--program");

    private final ParseResult given;

    UselessFlags(ParseResult given) {
        this.given = given;
    }

    /** Checks a command line with {@code --fuzz} or {@code --replay}, which replace the cases. */
    void besideConversations(boolean replay) {
        String flag = replay ? "--replay" : "--fuzz";
        if (!given.matchedPositionals().isEmpty()) {
            throw useless("a filter of cases", flag);
        }
        none(flag, CHOICE);
        none(flag, REPORTS);
        if (replay) {
            none(flag, List.of("--fuzz", "--seed", "--good-start"));
        }
    }

    /** Checks a replay of a script, which has all bytes of the conversation, including start-up and program. */
    void besideScript() {
        none("a script", PROGRAM);
        none("a script", START);
    }

    /** Checks a command line that only lists or explains cases. */
    void besideWords(boolean explains) {
        String flag = explains ? "--explain without a device" : "--list";
        none(flag, List.of("--self", "--peer", "--listen", "--peer-command", "--jobs", "--restart"));
        none(flag, List.of("--strict", "--parameters", "--timeout", "--quiet-time", "--delay", "--settle"));
        none(flag, List.of("--keys", "--swapped-terminates", explains ? "--list" : "--explain"));
        none(flag, REPORTS);
        none(flag, START);
        none(flag, PROGRAM);
        besideCases();
    }

    /** Checks a run of cases. */
    void besideCases() {
        for (String flag : List.of("--seed", "--good-start", "--keep")) {
            if (given.hasMatchedOption(flag)) {
                throw ToolFailure.usage(flag + " has no effect without --fuzz: leave it out, or add --fuzz N");
            }
        }
    }

    /** Checks {@code --self}, whose program is known. */
    void besideSelf() {
        none("--self", PROGRAM);
    }

    /** Checks {@code --datagram}, which has no start-up and a single program. */
    void besideDatagrams() {
        none("--datagram", PROGRAM);
        none("--datagram", START);
        none("--datagram", List.of("--swapped-terminates", "--parameters"));
    }

    /** Checks {@code --listen}. */
    void besideListen() {
        none("--listen", List.of("--settle"));
    }

    private void none(String beside, List<String> names) {
        for (String name : names) {
            if (given.hasMatchedOption(name)) {
                throw useless(name, beside);
            }
        }
    }

    private static ToolFailure useless(String what, String beside) {
        return ToolFailure.usage(what + " has no effect with " + beside + ": leave one of them out");
    }
}
