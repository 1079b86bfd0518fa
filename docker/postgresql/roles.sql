-- Run by psql as the superuser, once, when the volume is empty: a role for the gateway and one for Temporal, neither with
-- special rights, and the databases that each of them owns. A role cannot connect to the databases of the other.
\getenv gateway_password GATEWAY_POSTGRES_PASSWORD
\getenv temporal_password TEMPORAL_POSTGRES_PASSWORD

create role gateway login password :'gateway_password';
create role temporal login password :'temporal_password';

create database gateway owner gateway;
create database temporal owner temporal;
create database temporal_visibility owner temporal;

-- Every role may connect to a new database otherwise; the owner keeps its rights.
revoke all on database gateway, temporal, temporal_visibility, postgres, template1 from public;
