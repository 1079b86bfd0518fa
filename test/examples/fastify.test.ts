import { testReceiver } from './receiver-tests.ts';

testReceiver({ program: process.execPath, args: ['fastify.ts'], folder: 'node' });
