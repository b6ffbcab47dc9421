import { join } from 'node:path';
import { parse } from 'yaml';
import { type Container, startScript, stopScript } from './container.ts';
import { DEPLOY, readTemplate } from './templates.ts';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly command?: readonly string[];
}

type Secrets = Readonly<Record<string, string>>;

const COMPOSE = join(DEPLOY, 'compose');
/** All services use this address, because the template's ports differ. It is private, like container addresses. */
const ADDRESS = '10.99.0.1';

/**
 * Returns a shell script that starts the services in compose.yml with their variables, files, ports and host names: the programs of this
 * repository in the Dockerfile images, and PostgreSQL and Prometheus from Debian packages.
 */
export function composeScript(places: Parameters<typeof startScript>[1], secrets: Secrets): string {
  const { services } = parse(readTemplate('compose/compose.yml'), { merge: true }) as {
    services: Record<string, Service>;
  };
  const hosts = join(places.work, 'hosts');
  const start = (name: Container['name'], port: number, before?: Container['before']): string => {
    const { environment = {}, volumes = [], tmpfs = [] } = services[name] ?? {};
    const env = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [key, expand(value, secrets)]),
    );
    const files = volumes.map((text) => text.split(':')).filter(([from]) => from?.startsWith('./'));
    const mounted = Object.fromEntries(files.map(([from = '', to = '']) => [to, join(COMPOSE, from)]));
    const container = {
      name,
      stage: 'slim' as const,
      env,
      port,
      tmpfs,
      files: { ...mounted, '/etc/hosts': hosts },
    };
    return startScript({ ...container, ...(before ? { before } : {}) }, places);
  };
  const { environment: database = {} } = services['postgres'] ?? {};
  const command = (services['prometheus']?.command ?? []).map((word) =>
    word.replace('/etc/prometheus', COMPOSE).replace('=/prometheus', `=${join(places.work, 'prometheus')}`),
  );
  return [
    `ip addr add ${ADDRESS}/32 dev lo`,
    `printf '127.0.0.1 localhost\\n${ADDRESS} ${Object.keys(services).join(' ')}\\n' > ${hosts}`,
    `mount --bind ${hosts} /etc/hosts; mount -t tmpfs tmpfs /run; mkdir /run/secrets`,
    `printf %s ${secrets['ENCODER_API_KEY']} > /run/secrets/encoder_api_key`,
    `postgres=$(ls -d /usr/lib/postgresql/*/bin | tail -1); data=${places.work}/postgres; install -d -o postgres $data; cd $data`,
    `printf %s '${expand(database['POSTGRES_PASSWORD'] ?? '', secrets)}' > password; chown postgres password`,
    `setpriv --reuid postgres --regid postgres --clear-groups $postgres/initdb -D $data/data -U ${database['POSTGRES_USER']} -A scram-sha-256 --pwfile password --no-sync >/dev/null`,
    `echo 'host all all all scram-sha-256' >> $data/data/pg_hba.conf`,
    `setpriv --reuid postgres --regid postgres --clear-groups $postgres/postgres -D $data/data -k $data -c listen_addresses='*' -c fsync=off 2> $data/log & pid_postgres=$!`,
    `until $postgres/pg_isready --username gateway --host 127.0.0.1 >/dev/null; do sleep 0.2; done`,
    `PGPASSWORD=$(cat password) $postgres/createdb -h 127.0.0.1 -U ${database['POSTGRES_USER']} ${database['POSTGRES_DB']}`,
    start('encoder', 8080),
    start('gateway', 8000),
    start('mcp-manager', 8090, [['keys', 'create', '--name', 'admin', '--admin']]),
    `prometheus ${command.join(' ')} 2> ${places.work}/prometheus.log & pid_prometheus=$!`,
    ...requests(places.work, secrets),
    ...['gateway', 'mcp-manager', 'encoder'].map(stopScript),
    `kill -INT $pid_postgres $pid_prometheus; wait $pid_postgres $pid_prometheus || true`,
  ].join('\n');
}

/** Each request goes through two services: gateway and encoder, manager and encoder, Prometheus and all. */
function requests(work: string, secrets: Secrets): string[] {
  const json = `-H 'content-type: application/json'`;
  const master = `-H 'X-Gateway-Key: Bearer ${secrets['GATEWAY_MASTER_KEY']}'`;
  const expect = (name: string, words: string): string =>
    `case $answer in *${words}*) echo ${name} ok;; *) echo "$answer" >&2; exit 1;; esac`;
  return [
    `curl -sSf gateway:8000/v1/users ${master} ${json} -d '{"user_id": "ada"}' >/dev/null`,
    `answer=$(curl -sS gateway:8000/v1/classify ${master} ${json} -d '{"model": "encoder:sentiment", "input": "I love this", "user": "ada"}')`,
    expect('classify', 'POSITIVE'),
    `answer=$(curl -sS mcp-manager:8090/api/v1/servers/sentiment/tools/run_encoder -H "Authorization: Bearer $(cat ${work}/mcp-manager-slim.before)" ${json} -d '{"inputs": ["I love this"]}')`,
    expect('tool', 'POSITIVE'),
    `tries=0; until answer=$(curl -sS prometheus:9090/api/v1/query?query=sum\\(up\\) 2>/dev/null) && [ "\${answer##*,}" = '"3"]}]}}' ]; do tries=$((tries + 1)); [ $tries -lt 300 ] || { echo "$answer" >&2; exit 1; }; sleep 0.2; done; echo 3 targets up`,
  ];
}

const expand = (value: string, secrets: Secrets): string =>
  value.replaceAll(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string) => secrets[name] ?? '');
