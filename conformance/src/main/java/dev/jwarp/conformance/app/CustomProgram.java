package dev.jwarp.conformance.app;

import dev.jwarp.conformance.app.CustomBytes.Field;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that describes the program above a device, in the language of docs/conformance/custom.md. The file is read
 * once for all connections of a run. Its only state is which lines the conversations have confirmed. Thread-safe.
 */
public final class CustomProgram {
    /** Limit of the tester's memory that a program is offered: so much fits into one Read Response, in one FPDU. */
    private static final int MOST_OFFERED = 1_024;

    private static final long MOST_NUMBER = 1L << 40;
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"(?:\\*\\d+)?|[^\\s\"#]+|#.*|\"");

    /** What the tester may do with memory of the program. */
    enum Memory {
        NONE,
        READ,
        READ_AND_WRITE
    }

    /** Steps of a conversation. */
    enum Kind {
        PRIVATE_DATA,
        TAKES,
        SENDS,
        SENDS_SAME,
        READS,
        WRITES
    }

    /**
     * One line of a conversation.
     *
     * @param line the number of the line
     */
    record Step(Kind kind, CustomBytes bytes, int line) {}

    private final Path file;
    private int receiveSize;
    private boolean closes;
    private int offers;
    private Memory memory = Memory.NONE;
    private long memoryLength;
    private @Nullable List<Step> greeting;
    private final List<List<Step>> probes = new ArrayList<>();

    /** Lines that a conversation has confirmed. */
    private final Set<Integer> shown = ConcurrentHashMap.newKeySet();

    private final Map<String, Integer> places = new HashMap<>();
    private @Nullable List<Step> section;
    private int line;

    private CustomProgram(Path file) {
        this.file = file;
    }

    /** Reads a file. The message of an {@link IOException} has the line, the fault, and what to write instead. */
    public static CustomProgram read(Path file) throws IOException {
        CustomProgram program = new CustomProgram(file);
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (CharacterCodingException e) {
            throw new IOException(file + " is no text in UTF-8", e);
        }
        try {
            for (String text : lines) {
                program.line++;
                program.take(words(text));
            }
            program.complete();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ":" + program.line + ": " + e.getMessage(), e);
        }
        return program;
    }

    private static void refuse(boolean wrong, String sentence) {
        if (wrong) {
            throw new IllegalArgumentException(sentence);
        }
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            String word = matcher.group();
            if (word.startsWith("#")) {
                break;
            }
            refuse(word.equals("\""), "a text has no closing quote: add \" at its end");
            words.add(word);
        }
        return words;
    }

    private void take(List<String> words) {
        if (words.isEmpty()) {
            return;
        }
        String first = words.get(0);
        List<String> rest = words.subList(1, words.size());
        switch (first) {
            case "receives" -> {
                once(first);
                receiveSize = (int) number(first, rest, 1 << 30);
            }
            case "closes" -> {
                once(first);
                none(first, rest);
                closes = true;
            }
            case "offers" -> {
                once(first);
                offers = (int) number(first, rest, MOST_OFFERED);
            }
            case "memory" -> {
                once(first);
                memory(rest);
            }
            case "greeting" -> {
                once(first);
                none(first, rest);
                greeting = new ArrayList<>();
                section = greeting;
            }
            case "probe" -> {
                none(first, rest);
                completeSection();
                section = new ArrayList<>();
                probes.add(section);
            }
            case "private-data", "takes", "sends", "reads", "writes" ->
                section(first).add(step(first, rest));
            default ->
                throw new IllegalArgumentException(first + " is no keyword: use receives, closes, offers, memory,"
                        + " greeting, probe, private-data, takes, sends, reads or writes");
        }
    }

    private void once(String word) {
        Integer before = places.putIfAbsent(word, line);
        refuse(before != null, "line " + before + " already has " + word + ": leave one of them out");
        completeSection();
    }

    private static void none(String word, List<String> rest) {
        refuse(!rest.isEmpty(), "nothing may follow " + word + ": leave out " + String.join(" ", rest));
    }

    private static long number(String word, List<String> rest, long most) {
        long number = rest.size() == 1 && rest.get(0).matches("\\d{1,13}") ? Long.parseLong(rest.get(0)) : 0;
        refuse(number < 1 || number > most, word + " needs a number of bytes, 1 to " + most);
        return number;
    }

    private void memory(List<String> rest) {
        boolean writes = rest.size() > 1 && rest.get(1).equals("write");
        refuse(
                rest.isEmpty() || !rest.get(0).equals("read"),
                "say what the tester may do with the program's memory: memory read, or memory read write");
        memory = writes ? Memory.READ_AND_WRITE : Memory.READ;
        List<String> length = rest.subList(writes ? 2 : 1, rest.size());
        if (!length.isEmpty()) {
            memoryLength = number("memory " + (writes ? "read write" : "read"), length, MOST_NUMBER);
        }
    }

    private List<Step> section(String word) {
        if (section == null) {
            throw new IllegalArgumentException(
                    word + " belongs into a section: put a line with greeting or probe before it");
        }
        return section;
    }

    private Step step(String word, List<String> rest) {
        List<Step> before = section(word);
        boolean greets = before == greeting;
        boolean first = before.isEmpty();
        switch (word) {
            case "private-data" -> {
                refuse(!greets || !first, "private data comes first: make it the first line after greeting");
                return new Step(Kind.PRIVATE_DATA, told(rest), line);
            }
            case "takes" -> {
                return new Step(Kind.TAKES, taken(rest, greets, first), line);
            }
            default -> {
                refuse(
                        !greets && first,
                        "a probe begins with what the tester sends: put a line with takes before " + word);
                return word.equals("sends") ? sends(rest, before) : moves(word, rest, before);
            }
        }
    }

    private Step sends(List<String> rest, List<Step> before) {
        if (rest.equals(List.of("same"))) {
            refuse(
                    before.stream().noneMatch(s -> s.kind() == Kind.TAKES),
                    "same as what? Put a line with takes before it, or write the bytes");
            return new Step(Kind.SENDS_SAME, CustomBytes.NONE, line);
        }
        CustomBytes bytes = told(rest);
        refuse(
                before != greeting && tells(bytes),
                "memory is described in the greeting: put the fields there, and any:4 here");
        return new Step(Kind.SENDS, bytes, line);
    }

    /** Bytes that the program sends. */
    private static CustomBytes told(List<String> rest) {
        CustomBytes bytes = CustomBytes.of(rest);
        refuse(bytes.has(Field.COUNT), "only takes can have count: use any:4 here");
        return bytes;
    }

    private static boolean tells(CustomBytes bytes) {
        return bytes.has(Field.STAG) || bytes.has(Field.TO) || bytes.has(Field.LENGTH);
    }

    /** Bytes that the tester sends. */
    private static CustomBytes taken(List<String> rest, boolean greets, boolean first) {
        refuse(
                !greets && !first,
                "a probe has one takes, its first line: begin another probe, which comes after this one");
        CustomBytes bytes = CustomBytes.of(rest);
        refuse(bytes.undecided(), "the tester has to send these bytes: write them in place of any");
        refuse(!greets && bytes.length() < 2, "some cases divide a probe: give it 2 bytes or more");
        return bytes;
    }

    /** A step in which the program reads or writes the offered memory. */
    private Step moves(String word, List<String> rest, List<Step> before) {
        boolean offered =
                before.stream().map(Step::bytes).anyMatch(b -> !b.undecided() && b.has(Field.STAG) && b.has(Field.TO));
        refuse(!offered, "the program must learn which memory: put stag:4 and to:8 into the takes before " + word);
        refuse(offers == 0, "how many bytes? Put a line such as 'offers 64' at the beginning of the file");
        if (word.equals("writes")) {
            none(word, rest);
            return new Step(Kind.WRITES, CustomBytes.NONE, line);
        }
        if (rest.isEmpty()) {
            return new Step(Kind.READS, CustomBytes.NONE, line);
        }
        CustomBytes bytes = CustomBytes.of(rest);
        refuse(
                bytes.undecided() || tells(bytes) || bytes.length() != offers,
                "the tester answers with " + offers
                        + " bytes, as offers says: write so many bytes, as hex or text, or none");
        return new Step(Kind.READS, bytes, line);
    }

    /** Checks that the section that ends here is complete. */
    private void completeSection() {
        if (section != null && section != greeting && section.size() < 2) {
            throw new IllegalArgumentException((section.isEmpty() ? "the probe" : "what the probe takes")
                    + " before this line has no answer: add takes, then sends, reads or writes");
        }
    }

    private void complete() {
        completeSection();
        refuse(
                greeting == null && probes.isEmpty(),
                "the file describes no action of the program: end it with a line probe, then takes and sends");
        boolean told = false;
        boolean length = memoryLength > 0;
        for (Step step : greeting()) {
            CustomBytes bytes = step.bytes();
            if (step.kind() != Kind.TAKES) {
                told |= bytes.has(Field.STAG) && bytes.has(Field.TO);
                length |= bytes.has(Field.LENGTH);
                if (tells(bytes) && memory == Memory.NONE) {
                    line = step.line();
                    throw new IllegalArgumentException("what may the tester do with this memory? Put a line 'memory"
                            + " read' or 'memory read write' at the beginning of the file");
                }
            }
        }
        if (memory != Memory.NONE && !(told && length)) {
            line = places.getOrDefault("memory", line);
            throw new IllegalArgumentException("where is this memory? Put stag:4, to:8 and length:4 into what the"
                    + " program sends in the greeting; a length that is always the same may stand behind memory");
        }
    }

    /**
     * Whether the program sends first in full operation; the program of a device that connects must (RFC 5044 §7.1.2).
     */
    public boolean speaksFirst() {
        return greeting().stream()
                .filter(s -> s.kind() != Kind.PRIVATE_DATA)
                .findFirst()
                .map(s -> s.kind() == Kind.SENDS)
                .orElse(false);
    }

    /** Records that a conversation has confirmed this line. */
    void show(Step step) {
        shown.add(step.line());
    }

    /** Whether a conversation has confirmed this line. */
    boolean shown(Step step) {
        return shown.contains(step.line());
    }

    Path file() {
        return file;
    }

    /** Size in bytes of each receive; 0: not known. */
    int receiveSize() {
        return receiveSize;
    }

    boolean closes() {
        return closes;
    }

    /** Limit in bytes of the tester's memory that the program is offered; 0: none. */
    int offers() {
        return offers;
    }

    Memory memory() {
        return memory;
    }

    /** Size in bytes of the program's memory; 0: the program sends the size itself. */
    long memoryLength() {
        return memoryLength;
    }

    /** The exchange at the beginning of each conversation. */
    List<Step> greeting() {
        return greeting == null ? List.of() : greeting;
    }

    /** Commands to the program and its reactions, which the tester plays in turn, again and again. */
    List<List<Step>> probes() {
        return probes;
    }
}
