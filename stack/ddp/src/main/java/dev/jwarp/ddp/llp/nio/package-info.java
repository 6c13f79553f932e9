/** What every inline transport over {@code java.nio} needs: who its owner is, and how the owner waits. */
@NullMarked
package dev.jwarp.ddp.llp.nio;

import org.jspecify.annotations.NullMarked;
