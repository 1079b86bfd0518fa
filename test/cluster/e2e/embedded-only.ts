/** End-to-end tests that cannot run on a cluster, by their full name, with the reason. */
export const embeddedOnly: readonly { name: string; why: string }[] = [
  {
    name: 'an event links to its workflow in the Web UI for as long as Temporal keeps it',
    why: 'the Temporal server has no Web UI: that is a program of its own',
  },
];
