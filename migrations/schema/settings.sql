-- What all processes have to agree on at once, such as a pause of deliveries: src/events/pause.ts.
create table gateway_settings (key text primary key, value bytea not null);
