import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { cutText } from '../../core/cut-text.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Commands, Sandbox } from './command.ts'
import type { CommandLimits } from './command-watch.ts'
import { resourceLimits, withPlainSignals } from './resource-limits.ts'
import { endLeftKeepers, startKeeper } from './users-keeper.ts'
import { createWorkspaceUsers, type WorkspaceUsers, type WorkspaceUsersNeeds } from './workspace-users.ts'

/** `dir` is WORKSPACES_DIR, and `uids` AGENT_UIDS. */
type Needs = WorkspaceUsersNeeds & {
  /** Folders with what is the service's alone, by the names of their settings. */
  hidden: readonly { setting: string; folder: string }[]
  limits: CommandLimits
}

/** Isolation by users, while it is open. */
type OpenedUsers = { sandbox: Sandbox; close: () => Promise<void> }

/** The watch ends a command that has more, and says so; the system stops one that is faster than the watch. */
const PROCESSES_OF_SYSTEM = 2

/** Commands as users of their own: they share the network and the file system of the service, by the rights of their user. */
const createSandbox = (users: WorkspaceUsers, limits: CommandLimits): Sandbox => {
  const resources = resourceLimits(limits, `--nproc=${PROCESSES_OF_SYSTEM * limits.processes}`)
  return {
    hasOwnNetwork: false,
    owners: users.owners,
    ready: users.ready,
    wrap: (command) => {
      const begun = users.begin(command)
      const [file = '', ...words] = [...resources, ...asUser(begun.uid), ...withPlainSignals]
      return { file, args: [...words, command.file, ...command.args], cwd: command.cwd, env: {}, ...begun }
    },
  }
}

/** The bounding set stays: nothing can be gained of it without new privileges, and few containers may change it. */
const asUser = (uid: number): string[] => [
  ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
  ...['--inh-caps=-all', '--no-new-privs', '--'],
]

/** Why a user id of the range cannot be used for programs: an account has it. */
const foreignAccount = async ({ first, last }: Needs['uids']): Promise<string | undefined> => {
  for (const file of ['/etc/passwd', '/etc/group']) {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
    const found = lines.find(([, , id]) => id && Number(id) >= first && Number(id) <= last)
    if (found) return `${found[0]} in ${file} has ${found[2]}, which is in AGENT_UIDS`
  }
  return undefined
}

/** Takes all rights of others from folders of the service. Resolves to why programs could not keep out or come in. */
const closeFolders = async (dir: string, hidden: Needs['hidden']): Promise<string | undefined> => {
  for (const { setting, folder } of hidden) {
    const real = await realpath(folder).catch(() => undefined)
    if (real === undefined) continue
    if (dir === real || dir.startsWith(real + sep))
      return `WORKSPACES_DIR is inside ${setting}, which programs cannot access. Set it to another folder`
    await chmod(real, (await stat(real)).mode & 0o700)
  }
  // Names of workspaces are not listed to programs, which may pass to their own.
  await chmod(dir, 0o711)
  return undefined
}

/** Another service of this machine, or of the container, must not have the same users. */
const reserve = async ({ first, last }: Needs['uids']): Promise<() => Promise<void>> => {
  const server = createServer((socket) => socket.destroy()).listen(`\0agent-tasks-users-${first}-${last}`)
  await once(server, 'listening')
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/**
 * Isolation of programs by users, for a service that root has started where there are no namespaces, as in a container with
 * the default profile. It has been tried with a program; otherwise `cause` says why it does not work here.
 */
export const findUsers = async (
  needs: Needs,
  commandsIn: (sandbox: Sandbox) => Commands,
): Promise<OpenedUsers | { cause: string }> => {
  if (process.platform !== 'linux') return { cause: `users need Linux, but this is ${process.platform}` }
  if (process.getuid?.() !== 0) return { cause: 'the service was not started as root' }
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  try {
    // A new runner has no workspaces yet.
    await mkdir(needs.dir, { recursive: true })
    const dir = await realpath(needs.dir)
    const cause = (await foreignAccount(needs.uids)) ?? (await closeFolders(dir, needs.hidden))
    if (cause !== undefined) return { cause }
    closers.push(
      await reserve(needs.uids).catch(() => {
        throw new Error('another service uses the users of AGENT_UIDS')
      }),
    )
    const users = createWorkspaceUsers({ ...needs, dir })
    await endLeftKeepers(needs.uids)
    await users.start()
    closers.push(startKeeper(needs.uids))
    const sandbox = createSandbox(users, needs.limits)
    const fault = await probe(commandsIn(sandbox), users, { ...needs, dir })
    if (fault === undefined) return { sandbox, close }
    await close()
    return { cause: fault }
  } catch (thrown) {
    await close()
    return { cause: cutText(errorMessage(thrown).replace(/\s+/g, ' '), 300) }
  }
}

const PROBE_MS = 30_000
const PROBE = 'users-probe'

/** Shows the rights of a program, and each thing that it can do and should not, or should and cannot. */
const LOOK_AROUND = `
while read -r name a b c d rest; do case $name in
  Uid:|Gid:) echo "$name $a $b $c $d" ;; Groups:) echo "$name$a" ;;
  Cap[IPEA]*|NoNewPrivs:) echo "$name $a" ;;
esac; done < /proc/self/status
echo > made || echo cannot write to its workspace
cat "$PWD/made" > "$HOME/kept" || echo cannot enter its workspace
service=$0
(cat "/proc/$service/environ" > /dev/null) && echo reads the environment of the service
kill -0 "$service" && echo can end the service
for place in "$@"; do (cat "$place" || ls "$place") > /dev/null && echo "reads $place"; done
(setsid sleep 300 > /dev/null 2>&1 &)
exit 0`

const rights = (uid: number): string[] => [
  `Uid: ${uid} ${uid} ${uid} ${uid}`,
  `Gid: ${uid} ${uid} ${uid} ${uid}`,
  'Groups:',
  ...['Inh', 'Prm', 'Eff', 'Amb'].map((set) => `Cap${set}: 0000000000000000`),
  'NoNewPrivs: 1',
]

/** Why programs do not run, may too much or too little, or leave a process; undefined when everything is right. */
const probe = async (commands: Commands, { owners }: WorkspaceUsers, { dir, hidden }: Needs) => {
  const secrets = await mkdtemp(join(tmpdir(), 'users-probe-'))
  const folder = join(dir, PROBE)
  try {
    const secret = join(secrets, 'secret')
    await writeFile(secret, 'secret')
    const uid = await owners.take(folder)
    const work = join(folder, 'work')
    await mkdir(work)
    await chown(work, uid, uid)
    const { stdout, stderr, timedOut } = await commands.run({
      file: 'sh',
      args: ['-c', LOOK_AROUND, String(process.pid), secret, ...hidden.map((one) => one.folder)],
      by: 'service',
      cwd: work,
      home: work,
      writes: [],
      timeoutMs: PROBE_MS,
      maxBytes: 4_000,
      signal: AbortSignal.timeout(2 * PROBE_MS),
    })
    if (timedOut) return 'a program gave no answer in time'
    const expected = rights(uid)
    const said = stdout.split('\n').filter(Boolean)
    const odd = said.filter((line) => !expected.includes(line))
    if (odd.length === 0 && said.length === expected.length) return undefined
    const words =
      odd.length > 0 ? `a program of an agent ${odd.join(', ')}` : stderr.replace(/\s+/g, ' ').trim()
    return cutText(words || `a program of an agent said ${JSON.stringify(stdout)}`, 300)
  } finally {
    await owners.release(folder)
    await Promise.all([secrets, folder].map((path) => rm(path, { recursive: true, force: true })))
  }
}
