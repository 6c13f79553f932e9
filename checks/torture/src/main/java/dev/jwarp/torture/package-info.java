/** What all torture has in common: where its choices come from, and how long it goes on. */
@NullMarked
package dev.jwarp.torture;

import org.jspecify.annotations.NullMarked;
