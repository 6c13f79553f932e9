package dev.jwarp.tools.copy;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** What went wrong with a file, without its path: who reads it knows the file, by a name of his own. */
final class FileWords {
    private FileWords() {}

    /** {@return the words} */
    static String of(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "access is denied";
        }
        if (e instanceof NoSuchFileException) {
            return "is not there any more";
        }
        if (e instanceof FileAlreadyExistsException || e instanceof NotDirectoryException) {
            return "there is a file where a folder is to be";
        }
        String words = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return Objects.requireNonNullElse(words, e.getClass().getSimpleName());
    }
}
