/** Parts that all commands share: flags, failures and exit statuses, tables, early ends. */
@NullMarked
package dev.jwarp.tools.cli;

import org.jspecify.annotations.NullMarked;
