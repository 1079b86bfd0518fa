import { describe } from 'vitest';
import { lacks } from '../support/may-skip/list.ts';
import { pythonProgram } from '../support/python-environment.ts';
import { djangoEnvironment } from '../support/receiver-programs.ts';
import { testReceiver } from './receiver-tests.ts';

describe.skipIf(lacks('django'))('examples/django', () => {
  testReceiver({
    program: pythonProgram(djangoEnvironment, 'python'),
    args: ['manage.py', 'runserver', '--noreload', '0'],
    folder: 'django',
    before: ['manage.py', 'migrate'],
  });
});
