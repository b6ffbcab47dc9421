import { join } from 'node:path';

/** One stage of a Dockerfile. */
interface Stage {
  readonly name: string;
  readonly instructions: readonly (readonly [keyword: string, rest: string])[];
}

interface Image {
  readonly dockerfile: string;
  /** The build context. */
  readonly context: string;
  /** The folder for the stages: the root of each is `<work>/<stage>`. */
  readonly work: string;
  /** The root file system with which each stage begins. */
  readonly bases: Readonly<Record<string, string>>;
  /** The last stage to build. */
  readonly target: string;
}

interface BuiltImage {
  /** A shell script that executes the instructions in overlays over the bases. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly health: readonly string[] | undefined;
  readonly volumes: readonly string[];
}

/** Translates the instructions in the templates, because these checks run without a Docker engine. */
export function buildImage({ dockerfile, context, work, bases, target }: Image): BuiltImage {
  const script: string[] = [];
  let last: Omit<BuiltImage, 'script'> = { env: {}, command: [], health: undefined, volumes: [] };
  for (const stage of stagesOf(dockerfile)) {
    const root = join(work, stage.name);
    const base = bases[stage.name];
    if (base === undefined) throw new Error(`No base for the stage ${stage.name}`);
    script.push(
      `mkdir -p ${root} ${root}.up ${root}.work`,
      `mount -t overlay overlay -o lowerdir=${base},upperdir=${root}.up,workdir=${root}.work ${root}`,
      `mount --rbind /proc ${root}/proc; mount --rbind /dev ${root}/dev`,
    );
    const values: Record<string, string> = {};
    const env: Record<string, string> = {};
    let [entry, command, health, volumes]: [string[], string[], string[] | undefined, string[]] = [
      [],
      [],
      undefined,
      [],
    ];
    for (const [keyword, rest] of stage.instructions) {
      const text = rest.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
      const list = (): string[] => JSON.parse(rest.slice(rest.indexOf('['))) as string[];
      if (keyword === 'ARG') Object.assign(values, Object.fromEntries([rest.split('=')]));
      else if (keyword === 'ENV')
        for (const pair of text.split(/\s+/)) Object.assign(env, Object.fromEntries([pair.split('=')]));
      else if (keyword === 'COPY') script.push(copyCommand(text, { root, context, work }));
      else if (keyword === 'RUN') {
        const words = rest.startsWith('[') ? list() : ['/bin/sh', '-c', rest];
        script.push(
          `env -i ${variables(env)} /usr/sbin/chroot ${root} ${words.map(quote).join(' ')} >/dev/null`,
        );
      } else if (keyword === 'ENTRYPOINT') entry = list();
      else if (keyword === 'CMD') command = list();
      else if (keyword === 'HEALTHCHECK') health = list();
      else if (keyword === 'VOLUME') volumes = list();
      else if (!['LABEL', 'EXPOSE', 'USER', 'STOPSIGNAL'].includes(keyword))
        throw new Error(`Unknown: ${keyword}`);
    }
    last = { env, command: [...entry, ...command], health, volumes };
    if (stage.name === target) break;
  }
  return { ...last, script: script.join('\n') };
}

function stagesOf(dockerfile: string): Stage[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter(Boolean);
  const stages: { name: string; instructions: [string, string][] }[] = [];
  for (const line of lines) {
    const [, keyword = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') stages.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push([keyword, rest]);
  }
  return stages;
}

function copyCommand(
  text: string,
  { root, context, work }: { root: string; context: string; work: string },
): string {
  const words = text.split(/\s+/);
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1];
  const [source = '', target = ''] = words.filter((word) => !word.startsWith('--'));
  const from = option('from');
  const to = join(root, target);
  return [
    `mkdir -p "$(dirname ${to})"; cp -aT ${join(from === undefined ? context : join(work, from), source)} ${to}`,
    option('chmod') && `chmod ${option('chmod')} ${to}`,
    option('chown') && `chown -R ${option('chown')} ${to}`,
  ]
    .filter(Boolean)
    .join('; ');
}

export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
export const variables = (env: Readonly<Record<string, string>>): string =>
  Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...env })
    .map(([name, value]) => quote(`${name}=${value}`))
    .join(' ');
