#!/bin/sh
# Runs one program of the plugin: `run.sh HOOK [start|behind|prompt]` a hook, `run.sh mcp` the tools. Finds Node without PATH and the
# package without a path in any settings; both are kept in one small file, and found again once a session where they are gone or the
# version is another. Beside the hooks of `throughline install` it does nothing.
program=$1
how=$2
root=${0%/hooks/run.sh}
data=${CLAUDE_PLUGIN_DATA:-${CLAUDE_CONFIG_DIR:-$HOME/.claude}/plugins/data/throughline-inline}
found=$data/found
version= known= node= package= prompts=

# Builtins alone: this is read at every event.
read_found() {
  [ -r "$found" ] && { IFS= read -r known; IFS= read -r node; IFS= read -r package; IFS= read -r prompts; } <"$found"
}

read_version() {
  while IFS= read -r line; do
    case $line in *'"version"'*) line=${line#*'"version"'*'"'}; version=${line%%'"'*}; return ;; esac
  done <"$root/.claude-plugin/plugin.json"
}

is_installed() {
  grep -qs 'hooks[/\\]*answer\.cjs' "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"
}

recent() {
  [ -x "$1" ] && "$1" -e 'const [a,b]=process.versions.node.split(".");process.exit(+a>20||(+a==20&&+b>=19)?0:1)' 2>/dev/null
}

# PATH first, then where version managers and installers put it, the newest of each; a login shell last, which reads the user's files.
find_node() {
  node=$(command -v node 2>/dev/null)
  recent "$node" && return
  node=
  for one in /usr/bin/node /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.local/bin/node "$HOME"/.volta/bin/node \
    "$HOME"/.local/share/mise/installs/node/*/bin/node "$HOME"/.asdf/installs/nodejs/*/bin/node \
    "${FNM_DIR:-$HOME/.local/share/fnm}"/node-versions/*/installation/bin/node "${NVM_DIR:-$HOME/.nvm}"/versions/node/*/bin/node; do
    recent "$one" && node=$one
  done
  [ -n "$node" ] && return
  node=$("${SHELL:-/bin/sh}" -lc 'command -v node' 2>/dev/null </dev/null | tail -n 1)
  recent "$node" || node=
}

# Beside the plugin's own folder; beside the folder that the marketplace was added from; behind the command on the PATH.
find_package() {
  places=$(sed -n 's/.*"installLocation": *"\([^"]*\)".*/\1/p' "${root%/cache/*}/known_marketplaces.json" 2>/dev/null)
  set -f
  IFS='
'
  for package in "${root%/*}" $places; do
    [ -f "$package/dist/worker.js" ] && return
  done
  package=$(readlink -f "$(command -v throughline)" 2>/dev/null)
  package=${package%/dist/cli.js}
  [ -f "$package/dist/worker.js" ] || package=
}

# Once a session. Prompts are answered where the settings ask for it.
look_again() {
  before=$known$node$package$prompts
  settings=${XDG_CONFIG_HOME:-$HOME/.config}/throughline
  [ -z "$THROUGHLINE_HOME" ] || settings=$THROUGHLINE_HOME/config
  prompts=
  grep -qs '"prompts"' "$settings/config.json" && prompts=answered
  [ -x "$node" ] || find_node
  [ "$known" = "$version" ] && [ -f "$package/dist/worker.js" ] || find_package
  [ "$before" = "$version$node$package$prompts" ] && return
  mkdir -p "$data" && printf '%s\n' "$version" "$node" "$package" "$prompts" >"$found.$$" && mv -f "$found.$$" "$found"
  # A worker of another version hands over to this one.
  [ -z "$known" ] || [ "$known" = "$version" ] || behind "$node" "$package/dist/cli.js" worker start
}

behind() {
  { trap "" HUP; exec "$@"; } </dev/null >/dev/null 2>&1 &
}

say() {
  cat >/dev/null
  [ "$how" != start ] || printf '{"systemMessage":"Throughline: %s"}\n' "$1"
  exit 0
}

read_found
if [ "$program" = mcp ] || [ "$how" = start ]; then
  read_version
  look_again
fi
if [ "$program" = mcp ]; then
  # Its own name for the tools would stand beside that of the installation.
  is_installed && exec sh "$package/dist/mcp.sh" "$node" "$package/dist/cli.js" none
  exec sh "$package/dist/mcp.sh" "$node" "$package/dist/cli.js"
fi
is_installed && exec cat >/dev/null
[ -n "$node" ] || say 'no Node 20.19 or newer was found, nothing is kept. Install Node, then start a new session.'
[ -n "$package" ] || say 'the plugin does not find its package. Run `npm install && npm run build` in the folder of the marketplace.'
[ -x "$node" ] || exec cat >/dev/null
hook=$package/dist/hooks/$program.cjs
[ "$how" != prompt ] || [ "$prompts" = answered ] || how=behind
[ "$how" = behind ] || exec "$node" "$hook"
# The payload is read to its end first: the agent may close its side once the shell has ended, or end itself.
trap "" HUP
input=$(cat)
{ printf %s "$input" | "$node" "$hook"; } >/dev/null 2>&1 &
