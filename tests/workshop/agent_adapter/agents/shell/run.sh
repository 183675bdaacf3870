#!/bin/sh
# A store agent in the shell: it pages through the shop, and buys two of what the task names.
set -eu

post() { curl -sS -H 'Content-Type: application/json' -d "$2" "$ERC3_BASE_URL$1"; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

session=$(post /sessions/start "{\"account_key\":\"$ERC3_API_KEY\",\"benchmark\":\"store\",\
\"workspace\":\"samples\",\"name\":\"shell\"}" | field session_id)

post /sessions/status "{\"session_id\":\"$session\"}" | tr '{' '\n' | grep '"spec_id"' |
while read -r line; do
    task=$(echo "$line" | field task_id)
    text=$(echo "$line" | field task_text)
    post /tasks/start "{\"task_id\":\"$task\"}" > /dev/null
    offset=0
    sku=
    while [ "$offset" -ge 0 ]; do
        page=$(post "/store/$task/products/list" "{\"offset\":$offset,\"limit\":2}")
        echo "PAGE $offset"
        found=$(echo "$page" | tr '{' '\n' | while read -r one; do
            name=$(echo "$one" | field name)
            [ -z "$name" ] || case $text in *"$name"*) echo "$one" | field sku ;; esac
        done)
        sku=${found:-$sku}
        offset=$(echo "$page" | field next_offset)
    done
    if [ -n "$sku" ]; then
        post "/store/$task/basket/add" "{\"sku\":\"$sku\",\"quantity\":2}" > /dev/null
        post "/store/$task/basket/checkout" '{}' > /dev/null
    fi
    post /tasks/log "{\"task_id\":\"$task\",\"model\":\"m\",\"duration_sec\":0.1,\
\"completion\":\"\",\"prompt_tokens\":1,\"completion_tokens\":1}" > /dev/null
    post /tasks/complete "{\"task_id\":\"$task\"}" | field score
done
post /sessions/submit "{\"session_id\":\"$session\"}"
