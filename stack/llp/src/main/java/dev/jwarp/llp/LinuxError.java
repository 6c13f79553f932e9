package dev.jwarp.llp;

/**
 * The error numbers of Linux, and the meaning of those of connect and bind. Numbers are used because the messages are
 * in the user's language. Both transports need this class. Any thread.
 */
public final class LinuxError {
    // Linux, include/uapi/asm-generic: errno-base.h, errno.h.
    /** Input or output error. */
    public static final int EIO = 5;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** Too many open files in the system. */
    public static final int ENFILE = 23;
    /** Too many open files in the process. */
    public static final int EMFILE = 24;
    /** Message too long. */
    public static final int EMSGSIZE = 90;
    /** Operation not supported. */
    public static final int EOPNOTSUPP = 95;
    /** Address family not supported. */
    public static final int EAFNOSUPPORT = 97;
    /** Address in use. */
    public static final int EADDRINUSE = 98;
    /** Address not available. */
    public static final int EADDRNOTAVAIL = 99;
    /** Network unreachable. */
    public static final int ENETUNREACH = 101;
    /** Connection reset. */
    public static final int ECONNRESET = 104;
    /** No buffer space. */
    public static final int ENOBUFS = 105;
    /** Connection timed out. */
    public static final int ETIMEDOUT = 110;
    /** Connection refused. */
    public static final int ECONNREFUSED = 111;
    /** Host is down. */
    public static final int EHOSTDOWN = 112;
    /** Host unreachable. */
    public static final int EHOSTUNREACH = 113;

    private LinuxError() {}

    /** {@return the kind of a failed bind; {@code otherwise} for an unknown number} */
    public static LlpFailure ofBind(int number, LlpFailure otherwise) {
        return switch (number) {
            case EADDRINUSE -> LlpFailure.ADDRESS_IN_USE;
            case EADDRNOTAVAIL -> LlpFailure.ADDRESS_NOT_AVAILABLE;
            case EACCES -> LlpFailure.PERMISSION_DENIED;
            case EMFILE, ENFILE -> LlpFailure.LIMIT_REACHED;
            default -> otherwise;
        };
    }

    /** {@return the kind of a failed connect, which may bind too; {@code otherwise} for an unknown number} */
    public static LlpFailure ofConnect(int number, LlpFailure otherwise) {
        return switch (number) {
            case ECONNREFUSED -> LlpFailure.REFUSED;
            case ETIMEDOUT -> LlpFailure.TIMED_OUT;
            case ENETUNREACH, EHOSTUNREACH, EHOSTDOWN -> LlpFailure.UNREACHABLE;
            case ECONNRESET -> LlpFailure.CLOSED_BY_PEER;
            default -> ofBind(number, otherwise);
        };
    }
}
