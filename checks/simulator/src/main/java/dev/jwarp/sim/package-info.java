/** A simulated lower layer: seeded, in virtual time, with fault injectors and a pcap tap. */
@NullMarked
package dev.jwarp.sim;

import org.jspecify.annotations.NullMarked;
