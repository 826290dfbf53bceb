#!/bin/sh
# A stand-in for every coding agent: it speaks as the one whose name it bears,
# and does what the word behind FAKE in its prompt says.
name=$(basename "$0")
for arg; do printf '%s\n' "$arg"; done > "${FAKE_ARGS:-/dev/null}"
prompt=$(cat)
printf '%s\n' "$prompt" > "${FAKE_PROMPT:-/dev/null}"
way=$(printf '%s\n' "$prompt" | sed -n 's/.*FAKE \([a-z]*\).*/\1/p' | head -n 1)
id=$(printf '%s\n' "$prompt" | sed -n 's/.*Task-Queue-ID: \([0-9]*\).*/\1/p' | head -n 1)

# Two at a time in one repository is what must never be.
inside="$HOME/in-$(basename "$PWD")"
if [ -s "$inside" ] && kill -0 "$(cat "$inside")" 2> /dev/null; then echo "$PWD: $$ beside $(cat "$inside")" >> "$HOME/two-at-a-time"; fi
echo $$ > "$inside"
trap 'rm -f "$inside"' EXIT

tick() {
	[ -f TODO_LIST.md ] || return 0
	text=$(printf '%s\n' "$prompt" | sed -n 's/^BOX: //p' | head -n 1)
	[ -n "$text" ] || return 0
	awk -v text="$text" '!done && index($0, "[ ] " text) { sub(/\[ \]/, "[x]"); done = 1 } { print }' TODO_LIST.md > TODO.tmp && mv TODO.tmp TODO_LIST.md
}
commit() {
	git add -A
	git -c user.name=agent -c user.email=agent@localhost commit -q -m "do it

Task-Queue-ID: $id"
}
say() { # text, whether it failed
	case $name in
	claude)
		printf '{"type":"system","subtype":"init","session_id":"ses-1"}\n'
		printf '{"type":"result","subtype":"success","is_error":%s,"result":"%s","session_id":"ses-1","total_cost_usd":0.25}\n' "$2" "$1" ;;
	codex)
		printf '{"type":"thread.started","thread_id":"ses-1"}\n{"type":"item.completed","item":{"type":"agent_message","text":"%s"}}\n' "$1"
		if [ "$2" = true ]; then printf '{"type":"turn.failed","error":{"message":"%s"}}\n' "$1"; else printf '{"type":"turn.completed","usage":{}}\n'; fi ;;
	opencode)
		printf '{"type":"text","sessionID":"ses-1","part":{"text":"%s"}}\n{"type":"step_finish","sessionID":"ses-1","part":{"cost":0.25}}\n' "$1"
		[ "$2" = false ] || printf '{"type":"error","sessionID":"ses-1","error":{"name":"APIError","data":{"message":"%s"}}}\n' "$1" ;;
	gemini)
		if [ "$2" = true ]; then printf '{"session_id":"ses-1","error":{"type":"ApiError","message":"%s","code":1}}\n' "$1"; else printf '{\n "session_id":"ses-1",\n "response":"%s"\n}\n' "$1"; fi ;;
	*) printf '%s\n' "$1" ;;
	esac
}

case $way in
ok) echo "$id" >> work.txt; tick; commit; say 'all done' false ;;
nothing) say 'all done' false ;;
untick) echo "$id" >> work.txt; commit; say 'all done' false ;;
broken) echo x > broken; tick; commit; say 'all done' false ;;
dirty) echo "$id" >> work.txt; tick; commit; echo rest > rest.txt; say 'all done' false ;;
push) echo "$id" >> work.txt; commit; git push -q origin HEAD 2> /dev/null || env -u GIT_CONFIG_COUNT git push -q origin HEAD; say 'all done' false ;;
rails) echo true > .tq-verify; echo "$id" >> work.txt; commit; say 'all done' false ;;
consent) echo "$id" >> work.txt; echo 0000 >> .git/tq-consent; commit; say 'all done' false ;;
history) git -c user.name=a -c user.email=a@localhost commit -q --amend --allow-empty -m other; say 'all done' false ;;
hang) trap '' TERM; echo hanging; while :; do sleep 1; done ;;
fork) echo "$id" >> work.txt; tick; commit; setsid sh -c 'trap "" TERM HUP; exec sleep 600' > /dev/null 2>&1 & say 'all done' false ;;
limit) say 'usage limit reached, try again in 2 hours' true; exit 1 ;;
once) # a limit that passes
	if [ -e "$HOME/limited-$id" ]; then echo "$id" >> work.txt; tick; commit; say 'all done' false; exit 0; fi
	: > "$HOME/limited-$id"; say 'usage limit reached, try again in 2 seconds' true; exit 1 ;;
login) say 'Not logged in. Please run /login' true; [ "$name" != gemini ] || exit 41; exit 1 ;;
die) kill -9 $$ ;;
secret) echo "key is $ANTHROPIC_API_KEY and token $TQ_TOKEN"; exit 1 ;;
*) echo "do not know how to $way" >&2; exit 2 ;;
esac
