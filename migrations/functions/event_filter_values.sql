-- the values of an event that operators can filter by; inlined into the statements that call it
--
-- Event types of rejected webhooks have a separate kind: any sender can choose them, so they must not fill the
-- operators' list of filters.
create or replace function event_filter_values(account_slug text, app_key text, event_type text, rejection_reason text, provider text)
returns table (kind text, value text) language sql immutable as $$
  values
    ('account_slug', account_slug),
    ('app_key', app_key),
    (case when rejection_reason is null then 'event_type' else 'rejected_event_type' end, event_type),
    ('provider', provider)
$$;
