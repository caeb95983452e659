-- What agents told of their logins. It is no copy of files, so a reindex keeps it.

-- +goose Up
create table accounts (
    agent text not null,
    name  text not null,
    data  text not null, -- work.Account
    primary key (agent, name)
) strict, without rowid;
