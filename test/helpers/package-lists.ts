import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa, ExecaError } from 'execa';

/** Downloads packages and returns the paths of their files. */
export type DownloadPackages = (...names: string[]) => Promise<string[]>;

interface PackageLists {
  readonly architectures: readonly string[];
  /** A Debian release, for example bullseye. Default: the sources of this system. */
  readonly release?: string | undefined;
}

/** Reads package lists into `folder`, without changing the system's apt. */
export async function readPackageLists(
  folder: string,
  { architectures, release }: PackageLists,
): Promise<DownloadPackages> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  await mkdir(join(folder, 'archives/partial'), { recursive: true });
  const config = join(folder, 'apt.conf');
  const sources = join(folder, 'sources.list');
  if (release !== undefined) await writeFile(sources, `deb ${await debianMirror()} ${release} main\n`);
  await writeFile(
    config,
    `#clear APT::Architectures;
APT::Architectures { ${architectures.map((name) => `"${name}";`).join(' ')} };
// As root, apt would download as a user without write permission here.
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::Cache "${folder}";
Dir::State::Lists "${folder}/lists";
${release === undefined ? '' : `Dir::Etc::sourcelist "${sources}";\nDir::Etc::sourceparts "/dev/null";`}
// These options would otherwise refresh the system's own lists.
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`,
  );
  await execa('apt-get', ['-c', config, 'update']);
  return async (...names) => {
    const cwd = await mkdtemp(join(folder, 'packages-'));
    await execa('apt-get', ['-c', config, 'download', ...names], { cwd });
    return (await readdir(cwd)).map((name) => join(cwd, name));
  };
}

/** The Debian mirror that this system uses. */
export async function debianMirror(): Promise<string> {
  const { stdout } = await execa('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Origin: Debian']);
  const mirror = stdout.split('\n').find((uri) => /\/debian\/?$/.test(uri));
  if (mirror === undefined) throw new Error('apt is configured without a mirror of Debian');
  return mirror;
}

/** The missing prerequisite of a failed setup, in one line. */
export function missingPackages(error: unknown): string {
  if (!(error instanceof ExecaError)) return String(error);
  const reason = /^E: .*/m.exec(String(error.stderr))?.[0] ?? error.shortMessage;
  return `${error.command.split(' ')[0]} that can provide Debian packages (${reason.split('\n')[0]})`;
}
