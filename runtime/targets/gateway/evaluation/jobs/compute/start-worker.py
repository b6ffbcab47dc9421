"""Starts a worker on a node of a Ray cluster: fetches the executables of its job from the gateway, once per node, and runs the program.

It needs nothing but the Python of Ray. `ray-launcher.ts` sets the variables that this script reads.
"""

import contextlib
import errno
import fcntl
import hashlib
import http.client
import json
import os
import platform
import re
import sys
import tempfile
import time
import urllib.error
import urllib.request

# Bytes of one request. The gateway counts each request as progress of the job.
CHUNK_BYTES = 64 * 1024 * 1024
READ_BYTES = 1024 * 1024
TIMEOUT_SECONDS = 60
# The lease of a job: the gateway, or another one, has to answer within this time.
RETRY_SECONDS = 15
RETRY_PAUSE_SECONDS = 0.2
# The file that workers of a node lock while one of them fetches or deletes files.
LOCK = 'lock'
FILE_NAME = re.compile(r'[0-9a-f]{64}(\.part)?')


class Problem(Exception):
    """A problem whose message is for the user. A final one fails the job; otherwise another worker is started."""

    def __init__(self, message, final=False):
        super().__init__(message)
        self.final = final


class Gateway:
    """The API for workers. Connections do not use proxies, like those of the worker itself."""

    def __init__(self, url, token):
        self.url = url.rstrip('/')
        self.headers = {'Authorization': 'Bearer ' + token}
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def open(self, path, headers=None, body=None):
        request = urllib.request.Request(self.url + path, headers={**self.headers, **(headers or {})})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header('Content-Type', 'application/json')
        try:
            return self.opener.open(request, timeout=TIMEOUT_SECONDS)
        except urllib.error.HTTPError as error:
            raise refusal_of(error) from None

    def read_json(self, path):
        return retrying(lambda: json.load(self.open(path)))

    def fail_job(self, message):
        body = {'range': None, 'status': 'failed', 'error': message}
        # A job that has ended already needs no other end.
        with contextlib.suppress(Problem):
            retrying(lambda: self.open('/api/v1/worker/end', body=body).close())


class Unavailable(Exception):
    """A failure that a retry can change."""


def refusal_of(error):
    """The exception for an answer with an error status."""
    try:
        body = json.loads(error.read())
    except (ValueError, OSError, http.client.HTTPException):
        body = {}
    if not isinstance(body, dict):
        body = {}
    details = body.get('error') if isinstance(body.get('error'), dict) else {}
    message = details.get('message') or body.get('detail') or f'The gateway answered with status {error.code}.'
    if error.code in (408, 429) or error.code >= 500:
        return Unavailable(message)
    # Another worker can have a new lease, or the program of a newer gateway.
    is_lost = error.code in (401, 404) or details.get('code') == 'lease_lost'
    return Problem(message, final=not is_lost)


LOSSES = (Unavailable, urllib.error.URLError, http.client.HTTPException, OSError)


def retrying(call):
    """Calls until there is an answer, for the time of a lease."""
    retry_until = time.monotonic() + RETRY_SECONDS
    while True:
        try:
            return call()
        except LOSSES as error:
            if time.monotonic() >= retry_until:
                raise Problem(unreachable(error)) from None
            time.sleep(RETRY_PAUSE_SECONDS)


def unreachable(error):
    return f'The gateway at {os.environ["GATEWAY_JOB_URL"]} was unreachable for {RETRY_SECONDS} seconds: {reason_of(error)}.'


def reason_of(error):
    reason = getattr(error, 'reason', None) or error
    text = getattr(reason, 'strerror', None) or str(reason) or type(reason).__name__
    return text.rstrip('.')


def own_platform():
    """The platform of this node, with the names of Node."""
    machine = platform.machine().lower()
    cpu = {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}.get(machine, machine)
    return f'{sys.platform}-{cpu}'


def check_platform(file):
    if file['platform'] in (None, own_platform()):
        return
    problem = f'`{file["path"]}` is for {file["platform"]}, but the node {platform.node()} is {own_platform()}.'
    way_out = (
        'Install the gateway for this platform on the nodes and set `workflows.ray.command`'
        if file['role'] == 'program'
        else 'Build it for this platform with `--platform`'
    )
    raise Problem(f'{problem} {way_out}, or select other nodes with `workflows.ray.labels`.')


def cache_folders():
    """Folders for executables, in order of preference. If the user chose one, it is the only candidate."""
    chosen = os.environ.get('ENCODERFILE_CACHE_DIR')
    if chosen:
        return [os.path.join(chosen, 'executables')]
    folders = []
    if os.path.isabs(os.environ.get('XDG_CACHE_HOME', '')):
        folders.append(os.path.join(os.environ['XDG_CACHE_HOME'], 'encoderfile'))
    home = os.path.expanduser('~')
    if os.path.isabs(home):
        folders.append(os.path.join(home, '.cache', 'encoderfile'))
    for shared in shared_folders():
        folders.append(os.path.join(shared, f'encoderfile-{os.getuid()}'))
    return [os.path.join(folder, 'executables') for folder in dict.fromkeys(folders)]


def shared_folders():
    """Folders for temporary files of all users."""
    return tempfile.gettempdir(), '/var/tmp'


def is_safe(folder):
    """Whether a folder belongs to this user, if its parent is shared by all users: another one can have created it."""
    own = os.path.dirname(folder)
    return os.path.dirname(own) not in shared_folders() or os.stat(own).st_uid == os.getuid()


def hold_cached(file, folder):
    """The path of a cached executable, which is not deleted while this process, or the program that it becomes, is running."""
    path = os.path.join(folder, file['sha256'])
    try:
        if not is_safe(folder):
            return None
        while True:
            descriptor = os.open(path, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            held = os.fstat(descriptor)
            if held.st_ino == os.stat(path).st_ino:
                break
            os.close(descriptor)
    except OSError:
        return None
    if held.st_size != file['bytes'] or not os.access(path, os.X_OK):
        os.close(descriptor)
        return None
    os.set_inheritable(descriptor, True)
    # The time of the last use. A cache that cannot be written is not cleaned up either.
    with contextlib.suppress(OSError):
        os.utime(path)
    return path


def find_shared(file):
    """The path of the executable on the gateway, if this node has the same file there."""
    path = file['path']
    try:
        if os.path.getsize(path) != file['bytes'] or not os.access(path, os.X_OK):
            return None
        with open(path, 'rb') as opened:
            return path if hash_of(opened).hexdigest() == file['sha256'] else None
    except OSError:
        return None


def hash_of(opened):
    hashed = hashlib.sha256()
    while chunk := opened.read(READ_BYTES):
        hashed.update(chunk)
    return hashed


def sizes_in(folder):
    """Files of a cache with their sizes, the least recently used first."""
    entries = [entry for entry in os.scandir(folder) if FILE_NAME.fullmatch(entry.name)]
    facts = sorted((entry.stat().st_mtime, entry.path, entry.stat().st_size) for entry in entries)
    return [(path, size) for _, path, size in facts]


def make_room(folder, needed, keep):
    """Deletes the least recently used files until there is room, but none that is in use. The caller holds the lock."""
    files = sizes_in(folder)
    limit = int(os.environ['GATEWAY_JOB_CACHE_BYTES'])
    total = needed + sum(size for path, size in files if path != keep)
    for path, size in files:
        if total <= limit and free_bytes(folder) >= needed:
            break
        if path != keep and delete_unused(path):
            total -= size
    if free_bytes(folder) < needed:
        raise OSError(errno.ENOSPC, f'{free_bytes(folder) / 1_000_000:.1f} MB are free')


def free_bytes(folder):
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def delete_unused(path):
    """Deletes a file unless a worker uses it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def fetch(gateway, file, folder):
    """Downloads an executable into a cache, unless another worker of the node was first. Returns its path."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if not is_safe(folder):
        raise OSError(errno.EACCES, 'The folder belongs to another user')
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise OSError(errno.EACCES, 'Files in this folder cannot be executed')
    with open(os.path.join(folder, LOCK), 'a') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = hold_cached(file, folder)
        if found:
            return found
        path = os.path.join(folder, file['sha256'])
        part = path + '.part'
        have = os.path.getsize(part) if os.path.exists(part) else 0
        make_room(folder, file['bytes'] - min(have, file['bytes']), part)
        try:
            download(gateway, file, part)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                os.unlink(part)
            raise
        os.chmod(part, 0o755)
        os.rename(part, path)
        return hold_cached(file, folder)


def download(gateway, file, part):
    """Completes a partial file and verifies it."""
    with open(part, 'a+b') as opened:
        if os.path.getsize(part) > file['bytes']:
            opened.truncate(0)
        opened.seek(0)
        hashed = hash_of(opened)
        retry_until = time.monotonic() + RETRY_SECONDS
        while (have := opened.tell()) < file['bytes']:
            try:
                for chunk in read_range(gateway, file, have):
                    write(opened, chunk)
                    hashed.update(chunk)
                    retry_until = time.monotonic() + RETRY_SECONDS
            except DiskError as error:
                raise error.cause from None
            except LOSSES as error:
                if time.monotonic() >= retry_until:
                    raise Problem(unreachable(error)) from None
                time.sleep(RETRY_PAUSE_SECONDS)
        os.fsync(opened.fileno())
    if hashed.hexdigest() != file['sha256']:
        os.unlink(part)
        raise Problem(
            f'`{file["path"]}` was fetched with the SHA-256 {hashed.hexdigest()} instead of {file["sha256"]}: it was changed or damaged on the way.'
        )


class DiskError(Exception):
    """A failed write, which is not a failure of the network."""

    def __init__(self, cause):
        super().__init__()
        self.cause = cause


def write(opened, chunk):
    try:
        opened.write(chunk)
        opened.flush()
    except OSError as error:
        raise DiskError(error) from None


def read_range(gateway, file, start):
    """Yields the bytes of one request."""
    end = min(start + CHUNK_BYTES, file['bytes'])
    path = f'/api/v1/worker/files/{file["sha256"]}'
    with gateway.open(path, {'Range': f'bytes={start}-{end - 1}'}) as answer:
        if answer.status != 206:
            raise Problem(f'The gateway answered a request for a part of a file with status {answer.status}.')
        left = end - start
        while left > 0:
            chunk = answer.read(min(READ_BYTES, left))
            if not chunk:
                raise Unavailable('The connection was closed')
            left -= len(chunk)
            yield chunk


def find(gateway, file):
    """The path of an executable on this node."""
    check_platform(file)
    folders = cache_folders()
    for folder in folders:
        found = hold_cached(file, folder)
        if found:
            return found
    shared = find_shared(file)
    if shared:
        return shared
    failures = []
    for folder in folders:
        try:
            return fetch(gateway, file, folder)
        except OSError as error:
            failures.append(f'{folder}: {reason_of(error)}')
    megabytes = file['bytes'] / 1_000_000
    raise Problem(
        f'The node {platform.node()} has no folder for `{file["path"]}` ({megabytes:.1f} MB). '
        f'Free space, or set ENCODERFILE_CACHE_DIR on the node to a folder that can be written. Tried: {"; ".join(failures)}.'
    )


def main():
    environment = dict(os.environ)
    environment.pop('GATEWAY_JOB_LAUNCHER', None)
    environment.pop('GATEWAY_JOB_CACHE_BYTES')
    command = environment.pop('GATEWAY_JOB_COMMAND', None)
    gateway = Gateway(environment['GATEWAY_JOB_URL'], environment['GATEWAY_JOB_TOKEN'])
    try:
        files = gateway.read_json('/api/v1/worker/files')['files']
        encoders = {file['name']: find(gateway, file) for file in files if file['role'] == 'encoder'}
        environment['GATEWAY_JOB_FILES'] = json.dumps(encoders)
        if command:
            os.execve('/bin/sh', ['sh', '-c', f'exec {command} job run'], environment)
        program = find(gateway, next(file for file in files if file['role'] == 'program'))
        try:
            os.execve(program, [program, 'job', 'run'], environment)
        except OSError as error:
            raise Problem(f'The node {platform.node()} cannot run `{program}`: {error.strerror}.') from None
    except Problem as problem:
        if problem.final:
            gateway.fail_job(str(problem))
        sys.exit(str(problem))


main()
