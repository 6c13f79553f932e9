/** Captures: what an engine sends and receives, as a pcap file. */
@NullMarked
package dev.jwarp.llp.capture;

import org.jspecify.annotations.NullMarked;
