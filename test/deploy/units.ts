import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { debianMirror } from '../helpers/package-lists.ts';
import { DEPLOY } from './templates.ts';
import { TOOLS } from './tools.ts';

const UNITS = ['gateway', 'mcp-manager', 'encoder@sentiment'];

/** Runs inside the container, as a service: starts every unit, then kills, reloads and stops it. */
const CHECK = `#!/bin/bash
exec >/results/log 2>&1
ask() ( exec 3<>/dev/tcp/127.0.0.1/$1 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ "$status" = 200 ] )
ready() { for port in 8000 8080 8090; do for try in {1..100}; do ask $port 2>/dev/null && echo "$1 $port ready" && break; sleep 0.2; done; done; }
ready started
for unit in ${UNITS.join(' ')}; do systemctl kill --kill-whom=main --signal=KILL $unit; done
for unit in ${UNITS.join(' ')}; do until [ "$(systemctl show --value -p NRestarts $unit)" = 1 ]; do sleep 0.1; done; done
ready restarted
systemctl reload gateway mcp-manager && echo reloaded
for unit in ${UNITS.join(' ')}; do
  systemctl stop $unit
  echo "$unit $(systemctl show -p Result -p ExecMainStatus $unit | sort | tr '\\n' ' ')"
done
mkdir -p /run/systemd/system/gateway.service.d
printf '[Service]\\nMemoryDenyWriteExecute=yes\\n' > /run/systemd/system/gateway.service.d/memory.conf
systemctl daemon-reload
systemctl start gateway
for try in {1..50}; do [ "$(systemctl show --value -p NRestarts gateway)" = 0 ] || break; sleep 0.1; done
echo "MemoryDenyWriteExecute: $(systemctl show --value -p NRestarts gateway | sed 's/^[1-9].*/fails/')"
journalctl --no-pager -o cat > /results/journal
systemctl poweroff --force
`;

const EXPECTED = [
  ...['started', 'restarted'].flatMap((word) => [8000, 8080, 8090].map((port) => `${word} ${port} ready`)),
  'reloaded',
  ...UNITS.map((unit) => `${unit} ExecMainStatus=0 Result=success `),
  'MemoryDenyWriteExecute: fails',
];

/** Boots Debian's systemd with the units. Returns its version, or throws an error with the differences. */
export async function bootScript(programs: string, scratch: string): Promise<string> {
  const root = await systemdRoot();
  const folder = join(scratch, 'systemd');
  await mkdir(folder);
  const write = async (name: string, text: string, mode: number): Promise<string> => {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), mode);
    return join(folder, name);
  };
  const check = await write('check', CHECK, 0o755);
  const service = '[Unit]\nAfter=multi-user.target\n[Service]\nExecStart=/usr/local/bin/check\n';
  const units = '/etc/systemd/system';
  const unit = (name: string): string => join(DEPLOY, 'systemd', name);
  const binds = {
    '/usr/local/bin/gateway': join(programs, 'gateway'),
    '/usr/local/bin/mcp-manager': join(programs, 'mcp-manager'),
    '/usr/local/lib/encoders/sentiment.encoder': join(programs, 'sentiment.encoder'),
    '/usr/local/bin/check': check,
    '/etc/gateway/master-key': await write('master-key', 'm'.repeat(40), 0o600),
    '/etc/mcp-manager/mcpd.toml': await write('mcpd.toml', SERVERS, 0o644),
    [`${units}/check.service`]: await write('check.service', service, 0o644),
    [`${units}/gateway.service`]: unit('gateway.service'),
    [`${units}/mcp-manager.service`]: unit('mcp-manager.service'),
    [`${units}/encoder@.service`]: unit('encoder@.service'),
  };
  const arguments_ = [
    '-D',
    join(folder, 'root'),
    '--boot',
    '--register=no',
    '--keep-unit',
    '--private-network',
    ...Object.entries(binds).map(
      ([inside, outside]) => `--bind-ro=${outside.replaceAll(':', String.raw`\:`)}:${inside}`,
    ),
    `--bind=${join(folder, 'results')}:/results`,
  ];
  const started = await execa('unshare', ['-m', 'sh', '-ec', BOOT, root, folder, ...arguments_], {
    stdin: 'ignore',
    timeout: 90_000,
    reject: false,
  });
  const log = await readFile(join(folder, 'results/log'), 'utf8').catch(
    () => `${started.stdout}${started.stderr}`,
  );
  const missing = EXPECTED.filter((line) => !log.includes(line));
  if (missing.length > 0) {
    const journal = await readFile(join(folder, 'results/journal'), 'utf8').catch(() => '');
    throw new Error(`missing: ${missing.join('; ')}\n${log}\n${journal.slice(-4000)}`);
  }
  const { stdout } = await execa('chroot', [root, 'systemctl', '--version']);
  return `${stdout.split(' (')[0]}: ready, restarted, reloaded, stopped`;
}

/** The system's files are not changed: writes go to an overlay that is removed with the container. */
const BOOT = `
folder=$1
shift
mkdir "$folder/root"
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o "lowerdir=$0,upperdir=/mnt/upper,workdir=/mnt/work" "$folder/root"
mkdir -p "$folder/root/etc/systemd/system/multi-user.target.wants" "$folder/results"
for unit in check.service ${UNITS.map((unit) => `${unit}.service`).join(' ')}; do
  ln -s "/etc/systemd/system/$unit" "$folder/root/etc/systemd/system/multi-user.target.wants/$unit"
done
exec systemd-nspawn "$@"
`;

const SERVERS = '[[servers]]\nname = "sentiment"\nurl = "http://127.0.0.1:8080/mcp"\ntools = ["*"]\n';

async function systemdRoot(): Promise<string> {
  const root = join(TOOLS, 'systemd-bookworm');
  if (existsSync(root)) return root;
  await rm(`${root}.new`, { recursive: true, force: true });
  await mkdir(TOOLS, { recursive: true });
  const options = ['--variant=minbase', '--include=systemd,systemd-sysv,dbus', 'bookworm'];
  await execa('debootstrap', [...options, `${root}.new`, await debianMirror()]);
  await rename(`${root}.new`, root);
  return root;
}
