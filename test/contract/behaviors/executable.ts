import type { Behaviors } from './behavior.ts';

/** What an executable promises whatever it is asked. */
export const EXECUTABLE = {
  'help:exit-codes': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Every command has --help, with exit code 0; an unknown command exits with 2.',
  },
  'inspect:facts': {
    source: 'docs/executable.md',
    behavior: 'inspect shows the name, type, labels and sizes, as a table or with --json.',
  },
  'inspect:memory': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'inspect reports the memory that attention scores need for the longest text.',
  },
  'verify:intact': {
    source: 'docs/executable.md',
    behavior: 'verify reads every section and reports that the file is intact.',
  },
  'executable:moved': {
    source: 'docs/executable.md',
    behavior:
      'It works when copied, renamed (spaces, non-ASCII), run through a symbolic link or from a read-only folder.',
  },
  'executable:read-only-home': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior: 'If the home folder is not writable, it unpacks its libraries elsewhere.',
  },
  'executable:noexec': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'If a cache folder does not allow execution, it uses the next one; if none does, the error names the variable to set.',
  },
  'executable:first-start-twice': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Several processes that start for the first time concurrently all work, and leave one unpacked copy.',
  },
  'executable:no-network': {
    source: 'docs/executable.md',
    behavior: 'It needs no network.',
  },
  'executable:private': {
    source: 'docs/executable.md',
    behavior:
      'It leaves nothing in the home folder except its unpacked libraries: no telemetry, no device ID.',
  },
  'executable:damaged-libraries': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Unpacked libraries that were truncated or modified, or belong to another user, are replaced, not loaded.',
  },
  'executable:damaged': {
    source: 'docs/file-format.md#checks',
    behavior:
      'A truncated or modified file, a missing section and a newer format each cause a one-sentence error and exit code 1.',
  },
  'executable:licenses': {
    source: 'docs/executable.md',
    behavior: '`licenses` and `--licenses` print the notices for all software in the executable.',
  },
  'executable:model-license': {
    source: 'docs/executable.md',
    behavior: "`inspect` and `licenses` report the model's license, or that none is stated.",
  },
  'executable:completion': {
    source: 'docs/executable.md',
    behavior: '`completion` prints a completion script for bash, zsh or fish with all commands and flags.',
  },
  'executable:json': {
    source: 'docs/flags.md#json',
    behavior: '`verify`, `version`, `inspect` and `licenses` accept --json; errors are then JSON on stderr.',
  },
  'executable:stdout': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Stdout contains only the result, whatever NODE_* variables are set.',
  },
} as const satisfies Behaviors;
