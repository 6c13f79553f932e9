package dev.jwarp.tools.cli;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Turns exceptions into messages for the user. */
public final class Failures {
    private static final int LONGEST_TEXT = 512;

    private Failures() {}

    /**
     * {@return status and message of a command that this exception ended}
     *
     * @param debug whether to include a stack trace if the exception is a bug of jwarp
     */
    public static ToolFailure explain(Throwable exception, boolean debug) {
        if (exception instanceof ToolFailure failure) {
            return failure;
        }
        if (exception instanceof RdmaException rdma && rdma.code() != RdmaErrorCode.INTERNAL) {
            List<String> details = new ArrayList<>();
            if (rdma.privateData().length > 0) {
                details.add("the peer says: " + printable(rdma.privateData()));
            }
            return new ToolFailure(
                    ExitStatus.of(rdma.code().exitStatus()),
                    String.valueOf(rdma.getMessage()),
                    details.toArray(String[]::new));
        }
        if (exception instanceof OutOfMemoryError) {
            return ToolFailure.failed(
                    "out of memory: " + exception.getMessage(),
                    "JWARP_JAVA_OPTS gives the JVM more: -Xmx for the heap, -XX:MaxDirectMemorySize for buffers");
        }
        return new ToolFailure(
                ExitStatus.INTERNAL,
                "a bug of jwarp: " + exception,
                debug ? trace(exception) : new String[] {"JWARP_DEBUG=1 shows where"});
    }

    /**
     * {@return bytes from a peer, safe for a terminal: in quotation marks if all are printable ASCII, else in
     * hexadecimal}
     */
    public static String printable(byte[] octets) {
        boolean text = true;
        for (byte octet : octets) {
            text &= octet >= 0x20 && octet < 0x7f;
        }
        if (text) {
            return "\"" + new String(octets, StandardCharsets.US_ASCII) + "\"";
        }
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < octets.length && i < LONGEST_TEXT; i++) {
            hex.append(String.format("%02x", octets[i]));
        }
        return hex.toString();
    }

    private static String[] trace(Throwable exception) {
        StringWriter text = new StringWriter();
        exception.printStackTrace(new PrintWriter(text));
        return text.toString().split("\\R");
    }
}
