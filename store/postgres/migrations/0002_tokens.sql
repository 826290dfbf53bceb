-- Access tokens: who may ask over the network. hash is SHA-256 of the secret,
-- which is kept nowhere. Times are milliseconds since the Unix epoch, 0 is none.
create table tokens (
  id         text primary key,
  name       text not null,
  hash       bytea not null,
  rights     text not null, -- tq.Rights as JSON
  created_at bigint not null,
  created_by text not null,
  expires_at bigint not null,
  used_at    bigint not null
);
