#!/bin/sh
# gate.sh LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people who
# have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs.
# CODE has letters, digits and hyphens only; other texts need a program that writes JSON.
set -eu
transactions=3 # of a segment; a real producer takes as many as make up to 1 MiB, or a second
logs=$1 state=$2 code=$3 newline='
'
case $code in *[!A-Za-z0-9-]*) echo "gate.sh: the code '$code' would need JSON escapes" >&2; exit 64 ;; esac
umask 007 # the group of the log folder may read and write
sha256() { sha256sum | cut -c 1-64; }
# Follows from the code: every producer means the same object.
key=$(printf '["Gate","code","%s"]' "$code" | sha256)
variant=$(printf %x $((0x$(echo "$key" | cut -c 17) & 3 | 8)))
gate=$(echo "$key" | sed -E "s/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-8\3-$variant\4-\5/")

stage() { # keeps the input as a whole file, which nobody reads yet, and prints its path
    mkdir -p "$logs/.staging"
    file=$logs/.staging/$(cat /proc/sys/kernel/random/uuid)
    cat >"$file"
    sync "$file"
    echo "$file"
}
publish() { # FILE NAME: gives a whole file its name, which never has another content
    mkdir -p "$(dirname "$2")"
    if [ -e "$2" ]; then rm "$1"; else mv "$1" "$2"; fi
    sync "$(dirname "$2")" "$logs"
}
remember() {
    printf '%s\n' "$writer" "$next" "$clock" "$previous" "$staged" "$path" >"$state.new"
    sync "$state.new"
    mv "$state.new" "$state"
    sync "$(dirname "$state")"
}
picture() { # FILE: small bytes stand in the segment, large ones beside it and in place before it
    size=$(stat -L -c %s "$1")
    if [ "$size" -le 65536 ]; then printf '"%s"' "$(base64 -w 0 "$1")"; return; fi
    name=$(sha256 <"$1")
    publish "$(stage <"$1")" "$logs/$writer/blobs/$name"
    printf '{"blob":"%s","size":%d}' "$name" "$size"
}
add() { # CHANGE: a transaction of one change
    now=$(($(date +%s%3N) << 16)) clock=$((clock + 1))
    if [ "$now" -gt "$clock" ]; then clock=$now; fi # never less than before
    begin=$(printf '{"transaction":%d,"clock":"%016x","changes":1}' $((next + count)) "$clock")
    body=$body$begin$newline$1$newline count=$((count + 1))
    if [ $count = $transactions ]; then write_segment; fi
}
write_segment() {
    last=$((next + count - 1))
    path=$logs/$writer/$(printf '%016x-%016x' "$next" "$last").tlog
    body=$(printf '{"tributary":1,"writer":"%s","name":"gate %s","first":%d,"last":%d,"previous":%s,"model":"1"}' \
        "$writer" "$code" "$next" "$last" "$previous")$newline$body
    previous=\"$(printf %s "$body" | sha256)\"
    staged=$(printf '%s{"end":%d,"transactions":%d,"changes":%d,"sha256":%s}\n' \
        "$body" "$last" $count $count "$previous" | stage)
    # First the state, then the name: a producer that ends in between publishes this very file when it starts again.
    next=$((last + 1)) body='' count=0
    remember
    publish "$staged" "$path"
}

body='' count=0
if [ -e "$state" ]; then
    { read -r writer; read -r next; read -r clock; read -r previous; read -r staged; read -r path; } <"$state"
    if [ -e "$staged" ]; then publish "$staged" "$path"; fi
else # without its state it cannot know its last number: it is a new writer
    writer=$(cat /proc/sys/kernel/random/uuid) next=1 clock=0 previous=null
    add "$(printf '{"insert":"Gate","id":"%s","values":{"code":"%s"}}' "$gate" "$code")"
fi
while read -r line; do
    case $line in *[!0-9]*) values="{\"picture\":$(picture "$line")}" ;; *) values="{\"passed\":{\"increment\":$line}}" ;; esac
    add "$(printf '{"update":"Gate","id":"%s","values":%s}' "$gate" "$values")"
done
if [ $count -gt 0 ]; then write_segment; fi
