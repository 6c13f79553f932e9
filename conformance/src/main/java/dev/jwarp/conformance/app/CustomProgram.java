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
 * A file that says what the program above a device does, in the words of docs/conformance/custom.md. It is read once for all
 * connections of a run, in which it does not change, but for what they show of it. Thread-safe.
 */
public final class CustomProgram {
    /** The most of the tester's memory that a program may be offered: so much fits into one Read Response, in one FPDU. */
    private static final int MOST_OFFERED = 1_024;

    private static final long MOST_NUMBER = 1L << 40;
    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"(?:\\*\\d+)?|[^\\s\"#]+|#.*|\"");

    /** What the tester may do with memory of the program. */
    enum Memory {
        NONE,
        READ,
        READ_AND_WRITE
    }

    /** What is said or done in a conversation, by the program or with it. */
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
     * @param bytes what it says of them; null: nothing
     * @param line its number
     */
    record Step(Kind kind, @Nullable CustomBytes bytes, int line) {}

    private final Path file;
    private int receiveSize;
    private boolean closes;
    private int offers;
    private Memory memory = Memory.NONE;
    private long memoryLength;
    private @Nullable List<Step> greeting;
    private final List<List<Step>> probes = new ArrayList<>();

    /** Lines of which a conversation has shown that they are right. */
    private final Set<Integer> shown = ConcurrentHashMap.newKeySet();

    private final Map<String, Integer> places = new HashMap<>();
    private @Nullable List<Step> section;
    private int line;

    private CustomProgram(Path file) {
        this.file = file;
    }

    /** Reads a file. The message of the {@link IOException} has the line, what is wrong with it, and what to write. */
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

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            String word = matcher.group();
            if (word.startsWith("#")) {
                break;
            }
            if (word.equals("\"")) {
                throw new IllegalArgumentException("a text has no end: put \" behind it");
            }
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
                receiveSize = (int) number(first, rest, 1, 1 << 30);
            }
            case "closes" -> {
                once(first);
                none(first, rest);
                closes = true;
            }
            case "offers" -> {
                once(first);
                offers = (int) number(first, rest, 1, MOST_OFFERED);
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
                throw new IllegalArgumentException(first + " begins no line: say receives, closes, offers, memory,"
                        + " greeting, probe, private-data, takes, sends, reads or writes");
        }
    }

    private void once(String word) {
        Integer before = places.putIfAbsent(word, line);
        if (before != null) {
            throw new IllegalArgumentException("line " + before + " says " + word + ", too: leave one of them out");
        }
        completeSection();
    }

    private static void none(String word, List<String> rest) {
        if (!rest.isEmpty()) {
            throw new IllegalArgumentException("behind " + word + " nothing stands: leave out " + rest.get(0));
        }
    }

    private static long number(String word, List<String> rest, long least, long most) {
        long number = rest.size() == 1 && rest.get(0).matches("\\d{1,13}") ? Long.parseLong(rest.get(0)) : -1;
        if (number < least || number > most) {
            throw new IllegalArgumentException(word + " needs a number of bytes, " + least + " to " + most);
        }
        return number;
    }

    private void memory(List<String> rest) {
        boolean writes = rest.size() > 1 && rest.get(1).equals("write");
        if (rest.isEmpty() || !rest.get(0).equals("read")) {
            throw new IllegalArgumentException(
                    "say what the tester may do with the program's memory: memory read, or" + " memory read write");
        }
        memory = writes ? Memory.READ_AND_WRITE : Memory.READ;
        List<String> length = rest.subList(writes ? 2 : 1, rest.size());
        if (!length.isEmpty()) {
            memoryLength = number("memory " + (writes ? "read write" : "read"), length, 1, MOST_NUMBER);
        }
    }

    private List<Step> section(String word) {
        if (section == null) {
            throw new IllegalArgumentException(
                    word + " stands in no section: put a line with greeting or probe before it");
        }
        return section;
    }

    private Step step(String word, List<String> rest) {
        List<Step> before = section(word);
        boolean greets = before == greeting;
        boolean first = before.isEmpty();
        switch (word) {
            case "private-data" -> {
                if (!greets || !first) {
                    throw new IllegalArgumentException(
                            "private data comes first of all: make it the first line behind" + " greeting");
                }
                return new Step(Kind.PRIVATE_DATA, told(rest), line);
            }
            case "takes" -> {
                return new Step(Kind.TAKES, taken(rest, greets, first), line);
            }
            case "sends" -> {
                needFirst(word, greets, first);
                if (rest.equals(List.of("same"))) {
                    if (before.stream().noneMatch(s -> s.kind() == Kind.TAKES)) {
                        throw new IllegalArgumentException(
                                "same as what? Put a line with takes before it, or say the bytes");
                    }
                    return new Step(Kind.SENDS_SAME, null, line);
                }
                CustomBytes bytes = told(rest);
                if (!greets && tells(bytes)) {
                    throw new IllegalArgumentException(
                            "memory is told of in the greeting: put the fields there, and any:4 here");
                }
                return new Step(Kind.SENDS, bytes, line);
            }
            default -> {
                needFirst(word, greets, first);
                needOffer(word, before);
                return word.equals("reads") ? reads(rest) : writes(rest);
            }
        }
    }

    /** Bytes that the program says. */
    private static CustomBytes told(List<String> rest) {
        CustomBytes bytes = CustomBytes.of(rest);
        if (bytes.has(Field.COUNT)) {
            throw new IllegalArgumentException("only the tester counts, in takes: say any:4 here");
        }
        return bytes;
    }

    private static boolean tells(CustomBytes bytes) {
        return bytes.has(Field.STAG) || bytes.has(Field.TO) || bytes.has(Field.LENGTH);
    }

    /** Bytes that the tester sends. */
    private CustomBytes taken(List<String> rest, boolean greets, boolean first) {
        if (!greets && !first) {
            throw new IllegalArgumentException(
                    "a probe has one takes, its first line: begin another probe, which comes after this one");
        }
        CustomBytes bytes = CustomBytes.of(rest);
        if (bytes.undecided()) {
            throw new IllegalArgumentException("the tester has to send these: say the bytes, in place of any");
        }
        if (!greets && bytes.length() < 2) {
            throw new IllegalArgumentException("some cases cut a probe in two: let it have 2 bytes or more");
        }
        return bytes;
    }

    private static void needFirst(String word, boolean greets, boolean first) {
        if (!greets && first) {
            throw new IllegalArgumentException(
                    "a probe begins with what the tester sends: put a line with takes before " + word);
        }
    }

    private void needOffer(String word, List<Step> before) {
        boolean offered = before.stream()
                .map(Step::bytes)
                .anyMatch(b -> b != null && !b.undecided() && b.has(Field.STAG) && b.has(Field.TO));
        if (!offered) {
            throw new IllegalArgumentException(
                    "the program must learn which memory: put stag:4 and to:8 into the takes before " + word);
        }
        if (offers == 0) {
            throw new IllegalArgumentException(
                    "how many bytes? Put a line such as 'offers 64' at the beginning of the file");
        }
    }

    private Step reads(List<String> rest) {
        CustomBytes bytes = rest.isEmpty() ? null : CustomBytes.of(rest);
        if (bytes != null && (bytes.undecided() || tells(bytes) || bytes.length() != offers)) {
            throw new IllegalArgumentException("the tester answers with " + offers
                    + " bytes, as offers says: say so many, as hex or text, or none");
        }
        return new Step(Kind.READS, bytes, line);
    }

    private Step writes(List<String> rest) {
        none("writes", rest);
        return new Step(Kind.WRITES, null, line);
    }

    /** The section that ends here must be whole. */
    private void completeSection() {
        if (section != null && section != greeting && section.size() < 2) {
            throw new IllegalArgumentException((section.isEmpty() ? "the probe" : "what the probe takes")
                    + " before this line has no answer: say takes, then sends, reads or writes");
        }
    }

    private void complete() {
        completeSection();
        if (greeting == null && probes.isEmpty()) {
            throw new IllegalArgumentException(
                    "the file says nothing that the program does: end it with a line probe," + " then takes and sends");
        }
        boolean told = false;
        boolean length = memoryLength > 0;
        for (Step step : greeting()) {
            CustomBytes bytes = step.bytes();
            if (bytes != null && step.kind() != Kind.TAKES) {
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

    /** Whether the program says the first word in full operation: one whose device connects must (RFC 5044 §7.1.2). */
    public boolean speaksFirst() {
        return greeting().stream()
                .filter(s -> s.kind() != Kind.PRIVATE_DATA)
                .findFirst()
                .map(s -> s.kind() == Kind.SENDS)
                .orElse(false);
    }

    /** A conversation has shown that the program does what this line says. */
    void show(Step step) {
        shown.add(step.line());
    }

    /** Whether the program was ever seen to do what this line says. */
    boolean shown(Step step) {
        return shown.contains(step.line());
    }

    /** The file's name, for sentences. */
    Path file() {
        return file;
    }

    /** Bytes of each receive; 0: not known. */
    int receiveSize() {
        return receiveSize;
    }

    boolean closes() {
        return closes;
    }

    /** Bytes of the tester's memory that it is offered at most; 0: none. */
    int offers() {
        return offers;
    }

    Memory memory() {
        return memory;
    }

    /** Bytes of its memory; 0: it tells them itself. */
    long memoryLength() {
        return memoryLength;
    }

    /** What is said once, at the beginning. */
    List<Step> greeting() {
        return greeting == null ? List.of() : greeting;
    }

    /** What it is asked and what it does then: one after the other, and again from the first. */
    List<List<Step>> probes() {
        return probes;
    }
}
