package dev.jwarp.tools.cli;

import java.util.ArrayList;
import java.util.List;

/** A table in plain text. The first column is aligned left, all others, which have numbers, right. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();
    private boolean lastLeft;

    /** @param header one title per column, with its unit */
    public Table(String... header) {
        rows.add(List.of(header));
    }

    /** Aligns the last column left, too: it has text. */
    public Table left() {
        lastLeft = true;
        return this;
    }

    /** Adds a line with as many cells as the header has. */
    public Table row(String... cells) {
        if (cells.length != rows.get(0).size()) {
            throw new IllegalArgumentException("a row of " + cells.length + " cells in a table of "
                    + rows.get(0).size() + " columns");
        }
        rows.add(List.of(cells));
        return this;
    }

    /** {@return the header and the rows, without trailing blanks} */
    public List<String> lines() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int c = 0; c < columns; c++) {
                widths[c] = Math.max(widths[c], row.get(c).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int c = 0; c < columns; c++) {
                String blanks = " ".repeat(widths[c] - row.get(c).length());
                line.append(c == 0 ? "" : "  ")
                        .append(c == 0 || (lastLeft && c == columns - 1) ? row.get(c) + blanks : blanks + row.get(c));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
