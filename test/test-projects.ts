import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `unit` needs only this process, `contract` verifies the list of behaviors, `e2e` is everything else. */
export type ProjectName = 'unit' | 'contract' | 'e2e';

/**
 * Modules that unit tests must not use: they start, stop or count processes, build or run executables, or change the current directory or
 * `HOME`, which threads share or cannot change.
 */
const NEEDS_PROCESS =
  /from 'node:child_process'|from 'execa'|from 'playwright-core'|StdioClientTransport|mcp-servers|process\.chdir|from '.*cli-here|stubEnv\('HOME'|'\/proc'|process\.kill/;

const IMPORT = /(?:from|import)\s*\(?'((?:\.|#test\/)[^']+)'/g;

/**
 * The test files of each project, relative to `root`, without those for a real Ray cluster or a GPU. A file is a unit test unless one of its imports
 * needs a process.
 */
export function testFilesByProject(root: string): Record<ProjectName, readonly string[]> {
  const memo = new Map<string, Module>();
  const files = globSync('**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules', 'ray/**', 'gpu/**'],
  }).sort();
  const projectOf = (file: string): ProjectName => {
    if (file.startsWith('contract')) return 'contract';
    return needsProcess(join(root, file), root, memo) ? 'e2e' : 'unit';
  };
  const byProject = Map.groupBy(files, projectOf);
  const of = (name: ProjectName): readonly string[] => byProject.get(name) ?? [];
  return { unit: of('unit'), contract: of('contract'), e2e: of('e2e') };
}

interface Module {
  readonly needsProcess: boolean;
  readonly imports: readonly string[];
}

/** Follows imports only among the files of `root`: processes that the product itself starts are not considered. */
function needsProcess(start: string, root: string, memo: Map<string, Module>): boolean {
  const seen = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path) || !path.startsWith(root) || !existsSync(path)) continue;
    seen.add(path);
    const module = memo.get(path) ?? readModule(path, root);
    memo.set(path, module);
    if (module.needsProcess) return true;
    waiting.push(...module.imports);
  }
  return false;
}

function readModule(path: string, root: string): Module {
  const source = readFileSync(path, 'utf8');
  return {
    needsProcess: NEEDS_PROCESS.test(source),
    imports: [...source.matchAll(IMPORT)].map(([, name = '']) =>
      name.startsWith('#test/') ? join(root, name.slice('#test/'.length)) : join(dirname(path), name),
    ),
  };
}
