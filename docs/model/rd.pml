/*
 * The reliable channel of datagram-iWARP, as a model for SPIN. Read it beside section 11 of docs/draft-jwarp-datagram-iwarp-00.md: each step
 * names the requirement that it is (DG-11.x-y). README.md here says what is left out, and .ci/spin checks it all.
 *
 * Two ends, A (0) and B (1), one queue pair each, one channel at most. A datagram on its way may be lost, overtaken by any
 * other, and copied; a copy may come at any time later, also to another incarnation of the channel. A timer that is needed
 * may run down whenever nothing else is left to happen, and a few times too early. All of that is bounded: see the limits
 * below. So every run ends, and one that ends before its requests have ended is an error ("invalid end state").
 *
 * WRONG, if defined, puts one wrong rule in.
 */
#ifndef WRONG
#define WRONG 0
#endif

/* The limits of a configuration; .ci/spin gives other ones. */
#ifndef MESSAGES_A
#define MESSAGES_A 1 /* messages of A, one datagram each; posted at any time */
#endif
#ifndef MESSAGES_B
#define MESSAGES_B 1
#endif
#ifndef BEGIN_OPEN
#define BEGIN_OPEN 0 /* 1: the channel is open from the start */
#endif
#ifndef LOSSES
#define LOSSES 0 /* datagrams that the network loses */
#endif
#ifndef COPIES
#define COPIES 0 /* datagrams of which a copy comes later, or never */
#endif
#ifndef EARLY
#define EARLY 0 /* timers that run down while datagrams are on their way */
#endif
#ifndef FORGED
#define FORGED 0 /* RD-OPENs of a stranger who knows the Q_Key and writes the other end's address */
#endif
#ifndef LACKS
#define LACKS 0 /* times that a program has no receive posted */
#endif
#ifndef GIVEUPS
#define GIVEUPS 0 /* times that what is kept ahead is given up for another channel */
#endif
#ifndef TICKS
#define TICKS 0 /* times that 30 s pass */
#endif
#ifndef RESTARTS
#define RESTARTS 0 /* times that an end loses its state and says nothing */
#endif
#ifndef CLOSES
#define CLOSES 0 /* times that an end closes the channel with RD-RESET 3 */
#endif
#ifndef FAILURES
#define FAILURES 0 /* times that an end gives up, or finds the memory of a message gone */
#endif
#ifndef VIOLATIONS
#define VIOLATIONS 0 /* datagrams that break a rule of checks 11-19 */
#endif
#ifndef REPAIRS
#define REPAIRS 0 /* times that a program resets the peer */
#endif
#ifndef STALLS
#define STALLS (LOSSES + COPIES + 2) /* waits for a timer that may be needed in all */
#endif
#ifndef PROMPT
#define PROMPT 0 /* 1: a timer is needed only once for each datagram that was lost */
#endif
#ifndef RESETS
#define RESETS 0 /* RD-RESETs that may be sent in all */
#endif
#ifndef ORDERED
#define ORDERED 0 /* 1: only copies that come late are overtaken */
#endif
#ifndef SLOTS
#define SLOTS 4 /* datagrams on their way in one direction */
#endif
#ifndef NEXT_PSN
#define NEXT_PSN 0 /* 1: at an opening anew the first PSN is the next one, not a random one */
#endif
#ifndef EAGER
#define EAGER 3 /* channels that an end opens at once; it waits for silence before a further one, see README.md */
#endif
#define WINDOW 3 /* datagrams under way at most: the one expected, and two that are kept ahead of it */

/*
 * A datagram is one number; 0 is none. A PSN is the number of a random choice (4 bits) and a distance from it (3 bits): two
 * random first PSNs are far from each other. A tag is a number that no channel had before.
 */
#define OPEN_ 1
#define ACCEPT_ 2
#define DATA_ 3
#define ACK_ 4
#define RESET_ 5
#define kind(d) ((d) & 7)
#define key(d) (((d) >> 3) & 31)   /* RD-OPEN: the previous tag; its own Key is the Q_Key, and right */
#define tagOf(d) (((d) >> 8) & 31) /* RD-OPEN, RD-ACCEPT: in the body. DATA: not on the wire, for the claims: of the sender */
#define psnOf(d) (((d) >> 13) & 127)
#define ackOf(d) (((d) >> 20) & 127)
#define words(d) (((d) >> 27) & 3)   /* RD-ACK: bit 0 is PSN Ack + 1, bit 1 is Ack + 2 */
#define lacks(d) (((d) >> 29) & 1)   /* RD-ACK: flag RNR */
#define message(d) (((d) >> 27) & 7) /* DATA: the payload */
#define reason(d) (((d) >> 27) & 7)  /* RD-RESET */
#define reflected(d) (((d) >> 30) & 1)
#define datagram(k, ky, tg, ps, ac, xx) ((k) | ((ky) << 3) | ((tg) << 8) | ((ps) << 13) | ((ac) << 20) | ((xx) << 27))
#define sameChoice(p, q) (((p) >> 3) == ((q) >> 3))

#define CLOSED 0
#define OPENING 1
#define OPEN 2
#define ERROR 3

typedef End {
  byte state;
  bool asking;   /* an RD-OPEN of its own is out: OPENING; OPEN and unconfirmed if the state is OPEN */
  bool halfOpen; /* no datagram has shown its tag yet */
  byte tag;
  byte peerTag;
  byte previous; /* previous tag of its RD-OPEN, 0 for none */
  byte oldTag;   /* its own tag before it opened anew, 0 for none */
  byte choices;  /* random tags and PSNs that it has taken so far */

  byte oldest;   /* PSN of the oldest datagram that is not acknowledged */
  byte next;     /* PSN of the next new one */
  byte number;   /* the message that belongs to oldest; all before it have ended */
  byte had;      /* bit i: a SACK word had PSN oldest + i */
  byte lost;     /* bit i: oldest + i is to be sent again */
  bool mustWait; /* the peer's RD-ACKs have RNR */
  byte waited;   /* in 30 s: how long oldest has been that, 0 to 2 */

  byte expected;
  byte kept1;    /* message + 1 that is kept for PSN expected + 1, 0 for none */
  byte kept2;    /* for expected + 2 */
  byte head;     /* message + 1 that is kept for expected, as it found no receive */
  bool notReady; /* RD-ACKs say RNR */
  bool noReceive;
  bool ackDue;
  bool refuses;  /* the datagram expected next breaks a rule */
  byte idle;     /* in 30 s: since something came or went, 0 to 4 */
  byte why;      /* ERROR: reason of the RD-RESET that DATA gets */

  byte firstPeer; /* for claim 4: the peer's tag that this end had first with its own tag */
  byte took;     /* the peer's tag that it took last */
  byte tookWith; /* and its own tag then */
  bool mixed     /* two incarnations of the peer have had its tag: an RD-RESET of either fits */
};
End end[2];
#define E end[me]
#define P end[he]

int net[2 * SLOTS]; /* on their way to A, then to B; the largest first, or as they were sent */
int late[2];        /* a copy that will come late, to A and to B */

/* For the claims: bit n is message n of an end. */
byte delivered[2];
byte failed[2];
byte succeeded[2];
bool excused; /* an end has restarted, closed or failed: requests may fail */

byte losses = LOSSES;
byte copies = COPIES;
byte early = EARLY;
byte forged = FORGED;
byte gives = GIVEUPS;
byte lacking = LACKS;
byte ticks = TICKS;
byte restarts = RESTARTS;
byte closes = CLOSES;
byte failures = FAILURES;
byte violations = VIOLATIONS;
byte repairs = REPAIRS;
byte stalls;
byte resets;

#define messages(x) (x == 0 -> MESSAGES_A : MESSAGES_B)
#define settled(x) (end[x].oldest == end[x].next)
#define sends(x) (end[x].state == OPEN && !end[x].asking && !end[x].halfOpen)
#define nothingDue(x) (!end[x].ackDue && !end[x].noReceive && (end[x].lost == 0 || end[x].mustWait || !sends(x)))
#define silent (net[0] == 0 && net[SLOTS] == 0)
#define quiet (silent && nothingDue(0) && nothingDue(1))
#define done(x) (end[x].number == messages(x))
#define over (done(0) && done(1)) /* and remains so */

/* ---- the network */

/* For a trace, in simulation only. */
inline note(d) {
  if
  :: kind(d) == OPEN_ -> printf("RD-OPEN tag %d, first PSN %d, previous tag %d", tagOf(d), psnOf(d), key(d))
  :: kind(d) == ACCEPT_ -> printf("RD-ACCEPT key %d, tag %d, first PSN %d, ack %d", key(d), tagOf(d), psnOf(d), ackOf(d))
  :: kind(d) == DATA_ -> printf("DATA key %d, PSN %d, ack %d, message %d", key(d), psnOf(d), ackOf(d), message(d))
  :: kind(d) == ACK_ -> printf("RD-ACK key %d, ack %d, words %d, RNR %d", key(d), ackOf(d), words(d), lacks(d))
  :: else -> printf("RD-RESET %d key %d, reflected %d", reason(d), key(d), reflected(d))
  fi;
  printf("\n")
}

inline send(to, what) {
  w = what;
  printf("%c sends ", 65 + me); note(w);
  i = to * SLOTS;
  do
  :: i == (to + 1) * SLOTS || w == 0 -> break
  :: else ->
    if
    :: net[i] == w -> w = 0 /* one such is on its way already */
    :: net[i] != w && (ORDERED -> net[i] == 0 : net[i] < w) -> t = net[i]; net[i] = w; w = t
    :: else
    fi;
    i++
  od;
  assert(w == 0 || !PROMPT) /* no room: one more is lost */
}

inline takeOut(from) {
  i = from;
  do
  :: (i + 1) % SLOTS == 0 -> net[i] = 0; break
  :: else -> net[i] = net[i + 1]; i++
  od
}

/* ---- what an end sends */

inline sendOpen() { /* DG-11.1-6: the same each time */
  if
  :: WRONG == 1 && E.state == OPENING -> chooseTag()
  :: else
  fi;
  send(he, datagram(OPEN_, E.previous, E.tag, E.oldest, 0, 0))
}

inline sendAccept() { /* DG-11.1-2 */
  send(he, datagram(ACCEPT_, E.peerTag, E.tag, E.oldest, E.expected, 0))
}

inline sendAck(sacked) {
  send(he, datagram(ACK_, E.peerTag, 0, 0, E.expected, sacked | (E.notReady << 2)))
}

inline sendReset(shown, because, mirrored) {
  resets++;
  assert(resets <= RESETS); /* claim 5: no storm */
  send(he, datagram(RESET_, shown, 0, 0, 0, because | (mirrored << 3)))
}

inline sendData(p) { /* DG-11.3-1 */
  send(he, datagram(DATA_, E.peerTag, E.tag, p, E.expected, (E.number + p - E.oldest)));
  if
  :: !E.notReady && E.kept1 == 0 && E.kept2 == 0 -> E.ackDue = false /* section 11.2: it replaces the RD-ACK */
  :: else
  fi
}

/* ---- beginnings and ends */

inline chooseTag() {
  E.choices++;
  assert(E.choices < 16); /* claim 5: not channel after channel */
  E.tag = 2 * E.choices + me;
  E.firstPeer = 0;
  E.mixed = false
}

/* A first PSN at random. What is outstanding must have ended. */
inline choosePsn() {
  E.oldest = E.choices << 3;
  E.next = E.oldest
}

inline forgetKept() {
  E.kept1 = 0; E.kept2 = 0; E.head = 0; E.notReady = false
}

/* Work requests with datagrams sent and not acknowledged fail. */
inline failOutstanding() {
  do
  :: E.oldest != E.next ->
    assert(excused || (E.mixed && !ORDERED)); /* claim 4: else nothing fails */
    failed[me] = failed[me] | (1 << E.number);
    E.number++;
    E.oldest++
  :: else -> break
  od;
  E.had = 0; E.lost = 0; E.mustWait = false; E.waited = 0
}

/* OPEN as an RD-OPEN or RD-ACCEPT says; what is under way is sent again. */
inline beOpen(peers, first) {
  E.state = OPEN;
  E.peerTag = peers;
  E.mixed = E.mixed || (E.firstPeer != 0 && E.firstPeer != peers);
  E.firstPeer = (E.firstPeer == 0 -> peers : E.firstPeer);
  P.mixed = P.mixed || (E.took == peers && E.tookWith != E.tag && P.tag == peers);
  E.took = peers;
  E.tookWith = E.tag;
  E.expected = first;
  forgetKept();
  E.ackDue = false;
  E.had = 0;
  E.mustWait = false;
  E.waited = 0;
  E.idle = 0;
  E.lost = (1 << (E.next - E.oldest)) - 1
}

inline beClosed() {
  failOutstanding();
  forgetKept();
  E.state = CLOSED; E.asking = false; E.halfOpen = false; E.tag = 0; E.peerTag = 0; E.previous = 0; E.oldTag = 0;
  E.oldest = 0; E.next = 0; E.expected = 0; E.ackDue = false; E.idle = 0; E.why = 0
}

inline beError(because) {
  failOutstanding();
  forgetKept();
  E.state = ERROR; E.asking = false; E.halfOpen = false; E.previous = 0; E.oldTag = 0; E.ackDue = false; E.idle = 0;
  E.oldest = 0; E.next = 0; E.expected = 0;
  E.why = because
}

/* ---- RD-OPEN comes */

/* DG-11.1-19 */
#define ofBefore(d) (E.previous != 0 && tagOf(d) == E.previous && WRONG != 19)

inline onOpen(d) {
  if
  :: E.state == ERROR -> sendReset(tagOf(d), 4, 0) /* DG-11.1-13 */
  :: E.state == CLOSED -> /* DG-11.1-2; cookies are left out */
    chooseTag();
    choosePsn();
    beOpen(tagOf(d), psnOf(d));
    E.halfOpen = true;
    sendAccept()
  :: E.state == OPEN && tagOf(d) == E.peerTag -> /* DG-11.1-3: a repetition */
    if
    :: WRONG == 2
    :: else -> sendAccept()
    fi
  :: E.asking && ofBefore(d) /* an old one, of the channel that is opened anew: dropped */
  :: E.asking && !ofBefore(d) && (E.state == OPENING || (E.state == OPEN && tagOf(d) != E.peerTag)) ->
    /* DG-11.1-17: both open at once */
    beOpen(tagOf(d), psnOf(d));
    sendAccept()
  :: E.state == OPEN && tagOf(d) != E.peerTag && !E.asking && (key(d) == 0 || key(d) != E.tag) && WRONG != 3 ->
    sendAck(0) /* DG-11.1-10: on the old channel; nothing changes */
  :: else -> /* DG-11.1-11: the peer opens anew */
    if
    :: WRONG != 4 -> chooseTag()
    :: else -> E.choices++
    fi;
    if
    :: doubt -> excused = true; failOutstanding(); choosePsn()
    :: !doubt && settled(me) && NEXT_PSN == 0 -> choosePsn()
    :: else ->
      if
      :: WRONG == 5 -> E.number = E.number + E.next - E.oldest; E.oldest = E.next; E.lost = 0
      :: else /* the same PSNs go on */
      fi
    fi;
    beOpen(tagOf(d), psnOf(d));
    sendAccept()
  fi
}

/* ---- RD-ACCEPT comes */

inline onAccept(d) {
  if
  :: E.state == CLOSED || key(d) != E.tag ->
    if
    :: E.state == OPEN && E.peerTag == tagOf(d) /* DG-11.1-5: it has answered an RD-OPEN that was not mine */
    :: E.asking && WRONG != 18 /* DG-11.1-5: nor if an RD-OPEN of its own is out, which will put it right */
    :: else -> sendReset(tagOf(d), 1, 0) /* DG-11.1-5 */
    fi
  :: E.state != CLOSED && key(d) == E.tag ->
    if
    :: E.asking && ackOf(d) == E.oldest -> /* DG-11.1-8; unconfirmed: it counts, whatever tag is in it */
      beOpen(tagOf(d), psnOf(d));
      E.asking = false; E.halfOpen = false; E.previous = 0; E.oldTag = 0;
      E.ackDue = true /* the peer has to see its tag */
    :: !E.asking && E.state == OPEN && tagOf(d) == E.peerTag -> E.halfOpen = false
    :: else /* DG-11.1-8, DG-11.1-16: dropped */
    fi
  fi
}

/* ---- DATA and RD-ACK come */

/* DG-11.1-4, for a Key that is the tag of no channel. */
inline onUnknownTag(d) {
  if
  :: E.asking && E.oldTag != 0 && key(d) == E.oldTag && WRONG != 6 /* section 11.1: of before the opening anew: silence */
  :: else -> sendReset(key(d), 1, 1)
  fi
}

inline confirmed() {
  E.asking = false; E.halfOpen = false; E.previous = 0; E.oldTag = 0
}

/* Ack and SACK words; sound is false if they are of what was never sent (DG-11.3-5). */
inline takeAck(a, sacked) {
  sound = true;
  if
  :: !sameChoice(a, E.oldest) -> sound = false
  :: sameChoice(a, E.oldest) && a < E.oldest /* an old one */
  :: else ->
    t = (sacked >= 2 -> a + 3 : (sacked == 1 -> a + 2 : a));
    if
    :: t > E.next -> sound = false
    :: else ->
      t = a - E.oldest;
      do
      :: E.oldest != a -> /* DG-11.5-1: complete; the peer has accepted it */
        assert(delivered[me] & (1 << E.number)); /* claim 2: success means delivered */
        succeeded[me] = succeeded[me] | (1 << E.number);
        E.number++; E.oldest++;
        E.mustWait = false; E.waited = 0
      :: else -> break
      od;
      E.had = E.had >> t;
      E.lost = E.lost >> t;
      t = (sacked << 1) & ~E.had;
      E.had = E.had | t;
      if
      :: WRONG == 7 && t != 0 -> assert(delivered[me] & (1 << (E.number + 1))) /* claim 2; as if kept were accepted */
      :: else
      fi;
      if /* DG-11.3-3: what was sent before something that has come is lost, T_LOSS after it was sent */
      :: t & 4 -> E.lost = E.lost | 3
      :: !(t & 4) && (t & 2) -> E.lost = E.lost | 1
      :: else
      fi;
      E.lost = E.lost & ~E.had & 7
    fi
  fi;
  if
  :: sound -> E.idle = 0
  :: else
  fi
}

/* Flag RNR of an RD-ACK, and what it does not name any more. */
inline takeReadiness(a, sacked, rnr) {
  if
  :: a == E.oldest && !settled(me) && rnr -> E.mustWait = true; E.waited = 0 /* DG-11.3-7 */
  :: a == E.oldest && !settled(me) && !rnr ->
    E.mustWait = false;
    if
    :: (E.had & 1) && WRONG != 8 -> /* DG-11.3-8: forgotten at the peer */
      E.lost = E.lost | (E.had & ~(sacked << 1) & 7);
      E.had = E.had & (sacked << 1)
    :: else
    fi
  :: else
  fi
}

inline onAck(d) {
  if
  :: E.state == CLOSED || key(d) != E.tag -> onUnknownTag(d)
  :: E.state == OPEN && key(d) == E.tag && !E.asking ->
    E.halfOpen = false;
    takeAck(ackOf(d), words(d));
    if
    :: sound -> takeReadiness(ackOf(d), words(d), lacks(d))
    :: else
    fi
  :: else /* DG-11.1-9, unconfirmed, ERROR: dropped */
  fi
}

inline deliver(nr) {
  assert(!(delivered[he] & (1 << nr))); /* claim 1: at most once */
  assert((delivered[he] >> nr) == 0);   /* claim 1: in order */
  assert(((delivered[he] | failed[he]) & ((1 << nr) - 1)) == (1 << nr) - 1); /* claim 1: nothing left out but what failed */
  delivered[he] = delivered[he] | (1 << nr);
  E.expected++
}

/* DG-11.2-2: hands up what is next and what is kept behind it, as far as it goes. */
inline runOn() {
  do
  :: E.head == 0 -> break
  :: E.head != 0 && E.noReceive -> E.notReady = true; E.ackDue = true; break /* DG-11.2-4 */
  :: E.head != 0 && !E.noReceive ->
    deliver(E.head - 1);
    E.head = E.kept1; E.kept1 = E.kept2; E.kept2 = 0;
    E.notReady = false
  od
}

inline onData(d) {
  if
  :: E.state == CLOSED || key(d) != E.tag -> onUnknownTag(d)
  :: E.state == ERROR && key(d) == E.tag -> /* DG-11.1-13 */
    if
    :: WRONG == 9
    :: else -> sendReset(E.peerTag, E.why, 0)
    fi
  :: E.state == OPENING && key(d) == E.tag -> /* DG-11.1-9 */
    if
    :: WRONG == 10 -> beOpen(E.peerTag, psnOf(d)); confirmed()
    :: else
    fi
  :: E.state == OPEN && key(d) == E.tag && E.asking && WRONG != 11 &&
      !(sameChoice(psnOf(d), E.expected) && psnOf(d) <= E.expected + WINDOW && E.expected <= psnOf(d) + WINDOW)
    /* unconfirmed, and the PSN is not inside the window: dropped */
  :: else ->
    confirmed();
    takeAck(ackOf(d), 0);
    if
    :: !sound
    :: else ->
      E.ackDue = true; /* DG-11.2-5, or later */
      if
      :: psnOf(d) == E.expected || (WRONG == 12 && sameChoice(psnOf(d), E.expected) && psnOf(d) < E.expected) ->
        assert(tagOf(d) == E.peerTag); /* claim 3: of this incarnation */
        if
        :: E.head != 0 -> runOn() /* DG-11.2-1 */
        :: E.head == 0 && E.refuses -> /* DG-11.1-12 */
          excused = true;
          E.refuses = false;
          beError(2);
          sendReset(E.peerTag, 2, 0)
        :: else -> E.head = message(d) + 1; runOn()
        fi
      :: psnOf(d) == E.expected + 1 && sameChoice(psnOf(d), E.expected) && E.kept1 == 0 -> /* DG-11.2-2 */
        assert(tagOf(d) == E.peerTag); /* claim 3 */
        E.kept1 = message(d) + 1
      :: psnOf(d) == E.expected + 2 && sameChoice(psnOf(d), E.expected) && E.kept2 == 0 ->
        assert(tagOf(d) == E.peerTag); /* claim 3 */
        E.kept2 = message(d) + 1
      :: else -> /* DG-11.2-1, DG-11.2-3: had before, or beyond the window: dropped */
        if
        :: WRONG == 13 -> E.ackDue = false
        :: else
        fi
      fi
    fi
  fi
}

/* ---- RD-RESET comes; DG-11.6-3: it is never answered */

inline onReset(d) {
  if
  :: E.state == CLOSED || (WRONG != 14 &&
      !(reflected(d) && key(d) == E.peerTag && reason(d) == 1) && !(!reflected(d) && key(d) == E.tag))
    /* DG-11.6-2 */
  :: else ->
    if
    :: E.state == OPEN && reason(d) != 4 ->
      /* claim 4: it ends no channel that both ends have, but one whose tag an earlier incarnation of the peer had, too */
      assert(E.mixed || !(P.state == OPEN && !P.asking && P.tag == E.peerTag && P.peerTag == E.tag)); /* claim 4 */
      if
      :: reason(d) == 2 -> beError(3) /* DG-11.6-5 */
      :: reason(d) != 2 && E.asking && WRONG != 20 -> /* DG-11.6-6, unconfirmed: not from whom my RD-OPEN goes to: it goes on */
        forgetKept();
        E.state = OPENING; E.ackDue = false; E.halfOpen = false
      :: else -> beClosed() /* DG-11.6-1 */
      fi
    :: else /* DG-11.6-4: OPENING goes on trying */
    fi
  fi
}

inline receive(d) {
  if
  :: kind(d) == OPEN_ -> onOpen(d)
  :: kind(d) == ACCEPT_ -> onAccept(d)
  :: kind(d) == DATA_ -> onData(d)
  :: kind(d) == ACK_ -> onAck(d)
  :: else -> onReset(d)
  fi
}

/* ---- time */

/* 30 s without a datagram. DG-11.1-19: what is half-open is forgotten after 10 s. */
inline pass() {
  if
  :: E.halfOpen -> beClosed()
  :: !E.halfOpen && E.state == OPEN && settled(me) && !E.notReady && E.idle < 4 -> E.idle++
  :: !E.halfOpen && E.state == OPEN && !settled(me) -> excused = true; E.waited = (E.waited < 2 -> E.waited + 1 : 2)
  :: else
  fi
}

inline stall(needed) {
  if
  :: needed -> printf("%c waits for a timer\n", 65 + me); stalls++; assert(stalls <= (PROMPT -> LOSSES - losses + GIVEUPS - gives : STALLS)) /* claim 6: few waits */
  :: else -> early--
  fi
}

/* ---- an end */

active [2] proctype side() {
  byte me = _pid;
  byte he = 1 - me;
  byte i;
  byte s;
  int w;
  int t;
  int d;
  bool sound;
  bool doubt;

  d_step {
    if
    :: BEGIN_OPEN ->
      E.choices = 1; E.tag = 2 + me; E.peerTag = 2 + he; E.state = OPEN;
      E.oldest = 8; E.next = 8; E.expected = 8
    :: else
    fi
  }

  do
  :: over -> break

  /* A datagram on its way is taken, or lost, or copied. */
  :: atomic {
      net[me * SLOTS] != 0 ->
      if
      :: s = me * SLOTS
      :: !ORDERED && net[me * SLOTS + 1] != 0 -> s = me * SLOTS + 1
      :: !ORDERED && net[me * SLOTS + 2] != 0 -> s = me * SLOTS + 2
      :: !ORDERED && net[me * SLOTS + 3] != 0 -> s = me * SLOTS + 3
      :: !ORDERED && SLOTS > 4 && net[me * SLOTS + SLOTS - 1] != 0 -> s = me * SLOTS + SLOTS - 1
      :: !ORDERED && SLOTS > 5 && net[me * SLOTS + SLOTS - 2] != 0 -> s = me * SLOTS + SLOTS - 2
      fi;
      if
      :: d = net[s];
        if /* has the oldest waited for 30 s? One tick leaves it open. */
        :: E.waited != 0 && WRONG != 15 -> doubt = true
        :: E.waited != 2 || WRONG == 15 -> doubt = false
        fi;
        d_step {
          takeOut(s);
          printf("%c receives ", 65 + me); note(d);
          doubt = doubt && !settled(me);
          receive(d);
          d = 0; doubt = false; sound = false; i = 0; w = 0; t = 0
        }
      :: losses > 0 -> d_step { printf("%c will not get ", 65 + me); note(net[s]); losses--; takeOut(s); i = 0 }
      :: copies > 0 && late[me] == 0 -> d_step { printf("%c will get once more ", 65 + me); note(net[s]); copies--; late[me] = net[s] }
      fi;
      s = 0
    }
  :: d_step { late[me] != 0 && net[me * SLOTS + SLOTS - 1] == 0 -> printf("late: "); send(me, late[me]); late[me] = 0; i = 0; w = 0; t = 0 }
  :: d_step {
      forged > 0 && net[me * SLOTS + SLOTS - 1] == 0 ->
      forged--;
      send(me, datagram(OPEN_, 0, 1, 0, 0, 0)); i = 0; w = 0; t = 0
    }

  /* CLOSED, first work request: RD-OPEN. */
  :: d_step {
      E.state == CLOSED && !done(me) && (E.choices < EAGER || silent) ->
      chooseTag(); choosePsn();
      E.state = OPENING; E.asking = true;
      sendOpen(); i = 0; w = 0; t = 0
    }
  /* OPEN and half-open, first work request: RD-OPEN with the tag of the RD-ACCEPT (DG-11.1-21). */
  :: d_step {
      E.state == OPEN && E.halfOpen && !E.asking && !done(me) && WRONG != 16 ->
      E.asking = true;
      sendOpen(); i = 0; w = 0; t = 0
    }
  /* OPEN, idle for 60 s, new work request: opened anew. */
  :: d_step {
      sends(me) && settled(me) && !E.notReady && E.idle >= 2 && !done(me) -> printf("%c opens anew\n", 65 + me);
      E.previous = E.peerTag; E.oldTag = E.tag;
      if
      :: WRONG == 4 -> E.choices++
      :: else -> chooseTag()
      fi;
      if
      :: NEXT_PSN == 0 -> choosePsn()
      :: else /* the next one is as good */
      fi;
      forgetKept();
      E.expected = 0; E.ackDue = false; E.idle = 0;
      E.state = OPENING; E.asking = true;
      sendOpen(); i = 0; w = 0; t = 0
    }
  /* DG-11.1-6: RD-OPEN again. */
  :: d_step {
      E.asking && (early > 0 || (quiet && P.state != ERROR)) ->
      stall(quiet && P.state != ERROR);
      sendOpen(); i = 0; w = 0; t = 0
    }
  /* 5 s are over: only if the other end refuses, as losses are few. */
  :: d_step { E.asking && quiet && P.state == ERROR -> printf("%c gives up opening\n", 65 + me); beError(3) }
  /* OPEN, idle for 120 s. */
  :: d_step { sends(me) && settled(me) && !E.notReady && E.idle == 4 -> printf("%c forgets the channel\n", 65 + me); excused = true; beClosed() }

  /* New DATA. DG-11.3-2; DG-11.3-7: not while RNR is set. */
  :: d_step {
      (sends(me) || (WRONG == 16 && E.state == OPEN)) && E.next - E.oldest < WINDOW && E.number + E.next - E.oldest < messages(me) &&
      E.lost == 0 && !E.mustWait && !(settled(me) && E.idle >= 3) ->
      E.idle = 0;
      sendData(E.next); E.next++; i = 0; w = 0; t = 0
    }
  /* DG-11.3-3, DG-11.3-8: what is lost is sent again. */
  :: d_step {
      sends(me) && E.lost != 0 && !E.mustWait ->
      t = (E.lost & 1 -> 0 : (E.lost & 2 -> 1 : 2));
      E.lost = E.lost & ~(1 << t);
      s = E.oldest + t;
      sendData(s); s = 0; i = 0; w = 0; t = 0
    }
  /* DG-11.3-4: a probe, the two oldest. */
  :: d_step {
      sends(me) && !settled(me) && (early > 0 || (quiet && !P.asking)) ->
      stall(quiet && !P.asking);
      s = E.oldest;
      if
      :: WRONG == 17 && (E.had & 1)
      :: else -> sendData(s)
      fi;
      s = (E.had & 2 -> E.oldest + 2 : E.oldest + 1);
      if
      :: s < E.next && !(E.had & (1 << (s - E.oldest))) -> sendData(s)
      :: else
      fi;
      s = 0; i = 0; w = 0; t = 0
    }

  /* RD-ACK, at once or some time later (DG-11.2-5). */
  :: d_step {
      E.ackDue && E.state == OPEN ->
      E.ackDue = false;
      sendAck((E.kept1 != 0 -> 1 : 0) + (E.kept2 != 0 -> 2 : 0)); i = 0; w = 0; t = 0
    }
  /* The program has no receive; it posts one (DG-11.2-4). */
  :: d_step { lacking > 0 && !E.noReceive && !done(he) -> printf("%c has no receive\n", 65 + me); lacking--; E.noReceive = true }
  :: d_step {
      E.noReceive -> printf("%c has a receive\n", 65 + me);
      E.noReceive = false;
      if
      :: E.state == OPEN && E.notReady -> runOn(); E.ackDue = true
      :: else
      fi
    }
  /* What is kept ahead is given up for another channel: an RD-ACK without those SACK bits goes out. */
  :: d_step { gives > 0 && (E.kept1 != 0 || E.kept2 != 0) -> printf("%c gives up what it kept\n", 65 + me); gives--; E.kept1 = 0; E.kept2 = 0; E.ackDue = true }

  /* 30 s pass. */
  :: d_step {
      me == 0 && ticks > 0 && silent && !E.asking && !P.asking && !E.ackDue && !P.ackDue && !E.noReceive && !P.noReceive ->
      printf("30 s pass\n");
      ticks--;
      pass();
      me = 1; he = 0;
      pass();
      me = 0; he = 1
    }

  /* The state is lost without a word. */
  :: d_step { restarts > 0 && E.state != CLOSED -> printf("%c loses its state\n", 65 + me); restarts--; excused = true; beClosed() }
  /* DG-11.1-14, or the place is needed for another peer: RD-RESET 3. */
  :: d_step {
      closes > 0 && E.state == OPEN && !E.halfOpen -> printf("%c closes\n", 65 + me);
      closes--; excused = true;
      sendReset(E.peerTag, 3, 0);
      beClosed(); i = 0; w = 0; t = 0
    }
  /* The oldest is not acknowledged for 10 s: ERROR, and nothing is sent. */
  :: d_step { failures > 0 && sends(me) && !settled(me) -> printf("%c gives up\n", 65 + me); failures--; excused = true; beError(3) }
  /* The memory of a message is gone: RD-RESET 3, ERROR. */
  :: d_step {
      failures > 0 && sends(me) && !settled(me) -> printf("%c has no memory for it\n", 65 + me);
      failures--; excused = true;
      sendReset(E.peerTag, 3, 0);
      beError(3); i = 0; w = 0; t = 0
    }
  /* What comes next in order will break a rule. */
  :: d_step { violations > 0 && !E.refuses && !done(he) -> violations--; E.refuses = true }
  /* ERROR: a work request is posted: WR_FLUSH_ERR. */
  :: d_step { E.state == ERROR && !done(me) -> printf("%c flushes\n", 65 + me); failed[me] = failed[me] | (1 << E.number); E.number++ }
  /* ERROR: the program resets the peer, or 120 s are over. */
  :: d_step { repairs > 0 && E.state == ERROR -> printf("%c resets the peer\n", 65 + me); repairs--; beClosed() }
  od
}
