/** The settings in force. */
@NullMarked
package dev.jwarp.tools.config;

import org.jspecify.annotations.NullMarked;
