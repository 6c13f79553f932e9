/** Completion queues and channels, and what goes through them. Internal. */
@NullMarked
package dev.jwarp.rnic.completion;

import org.jspecify.annotations.NullMarked;
