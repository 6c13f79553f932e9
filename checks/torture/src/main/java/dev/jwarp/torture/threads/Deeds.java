package dev.jwarp.torture.threads;

import dev.jwarp.torture.Crew;
import dev.jwarp.torture.Ledger;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The random calls of one thread, drawn from its seed. Threads: its own. */
final class Deeds {
    private static final QueuePairState[] TARGETS = {
        QueuePairState.ERR,
        QueuePairState.RESET,
        QueuePairState.INIT,
        QueuePairState.SQD,
        QueuePairState.RTS,
        QueuePairState.RTS
    };

    private final SplittableRandom random;
    private final List<Pair> pairs;
    private final Station near;
    private final Station far;
    private final Calls calls;
    private final SendWorkRequest send = new SendWorkRequest();
    private final SendWorkRequest[] list = {new SendWorkRequest(), new SendWorkRequest(), new SendWorkRequest()};
    private final ReceiveWorkRequest receive = new ReceiveWorkRequest();
    private final WorkCompletion[] some = WorkCompletion.array(8);

    Deeds(long seed, List<Pair> pairs, Station near, Station far, Calls calls) {
        random = new SplittableRandom(seed);
        this.pairs = pairs;
        this.near = near;
        this.far = far;
        this.calls = calls;
    }

    void one(Crew.Member me) {
        Pair pair = pairs.get(random.nextInt(pairs.size()));
        boolean nearSide = random.nextBoolean();
        Pair.Side side = nearSide ? pair.near : pair.far;
        Station station = nearSide ? near : far;
        Station peerStation = nearSide ? far : near;
        End end = side.end();
        End peer = (nearSide ? pair.far : pair.near).end();
        int choice = random.nextInt(1000);
        if (choice < 300) {
            poll(me, station, false);
        } else if (choice < 340) {
            poll(me, station, true);
        } else if (choice < 500) {
            receive(me, end);
        } else if (choice < 940) {
            post(me, end, peer, peerStation);
        } else if (choice < 960) {
            calls.allowed(me, "replace a region", Calls.CLOSING, () -> station.regions.replace(random));
        } else if (choice < 964) {
            calls.allowed(me, "replace a window", Calls.CLOSING, () -> station.replaceWindow(random));
        } else if (choice < 970) {
            look(me, end, station);
        } else if (choice < 990) {
            pair.revive(me, calls, random);
        } else {
            harm(me, end, side.id());
        }
    }

    private void poll(Crew.Member me, Station station, boolean waiting) {
        me.doing("poll");
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            station.anyTap(random).take(some, waiting);
        }
    }

    private void receive(Crew.Member me, @Nullable End end) {
        if (end == null) {
            return;
        }
        for (int i = random.nextInt(1, 8); i > 0; i--) {
            if (!end.receiveTap.place()) {
                return;
            }
            Station.Shared shared = end.shared;
            Ledger.Lane lane = shared == null ? end.receives() : end.station.lane(shared);
            long id = lane.posting(true);
            MemoryRegion region = end.station.regions.any(random);
            receive.clear().id(id).add(region, random.nextInt(8) * 256L, 256);
            boolean taken = calls.allowed(me, "post a receive", Calls.POSTING, () -> {
                if (shared == null) {
                    return end.queuePair.tryPostReceive(receive);
                }
                shared.queue().postReceive(receive);
                return true;
            });
            if (!taken) {
                lane.refused(id);
                return;
            }
            end.receivesLeft.incrementAndGet();
        }
    }

    private void post(Crew.Member me, @Nullable End end, @Nullable End peer, Station peerStation) {
        if (end == null) {
            return;
        }
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            boolean message = peer != null && peer.receivesLeft.getAndDecrement() > 0;
            if (peer != null && !message) {
                peer.receivesLeft.incrementAndGet();
            }
            // Sometimes a message finds no receive, which ends the connection.
            int kind = random.nextInt(message || random.nextInt(200) == 0 ? 12 : 8);
            if (peer != null && message && kind < 8) {
                peer.receivesLeft.incrementAndGet();
            }
            if (kind == 7) {
                postList(me, end, peerStation);
            } else if (!postOne(me, end, kind, peerStation)) {
                return;
            }
        }
    }

    private boolean postOne(Crew.Member me, End end, int kind, Station peerStation) {
        if (!end.sendTap.place()) {
            return false;
        }
        // Without a checked order, the end of an unsignalled request would not be noticed.
        boolean signaled = !end.sendTap.ordered || random.nextInt(4) > 0;
        Ledger.Lane lane = end.sends();
        long id = lane.posting(signaled);
        boolean taken = calls.allowed(me, "post send " + kind, kind == 6 ? Calls.BINDING : Calls.POSTING, () -> {
            fill(send.clear(), kind, end.station, peerStation);
            return end.queuePair.tryPostSend(send.id(id).signaled(signaled).fence(random.nextInt(8) == 0));
        });
        if (!taken) {
            lane.refused(id);
        }
        return taken;
    }

    private void postList(Crew.Member me, End end, Station peerStation) {
        int count = random.nextInt(1, list.length + 1);
        Ledger.Lane lane = end.sends();
        int places = 0;
        while (places < count && end.sendTap.place()) {
            fill(list[places].clear(), random.nextInt(4), end.station, peerStation);
            list[places].id(lane.posting(true));
            places++;
        }
        int tried = places;
        int[] posted = {0};
        calls.allowed(me, "post a list", Calls.POSTING, () -> {
            try {
                posted[0] = end.queuePair.postSend(list, tried);
            } catch (RdmaException e) {
                posted[0] = e.posted();
                throw e;
            }
        });
        for (int i = posted[0]; i < tried; i++) {
            lane.refused(list[i].id());
        }
    }

    private void fill(SendWorkRequest request, int kind, Station station, Station peerStation) {
        MemoryRegion local = station.regions.any(random);
        MemoryRegion remote = peerStation.regions.any(random);
        long address = remote.address() + random.nextInt(16) * 128L;
        int length = random.nextInt(8) == 0 ? random.nextInt(2048) : random.nextInt(129);
        int at = random.nextInt(2048);
        switch (kind) {
            case 0, 1, 2 ->
                request.rdmaWrite(address, remote.rkey())
                        .add(local, at, length)
                        .inline(length <= 128 && random.nextBoolean());
            case 3 -> request.rdmaRead(address, remote.rkey()).add(local, at, length);
            case 4 -> request.fetchAndAdd(address, remote.rkey(), 1).add(local, at, 8);
            case 5 -> request.localInvalidate(station.anyWindow(random).rkey());
            case 6 ->
                request.bindWindow(
                        station.anyWindow(random),
                        local,
                        local.address() + at,
                        length,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ);
            case 8 -> request.immediateData(at);
            case 9 -> request.rdmaWriteWithImmediate(address, remote.rkey(), at).add(local, at, length);
            case 10 ->
                request.sendWithInvalidate(peerStation.anyWindow(random).rkey()).add(local, at, Math.min(length, 256));
            default -> request.send().add(local, at, Math.min(length, 256)).solicited(random.nextBoolean());
        }
    }

    private void look(Crew.Member me, @Nullable End end, Station station) {
        me.doing("look");
        if (end != null) {
            end.queuePair.query();
        }
        station.context.counters();
        station.context.pollAsyncEvent();
        station.context.poll();
        station.regions.check();
    }

    /** A call that ends a connection, or may end it. */
    private void harm(Crew.Member me, @Nullable End end, @Nullable CmId id) {
        if (end == null) {
            return;
        }
        int choice = random.nextInt(12);
        if (choice < 8) {
            QueuePairState target = TARGETS[random.nextInt(TARGETS.length)];
            if (target == QueuePairState.RESET) {
                end.reborn(); // a thread that posts meanwhile may post to its next life
            }
            calls.allowed(me, "modify to " + target, Calls.CHANGING, () -> end.queuePair.modify(target));
        } else if (choice < 10 && id != null) {
            calls.allowed(me, "disconnect", Calls.CHANGING, id::disconnect);
        } else if (choice == 10 && id != null) {
            calls.allowed(me, "close an id", Calls.CLOSING, id::close);
        } else {
            me.doing("close a queue pair");
            end.queuePair.close();
        }
    }
}
