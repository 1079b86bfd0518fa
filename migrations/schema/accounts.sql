create table accounts (
  id uuid primary key,
  provider text not null,
  account_slug varchar(100) not null,
  app_key varchar(50) not null,
  org_id varchar(100),
  signing_secret_current bytea,
  signing_secret_previous bytea,
  skip_signature_verification boolean not null default false,
  -- `text`, because a URL of 500 characters can become longer by percent-encoding when its credentials are removed.
  delivery_url text,
  delivery_secret bytea,
  project_id varchar(100),
  project_delivery_url text,
  project_delivery_secret bytea,
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  provider_config bytea,
  delivery_url_credentials bytea,
  project_delivery_url_credentials bytea
);
comment on column accounts.provider_config is 'JSON, sealed because some settings are secret; null: {}';
comment on column accounts.delivery_url_credentials is 'user:password of delivery_url, sealed; null: none';
comment on column accounts.project_delivery_url_credentials is 'user:password of project_delivery_url, sealed; null: none';

-- Partial, because a deleted account frees its slug, but its row is kept for its events.
create unique index accounts_address on accounts (provider, account_slug) where deleted_at is null;
comment on index accounts_address is 'ingestion: the account of an address; a deleted account frees its slug';

-- The columns are those of src/roles/sealed-columns.ts. They hold boxes, which contain the id of the key that sealed
-- them.
create trigger refuse_retired_key before insert or update of
  signing_secret_current, signing_secret_previous, provider_config, delivery_secret, project_delivery_secret,
  delivery_url_credentials, project_delivery_url_credentials
on accounts for each row execute function refuse_retired_key(
  'signing_secret_current', 'signing_secret_previous', 'provider_config', 'delivery_secret', 'project_delivery_secret',
  'delivery_url_credentials', 'project_delivery_url_credentials'
);

create table signing_secret_uses (
  account_id uuid not null,
  slot text not null check (slot in ('current', 'previous', 'unsigned')),
  -- identifies the secret: src/accounts/secret-uses.ts
  tag text not null,
  webhooks bigint not null,
  last_used_at timestamptz not null,
  primary key (account_id, slot, tag)
);
comment on table signing_secret_uses is 'number of webhooks that each signing secret has verified; written by each api every few seconds';
