import { join } from 'node:path';
import { buildImage, quote, variables } from './image.ts';
import { readTemplate } from './templates.ts';

export interface Container {
  readonly name: 'encoder' | 'gateway' | 'mcp-manager';
  readonly stage: 'slim' | 'distroless';
  readonly env: Readonly<Record<string, string>>;
  /** Host files by their paths in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Paths in the container that are a tmpfs. */
  readonly tmpfs?: readonly string[];
  /** Commands of the program to run first, with the same volumes. */
  readonly before?: readonly (readonly string[])[];
  readonly port: number;
}

interface Places {
  readonly context: string;
  readonly work: string;
  readonly bases: Readonly<Record<string, string>>;
}

/**
 * Returns a shell script that builds an image, starts it like Docker with `--read-only --cap-drop ALL` and its user, and waits until it is
 * healthy. Its process ID is then in `$pid_<name>`.
 */
export function startScript(container: Container, places: Places): string {
  const { name, stage, env, files = {}, tmpfs = [], before = [], port } = container;
  const work = join(places.work, `${name}-${stage}`);
  const dockerfile = readTemplate(`docker/${name}.Dockerfile`);
  const image = buildImage({ ...places, dockerfile, work, target: stage });
  const root = join(work, stage);
  const enter = (command: readonly string[]): string =>
    `env -i ${variables({ ...image.env, ...env })} /usr/bin/setpriv --no-new-privs /usr/sbin/chroot --userspec=65532:65532 ${root} ${command.map(quote).join(' ')}`;
  const [program = ''] = image.command;
  const health = image.health ? enter(image.health) : `bash -c ${quote(probe(port))}`;
  return [
    image.script,
    ...Object.entries(files).map(
      ([inside, outside]) =>
        `mkdir -p "$(dirname ${root}${inside})"; cp ${outside} ${root}${inside}; chmod 0644 ${root}${inside}`,
    ),
    ...image.volumes.map((path) => `mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs ${root}${path}`),
    ...tmpfs.map((path) => `mkdir -p ${root}${path}; mount -t tmpfs -o noexec tmpfs ${root}${path}`),
    `mount -o remount,bind,ro ${root}`,
    `if touch ${root}/usr/x 2>/dev/null; then echo 'The root is writable.' >&2; exit 1; fi`,
    ...before.map((words) => `${enter([program, ...words])} > ${work}.before`),
    `${enter(image.command)} 2>${work}.log & pid_${shellName(name)}=$!`,
    `tries=0; until ${health} 2>/dev/null; do tries=$((tries + 1)); if [ $tries -gt 100 ]; then cat ${work}.log >&2; exit 1; fi; sleep 0.2; done`,
  ].join('\n');
}

/** Sends SIGTERM and returns the exit code of the process in the variable `code`. */
export const stopScript = (name: string): string =>
  `kill -TERM $pid_${shellName(name)}; code=0; wait $pid_${shellName(name)} || code=$?; echo "${name} exit code $code"; [ $code = 0 ]`;

const shellName = (name: string): string => name.replace('-', '_');
const probe = (port: number): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ "$status" = 200 ]`;
