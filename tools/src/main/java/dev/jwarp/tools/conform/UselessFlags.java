package dev.jwarp.tools.conform;

import dev.jwarp.tools.cli.ToolFailure;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** Flags of {@code jwarp conform} that change nothing beside another one: who gives both is told, and nothing is left out in silence. */
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

    /** Beside {@code --fuzz} or {@code --replay}, which take the place of the cases. */
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

    /** Beside a script that is repeated: it has its own bytes, of the start-up too, and asks nothing of the program above the device. */
    void besideScript() {
        none("a script", PROGRAM);
        none("a script", START);
    }

    /** Beside what only says something of the cases, and tries none. */
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

    /** Beside the cases. */
    void besideCases() {
        for (String flag : List.of("--seed", "--good-start", "--keep")) {
            if (given.hasMatchedOption(flag)) {
                throw ToolFailure.usage(flag + " says nothing without --fuzz: leave it out, or give --fuzz N too");
            }
        }
    }

    /** Beside {@code --self}: what runs above jwarp is known. */
    void besideSelf() {
        none("--self", PROGRAM);
    }

    /** Beside {@code --datagram}: it has no start-up, and one program. */
    void besideDatagrams() {
        none("--datagram", PROGRAM);
        none("--datagram", START);
        none("--datagram", List.of("--swapped-terminates", "--parameters"));
    }

    /** Beside {@code --listen}. */
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
        return ToolFailure.usage(what + " says nothing with " + beside + ": leave one of them out");
    }
}
