/** What every layer needs and no RFC describes: limited resources, divided fairly among peers, and failures that are told. No sockets, threads or clocks. */
@NullMarked
package dev.jwarp.base;

import org.jspecify.annotations.NullMarked;
