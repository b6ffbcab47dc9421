// Checks that every changelog line is in the group of a program, because merges can move lines.
import { readFileSync } from 'node:fs';

const GROUPS = ['All programs', 'encoderfile and model executables', 'mcp-manager', 'gateway'];

/** An empty line, an item or its continuation, or a label such as `Build:`. */
const ALLOWED = /^$|^- |^ {2}\S|^[A-Z][^.]*:$/;

const text = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const problems = text.split(/^## /m).slice(1).flatMap(problemsOfVersion);
if (problems.length > 0) {
  const first = problems.slice(0, 5).join('\n');
  console.error(`CHANGELOG.md: put each line in one of the groups ${GROUPS.join(', ')}.\n${first}`);
  process.exitCode = 1;
}

function problemsOfVersion(version) {
  const [before, ...groups] = version.split(/^### /m);
  const names = groups.map((group) => group.slice(0, group.indexOf('\n')));
  const lines = [before, ...groups].flatMap((part) => part.split('\n').slice(1));
  return [
    ...names.filter((name, at) => !GROUPS.includes(name) || names.indexOf(name) !== at),
    ...before.split('\n').slice(1).filter(Boolean),
    ...lines.filter((line) => !ALLOWED.test(line)),
  ];
}
