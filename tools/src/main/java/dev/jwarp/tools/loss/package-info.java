/** {@code jwarp loss}: what becomes of messages when packets are lost. */
@NullMarked
package dev.jwarp.tools.loss;

import org.jspecify.annotations.NullMarked;
