/** A simulated lower layer: seeded, in virtual time, with fault injectors and a pcap tap. */
@NullMarked
package dev.jwarp.ddp.llp.sim;

import org.jspecify.annotations.NullMarked;
