/** The tags of the OpenAPI document, which group its operations. */
export const tags = [
  { name: 'ingestion', description: 'Ingestion addresses, to which providers send webhooks' },
  { name: 'token', description: 'The admin token in use' },
  { name: 'account', description: 'Accounts of providers, with their secrets and delivery URLs' },
  { name: 'consumer', description: 'Consumers of an account, each with a URL, a secret and a condition' },
  { name: 'provider', description: 'Providers, and the settings that their accounts require' },
  { name: 'destination', description: 'Destinations, which are notified when all attempts of an event have failed' },
  {
    name: 'condition',
    description:
      'Conditions, which select the webhooks of a consumer, and the events that a destination is notified about',
  },
  { name: 'event', description: 'Received webhooks and their states' },
  { name: 'incident', description: 'What fails, by account, consumer and cause, from its first failure to its end' },
  { name: 'delivery', description: 'Delivery statistics, manual retries, and pausing deliveries' },
  { name: 'audit', description: 'Audit log, whose chain of seals makes later changes detectable' },
  { name: 'backup', description: 'Backups of the database' },
  { name: 'upkeep', description: 'Scheduled maintenance tasks' },
  { name: 'process', description: 'Processes of the gateway' },
  { name: 'settings', description: 'Settings of the process' },
  { name: 'health', description: 'Health checks for load balancers and supervisors, and for operators' },
];
