package dev.jwarp.rnic.stat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A process to be looked at: which user it belongs to, and where it put its socket. On Linux {@code /proc} tells, also for
 * processes in a container or with a {@code /tmp} of their own (systemd's PrivateTmp).
 */
final class ObservedProcess {
    private final ProcessHandle handle;
    private final int user;

    private ObservedProcess(ProcessHandle handle, int user) {
        this.handle = handle;
        this.user = user;
    }

    /** {@return the process, or null if there is none} */
    static @Nullable ObservedProcess find(long pid) throws IOException {
        ProcessHandle handle = pid > 0 ? ProcessHandle.of(pid).orElse(null) : null;
        if (handle == null) {
            return null;
        }
        Path proc = proc(pid, "");
        return new ObservedProcess(
                handle, Files.isDirectory(proc) ? StatFolder.user(proc) : StatFolder.userOfThisProcess());
    }

    private static Path proc(long pid, String file) {
        return Path.of("/proc/" + pid + "/" + file);
    }

    long pid() {
        return handle.pid();
    }

    /** {@return the number of its user} */
    int user() {
        return user;
    }

    /** {@return the folder of its user as it sees it itself} */
    StatFolder folder(Path base) {
        Path itsOwn = Path.of(proc(pid(), "root") + base.toString());
        // Not readable for other users, and not there on other systems: then what this process sees.
        return new StatFolder(Files.isReadable(itsOwn) ? itsOwn : base, user);
    }

    /** {@return the number under which it knows itself: another one in a container} */
    long ownPid() {
        String[] numbers = lineOfStatus("NSpid:").split("\\s+", -1);
        try {
            return Long.parseLong(numbers[numbers.length - 1]);
        } catch (NumberFormatException e) {
            return pid();
        }
    }

    private String lineOfStatus(String key) {
        return text("status")
                .lines()
                .filter(line -> line.startsWith(key))
                .findFirst()
                .orElse("");
    }

    private String text(String file) {
        try {
            return new String(Files.readAllBytes(proc(pid(), file)), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** {@return whether it was started with the setting that switches this off, as far as that can be seen} */
    boolean startedSilent() {
        String environment = "\0" + text("environ").toLowerCase(Locale.ROOT);
        String arguments = "\0" + text("cmdline").toLowerCase(Locale.ROOT);
        return environment.contains("\0jwarp_stat=off\0") || arguments.contains("\0-djwarp.stat=off\0");
    }

    /** {@return the process in a sentence} */
    String describe() {
        String command = handle.info().command().orElse("");
        String name = command.substring(command.lastIndexOf('/') + 1);
        return "Process " + pid() + (name.isEmpty() ? "" : " (" + name + ")");
    }
}
