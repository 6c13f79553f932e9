/** Captures of the traffic of engines, as pcap files. */
@NullMarked
package dev.jwarp.llp.capture;

import org.jspecify.annotations.NullMarked;
