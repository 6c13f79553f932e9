/** What the queue pairs of all types have in common. */
@NullMarked
package dev.jwarp.rnic.queuepair;

import org.jspecify.annotations.NullMarked;
