import { expect, test } from 'vitest';
import { split } from './shell-commands.ts';

test.each([
  ['continued lines are one command', 'curl a \\\n  -d b\nls', ['curl a \\\n  -d b', 'ls']],
  ['an open quote goes on', "curl -d '{\n}'\nls", ["curl -d '{\n}'", 'ls']],
  ['a here-document goes on', 'cat <<END\n# a\nEND\nls', ['cat <<END\n# a\nEND', 'ls']],
  ['a loop goes on', 'for n in 1; do\n  ls\ndone', ['for n in 1; do\n  ls\ndone']],
  ['comments are left out', '# first\nls    # its files\n\nls # -la', ['ls', 'ls # -la']],
])('%s', (_, code, commands) => {
  expect(split(code)).toEqual(commands);
});

test('what bash does not understand is no command', () => {
  expect(() => split("echo 'open\n")).toThrow('open');
});
