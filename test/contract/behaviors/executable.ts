import type { Behaviors } from './behavior.ts';

/** What an executable promises whatever it is asked. */
export const EXECUTABLE = {
  'help:exit-codes': {
    source: 'design "Services decided"',
    behavior: '--help is on every command with exit code 0; an unknown command has exit code 2.',
  },
  'inspect:facts': {
    source: 'docs/executable.md',
    behavior: 'inspect shows name, type, labels and sizes, as a table or with --json.',
  },
  'inspect:memory': {
    source: 'docs/decisions/0058-long-texts.md',
    behavior: 'inspect reports the memory that the attention scores of the longest text take.',
  },
  'verify:intact': {
    source: 'design "The executable format"',
    behavior: 'verify reads every section and reports that the file is intact.',
  },
  'executable:moved': {
    source: 'issue: the executable',
    behavior:
      'It works copied, renamed (spaces, non-ASCII), through a symbolic link and from a read-only folder.',
  },
  'executable:read-only-home': {
    source: 'issue: the executable',
    behavior: 'With a home folder that cannot be written it unpacks its libraries elsewhere.',
  },
  'executable:noexec': {
    source: 'issue: the executable',
    behavior:
      'Where a cache folder forbids execution it uses the next one; where all do, the error names the variable to set.',
  },
  'executable:first-start-twice': {
    source: 'issue: the executable',
    behavior:
      'Several processes that start together for the first time all work, and leave one unpacked copy.',
  },
  'executable:no-network': {
    source: 'issue: the executable',
    behavior: 'It needs no network.',
  },
  'executable:private': {
    source: 'docs/executable.md',
    behavior: 'It leaves nothing in the home folder but its unpacked libraries: no telemetry, no device id.',
  },
  'executable:damaged-libraries': {
    source: 'design "The executable format"',
    behavior:
      'Unpacked libraries that were cut or changed, or belong to another user, are replaced, not loaded.',
  },
  'executable:damaged': {
    source: 'issue: the executable',
    behavior:
      'A truncated or altered file, a missing section and a newer format are each one sentence, exit code 1.',
  },
  'executable:licenses': {
    source: 'issue 14, point 24',
    behavior: '`licenses` and `--licenses` print the notices of all software in the executable.',
  },
  'executable:model-license': {
    source: 'docs/executable.md',
    behavior: '`inspect` and `licenses` report the license of the model, or that none is stated.',
  },
  'executable:completion': {
    source: 'issue 15, section 2',
    behavior: '`completion` prints a script that completes commands and flags in bash, zsh or fish.',
  },
  'executable:json': {
    source: 'issue 15, section 2',
    behavior: '`verify`, `version`, `inspect` and `licenses` have --json; errors are then JSON on stderr.',
  },
  'executable:stdout': {
    source: 'issue: the executable',
    behavior: 'Stdout holds the result only, whatever NODE_* variables are set.',
  },
} as const satisfies Behaviors;
