import { expect, test } from 'vitest';
import { describeExit, findCause } from '#manager/upstream/process/find-cause.ts';

/** Output of real programs: npm 11, uv 0.13, Node 20, Python 3.11. */
const OUTPUT: Readonly<Record<string, { readonly output: string; readonly cause: string }>> = {
  'npm: folder without package.json': {
    output: `npm error code ENOENT
npm error syscall open
npm error path /home/me/.npm/_npx/0c54006c78c1a9ec/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/me/.npm/_npx/0c54006c78c1a9ec/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-28T04_19_49_236Z-debug-0.log`,
    cause:
      "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/me/.npm/_npx/0c54006c78c1a9ec/package.json'",
  },
  'npm: unknown version': {
    output: `npm error code ETARGET
npm error notarget No matching version found for mcp-ripgrep@9.9.9.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/x-debug-0.log`,
    cause: 'npm error notarget No matching version found for mcp-ripgrep@9.9.9.',
  },
  'npm: unknown package': {
    output: `npm error code E404
npm error 404 Not Found - GET https://registry.example/@scope%2fnothing
npm error 404
npm error 404  The requested resource '@scope/nothing@1.0.0' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm notice New minor version of npm available! 11.19.1 -> 11.21.2`,
    cause: 'npm error 404 Not Found - GET https://registry.example/@scope%2fnothing',
  },
  'Node: missing module': {
    output: `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module 'postgres-array'
Require stack:
- /home/me/.npm/_npx/x/node_modules/pg-types/lib/arrayParser.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/home/me/x' ]
}

Node.js v20.20.2`,
    cause: "Error: Cannot find module 'postgres-array'",
  },
  'Node: error with a code': {
    output: `node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received undefined
    at Object.join (node:path:1339:7)

Node.js v24.1.0`,
    cause: 'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received undefined',
  },
  'Python: traceback': {
    output: `Installed 37 packages in 915ms
Traceback (most recent call last):
  File "/home/me/bin/mcp-server-sqlite", line 12, in <module>
    sys.exit(main())
             ^^^^^^
  File "/home/me/mcp_server_sqlite/server.py", line 173, in main
    @server.list_resources()
     ^^^^^^^^^^^^^^^^^^^^^
AttributeError: 'Server' object has no attribute 'list_resources'`,
    cause: "AttributeError: 'Server' object has no attribute 'list_resources'",
  },
  'Python: exception group': {
    output: `  + Exception Group Traceback (most recent call last):
  |   File "/x/server.py", line 1, in main
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/x/server.py", line 9, in run
    | ConnectionRefusedError: [Errno 111] Connection refused
    +------------------------------------`,
    cause: '| ConnectionRefusedError: [Errno 111] Connection refused',
  },
  'uv: no solution found': {
    output: `error: No solution found when resolving tool dependencies
  cause: Because there is no version of mcp-server-time==1999.1.1 and you require mcp-server-time==1999.1.1, we can conclude that your requirements are unsatisfiable.`,
    cause:
      'error: No solution found when resolving tool dependencies: Because there is no version of mcp-server-time==1999.1.1 and you require mcp-server-time==1999.1.1, we can conclude that your requirements are unsatisfiable.',
  },
  'uv: missing program': {
    output: `An executable named \`nobin\` is not provided by package \`mcp-server-time\`.
The following executables are available:
- mcp-server-time`,
    cause: 'An executable named `nobin` is not provided by package `mcp-server-time`.',
  },
  'docker: unknown image': {
    output: `Unable to find image 'example/none:1' locally
docker: Error response from daemon: pull access denied for example/none, repository does not exist.

Run 'docker run --help' for more information`,
    cause:
      'docker: Error response from daemon: pull access denied for example/none, repository does not exist.',
  },
  'text in an unknown format': {
    output: `Loading configuration
No API key: set WEATHER_KEY.
`,
    cause: 'No API key: set WEATHER_KEY.',
  },
};

test.each(Object.entries(OUTPUT))('finds the cause: %s', (_, { output, cause }) => {
  const found = findCause(output.split('\n'));
  expect(found?.text).toBe(cause);
  expect(found?.lines.some((line) => cause.startsWith(line.trim()))).toBe(true);
});

test('a cause is reported with the surrounding lines', () => {
  const lines = ['starting', 'reading a.json', 'Error: bad file', 'at line 3', 'column 4', 'x', 'y', 'z'];
  expect(findCause(lines)).toEqual({ text: 'Error: bad file', lines: lines.slice(0, 7) });
});

test('no cause is found if a process had no output or only unrelated output', () => {
  expect(findCause([])).toBeUndefined();
  expect(findCause(['', 'Node.js v20.20.2', '}'])).toBeUndefined();
});

test('long lines are shortened', () => {
  expect(findCause([`Error: ${'x'.repeat(5000)}`])?.text).toHaveLength(401);
});

test('well-known exit codes are explained', () => {
  expect(describeExit('code 127')).toBe('code 127: a command was not found');
  expect(describeExit('signal SIGKILL')).toBe(
    'signal SIGKILL: the process was killed, e.g. because memory ran out',
  );
  expect(describeExit('code 3')).toBe('code 3');
});
