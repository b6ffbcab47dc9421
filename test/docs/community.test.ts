import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../helpers/paths.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the shards of the CI workflow cover all tests', () => {
  const { jobs } = parse(read('.github/workflows/ci.yml'));
  const shards: string[] = jobs.test.strategy.matrix.shard;
  expect(shards.length).toBeGreaterThan(1);
  expect(shards).toEqual(shards.map((_, index) => `${index + 1}/${shards.length}`));
  expect(jobs.test.steps.at(-1).run).toBe('.ci/run');
});

test('the site workflow publishes main and tags, with minimal write permissions', () => {
  const { on, jobs, permissions, concurrency } = parse(read('.github/workflows/docs.yml'));
  expect(on.push).toEqual({ branches: ['main'], tags: ['v*'] });
  expect(permissions).toEqual({ contents: 'read' });
  expect(jobs.build.permissions).toEqual({ contents: 'write' });
  expect(jobs.publish.permissions).toEqual({ pages: 'write', 'id-token': 'write' });
  expect(concurrency['cancel-in-progress']).toBe(false);
  const commands = jobs.build.steps.map(({ run = '' }) => run).join('\n');
  for (const [, path = ''] of commands.matchAll(/(?<= )((?:test|\.ci)\/[\w./-]+)/g))
    expect(existsSync(join(ROOT, path)), path).toBe(true);
  expect(commands).toContain('.ci/publish-site "$GITHUB_REF_NAME"');
});

test('issue templates are valid YAML with a name and questions', () => {
  const names = readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) {
    const { name: title, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
    expect([title, description].every((text) => typeof text === 'string')).toBe(true);
    expect(body.length).toBeGreaterThan(0);
  }
});

const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test.each(pages)('links in %s to other files are valid', (page) => {
  const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target);
  const broken = targets.filter((target) => !existsSync(resolve(ROOT, dirname(page), target)));
  expect(broken).toEqual([]);
});
