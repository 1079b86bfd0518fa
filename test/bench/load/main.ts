import { acknowledge } from './acknowledge.ts';
import { deliver } from './deliver.ts';

/** The load generator, a separate process: its argument is a job, its output one JSON object. */
const job = JSON.parse(process.argv[2] ?? '{}');
const result = job.kind === 'acknowledge' ? await acknowledge(job) : await deliver(job);
process.stdout.write(JSON.stringify(result), () => process.exit(0));
