/** HTTP over messages: Jetty answers requests that came as short messages with long ones. */
@NullMarked
package dev.jwarp.samples.http;

import org.jspecify.annotations.NullMarked;
