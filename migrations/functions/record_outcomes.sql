-- records attempts without their headers and parts, with record_outcomes_3; nothing calls it, but release 0.2.0 does not start without it
create or replace function record_outcomes(p_ids uuid[], p_generations integer[], p_triggers text[], p_numbers integer[],
  p_started_at timestamptz[], p_durations_ms double precision[], p_outcomes text[], p_response_codes integer[],
  p_response_bodies text[], p_errors text[], p_urls text[], p_succeeded boolean[], p_last boolean[],
  p_next_attempts_at timestamptz[], p_tokens uuid[], p_low uuid, p_high uuid, p_workflows boolean)
returns table (id uuid, generation integer, recorded boolean, exhausted boolean, status text, delivery_status text, account_deleted boolean)
language plpgsql as $$
begin
  return query select * from record_outcomes_3(p_ids, p_generations, p_triggers, p_numbers, p_started_at, p_durations_ms, p_outcomes, p_response_codes,
    p_response_bodies, p_errors, p_urls, p_succeeded, p_last, p_next_attempts_at, p_tokens, null, null, null,
    null, null, p_low, p_high, p_workflows);
end $$;
