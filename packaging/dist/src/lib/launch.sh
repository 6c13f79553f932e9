# Chooses a JVM and starts jwarp.jar with it. Read by bin/jwarp of a release and by the jwarp command of the sources. POSIX sh; apart from the
# shell it needs env, mkdir, ls, mv, rm, find, cksum and readlink, and does without an archive where one is missing.

fail() { # STATUS SENTENCE...
  status=$1
  shift
  printf 'jwarp: %s\n' "$@" >&2
  exit "$status"
}

# Sets java, java_home and version: JAVA_HOME's JVM, else that of PATH; 17 or newer.
find_java() {
  if [ -n "${JAVA_HOME:-}" ]; then
    java=$JAVA_HOME/bin/java
    [ -x "$java" ] || fail 3 "JAVA_HOME is $JAVA_HOME, but there is no bin/java in it: point it at a JDK or JRE, 17 or newer."
  else
    java=$(command -v java) || fail 3 "found no java: set JAVA_HOME to a JDK or JRE, 17 or newer, or put its bin folder on PATH."
  fi
  java_home=$(readlink -f -- "$java" 2>/dev/null) || java_home=$java
  java_home=${java_home%/*} java_home=${java_home%/*}
  # The release file of the JVM's own folder names its version; asking the JVM takes longer.
  version=''
  if [ -r "$java_home/release" ]; then
    while IFS='=' read -r key value; do
      [ "$key" != JAVA_VERSION ] || version=$value
    done <"$java_home/release"
  fi
  if [ -z "$version" ]; then
    version=$("$java" -version 2>&1)
    version=${version#*version }
  fi
  version=${version#\"} version=${version#1.} version=${version%%[!0-9]*}
  [ "${version:-0}" -ge 17 ] || fail 3 "needs Java 17 or newer, but $java is ${version:-of unknown version}: set JAVA_HOME to a newer one."
}

# Sets archive: classes as this JVM holds them in memory, so that it need not read, check and link them again (AppCDS); nothing if there is none. One for each
# pair of JVM and jar, made at the first start. Others must not be able to write there: what is in it is run.
find_archive() { # JAR
  archive=''
  if [ -n "${JWARP_CACHE_DIR+said}" ]; then
    cache=$JWARP_CACHE_DIR
  elif [ -n "${XDG_CACHE_HOME:-}" ]; then
    cache=$XDG_CACHE_HOME/jwarp
  else
    cache=${HOME:+$HOME/.cache/jwarp}
  fi
  [ -n "$cache" ] || return 0
  sum=$(printf '%s\n%s\n' "$java_home" "$1" | cksum 2>/dev/null) || return 0
  archive=$cache/jwarp-java$version-${sum%% *}.jsa
  # Newer than both, as the file system has seen them come. An empty one says that this JVM makes none.
  newest=$(ls -1tc -- "$archive" "$1" "$java_home/lib/modules" 2>/dev/null)
  [ "${newest%%
*}" = "$archive" ] || make_archive "$1"
  # As root with another user's HOME, and the like.
  [ -s "$archive" ] && { [ -n "${JWARP_CACHE_DIR+said}" ] || [ -O "$archive" ]; } || archive=''
}

# A JVM that maps half an archive crashes, so it gets its name when it is whole. Who comes meanwhile goes on without.
make_archive() { # JAR
  [ -d "$cache" ] || mkdir -p -m 700 -- "$cache" 2>/dev/null || return 0
  [ -w "$cache" ] && { [ -n "${JWARP_CACHE_DIR+said}" ] || [ -O "$cache" ]; } || return 0
  find "$cache" -name 'jwarp-java*.jsa.new' -mtime +0 -exec rm -f -- {} + 2>/dev/null # of one that was killed
  (set -C && : >"$archive.new") 2>/dev/null || return 0
  trap 'rm -f -- "$archive.new"; exit 130' INT
  trap 'rm -f -- "$archive.new"; exit 143' TERM HUP
  [ ! -t 2 ] || printf 'jwarp: preparing fast starts, once ...\n' >&2
  # In an environment of its own: no setting, tool or debugger of the user's takes part.
  # shellcheck disable=SC2086
  if (set -f && cd "$cache" && exec env -i "$java" $options -XX:TieredStopAtLevel=1 "-XX:ArchiveClassesAtExit=$archive.new" -Djwarp.stat=off \
    -jar "$1" demo --size 64K --json) >/dev/null 2>&1 </dev/null && [ -s "$archive.new" ]; then
    mv -f -- "$archive.new" "$archive" 2>/dev/null
  else
    rm -f -- "$archive" && : >"$archive"
  fi
  rm -f -- "$archive.new"
  trap - INT TERM HUP
}

# Becomes the JVM.
start() { # JAR ARGUMENT...
  jar=$1
  shift
  # The launcher's messages of the archive are for who makes JVMs, and go to standard output, which is for results.
  options='-Dfile.encoding=UTF-8 -Xlog:cds*=off'
  # Netty and jctools use sun.misc.Unsafe: from 24 on the JVM warns unless told, before it refuses the option.
  [ "$version" -lt 24 ] || options="$options -Xlog:aot*=off --sun-misc-unsafe-memory-access=allow"
  find_archive "$jar"
  # The JVM names files in the characters of its locale, which are ASCII in these.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in C | POSIX) export LC_ALL=C.UTF-8 ;; esac
  set -f
  # shellcheck disable=SC2086
  exec "$java" $options ${archive:+"-XX:SharedArchiveFile=$archive"} ${JWARP_JAVA_OPTS:-} -jar "$jar" "$@"
}
