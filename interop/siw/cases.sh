# Sourced by run: the list of the cases, and below it what they do.
# A case runs in a subshell and in a folder of its own, with a $port of its own; a program gets at most $limit seconds.
# shellcheck shell=bash disable=SC2016,SC2154  # text for the guest; here, JWARP, port, limit, HOST_IP, GUEST_IP are run's

# NAME NEEDS FUNCTION ARGUMENTS...
cases() {
  local setting size siw=guest,capture,tshark
  echo "guest.itself guest,capture guest_itself"
  for setting in crc-off crc-required peer-to-peer; do
    for size in 27x5 64x1 64x5 64x100 4096x5 65535x5; do
      echo "rping.jwarp-to-siw.$setting.$size $siw rping_to_siw $setting ${size/x/ }"
      echo "rping.siw-to-jwarp.$setting.$size $siw rping_to_jwarp $setting ${size/x/ }"
    done
  done
  echo "rping.jwarp-to-siw.crc-by-jwarp.4096x5 $siw rping_to_siw crc-by-jwarp 4096 5"
  echo "rping.siw-to-jwarp.crc-by-jwarp.4096x5 $siw rping_to_jwarp crc-by-jwarp 4096 5"
  echo "rping.siw-to-jwarp.crc-by-siw.4096x5 $siw rping_to_jwarp crc-by-siw 4096 5"
  for setting in inline threaded; do
    echo "rping.jwarp-to-siw.$setting.65535x5 $siw rping_to_siw $setting 65535 5"
    echo "rping.siw-to-jwarp.$setting.65535x5 $siw rping_to_jwarp $setting 65535 5"
  done
  echo "cmatose.jwarp-to-siw $siw cmatose_to_siw"
  echo "cmatose.siw-to-jwarp $siw cmatose_to_jwarp"
  echo "rdma-client.jwarp-to-siw $siw rdma_client_to_siw"
  echo "rdma-client.siw-to-jwarp $siw rdma_client_to_jwarp"
  echo "reject.by-program-on-siw $siw reject_by_siw none rstream -p PORT"
  echo "reject.by-siw-for-markers $siw reject_by_siw none rping -s -a $GUEST_IP -p PORT -- --markers"
  echo "reject.by-siw-for-crc $siw reject_by_siw mpa_crc_strict rping -s -a $GUEST_IP -p PORT"
  echo "reject.by-jwarp $siw reject_by_jwarp"
  local way
  for way in blocking nonblocking async; do
    for size in 64 4096 65536 1048576; do
      echo "rstream.jwarp-to-siw.$way.$size $siw,sockets rstream_to_siw $way $size"
      echo "rstream.siw-to-jwarp.$way.$size $siw,sockets rstream_to_jwarp $way $size"
    done
  done
  for size in 64 4096 65536 1048576; do
    echo "riostream.jwarp-to-siw.$size $siw,sockets riostream_to_siw $size"
    echo "riostream.siw-to-jwarp.$size $siw,sockets riostream_to_jwarp $size"
  done
  echo "rcopy.jwarp-to-siw $siw,sockets rcopy_to_siw"
  echo "rcopy.siw-to-jwarp $siw,sockets rcopy_to_jwarp"
  echo "netcat.jwarp-sends $siw,sockets netcat_takes"
  echo "netcat.siw-sends $siw,sockets netcat_sends"
  echo "curl.fetches $siw,newer,sockets curl_talks fetches"
  echo "curl.sends $siw,newer,sockets curl_talks sends"
  echo "python.fetches $siw,newer,sockets python_fetches"
  echo "python.serves $siw,newer,sockets python_serves"
  echo "nc.jwarp-sends $siw,newer,sockets nc_takes"
  echo "nc.siw-sends $siw,newer,sockets nc_sends"
  # Not as a server that receives: see Traps in README.md.
  echo "iperf3.siw-serves.reverse $siw,newer,iperf3 iperf3_serves -R"
  echo "iperf3.siw-connects $siw,newer,iperf3 iperf3_connects"
  echo "iperf3.siw-connects.reverse $siw,newer,iperf3 iperf3_connects -R"
  local client
  for client in jedis lettuce; do
    echo "redis.preloaded.$client $siw,newer,clients redis_preloaded $client"
    echo "redis.proxied.$client listeners,redis,clients redis_proxied $client"
  done
  echo "nvme.jwarp-to-siw $siw,nvme nvme_host 2000"
  echo "nvme.target-removed $siw,nvme nvme_removed"
  echo "refused.jwarp-to-siw guest,capture refused_by_siw"
  echo "refused.siw-to-jwarp guest,capture refused_by_jwarp"
  echo "port-mapper.jwarp-to-siw $siw mapper_of_siw"
  echo "port-mapper.jwarp-to-mapped-port $siw mapper_maps"
  echo "port-mapper.jwarp-to-unknown-port $siw mapper_rejects"
  echo "port-mapper.jwarp-to-host-without-one $siw mapper_is_not_there"
  echo "port-mapper.siw-to-jwarp $siw mapper_of_jwarp"
  local program side conform=guest,verbs
  echo "perftest.guest-itself guest perftest_itself"
  for program in write_bw read_bw send_bw write_lat read_lat send_lat; do
    echo "perftest.ib_$program.siw-to-jwarp guest,listeners perftest_to_jwarp $program"
    echo "perftest.ib_$program.jwarp-to-siw guest perftest_to_siw $program"
  done
  for program in echo rping; do
    for side in listens connects; do
      echo "conform.$program.siw-$side $conform conform_$side $program none"
    done
  done
  # Under programs that serve or make one connection: a part, as each connection starts one.
  for program in perftest rsockets; do
    for side in listens connects; do
      echo "conform.$program.siw-$side guest conform_$side $program none rfc5041/7.1 rfc5044/4.1 rfc6581/9.1 DDP-5.4"
    done
  done
  # What siw's parameters change.
  echo "conform.echo.siw-connects.crc-required $conform conform_connects echo mpa_crc_required rfc5044/4.4 rfc5044/7.1.1/7 rfc6581/9.1"
  echo "conform.echo.siw-connects.peer-to-peer $conform conform_connects echo peer_to_peer rfc6581/9.2"
  echo "guest.unharmed guest guest_unharmed"
  echo "conform.deadly.listener $conform conform_deadly siw-listens-no-more MPA-8-4:ended-before-the-request"
  echo "conform.deadly.no-rtr $conform conform_deadly kernel-BUG MPA-8-4:ended-before-rtr"
  for size in 64x5 64x100 65535x5; do
    echo "loopback.rping.$size capture,tshark loopback_rping ${size/x/ }"
  done
  echo "loopback.rping-no-crc.4096x5 capture,tshark loopback_rping 4096 5 --crc off"
  echo "loopback.rping-markers.64x5 capture,tshark loopback_rping 64 5 --markers"
  echo "loopback.rping-markers.400x100 capture,tshark loopback_rping 400 100 --markers"
  echo "loopback.demo capture,tshark loopback_demo --size 1000000 --message-size 100000"
  echo "loopback.demo-no-crc capture,tshark loopback_demo --size 1000000 --message-size 100000 --crc off"
  echo "loopback.demo-markers capture,tshark loopback_demo --size 50000 --message-size 10000 --markers"
  echo "loopback.demo-markers-no-crc capture,tshark loopback_demo --size 50000 --message-size 10000 --markers --crc off"
  echo "self.a-wrong-letter-is-noticed tshark notices_a_wrong_letter"
}

# ---- Means: a word on failure, the capture, the two sides

fail() { echo "$*" >why; exit 1; }
end_all() { # whatever way a case ends
  local left
  left=$(jobs -p)
  # shellcheck disable=SC2086  # several pids
  [ -z "$left" ] || kill $left 2>/dev/null
}

connections() { # of iWARP, whatever else tshark knows at such a port
  tshark -r wire.pcap -o tcp.try_heuristic_first:TRUE -Y 'iwarp_mpa.req' -T fields -e tcp.stream 2>/dev/null | sort -u | wc -l
}

# siw resets what it closes in a race of its own.
no_reset_of_jwarp() { # in wire.pcap
  [ -z "$(tshark -r wire.pcap -Y "tcp.flags.reset == 1 and ip.src == $HOST_IP" 2>/dev/null)" ] || fail "jwarp resets the connection"
}

capture() { # INTERFACE, most octets of a packet
  # Immediate mode needs no flush at the end, but gives every packet a slot of the snapshot's size: hence -B (KiB).
  tcpdump -i "$1" --immediate-mode -U -s "${2:-66000}" -B 65536 -Z root -w wire.pcap "tcp port $port" 2>tcpdump.log &
  capture=$!
  until grep -q 'listening on' tcpdump.log; do
    kill -0 $capture 2>/dev/null || fail "tcpdump: $(tail -1 tcpdump.log)"
    sleep 0.02
  done
}
capture_stop() {
  # All is in the file when tcpdump sleeps, as it has nothing left to read, and the file stands still for half a second: also the last FIN.
  local size='' now still=0 begin=$SECONDS
  while [ $still -lt 5 ] && [ $((SECONDS - begin)) -lt 20 ]; do
    sleep 0.1
    now=$(stat -c %s wire.pcap)
    if [ "$now" = "$size" ] && grep -q '^State:[[:space:]]*S' "/proc/$capture/status"; then still=$((still + 1)); else still=0; fi
    size=$now
  done
  kill -INT "$capture"
  wait "$capture"
}
capture_end() {
  capture_stop
  grep -q '^0 packets dropped by kernel' tcpdump.log || fail "the capture is not whole: $(tail -1 tcpdump.log)"
}
dissected() { # KEY=VALUE...: what the dissection must say
  "$here/dissect" wire.pcap "$@" >wire.txt 2>wire.err || fail "on the wire: $(tail -1 wire.err)"
}

# A jwarp that serves: its process, its output in server.out, server.err. jwarp_client has client.out, client.err.
jwarp_server() {
  timeout -k 2 "$limit" "$JWARP" "$@" >server.out 2>server.err </dev/null &
  server=$!
  until [ -n "$(ss -Hltn "sport = :$port")" ]; do
    kill -0 $server 2>/dev/null || fail "jwarp does not listen: $(complaint server.err)"
    sleep 0.05
  done
}
jwarp_server_ends() { # STATUS
  local status
  wait "$server"
  status=$?
  jwarp_said server "$status" "$1"
}
# siw can overlook a first FPDU that comes right behind its Reply until another one comes: hence the nudge in any case.
jwarp_client() { # STATUS ARGUMENTS...
  local want=$1
  shift
  JWARP_RDMAP_NUDGE=on timeout -k 2 "$limit" "$JWARP" "$@" >client.out 2>client.err </dev/null
  jwarp_said client $? "$want"
}
jwarp_said() { # ROLE STATUS WANTED
  ! grep -hE '^Exception|[a-z]Exception:|^[[:space:]]+at [a-z]' "$1.out" "$1.err" || fail "jwarp's $1 prints a stack trace"
  [ "$2" = "$3" ] || fail "jwarp's $1 ended with $2, not $3: $(complaint "$1.err")"
}
complaint() { # FILE
  grep -m1 '^error:' "$1" || tail -1 "$1"
}
says() { # FILE PATTERN
  grep -aqiE -- "$2" "$1" || fail "$1 does not say '$2'"
}

guest() { timeout "$((limit + 5))" "$here/guest/run-in" "$@"; }
parameters=()
siw_set() { # MODULE PARAMETERS that are on for what is started next; the others are off
  parameters=("$@")
}
siw_start() { # COMMAND...: runs in the guest's background
  guest "$(started "$@")"
}
siw_server() { # COMMAND...: returns when it listens
  guest "$(started "$@")
    until grep -q '$(printf :%04X "$port") 00000000:0000 0A' /proc/net/tcp; do [ ! -f /tmp/status ] || exit 1; sleep 0.05; done" || {
    siw_ends any
    fail "$1 on siw does not listen: $(tail -1 siw.err)"
  }
}
set_parameters() { # shell text
  echo "cd /sys/module/siw/parameters; for p in mpa_crc_required mpa_crc_strict peer_to_peer; do
      case ' ${parameters[*]} ' in *\" \$p \"*) echo Y ;; *) echo N ;; esac >\$p || exit; done"
}
started() { # COMMAND...: the shell text that starts it, since a word with the guest takes its time
  echo "$(set_parameters)
    rm -f /tmp/status; (timeout $limit $* >/tmp/out 2>/tmp/err; echo \$? >/tmp/status) </dev/null >/dev/null 2>&1 &"
}
siw_ends() { # STATUS, or any
  local status size
  guest 'until [ -f /tmp/status ]; do sleep 0.05; done; echo $(cat /tmp/status; wc -c </tmp/out); cat /tmp/out /tmp/err' >siw.said ||
    fail "siw's side does not end, not even when killed"
  read -r status size <siw.said
  echo "$status" >siw.status
  tail -n +2 siw.said | head -c "$size" >siw.out
  tail -n +2 siw.said | tail -c +$((size + 1)) >siw.err
  rm siw.said
  # Debian's rping closes its event channel while its thread reads it: rarely the thread reports that and ends the process
  # with 255, after the last round.
  [ "$1 $status $(tail -1 siw.err)" != "0 255 rdma_get_cm_event: Bad file descriptor" ] || return 0
  case $1 in any | "$status") ;; *) fail "siw's side ended with $status, not $1: $(tail -1 siw.err)" ;; esac
}

# ---- rping

# What rping prints for each round: its text starts one character further each time, in a ring from A (65) to z (122).
pings() { # PREFIX SIZE ROUNDS
  awk -v prefix="$1" -v size="$2" -v rounds="$3" 'BEGIN {
    for (c = 65; c <= 122; c++) ring = ring sprintf("%c", c)
    for (tape = ring; length(tape) < size + 58; ) tape = tape tape
    for (i = 0; i < rounds; i++) {
      text = "rdma-ping-" i ": "
      print prefix text substr(tape, i % 58 + 1, size - 1 - length(text))
    }
  }'
}
pinged() { # CLIENT-OUTPUT SERVER-OUTPUT SIZE ROUNDS
  grep -a '^ping data: ' "$1" | cmp - <(pings 'ping data: ' "$3" "$4") || fail "$1 has not the text of $4 rounds of $3 octets"
  grep -a '^server ping data: ' "$2" | cmp - <(pings 'server ping data: ' "$3" "$4") || fail "$2 has not the text of $4 rounds of $3 octets"
}
# SETTING: siw's parameters; jwarp's flags and what the wire shows, as client and as server
# (crc: in how many of the two start-up frames the C flag is set; empty: RTR messages, and the nudge that jwarp as initiator
# sends if siw is slow to say something).
setting() {
  siw=() as_client=() as_server=() client_wire=(crc=2 empty=0..1) server_wire=(crc=2 empty=0)
  case $1 in
    crc-off) as_client=(--crc off) as_server=(--crc off) client_wire=(crc=0 empty=0..1) server_wire=(crc=0 empty=0) ;;
    crc-required) siw=(mpa_crc_required) ;;
    crc-by-jwarp) server_wire=(crc=1 empty=0) ;;
    crc-by-siw) siw=(mpa_crc_required) as_server=(--crc off) ;;
    inline | threaded) as_client=(--progress "$1") as_server=(--progress "$1") server_wire=(crc=1 empty=0) ;;
    peer-to-peer) siw=(peer_to_peer) as_client=(--peer-to-peer) client_wire=(crc=2 empty=1..2) server_wire=(crc=1 empty=1) ;;
  esac
}
rping_to_siw() { # SETTING SIZE ROUNDS
  setting "$1"
  siw_set "${siw[@]}"
  capture "$TAP"
  siw_server rping -s -a "$GUEST_IP" -p "$port" -S "$2" -v -V
  jwarp_client 0 rping -c -a "$GUEST_IP" -p "$port" -S "$2" -C "$3" -v -V "${as_client[@]}"
  siw_ends 0
  capture_end
  pinged client.out siw.out "$2" "$3"
  dissected Send=$((4 * $3)) Terminate=0 "${client_wire[@]}"
}
rping_to_jwarp() { # SETTING SIZE ROUNDS
  setting "$1"
  siw_set "${siw[@]}"
  capture "$TAP"
  jwarp_server rping -s -a "$HOST_IP" -p "$port" -S "$2" -v -V "${as_server[@]}"
  siw_start rping -c -a "$HOST_IP" -p "$port" -S "$2" -C "$3" -v -V
  siw_ends 0
  jwarp_server_ends 0
  capture_end
  pinged siw.out server.out "$2" "$3"
  dissected Send=$((4 * $3)) Terminate=0 "${server_wire[@]}"
}
guest_itself() { # no jwarp: the guest is sound
  siw_set
  siw_server rping -s -a "$GUEST_IP" -p "$port" -v -V
  guest "timeout $limit rping -c -a $GUEST_IP -p $port -C 5 -v -V 2>/dev/null" >client.out || fail "rping in the guest fails"
  siw_ends 0
  pinged client.out siw.out 64 5
}
guest_unharmed() { # after all that: no complaint of the kernel, nothing left over in siw
  guest dmesg >kernel.log
  ! grep -E 'BUG:|kernel BUG|WARNING:|Oops|Call Trace' kernel.log || fail "the guest's kernel complains"
  guest 'for _ in $(seq 100); do rdma res | grep " qp 0 cm_id 0 " && exit; sleep 0.1; done; rdma res; exit 1' ||
    fail "siw still has connections"
}

# ---- the port mapper: iwpmd of rdma-core in the guest, jwarp's (jwarp.cm.port-mapper) here

mapper_capture() { # as capture, of what port mappers say to each other
  tcpdump -i "$TAP" --immediate-mode -U -Z root -w mapper.pcap 'udp port 3935 or (icmp[0] = 3 and icmp[1] = 3)' 2>mapper.log &
  mapper=$!
  until grep -q 'listening on' mapper.log; do
    kill -0 $mapper 2>/dev/null || fail "tcpdump: $(tail -1 mapper.log)"
    sleep 0.02
  done
}
iwpmd_starts() {
  guest 'iwpmd; until netstat -lun | grep -q :3935 && pidof iwpmd >/dev/null; do sleep 0.05; done' || fail "iwpmd does not come up"
}
iwpmd_ends() {
  guest 'kill $(pidof iwpmd); while pidof iwpmd >/dev/null; do sleep 0.05; done'
}
mapped_in_guest() { # PORT MAPPED-PORT
  guest "iwpm-map \$(pidof iwpmd) $GUEST_IP $1 $2"
}
# What they said: the kind of each message, its accepting port, who sent it; a message that was sent again stands there once.
mapper_talk() {
  tshark -r mapper.pcap -Y 'udp and not icmp' -T fields -e ip.src -e udp.payload 2>>mapper.log | tr -d : | awk '!seen[$0]++ {
    split("REQUEST ACCEPT ACK REJECT", kinds, " ")
    kind = substr($2, 1, 1) + 0
    if (substr($2, 2, 1) != "4" || kind > 3 || length($2) != (kind == 0 ? 128 : 96)) { print "NO-MESSAGE " $2; next }
    print kinds[kind + 1] ":" substr($2, 9, 4) ":" substr($2, 17, 16) ":" $1
  }'
}
mapper_said() { # KIND:PORT:ADDRESS OF THE SENDER...: so and no more, all about one question
  local said='' handle='' kind port_of sender each
  sleep 1.5 # who missed an ACK would have sent its ACCEPT again by now
  kill -INT "$mapper"
  wait "$mapper"
  mapper_talk >mapper.txt
  while IFS=: read -r kind port_of each sender; do
    [ "${handle:=$each}" = "$each" ] || fail "port mappers talk about two questions: $(tr '\n' ' ' <mapper.txt)"
    said+="$kind:$((0x$port_of)):$sender "
  done <mapper.txt
  [ "$said" = "$* " ] || fail "port mappers said '$said', not '$*'"
}
# siw maps no ports (IW_F_NO_PORT_MAP), but its kernel tells iwpmd of each listener: mapped to the same port.
mapper_of_siw() {
  mapper_talks_to_siw "$port" "$port" "REQUEST:$port:$HOST_IP" "ACCEPT:$port:$GUEST_IP" "ACK:$port:$HOST_IP"
}
# As of an RNIC that maps: the program's port is another one than siw listens at, and nobody listens there.
mapper_maps() {
  local unmapped=$((port + 10000))
  mapper_talks_to_siw "$unmapped" "$port" "REQUEST:$unmapped:$HOST_IP" "ACCEPT:$port:$GUEST_IP" "ACK:$port:$HOST_IP"
}
mapper_talks_to_siw() { # PORT-ASKED-FOR PORT-LISTENED-AT TALK...
  iwpmd_starts
  capture "$TAP"
  mapper_capture
  siw_set
  siw_server rping -s -a "$GUEST_IP" -p "$2" -v -V
  [ "$1" = "$2" ] || mapped_in_guest "$1" "$2" || fail "iwpmd cannot be told of a mapping"
  mapper_client "$1"
  mapper_said "${@:3}"
  iwpmd_ends
}
mapper_client() { # PORT-ASKED-FOR
  JWARP_CM_PORT_MAPPER=ask jwarp_client 0 rping -c -a "$GUEST_IP" -p "$1" -C 5 -v -V
  siw_ends 0
  capture_end
  pinged client.out siw.out 64 5
  dissected Send=20 Terminate=0 crc=2 empty=0..1
}
# iwpmd knows nothing of the port, so jwarp goes where the program says, and finds as little there as without a port mapper.
mapper_rejects() {
  iwpmd_starts
  capture "$TAP"
  mapper_capture
  JWARP_CM_PORT_MAPPER=ask jwarp_client 3 rping -c -a "$GUEST_IP" -p "$port" -C 5
  capture_end
  says client.err "refused"
  [ -n "$(tcpdump -r wire.pcap "tcp[tcpflags] & tcp-rst != 0 and src port $port" 2>/dev/null)" ] || fail "jwarp did not try port $port"
  mapper_said "REQUEST:$port:$HOST_IP" "REJECT:$port:$GUEST_IP"
  iwpmd_ends
}
mapper_is_not_there() {
  capture "$TAP"
  mapper_capture
  siw_set
  siw_server rping -s -a "$GUEST_IP" -p "$port" -v -V
  mapper_client "$port"
  mapper_said "REQUEST:$port:$HOST_IP"
  [ -n "$(tshark -r mapper.pcap -Y 'icmp' 2>>mapper.log)" ] || fail "the guest does not say that nobody is at UDP port 3935"
}
mapper_of_jwarp() {
  iwpmd_starts
  capture "$TAP"
  mapper_capture
  siw_set
  JWARP_CM_PORT_MAPPER=answer jwarp_server rping -s -a "$HOST_IP" -p "$port" -v -V
  siw_start rping -c -a "$HOST_IP" -p "$port" -C 5 -v -V
  siw_ends 0
  jwarp_server_ends 0
  capture_end
  pinged siw.out server.out 64 5
  dissected Send=20 Terminate=0 crc=1 empty=0
  mapper_said "REQUEST:$port:$GUEST_IP" "ACCEPT:$port:$HOST_IP" "ACK:$port:$GUEST_IP"
  iwpmd_ends
}

# ---- ucmatose: ten Sends of 100 octets each way, the server's first; rdma_client, rdma_server: one of 16 each way

cmatose_to_siw() {
  siw_set
  capture "$TAP"
  siw_server ucmatose -p "$port"
  jwarp_client 0 cmatose -s "$GUEST_IP" -p "$port"
  siw_ends 0
  capture_end
  says client.out '10 receives of 100 bytes'
  says siw.out 'data transfers complete'
  dissected Send=20 Terminate=0 empty=0..1
}
# A responder must not speak before the initiator has (RFC 5044 §7.1.2 (4)), and ucmatose's client waits for its server:
# that works where siw sends an RTR message first.
cmatose_to_jwarp() {
  siw_set peer_to_peer
  capture "$TAP"
  jwarp_server cmatose -b "$HOST_IP" -p "$port"
  siw_start ucmatose -s "$HOST_IP" -p "$port"
  siw_ends 0
  jwarp_server_ends 0
  capture_end
  says server.out '10 receives of 100 bytes'
  says siw.out 'data transfers complete'
  dissected Send=20 Terminate=0 empty=1
}
rdma_client_to_siw() {
  siw_set
  capture "$TAP"
  siw_server rdma_server -p "$port"
  jwarp_client 0 rdma-client -s "$GUEST_IP" -p "$port"
  siw_ends 0
  capture_end
  says client.out 'received 16 bytes'
  dissected Send=2 Terminate=0
}
rdma_client_to_jwarp() {
  siw_set
  capture "$TAP"
  jwarp_server rdma-server -b "$HOST_IP" -p "$port"
  siw_start rdma_client -s "$HOST_IP" -p "$port"
  siw_ends 0
  jwarp_server_ends 0
  capture_end
  says server.out 'received 16 bytes'
  dissected Send=2 Terminate=0
}

# ---- perftest: its programs in the guest, jwarp perf --peer-protocol perftest here; 5 runs of 1000 messages of each of three sizes

# A run of perftest's that fails by a race of its own (docs/perftest-exchange.md) is told and made up for by another one, at most eight times a size:
#   crash    its client was refused by a server that does not listen again yet, and did not survive that (139): jwarp's server always listens
#   clock    it cannot make out the processor's frequency: the machine is too busy
#   closed   it has its results, then says that its last Send failed, since siw had not yet reported it when the connection ended
perftest_runs=${PERFTEST_RUNS:-5} perftest_messages=1000 perftest_spare=8
perftest_jvm='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' # a JVM that starts quickly and leaves the processors to the guest
perftest_row() { # SIZE: the row of results in a page of either program
  sed -nE "s/^ *$1 +$perftest_messages +/&/p" | tr -s ' \t' ' '
}
outcome() { # STATUS ROW ERRORS of perftest's side
  case $1 in
    0) [ -n "$2" ] && echo ok ;;
    139) case $3 in *'Connection refused'*) echo crash ;; esac ;;
    1) case "$2 $3" in *"Can't produce a report"*) echo clock ;; " "*) ;; *'Bad wc status 2'*) echo closed ;; esac ;;
  esac
}
perftest_crc() { # SIZE: with a CRC the emulated siw is slow, so the largest messages go without
  [ "$1" -le 4096 ] || echo '--crc off'
}
told() { # SIZE OUTCOMES...: one more in the line of the case
  [ ! -e told ] || printf ', ' >>told
  printf '%s: %s' "$1" "${*:2}" >>told
}
perftest_to_jwarp() { # PROGRAM
  local size status row errors how outcomes good
  limit=240
  export JWARP_JAVA_OPTS=${JWARP_JAVA_OPTS:-$perftest_jvm}
  siw_set
  [ "$1" != write_lat ] || siw_set peer_to_peer # the server is to begin, and may not before it has had an FPDU
  for size in 64 4096 65536; do
    # shellcheck disable=SC2046  # words
    jwarp_server perf "$1" --peer-protocol perftest --persistent --bind_source_ip "$HOST_IP" -p "$port" -s "$size" -n $perftest_messages \
      $(perftest_crc "$size")
    outcomes=() good=0
    while [ $good -lt $perftest_runs ]; do
      [ ${#outcomes[@]} -lt $((perftest_runs + perftest_spare)) ] || fail "$size: more races of perftest's own than runs are spare: ${outcomes[*]}"
      siw_start "ib_$1" -R -s "$size" -n $perftest_messages -p "$port" "$HOST_IP"
      siw_ends any
      perftest_judge "$size"
    done
    told "$size" "${outcomes[@]}"
    kill -INT $server
    jwarp_server_ends 130
    [ "$1" = read_lat ] || [ "$(perftest_row "$size" <server.out | wc -l)" -ge $perftest_runs ] || fail "jwarp's server has not the rows of its clients"
  done
}
perftest_to_siw() { # PROGRAM
  local size mine status row errors how outcomes good
  limit=120
  export JWARP_JAVA_OPTS=${JWARP_JAVA_OPTS:-$perftest_jvm}
  siw_set
  for size in 64 4096 65536; do
    outcomes=() good=0
    while [ $good -lt $perftest_runs ]; do
      [ ${#outcomes[@]} -lt $((perftest_runs + perftest_spare)) ] || fail "$size: more races of perftest's own than runs are spare: ${outcomes[*]}"
      siw_server "ib_$1" -R -s "$size" -n $perftest_messages -p "$port"
      # shellcheck disable=SC2046  # words
      JWARP_RDMAP_NUDGE=on timeout -k 2 "$limit" "$JWARP" perf "$1" --peer-protocol perftest -p "$port" -s "$size" \
        -n $perftest_messages $(perftest_crc "$size") \
        "$GUEST_IP" >client.out 2>client.err </dev/null
      mine=$?
      siw_ends any
      perftest_judge "$size" "$1"
      if [ "$how" = ok ]; then
        jwarp_said client $mine 0
        perftest_row "$size" <client.out | grep -q . || fail "$size: jwarp's client has no row of results"
      fi
    done
    told "$size" "${outcomes[@]}"
  done
}
perftest_judge() { # SIZE [PROGRAM, if it is siw's server]: looks at what siw's side left, counts it
  status=$(cat siw.status)
  row=$(perftest_row "$1" <siw.out | head -1)
  [ "${2:-}" != read_lat ] || row='a server of ib_read_lat tells nothing'
  errors=$(tr '\n' ' ' <siw.err)
  how=$(outcome "$status" "$row" "$errors")
  [ -n "$how" ] || fail "$1: perftest's side ended with $status: $(grep -h . siw.err siw.out | tail -1)"
  outcomes+=("$how")
  [ "$how" != ok ] || good=$((good + 1))
}
# Without jwarp: the programs are sound, and fail now and then by themselves. One run that goes well in four is enough.
perftest_itself() {
  local program try status outcomes
  limit=40
  siw_set
  for program in write_bw read_bw send_bw write_lat read_lat send_lat; do
    outcomes=()
    for try in 1 2 3 4; do
      siw_server "ib_$program" -R -s 4096 -n 100 -p "$port"
      guest "timeout $limit ib_$program -R -s 4096 -n 100 -p $port $GUEST_IP >/tmp/client 2>&1; status=\$?
        [ \$status = 0 ] || kill \$(pidof ib_$program) 2>/dev/null; cat /tmp/client; exit \$status" >client.out
      status=$?
      siw_ends any
      case $status in
        0) outcomes+=(ok) ;;
        139) outcomes+=(crash) ;;
        *) outcomes+=("ended-with-$status") ;;
      esac
      [ $status != 0 ] || break
    done
    told "$program" "${outcomes[@]}"
    [ $status = 0 ] || fail "ib_$program does not work in the guest"
  done
}

# ---- Conformance: what siw does otherwise must be what siw-deviations.txt says, no more and no less

conform_target() { # ARGUMENTS...: the C program, in the guest, as often as there are arguments
  make -s -C "$here/../conform-target" >make.log 2>&1 || fail "the conformance target does not build: $(tail -1 make.log)"
  strip -o conform-target "$here/../conform-target/conform-target"
  guest "killall conform-target rping 2>/dev/null; echo $(base64 -w0 conform-target) | base64 -d >/bin/conform-target; chmod +x /bin/conform-target
    $(set_parameters)" || fail "the guest does not take the conformance target"
  rm conform-target
}
conform_in_background() { # COMMAND...: in the guest
  guest "(timeout $limit $* >>/tmp/conform.log 2>&1 </dev/null &); true"
}
conform_run() { # REPORT PROGRAM ARGUMENTS...
  local report=$1 program=$2 status
  timeout -k 2 "$limit" "$JWARP" conform --profile "$program" --swapped-terminates --strict -v -i 0 --exclude known.txt --html "$report.html" \
    --json "${@:3}" >"$report.json" 2>conform.err </dev/null
  status=$?
  "$here/conform-sums" "$report.json" >sums.txt || fail "no report: $(complaint conform.err)"
  return $status
}
# jwarp conform, with reports beside the log. Known deviations are told apart by the program above siw. What siw does otherwise now and
# then, by a race of its own, is told and no more: a case that fails is tried twice again, and is a finding if it fails each time. On a slow
# machine siw may leave out any of its Terminates each time (terminate-left-out in siw-explanations.md): no finding either.
# And now and then siw takes the guest's kernel with it, in a race: that is told, with what the console said, and the case begun anew, once.
guest_died=9
guest_lives() {
  guest true 2>/dev/null && return
  cp "$RUN/console.log" "console-$((++deaths)).log"
  echo "now and then: the guest's kernel ends: $(grep -aE -m1 'BUG|Oops|general protection|Kernel panic|unable to handle' "console-$deaths.log" || echo 'without a word')"
  "$here/guest/down"
  "$here/guest/up" >/dev/null 2>&1 || fail "the guest does not come up again"
  [ $deaths -lt 2 ] || fail "the guest's kernel ends, twice: see console-1.log, console-2.log"
  return 1
}
left_out='wanted .*Terminate.* and got (the end of the stream|RST)'
conform() { # PROGRAM ARGUMENTS... -- FILTERS...
  local program=$1 how=() gone status again filters
  shift
  while [ "$1" != -- ]; do
    how+=("$1")
    shift
  done
  # The lines for this program and these parameters, their marks taken off; those for all.
  awk -v run=" $program ${parameters[*]} " '
    $1 ~ /^[a-z_]+:/ { mark = substr($1, 1, index($1, ":") - 1); if (!index(run, " " mark " ")) next; sub(/^[a-z_]+:/, "") }
    { print }' "$here/siw-deviations.txt" >known.txt
  conform_run report "$program" "${how[@]}" "${@:2}"
  status=$?
  guest_lives || return $guest_died
  gone=$(grep '^surprise ' sums.txt | grep -v 'now and then' | head -1)
  for again in 2 3; do
    mapfile -t filters < <(awk '$1 == "fail" || $1 == "inconclusive" { print $2 }' sums.txt)
    [ $status = 1 ] && [ ${#filters[@]} -gt 0 ] && [ ${#filters[@]} -le 8 ] || break # else it is no race
    grep -E '^(fail|inconclusive) ' sums.txt >>races.txt
    conform_run "report-$again" "$program" "${how[@]}" "${filters[@]}"
    status=$?
    guest_lives || return $guest_died
  done
  guest 'killall conform-target rping ib_send_lat rstream riostream timeout 2>/dev/null; cat /tmp/conform.log' >guest.log
  [ $status = 0 ] || { [ $status = 1 ] && ! grep -E '^(fail|inconclusive) ' sums.txt | grep -qvE "$left_out"; } ||
    fail "siw does what siw-deviations.txt does not know: $(grep -E '^(fail|inconclusive) ' sums.txt | grep -m1 -vE "$left_out") ($(tail -1 sums.txt))"
  [ ! -s races.txt ] || sed 's/^/now and then: /' races.txt
  [ -z "$gone" ] || fail "a deviation is gone, take it out of siw-deviations.txt: $gone"
}
conform_listens() { conform_twice listens "$@"; }
conform_connects() { conform_twice connects "$@"; }
conform_twice() { # SIDE ARGUMENTS...: once more where the guest has died
  local deaths=0
  "siw_$1" "${@:2}"
  [ $? != $guest_died ] || "siw_$1" "${@:2}"
}
# A program that serves or makes one connection, in place of the one before.
conform_once() { # perftest|rsockets [HOST, of a client]
  local run
  case $1 in
    perftest) run="ib_send_lat -R -s 64 -n 100 -p $port ${2:-}" ;;
    rsockets) run="rstream -S 16 -C 1 -I 1000000 -T b -p $port ${2:+-s $2}" ;;
  esac
  echo "killall -q -9 ${run%% *}; $([ -n "${2:-}" ] && echo "exec timeout 20 $run" ||
    echo "(timeout 20 $run >/dev/null 2>&1 </dev/null &); until grep -q $(printf :%04X "$port").00000000:0000.0A /proc/net/tcp; do sleep 0.02; done")"
}
siw_listens_once() { # PROGRAM FILTERS...
  conform "$1" --peer "$GUEST_IP:$port" --settle 0.3 --restart "$here/guest/run-in '$(conform_once "$1")'" -- "${@:2}"
}
siw_listens() { # PROGRAM SIW-PARAMETER FILTERS...
  local program=$1 jobs=4
  limit=120
  siw_set "$2"
  case $program in
    perftest | rsockets)
      guest "$(set_parameters)"
      siw_listens_once "$program" "${@:3}"
      return ;;
  esac
  conform_target
  if [ "$program" = echo ]; then
    conform_in_background conform-target --listen "$port"
  else
    jobs=1 # rping -P loses one of two requests that come at once
    conform_in_background rping -s -P -a 0.0.0.0 -p "$port"
  fi
  guest "until grep -q '$(printf :%04X "$port") 00000000:0000 0A' /proc/net/tcp; do sleep 0.05; done"
  # siw loses a first FPDU that comes right behind its Reply: hence the pause.
  conform "$program" --peer "$GUEST_IP:$port" --settle 0.3 --jobs $jobs -- "${@:3}"
}
siw_connects() { # PROGRAM SIW-PARAMETER FILTERS...
  local program=$1 command=() i jobs=4 port=$((port + 1000))
  limit=120
  siw_set "$2"
  case $program in
    perftest | rsockets) guest "$(set_parameters)" ;;
    *) conform_target ;;
  esac
  if [ "$program" != echo ] && [ "$program" != rping ]; then
    jobs=1
    command=(--peer-command "$here/guest/run-in '$(conform_once "$program" "$HOST_IP")'")
  elif [ "$program" = echo ]; then
    for i in 0 1 2 3; do conform_in_background conform-target --connect "$HOST_IP:$((port + i))"; done
  else
    # The run before may still wait for the tester's next word.
    command=(--peer-command "$here/guest/run-in 'kill \$(cat /tmp/rping.{port}) 2>/dev/null; echo \$\$ >/tmp/rping.{port}
      exec timeout 20 rping -c -a {host} -p {port} -v -C 1000'")
  fi
  conform "$program" --listen "$HOST_IP:$port" --jobs $jobs "${command[@]}" -- "${@:3}"
}
# A case that ends siw's listener or the guest's kernel: alone, and the guest is started anew behind it. It takes a race that siw does
# not lose each time.
conform_deadly() { # WHAT FILTER; where it is a race of siw's own ("now and then"), that it is not seen is told and no more
  local try survived=1 tries=15
  siw_set
  limit=60
  conform_target
  conform_in_background conform-target --listen "$port"
  guest "until grep -q '$(printf :%04X "$port") 00000000:0000 0A' /proc/net/tcp; do sleep 0.05; done"
  for ((try = 1; try <= tries; try++)); do
    timeout -k 2 60 "$JWARP" conform --profile echo --swapped-terminates --strict -i 0 --peer "$GUEST_IP:$port" --settle 0.3 "$2" >conform.out 2>&1
    grep -q '1 tests, 1 passed' conform.out || { survived=; break; }
    echo "try $try: it passes"
  done
  guest dmesg >kernel.log 2>&1
  "$here/guest/down"
  "$here/guest/up" >/dev/null 2>&1 || fail "the guest does not come up again"
  [ -n "$survived" ] || return 0
  grep "^!$2 .*now and then" "$here/siw-deviations.txt" >known.txt || fail "a deviation is gone, take it out of siw-deviations.txt: $1"
  echo "not in $tries tries: $1" >told
}

# ---- No connection

# rstream takes only its own kind of private data; siw itself takes no Markers, and with mpa_crc_strict no CRC.
# ---- rsockets: a program for java.nio on jwarp's sockets, and rstream on librdmacm's; each end verifies what comes, so the capture is for people
# and need not be whole

# How often: so many times SIZE there, and as many back, three times; what the guest's emulated processor does in some seconds.
rstream_flags() { # SIZE
  local count=$((1048576 / $1))
  echo "-p $port -S $1 -I 3 -C $((count > 200 ? 200 : count))"
}
rstream_to_siw() { # blocking, nonblocking or async, SIZE
  to_siw Rstream "-T ${1:0:1}" "$2" -T "$1" -T verify
}
riostream_to_siw() { # SIZE
  to_siw Riostream '' "$1" -T blocking -T verify
}
to_siw() { # PROGRAM here, its FLAGS, SIZE, flags there...
  local program=$1 own=$2 size=$3 flags lost=0 status
  shift 3
  flags=$(rstream_flags "$size")
  siw_set
  while true; do
    capture "$TAP" 512 # a word is seen whole
    # shellcheck disable=SC2086  # words
    siw_server "${program,,}" -b "$GUEST_IP" $flags "$@"
    # shellcheck disable=SC2086
    status=0
    timeout -k 2 "$limit" "${sockets_java[@]}" "$program" -s "$GUEST_IP" $flags $own >client.out 2>client.err </dev/null || status=$?
    [ $status != 0 ] || break
    siw_lost_it $status client.err
  done
  rstream_ends client
}
rstream_to_jwarp() { # blocking, nonblocking or async, SIZE
  to_jwarp Rstream "-T ${1:0:1}" "$2" -T "$1" -T verify
}
riostream_to_jwarp() { # SIZE
  to_jwarp Riostream '' "$1" -T blocking -T verify
}
to_jwarp() { # PROGRAM here, its FLAGS, SIZE, flags there...
  local program=$1 own=$2 size=$3 flags lost=0 status
  shift 3
  flags=$(rstream_flags "$size")
  siw_set
  while true; do
    capture "$TAP" 512 # a word is seen whole
    # shellcheck disable=SC2086
    timeout -k 2 "$limit" "${sockets_java[@]}" "$program" -b "$HOST_IP" $flags $own >server.out 2>server.err </dev/null &
    server=$!
    server_listens
    # shellcheck disable=SC2086
    siw_start "${program,,}" -s "$HOST_IP" $flags "$@"
    status=0
    wait "$server" || status=$?
    [ $status != 0 ] || break
    siw_lost_it $status server.err
  done
  rstream_ends server
}
# The program on jwarp failed. siw that closes drops what it has not sent yet (close-drops-work in siw-explanations.md): rstream's DISCONNECT, and on a busy machine the
# last data, too. Only that is tried again: where rstream has not done all of its work, either end has said DISCONNECT, or jwarp has reset the connection or knows another reason, it is a failure.
siw_lost_it() { # STATUS and STDERR of the program on jwarp
  siw_ends any
  capture_stop
  no_reset_of_jwarp
  if tshark -r wire.pcap -Y 'tcp.len > 0' -T fields -e tcp.payload 2>/dev/null | grep -E '00164143.{32}000000e0.{8}$' >goodbye ||
    { [ "$1" != 124 ] && ! grep -aq 'the peer ended the connection without closing the stream' "$2"; } || ! grep -q '^custom' siw.out || [ $((++lost)) = 4 ]; then
    fail "the program on jwarp: $(grep -m1 -a Exception "$2"); rstream: $(tail -1 siw.err)"
  fi
  echo "siw has lost what rstream sent last, $([ "$1" = 124 ] && echo "and nothing came for $limit s" || echo "and that was noticed at once"): once more" >>told
  cp wire.pcap "wire-$lost.pcap"
}
server_listens() {
  until [ -n "$(ss -Hltn "sport = :$port")" ]; do
    kill -0 $server 2>/dev/null || fail "the program on jwarp does not listen: $(tail -1 server.err)"
    sleep 0.05
  done
}
rstream_ends() { # ROLE of the program on jwarp
  siw_ends 0
  capture_stop
  says "$1.out" 'none wrong'
  says siw.out '^custom'
  ! grep -aq 'verification failed' siw.out || fail "rstream: $(grep -a 'verification failed' siw.out)"
  # siw may reset at the end, when rstream closes with a word of jwarp's unread.
  no_reset_of_jwarp
}

# ---- rcopy, whose server does not end, and a file of three million bytes

rcopy_to_siw() {
  eval "$NUMBERS" >numbers
  siw_set
  capture "$TAP"
  siw_server rcopy -p "$port"
  timeout -k 2 "$limit" "${sockets_java[@]}" Rcopy send "$GUEST_IP" "$port" numbers /tmp/copied >client.out 2>client.err </dev/null ||
    fail "the program on jwarp: $(tail -1 client.err)"
  guest 'sha256sum </tmp/copied; rm /tmp/copied; killall rcopy' >sums
  siw_ends any
  capture_stop
  [ "$(head -1 sums)" = "$(sha256sum <numbers)" ] || fail "rcopy has $(head -1 sums), not $(sha256sum <numbers)"
}
rcopy_to_jwarp() {
  eval "$NUMBERS" >numbers
  siw_set
  capture "$TAP"
  timeout -k 2 "$limit" "${sockets_java[@]}" Rcopy take "$HOST_IP" "$port" came >server.out 2>server.err </dev/null &
  server=$!
  server_listens
  siw_start "sh -c '$NUMBERS >/tmp/numbers; rcopy /tmp/numbers $HOST_IP:copied -p $port'"
  wait "$server" || { siw_ends any; fail "the program on jwarp: $(tail -1 server.err); rcopy: $(tail -1 siw.err)"; }
  siw_ends 0
  capture_stop
  says siw.out 'Gb/sec'
  cmp came numbers >cmp.txt 2>&1 || fail "rcopy: $(cat cmp.txt)"
}

# ---- A program of TCP's under librspreload, which makes rsockets of its sockets: three million bytes to it, and from it

NUMBERS='seq 1 500000 | head -c 3000000'
PRELOAD='env LD_PRELOAD=/usr/lib/x86_64-linux-gnu/rsocket/librspreload.so'
netcat_takes() {
  eval "$NUMBERS" >numbers
  siw_set
  capture "$TAP"
  siw_server "$PRELOAD" nc.traditional -n -l -p "$port" -s "$GUEST_IP"
  timeout -k 2 "$limit" "${sockets_java[@]}" Netcat send "$GUEST_IP" "$port" numbers >client.out 2>client.err </dev/null ||
    fail "the program on jwarp: $(tail -1 client.err)"
  siw_ends 0
  capture_stop
  cmp siw.out numbers >cmp.txt 2>&1 || fail "netcat: $(cat cmp.txt)"
}
netcat_sends() {
  eval "$NUMBERS" >numbers
  siw_set
  capture "$TAP"
  timeout -k 2 "$limit" "${sockets_java[@]}" Netcat take "$HOST_IP" "$port" came 3000000 >server.out 2>server.err </dev/null &
  server=$!
  server_listens
  siw_start "sh -c '$NUMBERS | $PRELOAD nc.traditional -n $HOST_IP $port'"
  wait "$server" || { siw_ends any; fail "the program on jwarp: $(tail -1 server.err); netcat: $(tail -1 siw.err)"; }
  siw_ends 0
  capture_stop
  cmp came numbers >cmp.txt 2>&1 || fail "netcat: $(cat cmp.txt)"
}

# ---- Programs of TCP's under the newer librspreload, in a folder of their own

NEWER="$PRELOAD chroot /newer"
newer_in_guest() {
  guest "[ -e /newer/usr ] || { mkdir -p /newer && (nc -l -p $port </dev/null | tar xz -C /newer; echo \$? >/tmp/unpacked) >/dev/null 2>&1 & }"
  guest '[ -e /newer/usr ]' || {
    until (exec 3<>"/dev/tcp/$GUEST_IP/$port" && cat "$CACHE/newer.tgz" >&3) 2>/dev/null; do sleep 0.1; done
    guest 'until [ -e /tmp/unpacked ]; do sleep 0.05; done; [ "$(cat /tmp/unpacked)" = 0 ] || exit
      mount -t proc proc /newer/proc; mount -t sysfs sys /newer/sys; mount -t devtmpfs dev /newer/dev' || fail "newer.tgz does not come into the guest"
  }
}

# A file of 13 MiB through HTTP: the other end is the JDK's, as it is, with jwarp's agent.
http_java() { # WORDS... of Http
  timeout -k 2 "$limit" "${sockets_java[@]:0:1}" -javaagent:"$out/agent.jar" -Djwarp.rdmap.probe=300 "${sockets_java[@]:1}" Http "$@"
}
http_serves() { # REQUESTS: a file, and what comes
  head -c 13M /dev/urandom >file
  siw_set
  capture "$TAP"
  http_java serve "$HOST_IP" "$port" file came "$1" >server.out 2>server.err </dev/null &
  server=$!
  server_listens
}
http_ends() { # SUM of what is there
  siw_ends 0
  wait "$server" || fail "the program on jwarp: $(tail -1 server.err)"
  capture_stop
  same_file "$1"
}
same_file() { # SUM
  [ "$(cut -d' ' -f1 <<<"$1")" = "$(sha256sum <file | cut -d' ' -f1)" ] || fail "what came has SHA-256 $1, not $(sha256sum <file)"
  [ "$(connections)" -ge 1 ] || fail "there is no connection of iWARP in the capture"
}
curl_talks() { # fetches, sends
  limit=60
  newer_in_guest
  http_serves 1
  if [ "$1" = fetches ]; then
    siw_start "$NEWER /usr/bin/curl -sS --fail -o /tmp/came http://$HOST_IP:$port/file"
    siw_ends 0
    http_ends "$(guest 'sha256sum </newer/tmp/came; rm /newer/tmp/came')"
  else
    guest "head -c 13M /dev/urandom >/newer/tmp/file"
    siw_start "$NEWER /usr/bin/curl -sS --fail -T /tmp/file http://$HOST_IP:$port/file"
    siw_ends 0
    mv came file
    http_ends "$(guest 'sha256sum </newer/tmp/file; rm /newer/tmp/file')"
  fi
}
python_fetches() {
  limit=60
  newer_in_guest
  http_serves 1
  siw_start "$NEWER /usr/bin/python3 -c 'import urllib.request; urllib.request.urlretrieve(\"http://$HOST_IP:$port/file\", \"/tmp/came\")'"
  siw_ends 0
  http_ends "$(guest 'sha256sum </newer/tmp/came; rm /newer/tmp/came')"
}
python_serves() {
  limit=60
  newer_in_guest
  guest "mkdir -p /newer/tmp/served; head -c 13M /dev/urandom >/newer/tmp/served/file"
  siw_set
  capture "$TAP"
  siw_server "$NEWER /usr/bin/python3 -m http.server --bind $GUEST_IP --directory /tmp/served $port"
  http_java fetch "http://$GUEST_IP:$port/file" file >client.out 2>client.err </dev/null || fail "the program on jwarp: $(tail -1 client.err)"
  guest 'killall python3'
  siw_ends any
  capture_stop
  same_file "$(guest 'sha256sum </newer/tmp/served/file; rm -r /newer/tmp/served')"
}

# netcat of OpenBSD, and a file of 13 MiB
nc_java() { # WORDS... of Netcat
  timeout -k 2 "$limit" "${sockets_java[@]:0:1}" -Djwarp.rdmap.probe=300 "${sockets_java[@]:1}" Netcat "$@"
}
nc_takes() {
  limit=60
  newer_in_guest
  head -c 13M /dev/urandom >file
  siw_set
  capture "$TAP"
  siw_server "sh -c '$NEWER /usr/bin/nc.openbsd -d -n -l $GUEST_IP $port >/newer/tmp/came'"
  nc_java send "$GUEST_IP" "$port" file >client.out 2>client.err </dev/null || fail "the program on jwarp: $(tail -1 client.err)"
  siw_ends 0
  capture_stop
  same_file "$(guest 'sha256sum </newer/tmp/came; rm /newer/tmp/came')"
}
nc_sends() {
  limit=60
  newer_in_guest
  guest "head -c 13M /dev/urandom >/newer/tmp/file"
  siw_set
  capture "$TAP"
  nc_java take "$HOST_IP" "$port" file $((13 << 20)) >server.out 2>server.err </dev/null &
  server=$!
  server_listens
  siw_start "sh -c '$NEWER /usr/bin/nc.openbsd -N -n $HOST_IP $port </newer/tmp/file'"
  wait "$server" || { siw_ends any; fail "the program on jwarp: $(tail -1 server.err); nc: $(tail -1 siw.err)"; }
  siw_ends 0
  capture_stop
  same_file "$(guest 'sha256sum </newer/tmp/file; rm /newer/tmp/file')"
}

# iperf3: one end in the guest under librspreload, the other one here on TCP, and jwarp proxy between them. Two connections, one of them with 10 MiB, or what of them has come when the
# client says that it is done. Both ends know how much that is.
IPERF_BYTES=$((10 << 20))
iperf3_proxy() { # where it listens, and where to
  jwarp_server proxy -n 2 -l "$1" -t "$2" --set jwarp.rdmap.probe=300
}
iperf3_ends() { # output of the CLIENT and of the SERVER, FLAGS of the client
  local end=receiver said
  [ "${3:-}" != -R ] || end=sender
  jwarp_server_ends 0
  capture_stop
  says server.out '2 connections' # one with bytes that nobody reads any more may have failed
  says "$1" 'iperf Done'
  said=$(awk -v end="$end" '$NF == end { print $5, $6 }' "$1")
  [ -n "$said" ] && [ "$said" = "$(awk -v end="$end" '$NF == end { print $5, $6 }' "$2")" ] || fail "the client says of the $end: '$said', and the server not"
  [ "$(connections)" = 2 ] || fail "there are not two connections of iWARP in the capture"
}
iperf3_serves() { # FLAGS of the client here
  local rdma=$port
  limit=60
  newer_in_guest
  siw_set
  capture "$TAP"
  siw_server "$NEWER" /usr/bin/iperf3 -4 -s -1 -B "$GUEST_IP" -p "$port"
  port=$((port + 3000))
  iperf3_proxy "tcp://127.0.0.1:$port" "rdma://$GUEST_IP:$rdma"
  timeout -k 2 "$limit" iperf3 -4 -c 127.0.0.1 -p "$port" -n $IPERF_BYTES "$@" >client.out 2>client.err </dev/null || fail "iperf3 here: $(tail -1 client.err)"
  siw_ends 0
  iperf3_ends client.out siw.out "$@"
}
iperf3_connects() { # FLAGS of the client in the guest
  local tcp=$((port + 3000)) iperf3
  limit=60
  newer_in_guest
  siw_set
  capture "$TAP"
  timeout -k 2 "$limit" iperf3 -4 -s -1 -B 127.0.0.1 -p "$tcp" >iperf3.out 2>iperf3.err </dev/null &
  iperf3=$!
  until [ -n "$(ss -Hltn "sport = :$tcp")" ]; do
    kill -0 $iperf3 2>/dev/null || fail "iperf3 does not listen: $(tail -1 iperf3.err)"
    sleep 0.05
  done
  iperf3_proxy "rdma://$HOST_IP:$port" "tcp://127.0.0.1:$tcp"
  siw_start "$NEWER /usr/bin/iperf3 -4 -c $HOST_IP -p $port -n $IPERF_BYTES $*"
  siw_ends 0
  wait $iperf3 || fail "iperf3 here: $(tail -1 iperf3.err)"
  iperf3_ends siw.out iperf3.out "$@"
}

test_classes() { # MODULE: the class path of the programs of its tests
  echo "$top/$1/target/test-classes:$top/$1/target/classes:$(cat "$top/$1/target/test.classpath")"
}

# ---- NVMe over Fabrics: Linux's target in the guest, over siw; jNVMf on DiSNI on jwarp as its host

nvme_name=nqn.2026-01.dev.jwarp:disk
nvme_bytes=$((64 << 20))
nvme_target() {
  siw_set
  guest "while read -r module; do case \$module in *null_blk*) insmod \$module nr_devices=0 ;; *) insmod \$module 2>/dev/null ;; esac; done </modules/for-nvme
    mount -t configfs none /sys/kernel/config
    disk=/sys/kernel/config/nullb/disk target=/sys/kernel/config/nvmet
    mkdir \$disk && echo $((nvme_bytes >> 20)) >\$disk/size && echo 1 >\$disk/memory_backed && echo 512 >\$disk/blocksize && echo 1 >\$disk/power &&
    subsystem=\$target/subsystems/$nvme_name port=\$target/ports/1 &&
    mkdir \$subsystem && echo 1 >\$subsystem/attr_allow_any_host &&
    mkdir \$subsystem/namespaces/1 && printf /dev/disk >\$subsystem/namespaces/1/device_path && echo 1 >\$subsystem/namespaces/1/enable &&
    mkdir \$port && printf rdma >\$port/addr_trtype && printf ipv4 >\$port/addr_adrfam && printf $GUEST_IP >\$port/addr_traddr && printf $port >\$port/addr_trsvcid &&
    ln -s \$subsystem \$port/subsystems/" >target.out 2>&1 || fail "there is no target: $(tail -1 target.out)"
}
nvme_client() { # OPERATIONS or removed
  timeout -k 2 "$limit" "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -Djwarp.rdmap.nudge=on -Djnvmf.legacy=true \
    --add-exports java.base/sun.nio.ch=ALL-UNNAMED --add-opens java.base/java.nio=ALL-UNNAMED \
    -cp "$(test_classes adapters/disni)" dev.jwarp.disni.NvmeHost "$GUEST_IP" "$port" "$nvme_name" "$nvme_bytes" "$1" "$RANDOM" >client.out 2>client.err </dev/null
}
nvme_host() { # OPERATIONS
  local wanted there
  limit=150
  nvme_target
  capture "$TAP"
  nvme_client "$1" || fail "the host: $(grep -m1 -a Exception client.err || tail -1 client.err)"
  wanted=$(sed -n 's/.* SHA-256 //p' client.out)
  there=$(guest 'echo 3 >/proc/sys/vm/drop_caches; sha256sum </dev/disk')
  [ -n "$wanted" ] && [ "${there%% *}" = "$wanted" ] || fail "the kernel reads another namespace than was written: $there, not $wanted"
  echo "$1 operations" >told
  nvme_ends
}
nvme_removed() {
  limit=90
  nvme_target
  capture "$TAP"
  nvme_client removed &
  host=$!
  until grep -q '^writing' client.out; do
    kill -0 $host 2>/dev/null || fail "the host: $(tail -1 client.err)"
    sleep 0.1
  done
  guest "rm /sys/kernel/config/nvmet/ports/1/subsystems/$nvme_name" || fail "the target cannot be removed"
  wait $host || fail "the host ended with $?: $(tail -1 client.err)"
  says client.out '^the writes ended: '
  nvme_ends
}
nvme_ends() {
  capture_stop
  "$JWARP" decode --check wire.pcap >decoded.txt 2>decoded.err || fail "jwarp decode: $(grep -m1 -A1 '^ .*[A-Z]-[0-9]' decoded.txt || tail -1 decoded.err)"
  # Linux waits for commands that its device no longer answers, so a target cannot always be taken away: a new guest.
  "$here/guest/down"
  "$here/guest/up" >/dev/null 2>up.log || fail "the guest does not come up again: $(tail -1 up.log)"
}

# ---- Redis: its server under librspreload in the guest, or behind jwarp proxy here; clients of Java on jwarp's sockets

redis_client() { # jedis or lettuce, ADDRESS, how many requests of Lettuce are under way at a time, MORE for the JVM
  local module program options=() arguments=("redis://$2")
  case $1 in
    jedis) module=sockets program=programs.JedisClient options=("-javaagent:$out/agent.jar") ;;
    lettuce) module=adapters/netty program=netty.LettuceClient arguments+=("$3") ;;
  esac
  timeout -k 2 "$limit" "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 "${options[@]}" "${@:4}" \
    -cp "$(test_classes "$module")" "dev.jwarp.sockets.$program" "${arguments[@]}" >client.out 2>client.err </dev/null ||
    fail "$1: $(grep -m1 -a Exception client.err || tail -1 client.err)"
  says client.out 'all came as they were sent'
}
redis_preloaded() { # CLIENT
  limit=90
  newer_in_guest
  siw_set
  capture "$TAP"
  siw_server "$NEWER" /usr/bin/redis-server --port "$port" --bind "$GUEST_IP" '--protected-mode no --appendonly no --save ""'
  # siw can overlook a first message until another one comes, also when its side has sent something: hence the probe. It takes an FPDU for damaged whose pad and
  # CRC come apart (cut-trailer in siw-explanations.md): of many messages of any length one does at times, hence no CRC.
  redis_client "$1" "$GUEST_IP:$port" 5000 -Djwarp.rdmap.probe=300 -Djwarp.mpa.crc=off
  guest 'killall -9 redis-server'
  siw_ends any
  capture_stop
  # What went over the wire was iWARP: the Request of MPA, for each connection.
  [ "$(connections)" -ge 3 ] || fail "there are no connections of iWARP in the capture"
}
redis_proxied() { # CLIENT
  local tcp=$((port + 3000))
  limit=90
  timeout -k 2 "$limit" redis-server --port "$tcp" --bind 127.0.0.1 --protected-mode no --appendonly no --save '' >redis.log 2>&1 </dev/null &
  redis=$!
  until [ -n "$(ss -Hltn "sport = :$tcp")" ]; do
    kill -0 $redis 2>/dev/null || fail "redis-server does not listen: $(tail -1 redis.log)"
    sleep 0.05
  done
  jwarp_server proxy -l "rdma://127.0.0.1:$port" -t "tcp://127.0.0.1:$tcp"
  redis_client "$1" "127.0.0.1:$port" 5000
}

reject_by_siw() { # MODULE PARAMETER, COMMAND on siw... [-- FLAGS of jwarp...]
  local command="${*:2}" flags=()
  case $command in *' -- '*) flags=("${command#* -- }") command=${command% -- *} ;; esac
  siw_set "$1"
  capture "$TAP"
  siw_server "${command/PORT/$port}"
  jwarp_client 3 rping -c -a "$GUEST_IP" -p "$port" -C 1 "${flags[@]}"
  guest "killall ${command%% *} 2>/dev/null"
  siw_ends any
  capture_end
  says client.err rejected
  dissected rejected=1 fpdus=0
}
reject_by_jwarp() {
  siw_set
  capture "$TAP"
  jwarp_server cmatose -b "$HOST_IP" -p "$port" --reject 'not-today'
  siw_start rping -c -a "$HOST_IP" -p "$port" -C 1
  siw_ends 255
  jwarp_server_ends 0
  capture_end
  says siw.err REJECTED
  grep -aq not-today wire.pcap || fail "the private data of the reject is not on the wire"
  dissected rejected=1 fpdus=0
  no_reset_of_jwarp
}
refused_by_siw() {
  siw_set
  capture "$TAP"
  jwarp_client 3 rping -c -a "$GUEST_IP" -p "$port" -C 1
  capture_end
  says client.err refused
}
refused_by_jwarp() {
  siw_set
  capture "$TAP"
  limit=5 # rping says it, but then does not end by itself
  siw_start rping -c -a "$HOST_IP" -p "$port" -C 1
  siw_ends any
  capture_end
  says siw.err 'Connection refused|REJECTED|CONNECT_ERROR'
}

# ---- jwarp with jwarp, for tshark

# With Markers tshark knows one FPDU a segment: so does jwarp while it writes a capture of its own. And tshark loses a stream in
# which an FPDU ends where a Marker is due: no nudge, so that what is sent has the same length in each run, one that suits it.
flags_on_wire() { # FLAGS...
  case " $* " in *' --markers '*) echo markers=2 ;; *) echo markers=0 ;; esac
  case " $* " in *' --crc off '*) echo crc=0 ;; *) echo crc=2 ;; esac
}
loopback_rping() { # SIZE ROUNDS FLAGS...
  local rping=(-a 127.0.0.1 -p "$port" -S "$1" -v -V "${@:3}" --set jwarp.rdmap.nudge=off) server_flags=() client_flags=()
  case " $* " in
    *' --markers '*) server_flags=(--set "jwarp.tcp.pcap=$PWD/server.pcap") client_flags=(--set "jwarp.tcp.pcap=$PWD/client.pcap") ;;
  esac
  capture lo
  jwarp_server rping -s "${rping[@]}" "${server_flags[@]}"
  jwarp_client 0 rping -c -C "$2" "${rping[@]}" "${client_flags[@]}"
  jwarp_server_ends 0
  capture_end
  pinged client.out server.out "$1" "$2"
  # shellcheck disable=SC2046  # words
  dissected Send=$((4 * $2)) Write="$2" ReadRequest="$2" ReadResponse="$2" Terminate=0 $(flags_on_wire "${@:3}")
}
loopback_demo() { # FLAGS...: what jwarp captures itself and what tcpdump saw must be the same
  capture lo
  jwarp_client 0 demo -p "$port" --pcap own.pcap --set jwarp.rdmap.nudge=off "$@"
  capture_end
  # shellcheck disable=SC2046  # words
  dissected Terminate=0 empty=0 $(flags_on_wire "$@")
  ! grep -E ' (Send|Write|ReadRequest|ReadResponse)=0 ' wire.txt || fail "an operation is missing on the wire"
  "$here/dissect" own.pcap >own.txt || fail "in jwarp's own capture: $(cat own.txt)"
  cmp own.txt wire.txt || fail "jwarp's own capture is another than tcpdump's: $(cat own.txt)"
}

# ---- The cases themselves: would they notice?

notices_a_wrong_letter() {
  local octet
  pings 'ping data: ' 64 5 >client.out
  pings 'server ping data: ' 64 5 >server.out
  pinged client.out server.out 64 5
  sed '3s/DEF/DEG/' server.out >altered.out
  ! (pinged client.out altered.out 64 5) || fail "a wrong letter goes unnoticed"
  sed 3d client.out >short.out
  ! (pinged short.out server.out 64 5) || fail "a missing round goes unnoticed"
  jwarp_client 0 demo --size 30000 --pcap wire.pcap
  dissected crc=2 Terminate=0
  cp wire.pcap altered.pcap
  octet=$(od -An -tu1 -j20000 -N1 wire.pcap) # in the middle of the payload
  printf %b "\\0$(printf %o $((octet ^ 1)))" | dd of=altered.pcap bs=1 seek=20000 conv=notrunc status=none
  ! "$here/dissect" altered.pcap || fail "an altered octet goes unnoticed"
  rm -f why
}
