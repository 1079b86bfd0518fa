/** The tags of the OpenAPI document, which group its operations. */
export const tags = [
  { name: 'ingestion', description: 'Where providers send their webhooks' },
  { name: 'account', description: 'Accounts of providers, with their secrets and delivery addresses' },
  { name: 'provider', description: 'What accounts of each provider need' },
  { name: 'destination', description: 'Who is told when all attempts of an event have failed' },
  { name: 'condition', description: 'Which events a destination is told about' },
  { name: 'event', description: 'Received webhooks and what became of them' },
  { name: 'delivery', description: 'How deliveries go' },
  { name: 'audit', description: 'Who did what, in a chain that shows every later change' },
  { name: 'backup', description: 'Backups of the database' },
  { name: 'upkeep', description: 'What the gateway does for itself, and when' },
  { name: 'health', description: 'For load balancers and supervisors' },
];
