/** Load balancers that share servers among services (dynamic reconfiguration). */
@NullMarked
package dev.jwarp.samples.balance;

import org.jspecify.annotations.NullMarked;
