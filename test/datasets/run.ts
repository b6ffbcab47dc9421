import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { provideChromium } from '../helpers/chromium.ts';
import { namespacesWork } from '../helpers/namespace.ts';
import { FIXTURES, ROOT } from '../helpers/paths.ts';
import { freePort } from '../helpers/ray.ts';
import { serveUploadPage, uploadFromPage } from './browser.ts';
import { browserUploader, python, s3Server } from './programs.ts';
import { type Server, startServer, untilAnswers } from './servers.ts';

// `npm run test:datasets`: imports from a real S3 server with both address styles, uploads with tuspy while the gateway is killed and with
// tus-js-client from a page of another origin, reads Parquet with pyarrow, loads exported files with `datasets`, and exports to a real
// MLflow server. Requires Python 3.11 with venv, Go, and for all checks Chromium and Linux namespaces. Exit code 1 if a check fails.

const ROWS = 100_000;
const S3_DOMAIN = 's3.test';

interface Check {
  readonly name: string;
  readonly problem: string | null;
}

const [interpreter, versitygw, script] = [await python(), await s3Server(), await browserUploader()];
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-datasets-'));
const servers: Server[] = [];
const start = (
  name: string,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Server => {
  const server = startServer(name, command, { folder, env });
  servers.push(server);
  return server;
};
const page = await serveUploadPage(script);
let isOver = false;
const failed: string[] = [];
let passed = 0;
try {
  const [port, s3, mlflow] = [await freePort(), await freePort(), await freePort()];
  const virtualHosts = namespacesWork();
  mkdirSync(join(folder, 's3'));
  const s3Args = ['--port', `127.0.0.1:${s3}`, '--virtual-domain', S3_DOMAIN, 'posix', join(folder, 's3')];
  start('versitygw', [versitygw, ...s3Args], {
    ROOT_ACCESS_KEY: 'AKIDTEST',
    ROOT_SECRET_KEY: 'secretkey123',
  });
  const store = ['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`];
  const artifacts = ['--artifacts-destination', join(folder, 'artifacts')];
  const mlflowArgs = ['server', '--port', String(mlflow), '--workers', '1', ...store, ...artifacts];
  const mlflowServer = start('mlflow', [join(dirname(interpreter), 'mlflow'), ...mlflowArgs]);
  const provider = start('provider', [process.execPath, join(FIXTURES, 'providers', 'openai.mjs')]);
  const { url: api_base } = parseJsonText(await provider.firstLine()) as { readonly url: string };
  const config = join(folder, 'gateway.json');
  const cors_allow_origins = [page.origin];
  const providers = { openai: { api_base, api_key: 'any' } };
  writeFileSync(config, JSON.stringify({ port, data_dir: folder, cors_allow_origins, providers }));
  const gateway = [process.execPath, join(ROOT, 'runtime/targets/gateway/main.ts')];
  const serve = [...gateway, 'serve', '-c', config, '--no-watch'];
  const startGateway = (): Server => start('gateway', virtualHosts ? withHosts(serve) : serve);
  const running = startGateway();
  // A check kills it.
  void running.ended.then(() => isOver || startGateway());
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(`${url}/health`, running);
  await untilAnswers(`http://127.0.0.1:${mlflow}/health`, mlflowServer);

  const given = {
    url,
    folder,
    gateway,
    pid: running.pid,
    rows: ROWS,
    s3: `http://127.0.0.1:${s3}`,
    s3_domain: virtualHosts ? `http://${S3_DOMAIN}:${s3}` : null,
    mlflow: `http://127.0.0.1:${mlflow}`,
  };
  const checks = execa(interpreter, [join(import.meta.dirname, 'checks.py'), JSON.stringify(given)], {
    stderr: 'ignore',
    reject: false,
  });
  for await (const line of createInterface({ input: checks.stdout }))
    if (line.startsWith('{')) report(parseJsonText(line) as Check);
  await checks;
  await checkPage(url);
} finally {
  isOver = true;
  await Promise.all(servers.map(({ stop }) => stop()));
  page.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} of ${passed + failed.length} checks`);
// Without Chromium and namespaces, two checks are skipped.
process.exitCode = failed.length === 0 && passed >= 6 ? 0 : 1;

function report({ name, problem }: Check): void {
  console.log(problem === null ? `ok      ${name}` : `FAILED  ${name}: ${problem}`);
  if (problem === null) passed += 1;
  else failed.push(name);
}

/** A command with its own hosts file, in which the bucket has a host name. */
function withHosts(command: readonly string[]): readonly string[] {
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, `127.0.0.1 localhost ${S3_DOMAIN} reviews.${S3_DOMAIN}\n`);
  // The process keeps its ID, so that it can be killed.
  return ['unshare', '-rm', 'sh', '-ec', 'mount --bind "$0" /etc/hosts; exec "$@"', hosts, ...command];
}

async function checkPage(url: string): Promise<void> {
  const chromium = await provideChromium();
  if (chromium === undefined) return;
  const name = 'tus-js-client: a page of another origin uploads, and continues what the browser has stored';
  try {
    const endpoint = `${url}/api/v1/uploads`;
    const { dataset, resumedAt, complaints } = await uploadFromPage(page, chromium, { endpoint, rows: ROWS });
    const answer = await fetch(`${url}/api/v1/datasets/${dataset}`);
    const { row_count: rows } = (await answer.json()) as { readonly row_count?: number };
    const isRight = rows === ROWS && resumedAt === 400_000 && complaints.length === 0;
    report({ name, problem: isRight ? null : JSON.stringify({ rows, resumedAt, complaints }) });
  } catch (error) {
    report({ name, problem: messageOf(error) });
  }
}
