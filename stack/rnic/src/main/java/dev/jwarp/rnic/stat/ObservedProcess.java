package dev.jwarp.rnic.stat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A process to observe: its user, and the folder of its sockets. On Linux from {@code /proc}, even for processes in a
 * container or with a {@code /tmp} of their own (systemd's PrivateTmp).
 */
final class ObservedProcess {
    private final ProcessHandle handle;
    private final int user;

    private ObservedProcess(ProcessHandle handle, int user) {
        this.handle = handle;
        this.user = user;
    }

    /** {@return the process; null if there is none} */
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

    /** {@return the user id of the process} */
    int user() {
        return user;
    }

    /** {@return the folder of the process's user, as the process sees it} */
    StatFolder folder(Path base) {
        Path itsOwn = Path.of(proc(pid(), "root") + base.toString());
        // Not readable for other users, and absent on other systems: then the folder that this process sees.
        return new StatFolder(Files.isReadable(itsOwn) ? itsOwn : base, user);
    }

    /** {@return the pid of the process in its own namespace, which differs in a container} */
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

    /** {@return whether the process was started with jwarp.stat=off, as far as its environment and arguments show} */
    boolean startedSilent() {
        String environment = "\0" + text("environ").toLowerCase(Locale.ROOT);
        String arguments = "\0" + text("cmdline").toLowerCase(Locale.ROOT);
        return environment.contains("\0jwarp_stat=off\0") || arguments.contains("\0-djwarp.stat=off\0");
    }

    /** {@return the name of the process at the beginning of a sentence} */
    String describe() {
        String command = handle.info().command().orElse("");
        String name = command.substring(command.lastIndexOf('/') + 1);
        return "Process " + pid() + (name.isEmpty() ? "" : " (" + name + ")");
    }
}
