-- Every "data" column holds the JSON of the noun in package work; the other
-- columns are copies of what queries look for, written together with it. Lists
-- are read from indexes that hold the summaries, without touching the long rows.

-- +goose Up
create table meta (
    name  text primary key,
    value text not null
) strict, without rowid;

create table projects (
    id   text primary key,
    data text not null
) strict, without rowid;

create table runs (
    n          integer primary key,
    project    text    not null,
    id         text    not null,
    started_at integer not null, -- nanoseconds since 1970
    summary    text    not null, -- work.RunSummary without attempts
    data       text    not null, -- work.Run without attempts
    unique (project, id)
) strict;
create index runs_newest on runs (started_at, n, project, summary);
create index runs_of_project on runs (project, started_at, n, summary);
create index runs_by_id on runs (id);

create table attempts (
    n       integer primary key,
    run     integer not null references runs (n) on delete cascade,
    name    text    not null,
    state   text    not null,
    active  integer not null, -- 1 while the bench has something to do for it
    summary text    not null, -- work.AttemptSummary
    data    text    not null, -- work.Attempt
    unique (run, name)
) strict;
create index attempts_list on attempts (run, n, state, summary);
create index attempts_active on attempts (run) where active;

create table baselines (
    project  text not null,
    base     text not null, -- commit
    commands text not null, -- hash
    data     text not null, -- work.Tests
    primary key (project, base, commands)
) strict, without rowid;

create table events (
    seq  integer primary key,
    data text not null
) strict;
