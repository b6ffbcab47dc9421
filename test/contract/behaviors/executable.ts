import type { Behaviors } from './behavior.ts';

/** Documented behavior of executables, regardless of the command. */
export const EXECUTABLE = {
  'help:exit-codes': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Every command supports --help, which exits with code 0; an unknown command exits with code 2.',
  },
  'inspect:facts': {
    source: 'docs/executable.md',
    behavior: 'inspect shows the name, type, labels and sizes, as a table or, with --json, as JSON.',
  },
  'inspect:memory': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'inspect reports the memory required for the attention scores of the longest text.',
  },
  'verify:intact': {
    source: 'docs/executable.md',
    behavior: 'verify reads every section and reports that the file is intact.',
  },
  'executable:moved': {
    source: 'docs/executable.md',
    behavior:
      'An executable works after it is copied or renamed, even to a name with spaces or non-ASCII characters, and when it is started through a symbolic link or from a read-only folder.',
  },
  'executable:read-only-home': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior: 'If the home folder is not writable, the executable unpacks its libraries elsewhere.',
  },
  'executable:noexec': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'If a cache folder does not allow execution, the executable uses the next one; if no folder allows it, the error names the variable to set.',
  },
  'executable:first-start-twice': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'If several processes start concurrently for the first time, all of them work, and the libraries are unpacked only once.',
  },
  'executable:no-network': {
    source: 'docs/executable.md',
    behavior: 'An executable does not require network access.',
  },
  'executable:other-libraries': {
    source: 'docs/executable.md',
    behavior: 'A library with the same name in LD_LIBRARY_PATH is not used.',
  },
  'executable:private': {
    source: 'docs/executable.md',
    behavior:
      'An executable writes only its unpacked libraries to the home folder, and no telemetry data or device ID.',
  },
  'executable:damaged-libraries': {
    source: 'docs/executable.md#files-that-it-writes',
    behavior:
      'Unpacked libraries that were truncated or modified, or that belong to another user, are replaced instead of loaded.',
  },
  'executable:damaged': {
    source: 'docs/file-format.md#checks',
    behavior:
      'A truncated or modified file, a missing section, and a newer format version each cause a one-sentence error and exit code 1.',
  },
  'executable:licenses': {
    source: 'docs/executable.md',
    behavior: '`licenses` and `--licenses` print the license notices for all software in the executable.',
  },
  'executable:model-license': {
    source: 'docs/executable.md',
    behavior: "`inspect` and `licenses` report the model's license, or that the model does not state one.",
  },
  'executable:completion': {
    source: 'docs/executable.md',
    behavior: '`completion` prints a completion script for bash, zsh or fish with all commands and flags.',
  },
  'executable:json': {
    source: 'docs/flags.md#json',
    behavior:
      '`verify`, `version`, `inspect` and `licenses` accept --json, which also prints errors as JSON to stderr.',
  },
  'executable:stdout': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Stdout contains only the result, regardless of NODE_* variables.',
  },
} as const satisfies Behaviors;
