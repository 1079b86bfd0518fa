import { createLog } from '../shared/log.ts';
import { builtBundle, writeBuiltBundle } from './workflow-bundle.ts';

// `npm run build`: bundles the workflows into build/, so that workers need not do it at their start.

await writeBuiltBundle(createLog('warn'));
console.log(`Workflows bundled into ${builtBundle}`);
