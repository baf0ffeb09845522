import { lstat, mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rgPath } from '@vscode/ripgrep'
import { cutText } from '../../core/cut-text.ts'
import { PROXY_PORT, PROXY_URL } from './agent-proxy.ts'
import type { Bridged, Commands, Owners, Sandbox } from './command.ts'
import { resourceLimits, withPlainSignals } from './resource-limits.ts'
import { bridge } from './sandbox-bridge.ts'

/** The user and group of programs when the service runs as root: `nobody` on all systems. */
const UNPRIVILEGED = 65_534
const MIB = 1_024 * 1_024
/** Temporary file systems of a sandbox are in memory, which no process limit counts. */
const TMPFS_BYTES = 64 * MIB

const SYSTEM_FOLDERS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const SYSTEM_FILES = [
  ...['group', 'passwd', 'hosts', 'nsswitch.conf', 'resolv.conf', 'localtime'],
  ...['ssl', 'ca-certificates', 'ca-certificates.conf', 'alternatives'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d'],
].map((name) => `/etc/${name}`)

const socketInside = ({ port }: Bridged) => `/run/bridge-${port}.sock`

// Signals to the group must reach the program only, so bubblewrap, which would end first, ignores them. If the parent
// died before this process was bound to it, its id has changed.
const GUARD = 'trap "" TERM INT HUP; [ "$PPID" = "$0" ] && exec "$@"'

type SandboxNeeds = {
  /** Folders of the service that programs must not see, even if they are in a folder of the system. */
  hidden: readonly string[]
  /** The memory of one process, and the largest file that it may write. */
  limits: { memoryMb: number; diskMb: number }
  /** The socket of the proxy, the only network of agents' programs; without it they have none. */
  proxySocket?: string | undefined
}

/**
 * Root makes namespaces directly, and its programs become another user; other users make them in a user namespace. Root
 * in a user namespace would give programs root's rights on everything they see.
 */
type Means = 'root' | 'user'

/**
 * A sandbox by bubblewrap (https://github.com/containers/bubblewrap). A program sees the system's programs, `writes` and
 * `reads` of its command, and only its own processes; it has no network, and dies with the service.
 */
const createSandbox = async (
  means: Means,
  { hidden, limits, proxySocket }: SandboxNeeds,
): Promise<Sandbox> => {
  const system = [...(await systemView()), ...hiddenView(await Promise.all(hidden.map(realPlace)))]
  const tools = [process.execPath, rgPath]

  const wrap: Sandbox['wrap'] = (command) => {
    const { cwd, writes, reads = [], tmp, network, by, file, args } = command
    const proxy = by === 'agent' && network === undefined ? proxySocket : undefined
    const bridged = [
      ...(proxy === undefined ? [] : [{ port: PROXY_PORT, socket: proxy }]),
      ...(command.bridged ?? []),
    ]
    const words = [
      ...namespaces(means, network === 'host'),
      ...system,
      ...temporary(tmp, [...tools, ...reads, ...writes]),
      ...bound('--ro-bind', [...tools, ...reads]),
      ...(bridged.length > 0 ? ['--perms', '0755', '--dir', '/run'] : []),
      ...bridged.flatMap((one) => ['--ro-bind', one.socket, socketInside(one)]),
      ...bound('--bind', writes),
      ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd, '--'],
      ...resourceLimits(limits),
      ...(means === 'root' ? asNobody : []),
      ...withoutPrivileges,
      ...(bridged.length > 0
        ? [process.execPath, '--eval', bridge, '--', ...bridged.map(bridgePair), '--']
        : []),
      ...[...withPlainSignals, file, ...args],
    ]
    return {
      file: 'setpriv',
      args: ['--pdeathsig', 'KILL', '--', 'sh', '-c', GUARD, String(process.pid), 'bwrap', ...words],
      cwd: '/',
      env: proxy ? proxyVariables : {},
    }
  }

  return { hasOwnNetwork: true, ...(means === 'root' && { owners: everywhere(UNPRIVILEGED) }), wrap }
}

/** Programs of all workspaces run as the same user: each sees its own workspace alone. */
const everywhere = (owner: number): Owners => ({ take: async () => owner, release: async () => undefined })

const bridgePair = (one: Bridged) => `${one.port}=${socketInside(one)}`

const namespaces = (means: Means, hasNetwork: boolean): string[] => [
  ...(means === 'user' ? ['--unshare-user'] : []),
  ...['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
  ...(hasNetwork ? [] : ['--unshare-net']),
  // `withoutPrivileges` drops the capabilities that root keeps for the change of user.
  ...(means === 'user' ? ['--cap-drop', 'ALL'] : []),
  '--die-with-parent',
]

const asNobody = [
  ...['setpriv', '--reuid', String(UNPRIVILEGED), '--regid', String(UNPRIVILEGED), '--clear-groups'],
  ...['--bounding-set=-all', '--inh-caps=-all', '--'],
]
const withoutPrivileges = ['setpriv', '--no-new-privs', '--']

const proxyVariables = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  // Node's own clients use the variables above only with a flag.
  NODE_USE_ENV_PROXY: '1',
}

const tmpfs = (path: string) => ['--perms', '1777', '--size', String(TMPFS_BYTES), '--tmpfs', path]

/** The system's folders, and the few system settings that programs need. */
const systemView = async (): Promise<string[]> => {
  const folders = await Promise.all(SYSTEM_FOLDERS.map(linkedOrBound))
  const settings = await Promise.all(
    SYSTEM_FILES.map(async (path) => ['--ro-bind-try', await realPlace(path), path]),
  )
  return [
    ...['--ro-bind', '/usr', '/usr', ...folders.flat()],
    ...['--perms', '0755', '--dir', '/etc', ...settings.flat()],
    // Private keys of the machine's own servers.
    ...((await entryKind('/etc/ssl/private')) === 'folder' ? tmpfs('/etc/ssl/private') : []),
    ...['--proc', '/proc', '--dev', '/dev', ...tmpfs('/dev/shm')],
  ]
}

const linkedOrBound = async (path: string): Promise<string[]> => {
  const kind = await entryKind(path)
  if (kind === 'link') return ['--symlink', await readlink(path), path]
  return kind === 'folder' ? ['--ro-bind', path, path] : []
}

const entryKind = async (path: string): Promise<'link' | 'folder' | undefined> => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSymbolicLink()) return 'link'
  return stats?.isDirectory() ? 'folder' : undefined
}

const realPlace = (path: string): Promise<string> => realpath(path).catch(() => path)

const isWithin = (path: string, folder: string): boolean => path.startsWith(folder + sep)
const isOfTheSystem = (path: string): boolean =>
  ['/usr', ...SYSTEM_FOLDERS, ...SYSTEM_FILES].some((folder) => isWithin(path, folder))

/** Empty folders over hidden ones that would be visible with the system's. */
const hiddenView = (folders: readonly string[]): string[] => folders.filter(isOfTheSystem).flatMap(tmpfs)

/** `/tmp` lasts as long as the workspace, unless a bound path is inside of it. */
const temporary = (tmp: string | undefined, others: readonly string[]): string[] =>
  tmp === undefined || others.some((path) => isWithin(path, '/tmp')) ? tmpfs('/tmp') : ['--bind', tmp, '/tmp']

/** Files and folders at the same path as outside. Their parent folders are otherwise empty. */
const bound = (how: '--bind' | '--ro-bind', paths: readonly string[]): string[] =>
  paths.flatMap((path) => [
    ...waysTo(path).flatMap((way) => ['--perms', '0755', '--dir', way]),
    how,
    path,
    path,
  ])

const waysTo = (path: string): string[] => {
  const parent = dirname(path)
  return parent === '/' || isOfTheSystem(path) ? [] : [...waysTo(parent), parent]
}

export const ownFolder = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
/** The home of the service's user. */
export const ownHome = homedir()

/**
 * A working sandbox: it has started a program, which did not see a file outside and had no privileges. Otherwise the
 * system's error on one line. Throws when a program gets no answer in time, since that says nothing about the system.
 */
export const findSandbox = async (
  needs: SandboxNeeds,
  commandsIn: (sandbox: Sandbox) => Commands,
): Promise<{ sandbox: Sandbox } | { cause: string }> => {
  if (process.platform !== 'linux') return { cause: `bubblewrap needs Linux; this is ${process.platform}` }
  const sandbox = await createSandbox(process.getuid?.() === 0 ? 'root' : 'user', needs)
  const cause = await probe(commandsIn(sandbox))
  return cause === undefined ? { sandbox } : { cause }
}

const PROBE_MS = 30_000

/** Shows whether a program sees a file outside, its user, and its capabilities. */
const LOOK_AROUND = `
test -e "$0" && echo seen || echo hidden
while read -r name value rest; do case $name in Uid:) echo "uid $value";; CapEff:) echo "capabilities $value";; esac
done < /proc/self/status`

/** Why a program does not start, sees too much or has too many rights; undefined when everything is right. */
const probe = async (commands: Commands): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-probe-'))
  try {
    const secret = join(folder, 'secret')
    await writeFile(secret, '')
    const { stdout, stderr, timedOut } = await commands.run({
      file: 'sh',
      args: ['-c', LOOK_AROUND, secret],
      by: 'service',
      cwd: '/',
      home: '/',
      writes: [],
      timeoutMs: PROBE_MS,
      maxBytes: 1_000,
      signal: AbortSignal.timeout(2 * PROBE_MS),
    })
    if (timedOut)
      throw new Error(`a program in the sandbox did not respond within ${PROBE_MS / 1_000} s. Start again`)
    const uid = process.getuid?.() || UNPRIVILEGED
    if (stdout === `hidden\nuid ${uid}\ncapabilities 0000000000000000\n`) return undefined
    const said = cutText(stderr.replace(/\s+/g, ' ').trim(), 300)
    return said || `a program in it found ${JSON.stringify(cutText(stdout, 200))}`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
