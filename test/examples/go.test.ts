import { describe } from 'vitest';
import { goProgram } from '../support/go-program.ts';
import { lacks } from '../support/may-skip/list.ts';
import { goReceiver } from '../support/receiver-programs.ts';
import { testReceiver } from './receiver-tests.ts';

describe.skipIf(lacks('go receiver'))('examples/go', () => {
  testReceiver({ program: goProgram(goReceiver), args: [], folder: 'go' });
});
