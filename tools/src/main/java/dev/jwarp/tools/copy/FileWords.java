package dev.jwarp.tools.copy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** Messages of file errors, without the path: sender and receiver have different paths, and each adds its own. */
final class FileWords {
    private FileWords() {}

    /** {@return the message} */
    static String of(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "access is denied";
        }
        if (e instanceof NoSuchFileException) {
            return "does not exist any more";
        }
        if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
            return "a file is in the place of a folder";
        }
        String words = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return Objects.requireNonNullElse(words, e.getClass().getSimpleName());
    }
}
