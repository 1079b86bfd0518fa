-- State that all processes share, such as a pause of deliveries: src/events/pause.ts.
create table gateway_settings (key text primary key, value bytea not null);
