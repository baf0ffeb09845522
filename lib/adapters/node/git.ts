import { isIP } from 'node:net'
import { dirname } from 'node:path'
import type { Credential, RemoteSource } from '../../ports/repositories.ts'
import type { CommandResult } from '../../ports/workspace.ts'
import type { Command, Commands } from './command.ts'

export const COMMITTER = { name: 'agent', email: 'agent@localhost' } as const

export type GitCall = {
  /** The folder that `args` act on. Git never searches for a repository above it. */
  cwd: string
  home: string
  tmp?: string
  /** `agent` for arguments that an agent chose; the service when absent. */
  by?: Command['by']
  args: readonly string[]
  /** The transport that this call may use (`file`); none when absent. */
  transports?: readonly 'file'[]
  /** The host of a clone, fetch or push over https. Only a call with a host reaches the network. */
  host?: RemoteSource['host']
  /** The credentials for `host`, for this call only: neither arguments nor files contain them. An agent has none. */
  credential?: Credential | undefined
  /** Further folders of this machine that git reads, such as the source of a local clone. */
  reads?: readonly string[]
  /** A git directory of the service, used on the files in `cwd`. A git directory among them is not read. */
  apart?: string
  /** It uses files of the service: no program of an agent may run in the workspace meanwhile. Also said of each call with a host. */
  alone?: boolean
  timeoutMs?: number
  maxBytes?: number
  signal: AbortSignal
}

type Needs = {
  commands: Pick<Commands, 'run'>
  /** GIT_SSL_CAINFO: the certificate authorities of https hosts, in place of the system's. */
  caFile?: string | undefined
}

const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.askPass': '',
  'core.pager': 'cat',
  // Names as they are: people and models read them in diffs and lists.
  'core.quotePath': 'false',
  'color.ui': 'false',
  'credential.helper': '',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'log.showSignature': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'init.defaultBranch': 'main',
  'advice.detachedHead': 'false',
}

// A redirect, an alternate of the server or a proxy would bypass the checked address.
const overHttps = { 'http.followRedirects': 'false', 'http.proxy': '', 'http.sslVerify': 'true' }

const asArgs = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const settingArgs = asArgs(settings)

const VERSION_MS = 10_000

const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // A repository may name a program that fetches missing objects: it is not run.
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: COMMITTER.name,
  GIT_AUTHOR_EMAIL: COMMITTER.email,
  GIT_COMMITTER_NAME: COMMITTER.name,
  GIT_COMMITTER_EMAIL: COMMITTER.email,
}

/** `host:port:address,…` for CURLOPT_RESOLVE, which replaces the lookup of the host. An address needs no entry. */
const pinArgs = ({ name, port, addresses }: RemoteSource['host']): string[] => {
  if (isIP(name.replace(/^\[(.*)\]$/, '$1'))) return []
  const listed = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address))
  return asArgs({ 'http.curloptResolve': `${name}:${port}:${listed.join(',')}` })
}

/** The only address that gets the credential: git sends a header to URLs below the one it is set for. */
const headerFor = ({ name, port }: RemoteSource['host']) => `http.https://${name}:${port}/.extraHeader`

/** In the environment of this process and its children: arguments are visible to all users, and files stay. */
const credentialIn = ({ host, credential, by }: GitCall) => {
  if (host === undefined || credential === undefined) return {}
  if (by === 'agent') throw new Error('A call of an agent has no credential')
  const basic = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: headerFor(host),
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  }
}

const apartIn = ({ cwd, apart }: GitCall) =>
  apart !== undefined && { GIT_DIR: apart, GIT_WORK_TREE: cwd, GIT_INDEX_FILE: `${apart}/index` }

const isPinning = (version: string): boolean => {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  return major > 2 || (major === 2 && minor >= 37)
}

const tooOld = {
  exitCode: 128,
  stdout: '',
  stderr: 'https needs git 2.37 or newer',
  truncated: false,
  timedOut: false,
}

/**
 * Git in a controlled environment: no prompt, hook, pager, editor, credential helper or settings of the system or user,
 * and no network except to a pinned host, without redirects. `run` resolves for any exit code.
 */
export const createGit = ({ commands, caFile }: Needs) => {
  const run = (call: GitCall) => {
    const { cwd, home, tmp, args, by = 'service', transports = [], host, reads = [], signal } = call
    const alone = call.alone ?? host !== undefined
    const env = {
      ...environment,
      // Git must not act on a repository around a workspace whose .git is missing.
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      // An empty list would mean the defaults; `none` names no transport.
      GIT_ALLOW_PROTOCOL: host ? 'https' : transports.join(':') || 'none',
      ...(host && caFile !== undefined && { GIT_SSL_CAINFO: caFile }),
      ...apartIn(call),
      ...credentialIn(call),
    }
    const network = host ? [...asArgs(overHttps), ...pinArgs(host)] : []
    const readable = host && caFile !== undefined ? [...reads, caFile] : reads
    const { timeoutMs = 60_000, maxBytes = 64 * 1_024 } = call
    return commands.run({
      file: 'git',
      args: [...settingArgs, ...network, ...args],
      by,
      cwd,
      home,
      env,
      ...(tmp === undefined ? { writes: [cwd, home] } : { tmp, writes: [cwd, home, tmp] }),
      ...(host && { network: 'host' as const }),
      ...(alone && { alone }),
      ...(readable.length > 0 && { reads: readable }),
      timeoutMs,
      maxBytes,
      signal,
    })
  }

  const version = (timeoutMs: number, signal: AbortSignal) => {
    const where = { cwd: '/', home: '/', writes: [], timeoutMs, maxBytes: 1_000, signal }
    return commands.run({ file: 'git', args: ['version'], by: 'service', ...where })
  }

  // An older git ignores the pinned address, and would look the host up itself.
  let isNewEnough = false
  const pins = async ({ signal }: GitCall) => {
    isNewEnough ||= isPinning((await version(VERSION_MS, signal)).stdout)
    return isNewEnough
  }

  return {
    run: async (call: GitCall): Promise<CommandResult> =>
      call.host && !(await pins(call)) ? tooOld : run(call),
    isThere: async (timeoutMs: number) =>
      (await version(timeoutMs, new AbortController().signal)).exitCode === 0,
  }
}
export type Git = ReturnType<typeof createGit>
