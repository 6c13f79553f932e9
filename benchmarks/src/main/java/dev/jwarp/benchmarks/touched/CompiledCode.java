package dev.jwarp.benchmarks.touched;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** Bytes of the machine code that the C2 compiler has made of each method. */
final class CompiledCode {
    /** Number, level, state, name, and the addresses of header, code and end. */
    private static final Pattern LINE = Pattern.compile(
            "\\s*\\d+ +4 +0 +(\\S+) +\\[0x[0-9a-f]+, 0x([0-9a-f]+) - 0x([0-9a-f]+)]", Pattern.CASE_INSENSITIVE);

    private CompiledCode() {}

    /** {@return the list of this JVM, as the JVM prints it} */
    static String list() throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "compilerCodelist",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
    }

    /** {@return bytes by method, from the lines of such a list} */
    static Map<String, Long> sizes(List<String> lines) {
        Map<String, Long> sizes = new HashMap<>();
        for (String line : lines) {
            Matcher found = LINE.matcher(line);
            if (found.lookingAt()) {
                long bytes = Long.parseLong(found.group(3), 16) - Long.parseLong(found.group(2), 16);
                sizes.merge(found.group(1), bytes, Long::sum);
            }
        }
        return sizes;
    }
}
