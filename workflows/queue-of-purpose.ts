import { workflowInfo } from '@temporalio/workflow';
import { type Purpose, queueOf } from './queues.ts';

/**
 * The queue of another purpose, in a workflow. On replay, activities are compared by id and type, and not by queue: so
 * releases that use other queues can take over each other's workflows (test/replay/).
 */
export const queueOfPurpose = (purpose: Exclude<Purpose, 'deliveries'>) => queueOf(workflowInfo().taskQueue, purpose);
