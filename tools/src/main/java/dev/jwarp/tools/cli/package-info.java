/** What all commands have in common: flags, failures and exit statuses, tables, the way out. */
@NullMarked
package dev.jwarp.tools.cli;

import org.jspecify.annotations.NullMarked;
