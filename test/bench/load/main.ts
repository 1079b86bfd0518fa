import { acknowledge } from './acknowledge.ts';
import { deliver } from './deliver.ts';

/** The load generator, a process of its own: one job in, one JSON object out. */
const job = JSON.parse(process.argv[2] ?? '{}');
const result = job.kind === 'acknowledge' ? await acknowledge(job) : await deliver(job);
process.stdout.write(JSON.stringify(result), () => process.exit(0));
