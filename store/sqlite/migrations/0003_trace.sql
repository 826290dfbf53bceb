-- The trace that a task belongs to, as W3C Trace Context writes it.
alter table tasks add column trace text;
