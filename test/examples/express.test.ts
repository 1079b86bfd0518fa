import { testReceiver } from './receiver-tests.ts';

testReceiver({ program: process.execPath, args: ['express.ts'], folder: 'node' });
