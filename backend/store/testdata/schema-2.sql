-- A database as the second version left it, with accounts. A released schema
-- never changes.
create table goose_db_version (id integer primary key autoincrement, version_id integer not null, is_applied integer not null, tstamp timestamp default (datetime('now')));
insert into goose_db_version (version_id, is_applied) values (0, 1), (1, 1), (2, 1);
create table meta (name text primary key, value text not null) strict, without rowid;
create table projects (id text primary key, data text not null) strict, without rowid;
create table runs (n integer primary key, project text not null, id text not null, started_at integer not null, summary text not null, data text not null, unique (project, id)) strict;
create index runs_newest on runs (started_at, n, project, summary);
create index runs_of_project on runs (project, started_at, n, summary);
create index runs_by_id on runs (id);
create table attempts (n integer primary key, run integer not null references runs (n) on delete cascade, name text not null, state text not null, active integer not null, summary text not null, data text not null, unique (run, name)) strict;
create index attempts_list on attempts (run, n, state, summary);
create index attempts_active on attempts (run) where active;
create table baselines (project text not null, base text not null, commands text not null, data text not null, primary key (project, base, commands)) strict, without rowid;
create table events (seq integer primary key, data text not null) strict;
create table accounts (agent text not null, name text not null, data text not null, primary key (agent, name)) strict, without rowid;
insert into meta values ('epoch', 'GOLDEN');
insert into projects values ('shop', '{"id":"shop","path":"/src/shop","git_dir":"/src/shop/.git","added_at":"2026-03-01T09:00:00Z"}');
insert into runs values (1, 'shop', '20260301-093000', 1772357400000000000,
    '{"id":"20260301-093000","project":"shop","card":"login","title":"Fix login","started_at":"2026-03-01T09:30:00Z","final":true,"attempts":null}',
    '{"id":"20260301-093000","project":"shop","card":{"id":"login","file":"tasks/login.md","title":"Fix login"},"base":"b0","trunk":"main","started_at":"2026-03-01T09:30:00Z","settings":{"trunk":"main","limits":{}},"attempts":null}');
insert into attempts values (1, 1, 'claude', 'cancelled', 0,
    '{"attempt":"claude","state":"cancelled","files":0}',
    '{"run":"20260301-093000","attempt":"claude","agent":"claude","dir":"/d","branch":"b","queued_at":"2026-03-01T09:30:00Z","cancelled_at":"2026-03-01T09:31:00Z"}');
insert into accounts values ('claude', 'work', '{"agent":"claude","account":"work","dir":"/d","usage":{"input_tokens":1,"output_tokens":2,"cost_usd":0}}');
insert into events values (41, '{"seq":41,"at":"2026-03-01T09:31:00Z","kind":"run.ended","project":"shop","run":"20260301-093000"}');
