#!/bin/sh
# Answers an MCP client's first requests without starting Node: every session of an agent asks them, and few call a tool.
# Arguments: Node, the command line's program, and `none` where another server has the tools. The build puts in what the server
# would answer.
# A request that is not in the expected form is the server's, and so is everything from the first call of a tool on.
versions=' @VERSIONS@ '
handshake=
said=

serve() {
  [ -z "$handshake" ] || export THROUGHLINE_MCP_ANSWERED="$handshake"
  { printf '%s' "$said"; printf '%s\n' "$line"; exec cat; } | "$node" "$program" mcp
  exit
}

node=$1
program=$2
while IFS= read -r line; do
  rest=${line#*'"id":'}
  case $line in
    *'"method":"tools/call"'*) serve ;;
    *'"id":'*'"id":'*) serve ;;
    *'"id":'*) id=${rest%%[,\}]*} ;;
    *'"method":"notifications/'*) said="$said$line
"; continue ;;
    *) serve ;;
  esac
  case $id in
    '' | *[!0-9A-Za-z\"_-]*) serve ;;
  esac
  case $line in
    *'"method":"initialize"'*)
      version=${line#*'"protocolVersion":"'}
      version=${version%%'"'*}
      case $versions in *" $version "*) ;; *) serve ;; esac
      handshake=$id
      said="$line
"
      result='{"protocolVersion":"'$version'",'@INITIALIZE@
      [ "$3" != none ] || result=${result%%',"instructions":'*}'}'
      ;;
    *'"method":"tools/list"'*)
      result=@TOOLS@
      [ "$3" != none ] || result='{"tools":[]}'
      ;;
    *'"method":"ping"'*) result='{}' ;;
    *'"method":"server/discover"'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
      continue
      ;;
    *) serve ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
