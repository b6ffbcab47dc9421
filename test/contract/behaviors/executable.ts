import type { Behaviors } from './behavior.ts';

/** What an executable promises whatever it is asked. */
export const EXECUTABLE = {
  'help:exit-codes': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: '--help is on every command with exit code 0; an unknown command has exit code 2.',
  },
  'inspect:facts': {
    source: 'docs/executable.md',
    behavior: 'inspect shows name, type, labels and sizes, as a table or with --json.',
  },
  'inspect:memory': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'inspect reports the memory that the attention scores of the longest text take.',
  },
  'verify:intact': {
    source: 'docs/executable.md',
    behavior: 'verify reads every section and reports that the file is intact.',
  },
  'executable:moved': {
    source: 'docs/executable.md',
    behavior:
      'It works copied, renamed (spaces, non-ASCII), through a symbolic link and from a read-only folder.',
  },
  'executable:read-only-home': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior: 'With a home folder that cannot be written it unpacks its libraries elsewhere.',
  },
  'executable:noexec': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Where a cache folder forbids execution it uses the next one; where all do, the error names the variable to set.',
  },
  'executable:first-start-twice': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Several processes that start together for the first time all work, and leave one unpacked copy.',
  },
  'executable:no-network': {
    source: 'docs/executable.md',
    behavior: 'It needs no network.',
  },
  'executable:private': {
    source: 'docs/executable.md',
    behavior: 'It leaves nothing in the home folder but its unpacked libraries: no telemetry, no device id.',
  },
  'executable:damaged-libraries': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Unpacked libraries that were cut or changed, or belong to another user, are replaced, not loaded.',
  },
  'executable:damaged': {
    source: 'docs/file-format.md#checks',
    behavior:
      'A truncated or altered file, a missing section and a newer format are each one sentence, exit code 1.',
  },
  'executable:licenses': {
    source: 'docs/executable.md',
    behavior: '`licenses` and `--licenses` print the notices of all software in the executable.',
  },
  'executable:model-license': {
    source: 'docs/executable.md',
    behavior: '`inspect` and `licenses` report the license of the model, or that none is stated.',
  },
  'executable:completion': {
    source: 'docs/executable.md',
    behavior: '`completion` prints a script that completes commands and flags in bash, zsh or fish.',
  },
  'executable:json': {
    source: 'docs/flags.md#json',
    behavior: '`verify`, `version`, `inspect` and `licenses` have --json; errors are then JSON on stderr.',
  },
  'executable:stdout': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Stdout holds the result only, whatever NODE_* variables are set.',
  },
} as const satisfies Behaviors;
