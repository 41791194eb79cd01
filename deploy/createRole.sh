#!/bin/sh
# Runs once, when the database is created: the role that row level security binds, and the database that it owns.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$THROUGHLINE_PASSWORD" -U postgres <<'SQL'
CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE throughline OWNER throughline;
SQL
