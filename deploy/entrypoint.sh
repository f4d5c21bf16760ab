#!/bin/sh
# What the container does: `serve`, `backup` again and again, or any other command of trope.
set -eu
umask 077

project=${TROPE_PROJECT:-/project}
secrets=${TROPE_SECRETS:-/run/secrets}

# secrets come as files, so that no image and no list of settings holds them
if [ -f "$secrets/database_password" ]; then
    PGPASSWORD=$(cat "$secrets/database_password")
    export PGPASSWORD
fi
if [ -f "$secrets/sign_on_secret" ]; then
    TROPE_SIGN_ON_SECRET=$(cat "$secrets/sign_on_secret")
    export TROPE_SIGN_ON_SECRET
fi
if [ -f "$secrets/chat_key" ]; then
    TROPE_CHAT_KEY=$(cat "$secrets/chat_key")
    export TROPE_CHAT_KEY
fi

case ${1:-serve} in
serve)
    : "${TROPE_ORIGIN:?is the https address that people see, such as https://judge.example}"
    if [ ! -f "$project/project.toml" ]; then
        trope annotate new "$project" --template "${TROPE_TEMPLATE:-blank}"
    fi
    # also after a first start that found no database
    if [ -n "${TROPE_DATABASE:-}" ] && ! grep -q '^database *=' "$project/project.toml"; then
        trope annotate move "$project" --to "$TROPE_DATABASE"
    fi
    exec trope annotate serve "$project" --host "${TROPE_HOST:-0.0.0.0}" \
        --port "${TROPE_PORT:-8000}" --origin "$TROPE_ORIGIN"
    ;;
backup)
    while :; do
        trope annotate backup "$project" --to "${TROPE_BACKUPS:-/backups}" \
            --keep "${TROPE_KEEP:-14}" || true # its error is in the log; the next one may succeed
        sleep "${TROPE_BACKUP_SECONDS:-86400}"
    done
    ;;
*)
    exec trope "$@"
    ;;
esac
