import { isIP } from 'node:net'
import { dirname } from 'node:path'
import type { Commands } from '../../ports/command.ts'
import type { Git, GitCall, PinnedHost } from '../../ports/git.ts'

type Needs = {
  commands: Commands
  /** GIT_SSL_CAINFO: the authorities that https hosts are checked by, in place of the system's. */
  caFile?: string | undefined
}

const settings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.askPass': '',
  'core.pager': 'cat',
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

// A redirect, an alternate of the server or a proxy would lead past the address that was judged.
const overHttps = { 'http.followRedirects': 'false', 'http.proxy': '', 'http.sslVerify': 'true' }

const asArgs = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const settingArgs = asArgs(settings)

const VERSION_MS = 10_000

const author = { name: 'agent', email: 'agent@localhost' }

const environment = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // Objects that are missing are not fetched by a program that a repository names.
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_AUTHOR_NAME: author.name,
  GIT_AUTHOR_EMAIL: author.email,
  GIT_COMMITTER_NAME: author.name,
  GIT_COMMITTER_EMAIL: author.email,
}

/** `host:port:address,…` as CURLOPT_RESOLVE takes it; the host is then not looked up again. An address needs no entry. */
const pinArgs = ({ name, port, addresses }: PinnedHost): string[] => {
  if (isIP(name.replace(/^\[(.*)\]$/, '$1'))) return []
  const listed = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address))
  return asArgs({ 'http.curloptResolve': `${name}:${port}:${listed.join(',')}` })
}

const apartIn = ({ cwd, apart }: GitCall) =>
  apart && {
    GIT_DIR: apart.gitDir,
    GIT_WORK_TREE: cwd,
    GIT_OBJECT_DIRECTORY: apart.objects,
    GIT_INDEX_FILE: `${apart.gitDir}/index`,
  }

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

/** Git as child processes of `commands`. */
export const createGit = ({ commands, caFile }: Needs): Git => {
  const run: Git['run'] = (call) => {
    const { cwd, home, tmp, args, by = 'service', transports = [], host, reads = [], signal } = call
    const env = {
      ...environment,
      // A workspace whose .git is gone must not make git act on a repository that its folder happens to lie in.
      GIT_CEILING_DIRECTORIES: dirname(cwd),
      // An empty list would mean the defaults; `none` names no transport.
      GIT_ALLOW_PROTOCOL: host ? 'https' : transports.join(':') || 'none',
      ...(host && caFile !== undefined && { GIT_SSL_CAINFO: caFile }),
      ...apartIn(call),
    }
    const network = host ? [...asArgs(overHttps), ...pinArgs(host)] : []
    const read = host && caFile !== undefined ? [...reads, caFile] : reads
    const { timeoutMs = 60_000, maxBytes = 64 * 1_024 } = call
    return commands.run({
      ...{ file: 'git', args: [...settingArgs, ...network, ...args], by, cwd, home, env },
      ...(tmp === undefined ? { writes: [cwd, home] } : { tmp, writes: [cwd, home, tmp] }),
      ...(host && { network: 'host' as const }),
      ...(read.length > 0 && { reads: read }),
      ...{ timeoutMs, maxBytes, signal },
    })
  }

  const version = (timeoutMs: number, signal: AbortSignal) => {
    const where = { cwd: '/', home: '/', writes: [], timeoutMs, maxBytes: 1_000, signal }
    return commands.run({ file: 'git', args: ['version'], by: 'service', ...where })
  }

  // An older git passes over the pin in silence, and would look the host up by itself.
  const pins = async ({ signal }: GitCall) => isPinning((await version(VERSION_MS, signal)).stdout)

  return {
    run: async (call) => (call.host && !(await pins(call)) ? tooOld : run(call)),
    isThere: async (timeoutMs) => (await version(timeoutMs, new AbortController().signal)).exitCode === 0,
  }
}
