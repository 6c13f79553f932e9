# Sourced by the scripts of this folder: names, addresses, messages.
# shellcheck shell=bash disable=SC2034  # the names are used by those who source this
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
CACHE=${SIW_CACHE:-${HOME:-/root}/.cache/jwarp-siw}
ID=${SIW_ID:-0}                    # 0..99: each guest has its own tap and addresses
TAP=jwsiw$ID
HOST_IP=10.198.$((100 + ID)).1
GUEST_IP=10.198.$((100 + ID)).2
AGENT_PORT=7070
RUN=$CACHE/guest$ID                      # pid, console.log
SHARE=$RUN/share                   # with SIW_HOST=1: /tmp/share of the host's programs in the guest

say() { echo "siw guest: $*" >&2; }
die() { say "$*"; exit 1; }
# The machine cannot do this, which is no fault of the project: exit status 3.
cannot() { echo "NOT RUN: $*" >&2; exit 3; }

# True if our QEMU runs; sets pid.
alive() {
  pid=$(cat "$RUN/pid" 2>/dev/null) && grep -qsz "^jwarp-siw-$ID\$" "/proc/$pid/cmdline"
}
