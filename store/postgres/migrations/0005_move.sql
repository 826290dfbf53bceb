-- Leases that came from another store (tq copy): their facts were numbered
-- there, so they are not of one batch. low and high say between which seqs they
-- are; null means those of the batch that the id names.
alter table grants add column low bigint;
alter table grants add column high bigint;
