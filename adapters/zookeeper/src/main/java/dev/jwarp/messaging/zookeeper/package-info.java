/** Where services are, in ZooKeeper: for messages across networks. */
@NullMarked
package dev.jwarp.messaging.zookeeper;

import org.jspecify.annotations.NullMarked;
