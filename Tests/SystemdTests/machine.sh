# What each script of the systemd tests begins with: Tributary installed, and a few words to say things with.

trap 'status=$?; [ $status = 0 ] || { echo "failed at line $LINENO: $BASH_COMMAND"; journalctl --no-pager -o short-monotonic -n 80; } >&2' EXIT

# fact KEY VALUE: a line that the test reads.
fact() { printf '%s=%s\n' "$1" "$2"; }

# attempt KEY COMMAND...: runs it silently, and tells its status as a fact.
attempt() {
    local key=$1 status=0
    shift
    "$@" >/dev/null 2>&1 || status=$?
    fact "$key" $status
}

# property NAME: one property of the service, as systemd sees it.
property() { systemctl show --value --property "$1" tributaryd.service; }

# await_journal PATTERN [FIELD=VALUE...]: waits until the journal has a matching message.
await_journal() {
    local pattern=$1
    shift
    timeout 90 grep --quiet --max-count 1 -- "$pattern" < <(journalctl --follow --lines all --output cat "$@")
}

# as_member_of GROUP COMMAND...: runs it as somebody who is in no other group.
as_member_of() {
    local group=$1
    shift
    setpriv --reuid 65533 --regid "$group" --clear-groups -- "$@"
}

# configure LINES: the configuration, all defaults but these lines.
configure() { printf '%s\n' 'model: /etc/tributary/model.yaml' 'name: tester' "$@" >/etc/tributary/tributary.yaml; }

install_tributary() {
    install -D -m 0644 -t /etc/systemd/system /mnt/tributary/systemd/*.{service,socket,timer}
    install -D -m 0644 /mnt/tributary/systemd/tributary.sysusers.conf /usr/lib/sysusers.d/tributary.conf
    install -D -m 0644 /mnt/tributary/systemd/tributary.tmpfiles.conf /usr/lib/tmpfiles.d/tributary.conf
    install -D -m 0644 -t /etc/tributary /mnt/tributary/etc/*.yaml
    systemd-sysusers tributary.conf 2>/dev/null
    systemd-tmpfiles --create tributary.conf
    systemctl daemon-reload
}

install_tributary
