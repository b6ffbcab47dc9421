import { programVersion } from '#serve/program/process-options.ts';
import { createKernel, type KernelLimits } from '#serve/kernel.ts';
import { openTracer } from '#serve/telemetry/open-tracer.ts';
import type { Logger } from '#serve/log.ts';
import { createCloserStack } from '#serve/program/closer-stack.ts';
import type { Reloader } from '#serve/program/reloader.ts';
import type { CallerGroups } from '../access/groups.ts';
import type { ManagerAccess } from '../access/manager-access.ts';
import { openAuditLog } from '../calls/audit.ts';
import { createCalls } from '../calls/calls.ts';
import type { SecretPageOf, SignInPage } from '../calls/require-user.ts';
import type { Redactor } from '#serve/redact.ts';
import type { LoadedConfig } from '../config/read-config.ts';
import type { DaemonSettings } from '../config/spec.ts';
import type { ManagerContext } from '../context.ts';
import { createRemoteSignIns } from '../sign-in/remote-sign-ins.ts';
import { signInFolder } from '../sign-in/sign-in-folder.ts';
import { openSavedLists, savedListsFolder } from '../saved-lists/saved-lists.ts';
import { openSignIns, type SignInStore } from '../sign-in/sign-in-store.ts';
import { createGuard } from '../scanning/create-guard.ts';
import { guardNotifications } from '../scanning/guard-notifications.ts';
import { openReleases, releasesPath } from '../scanning/releases.ts';
import type { AppliedChanges, Supervisor } from '../supervisor/managed-server.ts';
import { createManagerReloader } from '../supervisor/reloader.ts';
import { createSupervisor } from '../supervisor/supervisor.ts';
import { createSecretLinks } from '../user-secrets/secret-links.ts';
import { openIdentitySigner } from '../user-secrets/identity-signer.ts';
import { openUserSecrets } from '../user-secrets/user-secrets.ts';
import { createUserValues } from '../user-secrets/user-values.ts';
import { openConnection } from '../upstream/open-connection.ts';
import type { PackagePreparation } from '../pins/read-items.ts';
import { createPackageInstaller } from '../upstream/packages/package-installer.ts';
import { systemClock } from '#platform/clock.ts';
import { createProcessTrees } from '#platform/process-tree/process-trees.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import type { FlagSettings } from './settings.ts';

/** Settings that apply with or without a network. */
export type ContextSettings = Pick<
  FlagSettings,
  'paths' | 'env' | 'auditLog' | 'auditArguments' | 'auditFailure' | 'maxResultCharacters' | 'tracing'
> &
  KernelLimits;

export interface ManagerContextParts {
  readonly settings: ContextSettings;
  readonly config: LoadedConfig;
  /** The settings in the file, overridden by the command line. */
  readonly daemon: DaemonSettings;
  readonly read: () => Promise<LoadedConfig>;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly access: ManagerAccess;
  readonly groups: CallerGroups;
  /** The page where users sign in to servers; undefined without a network. */
  readonly signInPage?: SignInPage | undefined;
  /** The page where users set their secrets; undefined without a network. */
  readonly secretPage?: SecretPageOf | undefined;
}

export interface OpenedManager extends ManagerContext {
  readonly reloader: Reloader<AppliedChanges>;
  readonly signInStore: SignInStore;
  readonly packages: PackagePreparation;
  readonly reopenAudit: () => void;
  /** Closes everything except the kernel's tracer. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the components that all protocols share. Starts the servers in the background; the manager does not
 * wait for them.
 */
export async function openManagerContext(parts: ManagerContextParts): Promise<OpenedManager> {
  const { settings, config, daemon, read, log, redactor, access, groups } = parts;
  const closers = createCloserStack();
  const untraced = createKernel(log, access, settings);
  const version = programVersion();
  const source = { scope: 'mcp-manager', version, metric: 'mcp_spans_total' };
  const tracer = await openTracer(settings.tracing, source, untraced);
  const kernel = { ...untraced, tracer };
  const { metrics } = kernel;
  const { auditLog: path, auditArguments, auditFailure: failure } = settings;
  const audit =
    path === undefined
      ? undefined
      : await openAuditLog({ path, arguments: auditArguments, failure, redact: redactor, log, metrics });
  if (audit) closers.add(audit.close);
  const signIns = openSignIns(signInFolder(settings.paths), {
    env: settings.env,
    onSecret: (secret) => redactor.learn([secret]),
  });
  const remoteSignIns = createRemoteSignIns(signIns);
  const userSecrets = { store: openUserSecrets(settings.paths, settings.env), links: createSecretLinks() };
  closers.add(() => remoteSignIns.close());
  const identities = openIdentitySigner(settings.paths, settings.env);
  const trees = createProcessTrees(settings.paths.config);
  closers.add(() => Promise.resolve(trees.close()));
  if (trees.problem !== '') {
    log.info(
      `cgroups are not available for servers: ${trees.problem}. Processes that leave their group are found by an environment variable`,
    );
  }
  const abandoned = await trees.endAbandoned();
  if (abandoned > 0) log.warn(`terminated ${abandoned} processes left behind by a killed mcp-manager`);
  const guard = createOrphanGuard({ traces: trees.traces });
  closers.add(guard.close);
  const installer = createPackageInstaller({
    clock: systemClock,
    env: settings.env,
    trees,
    watch: guard.watch,
  });
  const warn = (text: string): void => log.warn(text);
  const classifier =
    daemon.scanClassifier &&
    // Imported on demand, because few managers have a classifier.
    (await import('../scanning/open-classifier.ts')).openClassifier(daemon.scanClassifier, {
      env: settings.env,
      log,
      metrics,
      watch: guard.watch,
    });
  if (classifier) closers.add(classifier.close);
  const scans = createGuard({
    supervisor: () => supervisor,
    redact: redactor,
    clock: systemClock,
    metrics,
    releases: await openReleases(releasesPath(settings.paths.config), warn),
    classify: classifier?.classify,
  });
  const supervisor: Supervisor = createSupervisor({
    installer,
    async open(spec, hooks, signal) {
      const connection = await openConnection(
        spec,
        {
          ...hooks,
          onNotification: guardNotifications(scans, () => supervisor.get(spec.name), hooks.onNotification),
          signIns,
          identities,
          trees,
          maxResultCharacters: settings.maxResultCharacters,
        },
        signal,
      );
      if (connection.pid !== undefined) void connection.closed.then(guard.watch(connection.pid));
      return connection;
    },
    settings: daemon,
    log,
    redact: redactor.text,
    signInState: (target) => signIns.stateOf(target),
    userValues: createUserValues(userSecrets.store, (secrets) => redactor.learn(secrets)),
    servers: config.servers,
    metrics,
  });
  const savedLists = openSavedLists(savedListsFolder(settings.paths), log);
  const calls = createCalls({
    supervisor,
    savedLists,
    redact: redactor,
    audit,
    limits: { maxResultCharacters: settings.maxResultCharacters },
    metrics,
    tracer,
    signInPage: parts.signInPage,
    guard: scans,
    secretPage: parts.secretPage?.(userSecrets.links),
  });
  // The servers, which stop first, can still have responded with new lists.
  closers.add(calls.close);
  const meanings =
    daemon.searchEncoder &&
    // Imported on demand, because few managers have an encoder.
    (await import('../calls/open-meanings.ts')).openItemMeanings(daemon.searchEncoder, {
      paths: settings.paths,
      env: settings.env,
      log,
      metrics,
      supervisor,
      calls,
      watch: guard.watch,
    });
  if (meanings) closers.add(meanings.close);
  const reloader = createManagerReloader({
    config,
    async read() {
      const changed = await scans.refresh();
      for (const name of changed) supervisor.get(name)?.announceChange('tools');
      return await read();
    },
    supervisor,
    log,
    onRead: ({ secrets }) => redactor.learn(secrets),
    onApplied: (latest) => groups.replace(latest.groups),
  });
  // Closed concurrently: a running reload may be waiting for a server to start, and closing the supervisor
  // ends that wait.
  closers.add(
    async () => void (await Promise.all([reloader.close(), supervisor.close(), installer.close()])),
  );
  return {
    kernel,
    supervisor,
    calls,
    meanings,
    scans,
    groups,
    signIns: remoteSignIns,
    userSecrets,
    identities,
    reloader,
    version,
    audit,
    signInStore: signIns,
    packages: {
      install: (spec, launch) =>
        installer.install(launch, {
          timeoutMs: spec.timeouts.install,
          onProgress: () => undefined,
          onWarning: (text) => log.warn(`${spec.name}: ${text}`),
        }),
      distrust: (launch) => installer.distrust(launch),
    },
    reopenAudit: () => audit?.reopen(),
    close: closers.close,
  };
}
